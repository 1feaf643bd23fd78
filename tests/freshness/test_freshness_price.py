"""One price for a visit, from counts of pages by their rates."""

from __future__ import annotations

import math
import random

import msgspec
import pytest

from gossamer.freshness import allocate, freshness
from gossamer.freshness.policies import SCHEDULES
from gossamer.freshness.price import Population, average_age
from gossamer.freshness.revisit import Goal, next_visit
from gossamer.freshness.waits import Policy, wait


def population(rates: list[float], weights: list[float] | None = None) -> Population:
    made = Population()
    for rate, weight in zip(rates, weights or [1.0] * len(rates), strict=True):
        made.enter(rate, weight)
    return made


@pytest.mark.parametrize("goal", ["age", "freshness"])
def test_at_the_price_all_pages_want_what_the_budget_has(goal: Goal) -> None:
    chance = random.Random(1)
    rates = [chance.lognormvariate(-2, 1.5) for _ in range(500)]
    weights = [chance.paretovariate(1.5) for _ in rates]
    for budget in (10.0, 500.0, 5_000.0):
        price = population(rates, weights).price(budget, goal)
        waits = [next_visit(rate, price, weight, goal) for rate, weight in zip(rates, weights, strict=True)]
        assert sum(1 / wait for wait in waits) == pytest.approx(budget, rel=0.05)
        best = allocate(rates, weights, budget, goal)
        assert sum(abs(1 / wait - often) for wait, often in zip(waits, best, strict=True)) < 0.1 * budget


@pytest.mark.parametrize("policy", ["azar", "lambdacrawl"])
def test_by_a_price_others_visit_as_their_schedules_say(policy: Policy) -> None:
    chance = random.Random(1)
    rates = [chance.lognormvariate(-2, 1.5) for _ in range(500)]
    weights = [chance.paretovariate(1.5) for _ in rates]
    price = population(rates, weights).price_for(policy, 200.0, "age")
    found = [1 / wait(policy, rate, price, weight, "age") for rate, weight in zip(rates, weights, strict=True)]
    schedule = SCHEDULES[policy](rates, weights, 200.0, "age")
    assert sum(found) == pytest.approx(200.0, rel=0.05)
    assert sum(abs(often - said) for often, said in zip(found, schedule, strict=True)) < 10.0
    assert wait(policy, 1.0, 0.0, 1.0, "age") == 0.0


def test_it_is_found_from_wherever_one_looks() -> None:
    made = population([0.1, 1.0, 3.0])
    found = [made.price(2.0, "age", near) for near in (1e-12, 1.0, 1e12)]
    assert found == pytest.approx([found[0]] * 3, rel=0.02)
    assert made.price(0.0, "age") == math.inf
    assert Population().price(5.0, "age", 7.0) == 7.0


def test_who_comes_in_can_leave_again() -> None:
    made = population([0.5, 0.5, 4.0])
    place = made.enter(9.0, 2.0)
    assert place
    assert made.pages == 4
    made.leave(place)
    made.leave(place)
    made.leave(0)
    assert made.pages == 3
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(made), type=Population) == made


def test_the_outlook_is_that_of_the_formulas() -> None:
    made = population([1.0] * 4)  # in the middle of a step
    price = made.price(4.0, "age")
    outlook = made.outlook(price, "age", 1e-3, 1e3)
    assert outlook.visits == pytest.approx(4.0, rel=0.01)
    assert outlook.freshness == pytest.approx(freshness(1.0, 1.0), rel=0.01)
    assert outlook.age == pytest.approx(average_age(1.0, 1.0), rel=0.02)
    assert Population().outlook(1.0, "age", 1e-3, 1e3).freshness == 1.0


def test_the_average_age_is_the_textbooks() -> None:
    assert average_age(2.0, 1.0) == pytest.approx(0.5 - 1 / 2 + (1 - math.exp(-2)) / 4)
    assert average_age(1e-9, 1.0) == pytest.approx(1e-9 / 6)


def test_what_nobody_visits_any_more_gets_old() -> None:
    made = population([1.0] * 4)
    price = made.price(4.0, "age")
    looks = [made.outlook(price, "age", 1e-3, 1e3, since) for since in (0.0, 1.0, 100.0)]
    assert looks[1].freshness == pytest.approx(looks[0].freshness * math.exp(-1), rel=0.01)
    assert looks[2].freshness < 1e-9
    assert looks[0].age < looks[1].age < looks[2].age
    assert looks[2].age == pytest.approx(100, abs=1)
