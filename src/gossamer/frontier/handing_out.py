"""Which visit is handed out now? Where none is: when is the next one due, and when is the crawl over?"""

from __future__ import annotations

import asyncio
from math import inf

from gossamer.frontier.holding import is_queued_again
from gossamer.frontier.parts import Parts
from gossamer.frontier.polite.limits import Quota
from gossamer.frontier.polite.schedule import AWAY
from gossamer.frontier.queue.choice import Due
from gossamer.frontier.revisit.watch import Watch
from gossamer.frontier.rooms import Rooms
from gossamer.frontier.rules import Rules
from gossamer.model import Kind, Visit

QUIET = 60.0
"""Seconds in which nothing is to be done; then a watch has time for its dates."""


class HandingOut:
    """What `Frontier.due` gives, visit by visit."""

    def __init__(self, rooms: Rooms) -> None:
        self._parts = rooms.parts
        self._rules = rooms.parts.rules
        self._clock = rooms.parts.clock
        self._peers = rooms.parts.peers
        self._ledger = rooms.parts.ledger
        self._in_flight = rooms.in_flight
        self._schedule = rooms.schedule
        self._active = rooms.active
        self._intake = rooms.intake
        self._watch = rooms.watch
        self._listings = rooms.listings
        self._reconsideration = rooms.reconsideration
        self._choice = rooms.choice
        self._blame = rooms.blame
        self._robots = rooms.robots
        self.quota = _quota(rooms.parts)
        """The limits; None when nothing is limited, which is asked for each visit."""
        self.stopping = False
        """Nothing more is handed out."""
        self._caught_up = False
        self._held = self._paused = False

    def hold(self, held: bool, *, paused: bool) -> bool:
        """As `Frontier.hold`; whether that is new."""
        before, (self._held, self._paused) = (self._held, self._paused), (held, paused)
        return before != (held, paused)

    def change(self, rules: Rules) -> None:
        """Go by other limits from now on."""
        if self.quota is None:
            out = self._in_flight.claim(self._is_new)
            self.quota = Quota(self._ledger, 0, self._peers, clock=self._clock, out=out)
        self.quota.change(rules.pages, rules.allowance)

    @property
    def idle(self) -> bool:
        """Nothing is out, nothing waits for its turn, and nothing worth waiting for will be due soon."""
        parts = self._parts
        if self._in_flight or self._schedule.resolving:
            return False
        if self._is_full() and (self._watch is None or self._is_over()):
            return True
        if self._watch is not None and self._watch.goes_on:
            return False
        if parts.outage.suspected or self._intake.met or self._paused or (self._held and self._ledger.counts.queued):
            return False
        if self._robots.come or self._listings.busy or self._reconsideration.under_way:
            return False
        return not self.has_turns and self.next_waking() > self._rules.patience

    @property
    def has_turns(self) -> bool:
        """Does anybody wait for politeness alone? Others wait for a retry or the end of a pause."""
        return self._schedule.next_turn() != inf or self._someone_waits()

    def _someone_waits(self) -> bool:
        """Does an origin wait on disk for its turn? Those that have nothing but new pages have none without room."""
        nearest = self._parts.waiting_origins.nearest()
        return nearest is not None and not (nearest >= AWAY and self.quota is not None and self.quota.has_all_pages())

    def next_waking(self) -> float:
        """Seconds until a retry or a paused host is due; infinity when there is none."""
        now = self._clock.steady()
        return min(self._schedule.next_waking() - now, self._parts.retries.next_time - self._clock.wall())

    def pause(self) -> float | None:
        """Seconds until something may be due; None when the crawl is over."""
        now, full = self._clock.steady(), self._is_full()
        if self._held and not self.stopping and not self.idle:
            return inf
        if self._parts.outage.suspected and not self.stopping and not full:
            return self._blame.probe_time() - now
        turn = inf if full else self._next_turn(now) - now
        waking = self.next_waking()
        if self._watch is not None:
            if turn > QUIET:
                self._watch.catch_up()
            turn, waking = max(turn, self._watch.pause()), min(waking, self._watch.next_time())
        over = self.stopping or self.idle
        if self._peers and not self.stopping:
            self._peers.report(idle=over)
            over = self._peers.over
        return None if over else min(turn, waking)

    def _next_turn(self, now: float) -> float:
        """Steady time when somebody may be due; who waits on disk is looked for as soon as there is a worker."""
        turn, free = self._schedule.next_turn(), self._parts.slots.free_from()
        if self._choice.broke_off or self._robots.come or self._listings.open:
            return max(free, now)
        return max(turn, free) if free <= now or not self._parts.waiting_origins.waiting else free

    def next(self) -> Visit | None:
        """What is due now; it is out from now on. None where nothing is."""
        if self.stopping or self._held or (self._peers and self._peers.held):
            return None
        if self._parts.slots.free_from() > self._clock.steady():
            return None
        if self._parts.outage.suspected:
            return None if self._is_full() else self._go(self._blame.ask_witness())
        if self._robots.come or self._listings.open:
            self._catch_up()
        if self._watch is not None and not self._may_go(self._watch):
            return None
        if self.quota is None:
            return self._go(self._choice.next())
        claimed = self.quota.claim()
        if not claimed and self._is_full():
            return None
        due = self._choice.next(new=claimed)
        if claimed and (due is None or not self._is_new(due.visit)):
            self.quota.settle(kept=False)
            claimed = False
        return self._go(due, claimed=claimed)

    def _is_new(self, visit: Visit) -> bool:
        """A page that we do not have yet."""
        entry = self._ledger.get(visit.url) if visit.kind is Kind.PAGE else None
        return entry is not None and not is_queued_again(entry)

    def _may_go(self, watch: Watch) -> bool:
        """What is due is woken. Does the budget let one more visit go?"""
        if watch.next_time() <= 0:
            watch.wake()
        return watch.pause() <= 0

    def _is_over(self) -> bool:
        """It may take no more time or bytes. At a limit of pages those that we have are still visited again."""
        return self.quota is not None and self.quota.is_over()

    def _is_full(self) -> bool:
        """Nothing more may be asked for. What the last page needs may not be in the books yet."""
        if self.quota is None or not self.quota.full():
            return False
        if self._rules.requisites and self._intake.met and not self.quota.is_over():
            self._intake.sift()
        return self.quota.full()

    def _catch_up(self) -> None:
        """A part of what came in large, once in a turn of the event loop, however many workers ask."""
        if self._caught_up:
            return
        self._caught_up = True
        asyncio.get_running_loop().call_soon(self._fall_behind)
        self._robots.go_on()
        self._listings.take_some()

    def _fall_behind(self) -> None:
        self._caught_up = False

    def _go(self, due: Due | None, *, claimed: bool = False) -> Visit | None:
        """What is due is out from now on."""
        if due is None:
            return None
        if self._watch is not None:
            due = due._replace(visit=self._watch.asked(due.visit))
        visit, origin, _ = due
        host, politeness = origin.host, self._rules.politeness
        self._in_flight.take(due, claimed=claimed)
        if self._peers:
            self._peers.report(idle=False)
        if self._watch is not None:
            self._watch.goes(politeness.gap(host, visit.kind))
        if visit.kind is not Kind.ROBOTS:
            self._parts.budgets.visited(self._rules.site(visit.url))
        host.next = self._clock.steady() + politeness.gap(host, visit.kind)
        if host.out < politeness.per_host:
            self._active.replace(origin)
        return visit


def _quota(parts: Parts) -> Quota | None:
    rules = parts.rules
    if not (rules.pages or rules.closed or rules.allowance):
        return None
    return Quota(
        parts.ledger, rules.pages, parts.peers, closed=rules.closed, allowance=rules.allowance, clock=parts.clock
    )
