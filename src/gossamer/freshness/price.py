"""What does a visit cost? As much as makes all pages together want as many visits as the budget has.

Pages are counted by their rate and importance, in steps that are finer than any estimate. From these counts the price
is found whenever it is asked for, so it is right at once when a budget changes, and needs no look at the pages.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import msgspec

from gossamer.freshness.poisson import age, freshness
from gossamer.freshness.revisit import Goal
from gossamer.freshness.waits import PRICED, Policy, wait

STEPS = 4
"""Steps in which a rate or an importance doubles."""
_MIDDLE, _WIDTH = 512, 1_024
"""How two steps become one number."""
_NEAR = 1e-3
_CHEAPEST = 1e-30
_POWER, _STEP = 2.5, 0.1
"""Between the square and the cube of the price goes with the wishes of pages; and not too far at one step."""

Place = Annotated[int, msgspec.Meta(ge=1, lt=_WIDTH * _WIDTH)]
Pages = Annotated[int, msgspec.Meta(ge=0, le=1 << 48)]


class Outlook(NamedTuple):
    """What a price means for all pages."""

    visits: float
    """In a unit of time."""
    freshness: float
    """The part of the pages that is up to date at a random moment, 0 to 1."""
    age: float
    """How long copies have been out of date, on average."""


class Population(msgspec.Struct, array_like=True):
    """How many pages there are of each rate and importance."""

    counts: dict[Place, Pages] = {}
    pages: Pages = 0
    """All of them."""

    def enter(self, rate: float, importance: float) -> int:
        """A page comes in. Gives its place, by which it leaves again; it is never 0."""
        place = (_step(rate) + _MIDDLE) * _WIDTH + _step(importance) + _MIDDLE
        self.counts[place] = self.counts.get(place, 0) + 1
        self.pages += 1
        return place

    def leave(self, place: int) -> None:
        """A page goes."""
        if place in self.counts:
            self.counts[place] -= 1
            self.pages -= 1
            if not self.counts[place]:
                del self.counts[place]

    def price_for(self, policy: Policy, budget: float, goal: Goal, near: float = 1.0) -> float:
        """The price at which a policy makes as many visits in a unit of time as the budget has; see `waits`."""
        if policy in PRICED or not self.counts or budget <= 0:
            return self.price(budget, goal, near, policy)
        if policy == "proportional":
            return math.fsum(rate * count for rate, _, count in self._groups()) / budget
        return self.pages / budget

    def price(self, budget: float, goal: Goal, near: float = 1.0, policy: Policy = "learning") -> float:
        """The price at which they want as many visits in a unit of time as the budget has; it is looked for `near` it.

        A budget that is larger than any wish has a price of 0.
        """
        if not self.counts:
            return near
        if budget <= 0:
            return math.inf
        groups = list(self._groups())
        low, price, high = 0.0, near if 0 < near < math.inf else 1.0, math.inf
        while price > _CHEAPEST:
            wanted = _wanted(groups, price, goal, policy)
            if abs(wanted - budget) <= _NEAR * budget or high <= low * (1 + _NEAR):
                return price
            low, high = (price, high) if wanted > budget else (low, price)
            guess = price * min(max(wanted / budget, _STEP), 1 / _STEP) ** _POWER
            price = guess if low < guess < high else math.sqrt(low * high)
        return 0.0

    def outlook(
        self,
        price: float,
        goal: Goal,
        shortest: float,
        longest: float,
        since: float = 0.0,
        policy: Policy = "learning",
    ) -> Outlook:
        """What is to be expected at a price, where no page is visited more often or less often than that.

        `since` is how long ago the visits have ended.
        """
        visits = fresh = old = 0.0
        for rate, importance, count in self._groups():
            interval = min(max(wait(policy, rate, price, importance, goal), shortest), longest)
            visits += count / interval
            still = freshness(rate, interval)
            fresh += count * still * math.exp(-rate * since)
            old += count * (average_age(rate, interval) + (1 - still) * since + still * age(rate, since))
        pages = self.pages or 1
        return Outlook(visits, fresh / pages if self.counts else 1.0, old / pages)

    def rates(self) -> dict[float, int]:
        """How many pages change how often."""
        found: dict[float, int] = {}
        for rate, _, count in self._groups():
            found[rate] = found.get(rate, 0) + count
        return found

    def _groups(self) -> Iterator[tuple[float, float, int]]:
        for place, count in self.counts.items():
            rate, importance = divmod(place, _WIDTH)
            yield _value(rate - _MIDDLE), _value(importance - _MIDDLE), count


def average_age(rate: float, interval: float) -> float:
    """How old a copy is on average, over the time between two visits."""
    expected = rate * interval
    if expected < 1e-4:
        return interval * expected / 6
    return interval * (0.5 - 1 / expected - math.expm1(-expected) / expected**2)


def _wanted(groups: list[tuple[float, float, int]], price: float, goal: Goal, policy: Policy) -> float:
    waits = ((wait(policy, rate, price, importance, goal), count) for rate, importance, count in groups)
    return math.fsum(count / each for each, count in waits if each)


def _step(value: float) -> int:
    return min(max(round(math.log2(value) * STEPS), 1 - _MIDDLE), _MIDDLE - 1) if value > 0 else 1 - _MIDDLE


def _value(step: int) -> float:
    return math.exp2(step / STEPS)
