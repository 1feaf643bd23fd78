"""What changes, when? Pages with a rate and an importance each, and changes by chance, by day more than at night."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gossamer.freshness.many import Floats
from gossamer.freshness.simulation.plan import Cycle, Importance, Plan, Rates

MOST = 1_000.0
"""Changes a day: more than once in a minute and a half is no page any more. A Pareto law has no end of its own."""
_STEPS = 48
"""In a day, for cycles."""
_WEEK = 7
_NOON = 0.6
"""The part of a day at which most changes come."""


@dataclass(frozen=True, slots=True)
class Web:
    """The pages, and how time passes for their changes."""

    rates: Floats
    importances: Floats
    """1 on average."""
    hours: Floats
    """Moments, in days."""
    passed: Floats
    """Days of changes until each moment: faster by day, slower at night and on weekends."""

    def next_change(self, pages: np.ndarray, at: Floats, chance: np.random.Generator) -> Floats:
        """When each of some pages changes for the first time after a moment; never, where its rate is 0."""
        with np.errstate(divide="ignore"):
            until = chance.exponential(size=len(pages)) / self.rates[pages]
        if not self.hours.size:
            return np.asarray(at + until)
        end = self.passed[-1]
        told = np.interp(at, self.hours, self.passed) + until
        later = self.hours[-1] + told - end
        return np.asarray(np.where(told < end, np.interp(told, self.passed, self.hours), later))


def made(plan: Plan, chance: np.random.Generator) -> Web:
    """The web of a plan."""
    rates = np.minimum(_rates(plan.rates, plan.pages, chance), MOST)
    importances = _importances(plan.importance, plan.pages, chance)
    hours, passed = _time(plan.cycle, plan.days)
    return Web(rates, importances / importances.mean(), hours, passed)


def _rates(rates: Rates, pages: int, chance: np.random.Generator) -> Floats:
    if rates.law == "classes":
        shares = np.array([kind.share for kind in rates.classes])
        kinds = np.searchsorted(np.cumsum(shares)[:-1], (chance.permutation(pages) + 0.5) / pages)
        return np.array([kind.rate for kind in rates.classes])[kinds]
    if rates.law == "pareto":
        return _pareto(rates.least, rates.shape, pages, chance)
    return np.asarray(rates.median * np.exp(np.minimum(rates.sigma * chance.standard_normal(pages), 50)))


def _importances(importance: Importance, pages: int, chance: np.random.Generator) -> Floats:
    return np.ones(pages) if importance.law == "equal" else _pareto(1.0, importance.shape, pages, chance)


def _pareto(least: float, shape: float, pages: int, chance: np.random.Generator) -> Floats:
    return np.asarray(least * (1 - chance.random(pages)) ** (-1 / shape))


def _time(cycle: Cycle, days: int) -> tuple[Floats, Floats]:
    """Empty where all hours are alike. A simulation begins on a Monday, and a week has seven days of changes."""
    if cycle == Cycle():
        return np.zeros(0), np.zeros(0)
    moments = (np.arange((days + _WEEK) * _STEPS) + 0.5) / _STEPS
    speed = 1 + cycle.day * np.cos(2 * math.pi * (moments - _NOON))
    speed *= np.where(moments % _WEEK >= 5, cycle.weekend, 1.0) * _WEEK / (5 + 2 * cycle.weekend)
    speed = np.maximum(speed, 1e-9)  # time never stands still, so that it can be turned round
    hours = np.arange(len(moments) + 1) / _STEPS
    return hours, np.concatenate(([0.0], np.cumsum(speed) / _STEPS))
