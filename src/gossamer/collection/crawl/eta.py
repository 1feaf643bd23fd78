"""How long will it take? An estimate, and what it is counted from.

Two things hold a crawl up: the rate at which all that is queued gets done, and the one host that politeness makes last
longest. The larger of the two is the estimate. Both know only what was found so far. Where all that is queued waits for
a retry, that is told instead.
"""

from __future__ import annotations

import time
from collections import deque
from typing import NamedTuple

from gossamer.frontier.queue.backlog import Stretch

WINDOW = 60.0
"""Seconds that the rate is taken over."""


class Eta(NamedTuple):
    """An estimate with its basis."""

    seconds: float | None
    """None when nothing is left to do, or nothing is known yet."""
    basis: str


UNKNOWN = Eta(None, "")


class Rate:
    """How many addresses got done in a second, in the last minute."""

    def __init__(self) -> None:
        self._past: deque[tuple[float, int]] = deque()

    def note(self, seconds: float, done: int) -> None:
        """So many were done by then."""
        self._past.append((seconds, done))
        while self._past[0][0] < seconds - WINDOW:
            self._past.popleft()

    def at(self, seconds: float, done: int) -> float:
        """The rate, when so many are done by now; 0 when nothing is known of the time before."""
        then, before = self._past[0] if self._past else (seconds, done)
        return max(done - before, 0) / (seconds - then) if seconds > then else 0.0


def eta(wanted: int, rate: float, longest: Stretch | None) -> Eta:
    """The time for `wanted` addresses in all, some of them on the host that takes the longest."""
    if wanted <= 0:
        return UNKNOWN
    together = wanted / rate if rate else 0.0
    alone = longest._replace(queued=min(longest.queued, wanted)) if longest else None
    if alone and alone.seconds > together:
        words = f"{alone.host} alone has {alone.queued:,} queued at {_plain(alone.each)} s each"
        return Eta(alone.seconds, words + (f" after a pause of {_plain(alone.pause)} s" if alone.pause else ""))
    return Eta(together, f"{wanted:,} queued at {_plain(rate)} pages/s") if rate else UNKNOWN


def resting(wanted: int, seconds: float, moment: float) -> Eta:
    """Nothing can be done for so long, until that moment: what is queued waits for a retry or the end of a pause."""
    if wanted <= 0:
        return UNKNOWN
    until = time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
    return Eta(seconds, f"{wanted:,} queued, and nothing may be tried again before {until}")


def _plain(number: float) -> str:
    return f"{number:,.1f}".removesuffix(".0") if number >= 1 else f"{number:.2g}"
