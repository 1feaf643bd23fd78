"""How often does a page change, and how stale is a copy of it? By the model of Cho and Garcia-Molina.

Changes come by chance, at a rate of so many in a unit of time (a Poisson process). The unit is the caller's: with a
rate a day, intervals are days. A copy is fresh until the first change after the visit; its age is the time since then.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

_NEAR_ZERO = 1e-5
"""Below this two terms of a series are exact, and the formula is not."""
_HALF = 0.5
"""The length of the two visits that are added where the history alone says nothing or too much: one that found a
change and one that found none (Kolobov et al. 2019, who measure in days)."""


def freshness(rate: float, interval: float) -> float:
    """The part of the time in which a copy is fresh, if the page is visited once in each interval."""
    expected = _product(rate, interval)
    if expected == 0:
        return 1.0
    return -math.expm1(-expected) / expected if expected < math.inf else 0.0


def age(rate: float, t: float) -> float:
    """How old a copy is expected to be, a time `t` after the visit; 0 while it is fresh."""
    expected = _product(rate, t)
    if expected < _NEAR_ZERO:
        return t * expected * (0.5 - expected / 6) if expected else 0.0
    return t + math.expm1(-expected) / rate


def change_rate(visits: Iterable[tuple[float, bool]]) -> float:
    """The rate that visits tell: each with the time since the visit before, and whether the page had changed since.

    After visits in equal intervals it is the estimator of Cho and Garcia-Molina with little bias (2003), after others
    that of maximum likelihood. A history without changes, with nothing but changes, or of no visit at all has no such
    maximum, so two short visits are added to it: the rate is never zero and never without a limit.
    """
    visits = [(interval, changed) for interval, changed in visits if _is_time(interval)]
    changed = [interval for interval, has_changed in visits if has_changed]
    same = [interval for interval, has_changed in visits if not has_changed]
    if changed and len({interval for interval, _ in visits}) == 1:
        return -math.log((len(same) + 0.5) / (len(visits) + 0.5)) / changed[0]
    if not changed or not same:
        changed, same = [*changed, _HALF], [*same, _HALF]
    return _most_likely(changed, math.fsum(same))


def _most_likely(changed: list[float], same: float) -> float:
    """The rate with which what was seen is most likely: where what the changed intervals say meets the others.

    One visit with a change would put it at log(1 + interval / same) / interval, so it lies between the smallest and the
    largest of these, each for all changed visits together. The left side falls with the rate.
    """
    single = [math.log1p(len(changed) * interval / same) / interval for interval in changed]
    low, high = min(single), max(single)
    while high - low > 1e-12 * high:
        rate = (low + high) / 2
        if not low < rate < high:
            break
        excess = math.fsum(_weight(rate, interval) for interval in changed) - same
        low, high = (rate, high) if excess > 0 else (low, rate)
    return (low + high) / 2


def _weight(rate: float, interval: float) -> float:
    """Falls with the rate from 1 / rate on."""
    expected = rate * interval
    return interval / math.expm1(expected) if expected < 700 else 0.0


def _is_time(interval: float) -> bool:
    """Visits at the same moment tell nothing."""
    if not (0 <= interval < math.inf):
        raise ValueError(f"{interval!r}: an interval is a time, and not negative")
    return interval > 0


def _product(rate: float, t: float) -> float:
    """Changes that are expected within a time."""
    if not (rate >= 0 and t >= 0):
        raise ValueError(f"rate {rate!r}, time {t!r}: neither may be negative")
    return rate * t if rate and t else 0.0
