"""How else could one spend visits? The schedules of the literature, to compare with.

All but the last are told the rates, and give visits in a unit of time for each page: the same for all, by the rate, the
best for freshness or age (Cho and Garcia-Molina 2003), the best for visits at random moments (Azar, Horvitz, Lubetzky,
Peres and Shahaf 2018), and one that gives up no page (LambdaCrawl by Kolobov, Peres, Lu and Horvitz 2019; without its
part for pages whose every change is announced). The last is the rule of Apache Nutch, which is told nothing: it
lengthens an interval in which nothing changed and shortens any other, and knows no budget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gossamer.freshness.many import Floats, allocated
from gossamer.freshness.revisit import Goal
from gossamer.freshness.waits import LONGER, SHORTER

Schedule: TypeAlias = Callable[[ArrayLike, ArrayLike, float, Goal], Floats]
"""From rates, importances, visits in a unit of time and what they are for to how often each page is visited."""

SHORTEST, LONGEST = 60 / 86_400, 365.0
"""Days."""


def uniform(rates: ArrayLike, importances: ArrayLike, budget: float, goal: Goal = "freshness") -> Floats:
    """Every page as often as any other. It needs to know nothing."""
    rate, _ = _pages(rates, importances, budget)
    return np.full(rate.shape, budget / max(rate.size, 1))


def proportional(rates: ArrayLike, importances: ArrayLike, budget: float, goal: Goal = "freshness") -> Floats:
    """As often as a page changes, in proportion. It seems fair, and is the worst of all for freshness."""
    rate, _ = _pages(rates, importances, budget)
    total = rate.sum()
    return budget * rate / total if total else np.zeros(rate.shape)


def best(rates: ArrayLike, importances: ArrayLike, budget: float, goal: Goal = "freshness") -> Floats:
    """What brings the most freshness or the least age: `allocate` over arrays."""
    rate, importance = _pages(rates, importances, budget)
    return allocated(rate, importance, budget, goal)


def azar(rates: ArrayLike, importances: ArrayLike, budget: float, goal: Goal = "freshness") -> Floats:
    """The most of sum m x / (x + d), for importance m, rate d and x visits: freshness, for visits at random moments.

    Pages are sorted by m / d. Those at the low end are given up as long as the rest does better without them; each of
    the rest gets sqrt(m d) (R + s) / r - d, with r the sum of sqrt(m d) and s that of d over the rest.
    """
    rate, importance = _pages(rates, importances, budget)
    found = np.zeros(rate.shape)
    changing = np.flatnonzero((rate > 0) & (importance > 0))
    if not changing.size or not budget:
        return found
    order = changing[np.argsort(importance[changing] / rate[changing], kind="stable")]
    d, root = rate[order], np.sqrt(importance[order] * rate[order])
    s = np.cumsum(d[::-1])[::-1]
    r = np.cumsum(root[::-1])[::-1]
    kept = np.argmax(importance[order] / d > (r / (budget + s)) ** 2)  # the last page alone is always worth it
    found[order[kept:]] = root[kept:] * ((budget + s[kept]) / r[kept]) - d[kept:]
    return found


def lambda_crawl(rates: ArrayLike, importances: ArrayLike, budget: float, goal: Goal = "freshness") -> Floats:
    """The least of -sum m ln(x / (x + d)): no page is given up, for the cost of that has no limit.

    Each page gets (-d + sqrt(d^2 + 4 m d / L)) / 2 visits, with the one L at which they are the budget.
    """
    rate, importance = _pages(rates, importances, budget)
    found = np.zeros(rate.shape)
    changing = (rate > 0) & (importance > 0)
    if not changing.any() or not budget:
        return found
    d, m = rate[changing], importance[changing]

    def visits(level: float) -> Floats:
        product = m * d / level
        return 2 * product / (d + np.sqrt(d * d + 4 * product))  # the same, without a difference of equal terms

    low = high = 1.0
    while visits(low).sum() < budget:
        low /= 4
    while visits(high).sum() > budget:
        high *= 4
    while high - low > 1e-13 * high:
        level = (low * high) ** 0.5 if high > 2 * low else (low + high) / 2
        if not low < level < high:
            break
        low, high = (level, high) if visits(level).sum() > budget else (low, level)
    found[changing] = visits(high)
    return found


SCHEDULES: Mapping[str, Schedule] = {
    "best": best,
    "azar": azar,
    "lambdacrawl": lambda_crawl,
    "uniform": uniform,
    "proportional": proportional,
}
"""By the names that people give them; all are told the rates."""


def nutch(intervals: ArrayLike, changed: ArrayLike) -> Floats:
    """The next interval of each page, in days, by the last one and whether the page had changed in it.

    Nutch can also move a visit towards the moment of the last change, where a server tells it. That is left out.
    """
    found = np.asarray(intervals, float) * np.where(np.asarray(changed, bool), SHORTER, LONGER)
    return np.asarray(np.clip(found, SHORTEST, LONGEST))


def _pages(rates: ArrayLike, importances: ArrayLike, budget: float) -> tuple[Floats, Floats]:
    rate, importance = np.broadcast_arrays(np.asarray(rates, float), np.asarray(importances, float))
    for name, values in (("rates", rate), ("importances", importance), ("the budget", np.asarray(budget, float))):
        if not np.all((values >= 0) & np.isfinite(values)):
            raise ValueError(f"{name}: each is a number from 0 on")
    return rate, importance
