"""How does it go? What a crawl has done since it began, what is left, how long that may take, and what holds it up.

Two things hold a crawl up: the rate at which all that is queued gets done, and the one host that politeness makes last
longest. The larger of the two is the estimate. Both know only what was found so far. Where all that is queued waits for
a retry, that is reported instead.
"""

from __future__ import annotations

import time
from collections import deque
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from gossamer.collection.progress import Progress
from gossamer.collection.series import memory
from gossamer.frontier import Frontier
from gossamer.frontier.queue.backlog import Stretch
from gossamer.model import Clock
from gossamer.plan import Plan
from gossamer.printable import span
from gossamer.store.disk import Disk

if TYPE_CHECKING:
    from gossamer.collection.crawl.checkpoints import Checkpoints

WINDOW = 60.0
"""Seconds that the rate is taken over."""
EARLY = 30.0
"""Seconds after which a rate can be believed."""


class Eta(NamedTuple):
    """An estimate with its basis."""

    seconds: float | None
    """None when nothing is left to do, or nothing is known yet."""
    basis: str


UNKNOWN = Eta(None, "")


class Rate:
    """How much got done in a second, in the last minute: addresses, or bytes."""

    def __init__(self) -> None:
        self._past: deque[tuple[float, int]] = deque()

    def note(self, seconds: float, done: int) -> None:
        """So much was done by then."""
        self._past.append((seconds, done))
        while self._past[0][0] < seconds - WINDOW:
            self._past.popleft()

    def at(self, seconds: float, done: int) -> float:
        """The rate, when so much is done by now; 0 when nothing is known of the time before."""
        then, before = self._past[0] if self._past else (seconds, done)
        return max(done - before, 0) / (seconds - then) if seconds > then else 0.0


def eta(wanted: int, rate: float, longest: Stretch | None, *, queued: int | None = None, is_early: bool = False) -> Eta:
    """The time for `wanted` addresses in all, some of them on the host that takes the longest. They may not be all that
    is `queued`, where that is given: a limit lets no more in, and other hosts may bring most of them. A rate that
    `is_early` is of a few answers, and says nothing of a host that has most of what is wanted."""
    if wanted <= 0:
        return UNKNOWN
    together = wanted / rate if rate else 0.0
    is_all = queued is None or queued == wanted
    elsewhere = queued - longest.queued if queued is not None and longest and rate else 0
    alone = longest._replace(queued=max(min(longest.queued, wanted - elsewhere), 0)) if longest else None
    if alone and (alone.seconds > together or (is_early and 2 * alone.queued >= wanted)):
        words = f"{alone.host} alone has {alone.queued:,} queued at {_plain(alone.each)} s each"
        return Eta(alone.seconds, words + (f" after a pause of {span(alone.pause)}" if alone.pause else ""))
    which = "queued" if is_all else "left to the limit"
    return Eta(together, f"{wanted:,} {which} at {_plain(rate)} pages/s") if rate else UNKNOWN


def resting(wanted: int, seconds: float, moment: float) -> Eta:
    """Nothing can be done for so long, until that moment: what is queued waits for a retry or the end of a pause."""
    if wanted <= 0:
        return UNKNOWN
    until = time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
    return Eta(seconds, f"until the first of {wanted:,} queued may be tried again, {until}")


def limited(left: Eta, limit: float, seconds: float) -> Eta:
    """The same, and that it takes more than one crawl, where each ends after a time; so much of it has passed."""
    if not limit or left.seconds is None or left.seconds <= limit - seconds:
        return left
    return Eta(left.seconds, f"{left.basis}; each crawl ends after {span(limit)}")


def _plain(number: float) -> str:
    return f"{number:,.1f}".removesuffix(".0") if number >= 1 else f"{number:.2g}"


