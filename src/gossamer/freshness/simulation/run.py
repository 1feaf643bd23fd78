"""What does each policy keep fresh? Day by day, visit by visit, on the same made web.

Visits and changes come at moments of their own; an hour is only how many are reckoned at once. Six times a day it is
asked which copies are fresh, and how old the others are. Every copy is fresh at the beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gossamer.freshness.many import Floats
from gossamer.freshness.policies import LONGEST, SCHEDULES, nutch
from gossamer.freshness.simulation.dates import Listener
from gossamer.freshness.simulation.learner import Learner
from gossamer.freshness.simulation.plan import Plan
from gossamer.freshness.simulation.web import Web, made

HOURS = 24
BETWEEN = 4
"""Hours from one look at all copies to the next."""
POLICIES = ("best", "learning", "azar", "lambdacrawl", "uniform", "proportional", "nutch")
KNOWING = set(SCHEDULES) - {"uniform"}
_MANY = 16
"""Visits to a page in an hour: more than that is not simulated one by one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a policy came to."""

    policy: str
    knows: bool
    """It was told how often each page changes."""
    freshness: float
    """The part of the copies that is fresh, by importance, over the second half of the days; so are the next two."""
    age: float
    """Days, on average over all copies; a fresh one is 0 days old."""
    visits: float
    """A day."""
    fresh_by_day: tuple[float, ...]
    age_by_day: tuple[float, ...]


class _Policy(Protocol):
    limit: float
    """Visits a day that it is held to; a schedule keeps to its budget by itself."""

    def first(self) -> Floats:
        """When each page is visited first."""

    def new_day(self, state: _State, asked: float) -> None:
        """A day begins, after one in which so many visits were asked for."""

    def visited(self, pages: NDArray[np.intp], intervals: Floats, changed: NDArray[np.bool_]) -> Floats:
        """The waits for the next visits to some pages."""


@dataclass(slots=True)
class _State:
    """Of each page: when it was visited last, when it is due, and when it changes first after the visit."""

    now: float
    visits: Floats
    due: Floats
    changes: Floats


class _Schedule:
    """Each page in equal intervals."""

    limit = np.inf

    def __init__(self, often: Floats, chance: np.random.Generator) -> None:
        with np.errstate(divide="ignore"):
            self._waits = np.maximum(1 / often, 1 / (HOURS * _MANY))
        self._chance = chance

    def first(self) -> Floats:
        return np.asarray(self._waits * self._chance.random(len(self._waits)))

    def new_day(self, state: _State, asked: float) -> None:
        pass

    def visited(self, pages: NDArray[np.intp], intervals: Floats, changed: NDArray[np.bool_]) -> Floats:
        return self._waits[pages]


class _Adaptive:
    """Nutch's rule. All intervals begin with the one that would spend the budget."""

    def __init__(self, plan: Plan, chance: np.random.Generator) -> None:
        self.limit = plan.budget
        self._intervals = np.full(plan.pages, min(plan.pages / plan.budget, LONGEST))
        self._chance = chance

    def first(self) -> Floats:
        return np.asarray(self._intervals * self._chance.random(len(self._intervals)))

    def new_day(self, state: _State, asked: float) -> None:
        pass

    def visited(self, pages: NDArray[np.intp], intervals: Floats, changed: NDArray[np.bool_]) -> Floats:
        self._intervals[pages] = nutch(self._intervals[pages], changed)
        return self._intervals[pages]


class _Learning:
    """Begins without knowledge, and listens to dates as far as they prove right."""

    def __init__(self, plan: Plan, web: Web, chance: np.random.Generator) -> None:
        self.limit = plan.budget
        self._learner = Learner(plan, web.importances, chance)
        self._listener = Listener(plan, chance) if plan.dates.lastmod != "none" else None
        self._redate = 1

    def first(self) -> Floats:
        return self._learner.first()

    def new_day(self, state: _State, asked: float) -> None:
        day = round(state.now)
        if not day:
            return
        self._learner.new_day(asked)
        if self._listener is not None:
            self._listener.read(state.now, state.visits, state.changes)
        elif day != self._redate:  # the price moves less and less, and what is due soon is dated anew at its visit
            return
        self._redate = 2 * day
        pages = np.flatnonzero(state.visits > 0)  # the others keep the date that was drawn for them
        state.due[pages] = state.visits[pages] + self._waits(pages)

    def visited(self, pages: NDArray[np.intp], intervals: Floats, changed: NDArray[np.bool_]) -> Floats:
        if self._listener is None:
            self._learner.visited(pages, intervals, changed, np.zeros(len(pages)))
        else:
            self._learner.visited(pages, intervals, changed, self._listener.quiet(pages, intervals))
            self._listener.visited(pages, changed)
        return self._waits(pages)

    def _waits(self, pages: NDArray[np.intp]) -> Floats:
        waits = self._learner.waits(pages)
        if self._listener is None:
            return waits
        return self._listener.waits(pages, waits, self._learner.rates(pages))


