"""Moments of the steady clock as dates that can be kept on disk, and back.

The distance between the two clocks is measured once, so within a run a date comes back as the very moment it was,
however the wall clock jumps meanwhile. Only a restart looks at the wall clock again.
"""

from __future__ import annotations

from gossamer.model import Clock


class Dates:
    """One run's translation between the clocks."""

    def __init__(self, clock: Clock) -> None:
        self._ahead = clock.wall() - clock.steady()

    def date(self, steady: float) -> float:
        """A moment as a date."""
        return steady + self._ahead

    def steady(self, date: float) -> float:
        """A date as a moment of this run."""
        return date - self._ahead
