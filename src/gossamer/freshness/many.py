"""When is each of many pages due? `next_visit` and `allocate` over arrays, for webs of a hundred thousand pages."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.freshness.revisit import Goal

Floats: TypeAlias = NDArray[np.float64]

_STEPS = 10
"""More than any start needs: six are usual, and further ones only move what cannot be told apart."""
_NEAR = 1e-12
_SMALL = 1e-3
"""Below this a series is exact, and a difference of nearly equal terms is not."""


def waits(rates: ArrayLike, price: float, importances: ArrayLike = 1.0, goal: Goal = "freshness") -> Floats:
    """The time after a visit at which each page is due again; infinite where it never is."""
    rate, importance = _pages(rates, importances)
    if price == 0:
        return np.zeros(rate.shape)
    found = np.full(rate.shape, np.inf)
    due = (rate > 0) & (importance > 0)
    if goal == "freshness":
        due &= rate * price < importance
    found[due] = _WAITS[goal](rate[due], price / importance[due])
    return found


def often(rates: ArrayLike, price: float, importances: ArrayLike = 1.0, goal: Goal = "freshness") -> Floats:
    """Visits in a unit of time to each page, at that price."""
    with np.errstate(divide="ignore"):
        return 1 / waits(rates, price, importances, goal)


def allocated(rates: ArrayLike, importances: ArrayLike, budget: float, goal: Goal = "freshness") -> Floats:
    """How often to visit each page, so that the budget of visits brings most."""
    rate, importance = _pages(rates, importances)
    low, high = _prices(rate, importance, budget, goal)
    if not high:
        return np.zeros(rate.shape)
    more, less = often(rate, low, importance, goal), often(rate, high, importance, goal)
    most, least = more.sum(), less.sum()
    part = (budget - least) / (most - least) if most > least else 0.0  # near its end a price cannot tell them apart
    found: Floats = less + (more - less) * part
    return found


def _prices(rate: Floats, importance: Floats, budget: float, goal: Goal) -> tuple[float, float]:
    """Two prices, as near as can be: one at which too much is asked for, and one at which it is not."""
    asks = (rate > 0) & (importance > 0)
    if not budget or not asks.any():
        return 0.0, 0.0
    rate, importance = rate[asks], importance[asks]
    low = high = 1.0
    while often(rate, low, importance, goal).sum() < budget:
        low /= 4
    while often(rate, high, importance, goal).sum() > budget:
        high *= 4
    while high - low > _NEAR * high:
        price = (low * high) ** 0.5 if high > 2 * low else (low + high) / 2
        if not low < price < high:
            break
        low, high = (price, high) if often(rate, price, importance, goal).sum() > budget else (low, price)
    return low, high


def _pages(rates: ArrayLike, importances: ArrayLike) -> tuple[Floats, Floats]:
    rate, importance = np.broadcast_arrays(np.asarray(rates, float), np.asarray(importances, float))
    return rate, importance


def _until_stale(rate: Floats, price: Floats) -> Floats:
    level = -np.log1p(-rate * price)
    x = level + np.sqrt(2 * level)
    for _ in range(_STEPS):
        lag = np.where(x < _SMALL, x * x * (0.5 - x * (1 / 3 - x / 4)), x - np.log1p(x))
        step = (lag - level) * (1 + x) / np.maximum(x, 1e-300)
        x = x - step
        if np.all(np.abs(step) <= _NEAR * x):
            break
    found: Floats = x / rate
    return found


def _until_old(rate: Floats, price: Floats) -> Floats:
    level = rate * rate * price
    root = np.cbrt(3 * level)
    x = np.where(level > 1, np.maximum(np.sqrt(2 * level + 2), root), root * (1 + np.minimum(level, 1)))
    for _ in range(_STEPS):
        series = x**3 * (1 / 3 - x * (1 / 8 - x / 30))
        gain = np.where(x < _SMALL, series, x * x / 2 + x * np.exp(-x) + np.expm1(-x))
        step = (gain - level) / np.maximum(x * -np.expm1(-x), 1e-300)
        x = x - step
        if np.all(np.abs(step) <= _NEAR * x):
            break
    return x / rate


_WAITS = {"freshness": _until_stale, "age": _until_old}
