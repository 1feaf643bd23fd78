"""Which pages are said to have changed, and cannot be visited at once? They are looked at again every second."""

from __future__ import annotations

from math import inf

from gossamer.model import Clock

SOONEST = 5.0
"""Seconds between two visits of a page, whoever says that it has changed."""
AGAIN = 1.0
"""Seconds between two looks."""
MOST = 1_000
"""Beyond that they are queued anyway, or have their dates."""


class Pings:
    """Addresses, each with the time when somebody spoke of it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: dict[str, float] = {}
        self._looked = -inf

    def keep(self, url: str, when: float) -> None:
        """For the next look."""
        if len(self._kept) < MOST:
            self._kept[url] = when

    def next_time(self) -> float:
        """Seconds until then; infinity where there is none."""
        return max(self._looked + AGAIN - self._clock.steady(), 0.0) if self._kept else inf

    def take(self) -> list[tuple[str, float]]:
        """All of them, if it is time. Whoever still cannot visit one keeps it again."""
        if self.next_time() > 0:
            return []
        self._looked = self._clock.steady()
        taken, self._kept = list(self._kept.items()), {}
        return taken
