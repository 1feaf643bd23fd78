"""Who is to blame for how a visit went? The host, which rests longer for it, or our own network (see `outage`)."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from msgspec.structs import replace

from gossamer.frontier.discover.intake import Intake
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.parts import Parts
from gossamer.frontier.polite.host_delays import Host, retry_after
from gossamer.frontier.polite.outage import Witness, is_silence, is_unconnected
from gossamer.frontier.polite.schedule import Schedule
from gossamer.frontier.queue.active_origins import ActiveOrigins
from gossamer.frontier.queue.back_queues import Origin
from gossamer.frontier.queue.choice import Due
from gossamer.frontier.queue.retry import THROTTLED, rule
from gossamer.model import Capture, Kind, Visit
from gossamer.urls import keys


class Blame:
    """Judges hosts by their answers, and takes back what was not their fault."""

    def __init__(self, parts: Parts, schedule: Schedule, active: ActiveOrigins, intake: Intake) -> None:
        self._parts = parts
        self._clock = parts.clock
        self._outage = parts.outage
        self._schedule = schedule
        self._active = active
        self._intake = intake
        self._before: dict[str, Entry] = {}
        """What was known of addresses before the first visit that nobody answered, until somebody answers."""

    def judge_host(self, host: Host, capture: Capture) -> None:
        """The host has answered, or has not. What becomes of the address is not known yet."""
        now, visit = self._clock.steady(), capture.visit
        if is_silence(capture) and (entry := self._parts.ledger.get(visit.url)):
            self._before.setdefault(visit.url, entry)
        host.visits += 1
        failure = capture.failure
        if capture.status in THROTTLED:
            asked = retry_after(capture.header("retry-after"), self._clock.wall())
            host.throttle(now, asked, capture.status)
        elif rule(failure.fault if failure else None, capture.status).blames_host:
            host.failed(now)
        elif capture.status and not self._outage.asked(visit):  # its pages may fail as before
            host.answered(capture.seconds)

    def goes_elsewhere(self, origin: Origin, visit: Visit, capture: Capture, address: str) -> bool:
        """No connection came about: the visit waits for its turn at the next address of its host, if there is one.

        Nothing was asked yet, so the host need not rest, and nobody is blamed before all addresses were tried. The
        question to a witness does not wait: its answer is awaited by all.
        """
        if not is_unconnected(capture) or not origin.host.leave(address) or self._outage.asked(visit):
            return False
        if self._parts.rules.politeness.per_host == 1:  # or its gap may be that of another visit
            origin.host.next = min(origin.host.next, self._clock.steady())
        origin.urgent.appendleft(visit)
        return True

    def watch_network(self, origin: Origin, capture: Capture, others: Sequence[Visit] = ()) -> bool:
        """Was it the host? When it turns out to be the network, the host has done nothing wrong.

        `others` share the answer. Gives whether anything was taken back.
        """
        host, who = origin.host, Witness(origin.host.name, origin.name)
        taken_back: list[Visit] = []
        if is_silence(capture):
            taken_back = self._outage.silent(who, capture.visit, others, spoke=host.visits > host.faults)
            for visit in taken_back:
                self._take_back(visit)
        elif capture.status:
            self._outage.answered(None if host.throttled else who)
            self._before.clear()
        return bool(taken_back)

    def ask_witness(self) -> Due | None:
        """The question to a host that did answer, when it may be asked."""
        if self._outage.witness is None or self.probe_time() > self._clock.steady():
            return None
        origin = self._active.get(self._outage.witness)
        if not self._schedule.is_found(origin.host):  # it may have been forgotten since it answered
            return None
        group = self._schedule.aside(origin.host)
        return Due(self._outage.probe(), origin, group) if group is not None else None

    def probe_time(self) -> float:
        """Steady time when the witness may be asked; infinity while the question, or its host, is out or looked up."""
        witness = self._outage.witness
        if witness is None:
            return inf
        return max(self._outage.until, self._schedule.free_from(self._active.get(witness).host))

    def _take_back(self, visit: Visit) -> None:
        """The visit failed because of us: as if it had never been made."""
        if visit.owner and not self._parts.is_ours(visit.owner):  # its shard takes it for a passing fault
            return
        ledger = self._parts.ledger
        origin = self._active.get(visit.owner or keys.origin(visit.url))
        origin.host.forgive()
        self._parts.hosts.note(origin.host)
        if visit.kind is Kind.ROBOTS:
            self._parts.access.forget(origin)
        elif (before := self._before.pop(visit.url, None)) and (entry := ledger.get(visit.url)):
            untried = replace(before, state=State.QUEUED, history=entry.history)
            ledger.put(visit.url, self._intake.enqueue(visit.url, untried), entry)
        self._active.bring_in([origin.name])
