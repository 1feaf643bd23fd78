"""What becomes of a visit that comes back? Its address gets its next state, its host and the network are judged, and
its origin waits for the next turn."""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.frontier.handing_out import HandingOut
from gossamer.frontier.in_flight import Out
from gossamer.frontier.queue.back_queues import Origin
from gossamer.frontier.queue.backlog import Longest
from gossamer.frontier.rooms import Rooms
from gossamer.frontier.worth.soft404 import Correction
from gossamer.model import Answer, Capture, Kind, Page, Visit
from gossamer.urls import keys


class TakingBack:
    """What `Frontier.done` does with one answer."""

    def __init__(self, rooms: Rooms, handing_out: HandingOut, longest: Longest) -> None:
        self._rooms = rooms
        self._parts = rooms.parts
        self._handing_out = handing_out
        self._longest = longest

    def has_entry(self, answer: Answer) -> bool:
        """Is it in the books? Of what pages are dressed with only that which was found in them, or imported."""
        visit, capture, _ = answer
        if visit.kind is not Kind.RESOURCE or capture.source is not None or visit in self._rooms.in_flight:
            return True
        self._rooms.intake.sift()  # after a kill: what led to it may have been added a moment ago
        entry = self._parts.ledger.get(visit.url)
        return entry is not None and entry.kind is Kind.RESOURCE

    def done(self, visit: Visit, capture: Capture, page: Page) -> tuple[Origin, Sequence[Correction]]:
        """The origin that it was visited for, and which pages turned out to be something else."""
        rooms, parts = self._rooms, self._parts
        if capture.source is not None:
            return rooms.imported.done(capture, page), ()
        out, pages = rooms.in_flight.give_back(visit), parts.ledger.counts.kept
        origin = out.origin if out else self._before_a_kill(visit)
        host, quota = origin.host, self._handing_out.quota
        parts.ledger.counts.came(capture)
        if rooms.watch is not None:
            rooms.watch.came(len(capture.wire))
        if quota is not None:
            quota.weigh()
        if out and capture.failure and rooms.blame.goes_elsewhere(origin, visit, capture, out.group.address):
            self._leave(out, visit)
            return origin, ()
        rooms.blame.judge_host(host, capture)
        others = rooms.robots.others(visit) if capture.failure and visit.kind is Kind.ROBOTS else ()
        corrections = self._take_in(capture, page)
        if out and out.claimed and quota is not None:
            quota.settle(kept=parts.ledger.counts.kept > pages)
        if parts.ledger.counts.kept > pages and rooms.choice.pages_per_host is not None:
            rooms.choice.pages_per_host.kept(host.name)
        host.next = max(host.next, parts.clock.steady() + parts.rules.politeness.gap(host, visit.kind))
        parts.hosts.note(host)
        self._longest.offer(host)
        if out:
            rooms.schedule.release(host, out.group, visited=True)
        rooms.active.replace(origin)
        if rooms.blame.watch_network(origin, capture, others):
            rooms.robots.ask_for_waiting()
        return origin, corrections

    def _take_in(self, capture: Capture, page: Page) -> Sequence[Correction]:
        """What the answer says, by what was asked for."""
        match capture.visit.kind:
            case Kind.ROBOTS:
                self._rooms.robots.done(capture)
                return ()
            case Kind.PROBE:
                return self._rooms.answers.probe_done(capture, page)
        correction = self._rooms.answers.done(capture, page)
        return () if correction is None else (correction,)

    def _before_a_kill(self, visit: Visit) -> Origin:
        """The origin of a visit that was handed out before: what led to it may have been added a moment ago."""
        self._rooms.intake.sift()
        origin = self._rooms.active.get(keys.origin(visit.url))
        if visit in origin.urgent:  # a hop that the capture before it has led to
            origin.urgent.remove(visit)
        return origin

    def _leave(self, out: Out, visit: Visit) -> None:
        """The visit waits for another address of its host; this one is free again."""
        self._rooms.in_flight.moving.add(visit.url)
        if self._handing_out.quota is not None and visit.kind is Kind.PAGE:
            self._handing_out.quota.settle(kept=False)
        self._rooms.schedule.release(out.origin.host, out.group, visited=True)
        self._rooms.active.replace(out.origin)
