"""When a page changes: a Poisson process that can be asked about any moment without counting from the start.

Time is cut into slices in which one change is expected. How many fall into a slice is a Poisson draw,
and where is even: that is a Poisson process, and each slice is known without the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gossamer.testing.draw import between, fraction
from gossamer.testing.places import Place, Role
from gossamer.testing.spec import WebSpec

DAY = 86_400.0
OLDEST = 1704067200.0
"""1 January 2024. A page that never changes was made in the year after it."""


@dataclass(frozen=True, slots=True)
class History:
    """The changes of every plain page of one web. Other pages, copies excepted, never change."""

    spec: WebSpec

    def version(self, page: Place, now: float) -> tuple[str, float]:
        """A name for the text as it is now, and the moment since which it is so."""
        period = self._period(page)
        if period is None:
            return "first", OLDEST + 365 * DAY * fraction(self.spec.seed, "made", *page.key)
        slice_ = int(now // period)
        while True:
            past = [moment for moment in self._moments(page, slice_, period) if moment <= now]
            if past:
                return f"{slice_}.{len(past)}", past[-1]
            slice_ -= 1

    def changes(self, page: Place, since: float, until: float) -> list[float]:
        """Every moment after `since` and up to `until` at which the text changed."""
        period = self._period(page)
        if period is None:
            return []
        slices = range(int(since // period), int(until // period) + 1)
        moments = (moment for number in slices for moment in self._moments(page, number, period))
        return [moment for moment in moments if since < moment <= until]

    def _period(self, page: Place) -> float | None:
        """Seconds in which one change is expected, or None for a page that never changes."""
        wanted = self.spec.changes
        if page.role is not Role.PAGE or not wanted.pages:
            return None
        if fraction(self.spec.seed, "changing", *page.key) >= wanted.pages:
            return None
        return DAY / between(*wanted.rate, fraction(self.spec.seed, "rate", *page.key))

    def _moments(self, page: Place, slice_: int, period: float) -> list[float]:
        key = (self.spec.seed, "change", *page.key, slice_)
        return sorted((slice_ + fraction(*key, number)) * period for number in range(_poisson(fraction(*key))))


def _poisson(at: float) -> int:
    """The number of events where one is expected, from a fraction: the inverse of the distribution."""
    return sum(1 for reached in _CUMULATIVE if at >= reached)


def _cumulative() -> Iterator[float]:
    chance, reached = 0.36787944117144233, 0.0  # 1 / e
    for number in range(1, 18):
        reached += chance
        chance /= number
        yield reached


_CUMULATIVE = tuple(_cumulative())