def simulate(
    plan: Plan, policies: Sequence[str] = POLICIES, done: Callable[[str, float], None] = lambda policy, part: None
) -> Iterator[Outcome]:
    """Each policy in turn; `done` hears how far it is, after each day."""
    web = made(plan, np.random.default_rng(plan.seed))
    for name in policies:
        chance = np.random.default_rng([plan.seed, POLICIES.index(name)])
        yield _outcome(name, plan, web, chance, done)


def _outcome(
    name: str, plan: Plan, web: Web, chance: np.random.Generator, done: Callable[[str, float], None]
) -> Outcome:
    policy: _Policy
    if name == "learning":
        policy = _Learning(plan, web, chance)
    elif name == "nutch":
        policy = _Adaptive(plan, chance)
    else:
        policy = _Schedule(SCHEDULES[name](web.rates, web.importances, plan.budget, plan.goal), chance)
    fresh, old, visits = (np.zeros(plan.days) for _ in range(3))
    for day, told in enumerate(_days(policy, plan, web, chance)):
        fresh[day], old[day], visits[day] = told
        done(name, (day + 1) / plan.days)
    half = plan.days // 2
    freshness, age, often = (float(each[half:].mean()) for each in (fresh, old, visits))
    return Outcome(name, name in KNOWING, freshness, age, often, tuple(fresh.tolist()), tuple(old.tolist()))


def _days(policy: _Policy, plan: Plan, web: Web, chance: np.random.Generator) -> Iterator[tuple[float, float, int]]:
    """Freshness, age and visits of each day."""
    pages = np.arange(plan.pages)
    weights = web.importances / web.importances.sum()
    start = np.zeros(plan.pages)
    state = _State(0.0, start, policy.first(), web.next_change(pages, start, chance))
    is_chance = plan.dates.lastmod == "none" and not web.hours.size
    looked = expected if is_chance else seen
    room, asked = policy.limit, plan.budget
    for day in range(plan.days):
        state.now = float(day)
        policy.new_day(state, asked)
        fresh = old = 0.0
        spent = 0
        for hour in range(HOURS):
            begin, end = day + hour / HOURS, day + (hour + 1) / HOURS
            room = min(room + policy.limit / HOURS, max(policy.limit, 1.0))  # what is left over is spent within a day
            visits = _hour(policy, state, web, (begin, end, room), chance)
            room, spent = room - visits, spent + visits
            if hour % BETWEEN == 0:
                is_fresh, ages = looked(web, state.visits, state.changes, end)
                fresh += float(weights @ is_fresh) * BETWEEN / HOURS
                old += float(weights @ ages) * BETWEEN / HOURS
        asked = spent + int((state.due < day + 1).sum())
        yield fresh, old, spent


def seen(web: Web, visits: Floats, changes: Floats, now: float) -> tuple[NDArray[np.bool_] | Floats, Floats]:
    """Which copies are fresh, and how old they are; by when each was visited last and changes first after that."""
    return changes > now, np.maximum(now - changes, 0.0)


def expected(web: Web, visits: Floats, changes: Floats, now: float) -> tuple[NDArray[np.bool_] | Floats, Floats]:
    """The chance that each is fresh, and its expected age: without the noise of what happened to happen.

    It is right where no visit depends on a change that was not found yet, as it does where dates are listened to.
    """
    elapsed, rates = now - visits, np.maximum(web.rates, 1e-12)
    stale = -np.expm1(-rates * elapsed)
    return 1 - stale, np.maximum(elapsed - stale / rates, 0.0)


def _hour(
    policy: _Policy, state: _State, web: Web, hour: tuple[float, float, float], chance: np.random.Generator
) -> int:
    """Visit what is due in an hour, the longest overdue first, as far as there is room; a page maybe several times."""
    begin, end, room = hour
    spent = 0
    while room - spent >= 1:
        pages = np.flatnonzero(state.due < end)
        if not pages.size:
            break
        if pages.size > room - spent:
            pages = pages[np.argpartition(state.due[pages], int(room - spent) - 1)[: int(room - spent)]]
        at = np.maximum(state.due[pages], begin)
        changed = state.changes[pages] <= at
        intervals = at - state.visits[pages]
        state.due[pages] = at + policy.visited(pages, intervals, changed)
        state.visits[pages] = at
        state.changes[pages] = web.next_change(pages, at, chance)
        spent += pages.size
    return spent
