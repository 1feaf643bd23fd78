"""How often does this page change, by all its visits so far? In a bounded number of bytes, however many there were.

What the estimate by maximum likelihood needs of visits that found no change is only the sum of their intervals. Those
that found one are kept as a few intervals with weights: the two that are most alike become one when there are too many.
Each new visit takes a little weight from all before it, so a page that wakes up or falls asleep is noticed.

A page that was seen once or twice says little. What is known of pages like it counts as if it had been seen so often:
the prior is a gamma distribution, and the rate the most likely one after it (Cho and Garcia-Molina 2003 with a prior).
"""

from __future__ import annotations

from math import expm1, fsum
from typing import Annotated, NamedTuple

import msgspec

KEPT = 6
"""Intervals with a change that are told apart."""
FADES = 0.96
"""What is left of the weight of a visit with each that follows: about 25 of them count."""
_NEAR = 1e-3
"""A step so small leaves an error of about its square."""
_FORGOTTEN = 1e-3
"""A weight that is as good as none."""
_STEPS = 60
_SMALL, _LARGE = 1e-4, 500.0
"""Below the one a series is exact, and from the other on there is nothing left."""

Weight = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
Interval = Annotated[float, msgspec.Meta(gt=0, le=1e12)]


class Prior(NamedTuple):
    """What is known before the first visit: as if so many changes had been seen within a time."""

    changes: float
    time: float

    @classmethod
    def of(cls, rate: float, changes: float) -> Prior:
        """As if so many changes had been seen at that rate."""
        return cls(changes, changes / rate)


class History(msgspec.Struct, array_like=True, frozen=True):
    """What the visits of a page, or of all pages of a kind, say about its changes."""

    same: Weight = 0.0
    """Time in which nothing had changed."""
    changed: Annotated[tuple[tuple[Interval, Weight], ...], msgspec.Meta(max_length=KEPT)] = ()
    """Intervals in which something had, each with its weight, the shortest first."""

    @property
    def weight(self) -> float:
        """How many changes it has seen; those that are long ago count less."""
        return fsum(weight for _, weight in self.changed)

    def seen(self, interval: float, changed: bool, fades: float = FADES) -> History:
        """One more visit: the time since the one before, and whether something had changed."""
        if interval <= 0:
            return self
        faded = tuple((each, left) for each, weight in self.changed if (left := weight * fades) > _FORGOTTEN)
        if not changed:
            return History(self.same * fades + interval, faded)
        return History(self.same * fades, _merged(sorted((*faded, (interval, 1.0)))))

    def rate(self, prior: Prior, near: float = 0.0) -> float:
        """The most likely rate. Where the weights of visits and the prior balance the time without a change.

        Solves time * rate = changes + the sum over changed intervals of x / (e^x - 1), x = rate * interval, by Newton's
        method: the difference of the sides bends one way only, so from below each step comes nearer, and one from above
        leads below. It is looked for `near` the rate of before, if there was one, or else from where it would be if
        x / (e^x - 1) were 1 - x / 2, which is less.
        """
        time, changes = self.same + prior.time, prior.changes
        least = changes / time
        if not self.changed:
            return least
        rate = near or _from_below(changes, time, self.changed)
        for _ in range(_STEPS):
            lack, slope = changes - rate * time, time
            for interval, weight in self.changed:
                x = rate * interval
                if _SMALL < x < _LARGE:
                    grown = expm1(x)
                    part = x / grown
                    lack += weight * part
                    slope += weight * interval * (part + (part - 1) / grown)
                elif x < _LARGE:
                    lack += weight * (1 - x / 2)
                    slope += weight * interval * (0.5 - x / 6)
            step = lack / slope
            rate = max(rate + step, least)
            if abs(step) <= _NEAR * rate:
                break
        return rate


def _from_below(changes: float, time: float, changed: tuple[tuple[float, float], ...]) -> float:
    for interval, weight in changed:
        changes += weight
        time += weight * interval / 2
    return changes / time


def _merged(changed: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """At most so many intervals: the two neighbours of which one is the least longer become one."""
    while len(changed) > KEPT:
        at = min(range(len(changed) - 1), key=lambda place: changed[place + 1][0] / changed[place][0])
        (short, light), (long, heavy) = changed[at : at + 2]
        weight = light + heavy
        changed[at : at + 2] = [((short * light + long * heavy) / weight, weight)]
    return tuple(changed)