class Gauge:
    """Counts from the moment it is made."""

    def __init__(
        self, plan: Plan, frontier: Frontier, disk: Disk, clock: Clock, *, started: float | None = None
    ) -> None:
        self.plan = plan
        self.paused = False
        """Somebody has asked the crawl to wait."""
        self.store_away = ""
        """Why it waits for the store of its checkpoints; nothing when it does not."""
        self.unsent, self.lag = 0, 0.0
        """What is for other shards, and for how long the oldest of it waits."""
        self._frontier = frontier
        self._disk = disk
        self._clock = clock
        self._rate, self._byte_rate = Rate(), Rate()
        self._began = clock.steady()
        self._started = self._began if started is None else started
        """When the crawl was, before its shards were."""
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
        self._byte_rate.note(seconds, self._frontier.ledger.counts.bytes)

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
        idle = self._frontier.out == 0 and waking != inf and not self._frontier.has_turns
        left = UNKNOWN if short or self.store_away else self._left(seconds, waking if idle else None)
        is_watched = self._frontier.next_revisit is not None
        return Progress(
            pages=counts.kept if is_watched else counts.pages,
            failed=counts.failed,
            queued=counts.queued,
            out=self._frontier.out,
            waiting=self._frontier.hosts_waiting,
            bytes=counts.bytes,
            seconds=seconds,
            limit=self.plan.pages,
            limit_bytes=self.plan.bytes,
            idle_seconds=waking if idle else 0.0,
            waits=idle and (is_watched or waking <= self.plan.patience),
            next_time=self._clock.wall() + waking if idle else 0.0,
            network_gone=self._frontier.network_gone,
            disk_free=short.free if short else 0,
            disk_wanted=short.wanted if short else 0,
            left=left.seconds,
            basis=left.basis,
            rate=self._rate.at(seconds, self._done()),
            byte_rate=self._byte_rate.at(seconds, counts.bytes),
            memory=memory(),
            paused=self.paused,
            next_visit=self._frontier.next_revisit,
            store_away=self.store_away,
            unsent=self.unsent,
            lag=self.lag,
            besides=counts.besides,
            time_over=0 < self.plan.time <= self._clock.steady() - self._started,
        )

    def _left(self, seconds: float, waking: float | None) -> Eta:
        """`waking` is in how many seconds something wakes, when nothing else is left to do."""
        counts = self._frontier.ledger.counts
        wanted = counts.queued
        if self.plan.pages:  # which keeps no requisite away, and nothing that is asked for again
            new, room = counts.queued - counts.besides, max(self.plan.pages - counts.kept, 0)
            wanted = min(new, room) + counts.besides
        if 0 < self.plan.bytes <= counts.bytes:
            wanted = 0
        if self.paused or self._frontier.network_gone:
            return UNKNOWN
        if waking is not None:
            left = resting(wanted, waking, self._clock.wall() + waking)
        else:
            rate, is_early = self._rate.at(seconds, self._done()), seconds < EARLY
            left = eta(wanted, rate, self._frontier.longest, queued=counts.queued, is_early=is_early)
        return limited(left, self.plan.time, seconds)

    def _done(self) -> int:
        counts = self._frontier.ledger.counts
        return counts.done + counts.failed

    def _sums(self) -> tuple[int, ...]:
        counts = self._frontier.ledger.counts
        return counts.queued, counts.done, counts.failed, counts.excluded, counts.bytes


class Hold:
    """What holds the crawl of a shard up: somebody who paused it, a disk that is nearly full, a store that is away. The
    frontier hears of it, and so does whoever looks at the crawl."""

    def __init__(self, frontier: Frontier, gauge: Gauge, disk: Disk, checkpoints: Checkpoints | None) -> None:
        self._frontier = frontier
        self._gauge = gauge
        self._disk = disk
        self._checkpoints = checkpoints

    def pause(self, paused: bool) -> None:
        """Somebody wants the crawl to wait, or to go on."""
        self._gauge.paused = paused
        self._look()

    def watch_disk(self) -> None:
        """Is there room?"""
        self._disk.check()
        self._look()

    def _look(self) -> None:
        paused = self._gauge.paused
        self._gauge.store_away = self._checkpoints.held_up if self._checkpoints else ""
        waits = self._disk.shortage is not None or bool(self._gauge.store_away)
        self._frontier.hold(paused or waits, paused=paused)
