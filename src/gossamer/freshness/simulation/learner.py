"""How does one begin without any knowledge? Rates are learned from the visits, and one price dates them all.

Of each page the likelihood of some rates is kept, from slow to fast: each visit multiplies it with the chance of what
was found, so it is exact for irregular visits and of constant size. How common each rate is among all pages is the
most likely answer for all of them together, and the prior of each. A page is due when what a visit gains reaches the
price (Olston and Pandey 2008, see `revisit`); as its rate is not certain, the gain is the mean over what it may be. So
a page that seems to change too often is looked at again as long as that may be a mistake. The price is the one at which
all pages together ask for the visits that there are, and moves on by what was asked for in the day before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.freshness.many import Floats
from gossamer.freshness.revisit import Goal
from gossamer.freshness.simulation.plan import Plan

RATES = np.geomspace(1e-3, 1e2, 32)
"""A day: what a page's rate may be."""
WAITS = np.geomspace(1 / 200, 400.0, 64)
"""Days: when a page may be due. The last is the longest that any page is left alone."""
SAMPLE = 4_000
"""Pages by which prior and price are found."""
SWEEPS = 10
"""Steps towards the most likely prior, in a day."""
_FLOOR = 1e-30


class Learner:
    """What is known of each page, and when it is due."""

    def __init__(self, plan: Plan, importances: Floats, chance: np.random.Generator) -> None:
        self._importances = importances
        self._budget = plan.budget
        self._chance = chance
        self._gains = _gains(plan.goal)
        self._likelihoods = np.zeros((len(importances), len(RATES)), np.float32)
        self._prior = np.full(len(RATES), 1 / len(RATES))
        self._asked = 1.0
        """What was asked for, as a part of the budget, as far as the price did not foresee it."""
        self._price = 0.0
        self._set_price()

    def first(self) -> Floats:
        """The waits for the first visits: at random, for else they would all come at once."""
        pages = np.arange(len(self._importances))
        return self.waits(pages) * self._chance.random(len(pages))

    def visited(self, pages: NDArray[np.intp], intervals: Floats, changed: NDArray[np.bool_], quiet: Floats) -> None:
        """Learn from visits. For `quiet` days of its interval a page is known not to have changed, by its date."""
        expected = np.outer(intervals - quiet, RATES)
        logs = np.where(changed[:, None], np.log(-np.expm1(-expected) + _FLOOR), -expected)
        self._likelihoods[pages] += logs - np.outer(quiet, RATES)

    def waits(self, pages: NDArray[np.intp]) -> Floats:
        """The time after a visit at which each of some pages is due, by what is known now."""
        gains = self._posterior(pages) @ self._gains
        return _reached(gains, self._price / self._importances[pages])

    def rates(self, pages: NDArray[np.intp]) -> Floats:
        """What the rate of each of some pages is about."""
        return np.asarray(np.exp(self._posterior(pages) @ np.log(RATES)))

    def new_day(self, asked: float) -> None:
        """Learn how common each rate is, and set the price, after a day in which so many visits were asked for."""
        logs = self._likelihoods[self._sample()]
        likelihoods = np.exp(logs - logs.max(axis=1, keepdims=True))
        for _ in range(SWEEPS):
            weights = likelihoods * self._prior
            self._prior = np.maximum((weights / weights.sum(axis=1, keepdims=True)).mean(axis=0), 1e-9)
            self._prior /= self._prior.sum()
        self._asked = min(max(self._asked * (max(asked, 1.0) / self._budget) ** 0.2, 0.2), 5.0)
        self._set_price()

    def _set_price(self) -> None:
        sample = self._sample()
        gains = self._posterior(sample) @ self._gains
        budget = self._budget / self._asked * len(sample) / len(self._importances)
        low, high = 1e-12, 1e12
        while high > low * 1.001:
            price = (low * high) ** 0.5
            asked = (1 / _reached(gains, price / self._importances[sample])).sum()
            low, high = (price, high) if asked > budget else (low, price)
        self._price = high

    def _sample(self) -> NDArray[np.intp]:
        pages = len(self._importances)
        return np.arange(pages) if pages <= SAMPLE else self._chance.choice(pages, SAMPLE, replace=False)

    def _posterior(self, pages: NDArray[np.intp]) -> NDArray[np.float64]:
        logs = self._likelihoods[pages] + np.log(self._prior)
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _gains(goal: Goal) -> Floats:
    """What a visit gains, by rate and wait."""
    x = np.outer(RATES, WAITS)
    if goal == "freshness":
        return np.asarray((-np.expm1(-x) - x * np.exp(-x)) / RATES[:, None])
    return np.asarray((x * x / 2 + x * np.exp(-x) + np.expm1(-x)) / RATES[:, None] ** 2)


def _reached(gains: Floats, prices: Floats) -> Floats:
    """The wait at which the gain of each page, which grows with it, reaches its price; the longest where none does."""
    below = (gains < prices[:, None]).sum(axis=1)
    place = np.clip(below, 1, len(WAITS) - 1)
    rows = np.arange(len(gains))
    before, after = gains[rows, place - 1], gains[rows, place]
    part = np.clip((prices - before) / np.maximum(after - before, _FLOOR), 0, 1)
    found = WAITS[place - 1] * (WAITS[place] / WAITS[place - 1]) ** part
    return np.asarray(np.where(below == 0, WAITS[0], found))
