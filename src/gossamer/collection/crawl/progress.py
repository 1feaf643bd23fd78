"""How does it go? What a crawl has done since it began, what is left, and how long that may take."""

from __future__ import annotations

from math import inf

from gossamer.collection.crawl.eta import UNKNOWN, Eta, Rate, eta, resting
from gossamer.collection.status import Progress
from gossamer.frontier import Frontier
from gossamer.model import Clock
from gossamer.plan import Plan
from gossamer.store.disk import Disk


class Gauge:
    """Counts from the moment it is made."""

    def __init__(self, plan: Plan, frontier: Frontier, disk: Disk, clock: Clock) -> None:
        self._plan = plan
        self._frontier = frontier
        self._disk = disk
        self._clock = clock
        self._rate = Rate()
        self._began = clock.steady()
        self._seconds_before = frontier.ledger.counts.seconds
        self._sums_before = self._sums()

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return self._clock.steady() - self._began

    def account(self) -> None:
        """The counters say how long all runs took together."""
        self._frontier.ledger.counts.seconds = self._seconds_before + self.seconds

    def note(self, seconds: float) -> None:
        """So much is done by then: the rate is counted from that."""
        self._rate.note(seconds, self._done())

    def has_moved(self) -> bool:
        """Has anything been counted since the last call?"""
        before, self._sums_before = self._sums_before, self._sums()
        return before != self._sums_before

    def look(self) -> Progress:
        """One look at how it goes."""
        self._frontier.sift()
        counts = self._frontier.ledger.counts
        waking, short = self._frontier.next_waking(), self._disk.shortage
        seconds = self.seconds
        idle = self._frontier.out == 0 and self._frontier.hosts_waiting == 0 and waking != inf
        left = self._left(seconds, waking if idle else None)
        return Progress(
            pages=counts.pages,
            failed=counts.failed,
            queued=counts.queued,
            out=self._frontier.out,
            waiting=self._frontier.hosts_waiting,
            bytes=counts.bytes,
            seconds=seconds,
            limit=self._plan.pages,
            idle_seconds=waking if idle else 0.0,
            network_gone=self._frontier.network_gone,
            disk_free=short.free if short else 0,
            disk_wanted=short.wanted if short else 0,
            left=left.seconds,
            basis=left.basis,
        )

    def _left(self, seconds: float, waking: float | None) -> Eta:
        """`waking` is in how many seconds something wakes, when nothing else is left to do."""
        counts = self._frontier.ledger.counts
        wanted = min(counts.queued, self._plan.pages - counts.pages) if self._plan.pages else counts.queued
        if self._frontier.network_gone:
            return UNKNOWN
        if waking is not None:
            return resting(wanted, waking, self._clock.wall() + waking)
        return eta(wanted, self._rate.at(seconds, self._done()), self._frontier.longest)

    def _done(self) -> int:
        counts = self._frontier.ledger.counts
        return counts.done + counts.failed

    def _sums(self) -> tuple[int, ...]:
        counts = self._frontier.ledger.counts
        return counts.queued, counts.done, counts.failed, counts.excluded, counts.bytes
