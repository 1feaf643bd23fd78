"""What a plan of visits is worth in theory, by the rates at which pages change."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
_SMALL = 1e-3
"""Below it a series is more exact than the formula."""


def _pages(rates: ArrayLike, visits: ArrayLike) -> tuple[Floats, Floats]:
    rate, visit = np.broadcast_arrays(np.asarray(rates, float), np.asarray(visits, float))
    return rate, visit


def fresh_parts(rates: ArrayLike, visits: ArrayLike) -> Floats:
    """The part of the time in which the copy of each page is fresh, visited so often."""
    rate, visit = _pages(rates, visits)
    found = np.where(rate > 0, 0.0, 1.0)
    some = (rate > 0) & (visit > 0)
    expected = rate[some] / visit[some]
    found[some] = -np.expm1(-expected) / expected
    return found


def mean_ages(rates: ArrayLike, visits: ArrayLike) -> Floats:
    """The age of the copy of each page, on average over the time; infinite for one that changes and is not visited."""
    rate, visit = _pages(rates, visits)
    found = np.where(rate > 0, np.inf, 0.0)
    some = (rate > 0) & (visit > 0)
    x = rate[some] / visit[some]
    series = x * (1 / 6 - x * (1 / 24 - x / 120))
    exact = 0.5 - 1 / x - np.expm1(-x) / (x * x)
    found[some] = np.where(x < _SMALL, series, exact) / visit[some]
    return found
