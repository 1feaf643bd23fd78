"""When is the next visit worth its price? What a visit gains grows with time; it is due when that reaches the price.

The gain of coming now and not later is t D(t) less the sum of D up to t, where D is what the copy has lost by then
(Olston and Pandey 2008). With D the chance that it is stale this gives the schedule that is best for freshness, and
with D its expected age the one that is best for age: one price for all pages is the Lagrange multiplier of the best
allocation (Cho and Garcia-Molina 2003). So a page needs only its own rate and the price, and no solver over all pages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

Goal: TypeAlias = Literal["freshness", "age"]


def next_visit(rate: float, price: float, importance: float = 1.0, goal: Goal = "freshness") -> float:
    """The time after a visit at which the next one is worth its price; infinite for a page that never is.

    For freshness that are pages which change so often that a copy is stale at once; for age only those that never
    change.
    """
    if not (0 <= rate < math.inf and 0 <= price < math.inf and 0 <= importance < math.inf):
        raise ValueError(f"rate {rate!r}, price {price!r}, importance {importance!r}: each is a number from 0 on")
    if price == 0:
        return 0.0
    return _WAITS[goal](rate, price / importance) if rate and importance else math.inf


def allocate(
    rates: Sequence[float], importances: Sequence[float] | None = None, budget: float = 1.0, goal: Goal = "freshness"
) -> list[float]:
    """How often to visit each page, so that the budget of visits in a unit of time brings most.

    It brings the most freshness or the least age over all pages, each weighted by its importance.
    """
    weights = [1.0] * len(rates) if importances is None else list(importances)
    if len(weights) != len(rates):
        raise ValueError(f"{len(rates):,} rates and {len(weights):,} importances: there must be one for each page")
    if not 0 <= budget < math.inf:
        raise ValueError(f"budget {budget!r}: it is a number of visits")
    if not budget or not any(rate and weight for rate, weight in zip(rates, weights, strict=True)):
        return [0.0] * len(rates)

    def visits(price: float) -> list[float]:
        pairs = zip(rates, weights, strict=True)
        waits = (next_visit(rate, price, weight, goal) for rate, weight in pairs)
        return [1 / wait if wait else math.inf for wait in waits]

    low = high = 1.0
    while math.fsum(visits(low)) < budget:
        low /= 2
    while math.fsum(visits(high)) > budget:
        high *= 2
    while high - low > 1e-12 * high:
        price = (low + high) / 2
        if not low < price < high:
            break
        low, high = (price, high) if math.fsum(visits(price)) > budget else (low, price)
    return _mixed(visits(low), visits(high), budget)


def _mixed(more: list[float], less: list[float], budget: float) -> list[float]:
    """What spends all of it, between two answers: near its end a price that is a number cannot tell them apart."""
    most, least = math.fsum(more), math.fsum(less)
    part = (budget - least) / (most - least) if most > least else 0.0
    return [low + (high - low) * part for high, low in zip(more, less, strict=True)]


def _until_stale(rate: float, price: float) -> float:
    """Solves 1 - (1 + x) e^-x = rate * price for x = rate * time, by Newton's method.

    As x - log(1 + x) = level it bends one way only: each step comes nearer to the root, or leads above it. The start is
    the series of the root, or what follows when it is put in once.
    """
    if rate * price >= 1:
        return math.inf
    level = -math.log1p(-rate * price)
    first = math.sqrt(2 * level)
    x = first * (1 + first * (1 / 3 + first / 36)) if level < 1 else level + math.log1p(level + math.log1p(2 * level))
    for _ in range(_STEPS if level else 0):
        lag = x * x * (0.5 - x * (1 / 3 - x / 4)) if x < _SMALL else x - math.log1p(x)
        step = (lag - level) * (1 + x) / x
        x -= step
        if abs(step) <= _NEAR * x:
            break
    return x / rate


def _until_old(rate: float, price: float) -> float:
    """Solves x^2 / 2 + x e^-x - (1 - e^-x) = rate^2 * price for x = rate * time, in the same way."""
    level = rate * rate * price
    first = math.cbrt(3 * level)
    x = first * (1 + first * (1 / 8 + first / 74)) if level < 4 else math.sqrt(2 * level + 2)
    for _ in range(_STEPS if level else 0):
        lost = -math.expm1(-x)
        gain = x**3 * (1 / 3 - x * (1 / 8 - x / 30)) if x < _SMALL else x * x / 2 + x * (1 - lost) - lost
        step = (gain - level) / (x * lost)
        x -= step
        if abs(step) <= _NEAR * x:
            break
    return x / rate


_STEPS = 60
"""More than any start needs: two or three are usual."""
_NEAR = 1e-8
"""A step so small leaves an error of about its square."""
_SMALL = 1e-3
"""Below this a series is exact, and a difference of nearly equal terms is not."""
_WAITS: dict[str, Callable[[float, float], float]] = {"freshness": _until_stale, "age": _until_old}
