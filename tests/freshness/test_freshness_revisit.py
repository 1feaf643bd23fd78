"""When the next visit is due: the published allocations, and one price for all of them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.freshness import allocate, freshness, next_visit
from gossamer.freshness.revisit import Goal

FIVE = [1.0, 2.0, 3.0, 4.0, 5.0]
RATES = st.lists(st.floats(0.01, 20), min_size=1, max_size=8)


def mean_age(rate: float, interval: float) -> float:
    r = rate * interval
    return interval * (0.5 - 1 / r - math.expm1(-r) / r**2)


def mean_freshness(rates: list[float], visits: list[float]) -> float:
    pairs = zip(rates, visits, strict=True)
    return sum(freshness(rate, 1 / often if often else math.inf) for rate, often in pairs) / len(rates)


def test_the_best_allocation_for_freshness_is_the_published_one() -> None:
    found = allocate(FIVE, [1.0] * 5, 5.0)
    assert found == pytest.approx([1.150, 1.358, 1.354, 1.138, 0.0], abs=5e-4)
    assert mean_freshness(FIVE, found) == pytest.approx(0.3739, abs=5e-5)


def test_the_best_allocation_for_age_is_the_published_one() -> None:
    found = allocate(FIVE, [1.0] * 5, 5.0, goal="age")
    assert found == pytest.approx([0.835, 0.968, 1.034, 1.071, 1.093], abs=5e-4)
    assert sum(mean_age(rate, 1 / often) for rate, often in zip(FIVE, found, strict=True)) / 5 == pytest.approx(
        0.2503, abs=5e-5
    )


def test_the_same_often_for_all_is_better_than_by_the_rate() -> None:
    assert mean_freshness(FIVE, [1.0] * 5) == pytest.approx(0.3651, abs=5e-5)
    assert mean_freshness(FIVE, [rate / 3 for rate in FIVE]) == pytest.approx(0.3167, abs=5e-5)


@given(RATES, st.floats(0.1, 50))
def test_no_other_allocation_is_fresher(rates: list[float], budget: float) -> None:
    best = mean_freshness(rates, allocate(rates, None, budget))
    uniform = mean_freshness(rates, [budget / len(rates)] * len(rates))
    proportional = mean_freshness(rates, [budget * rate / sum(rates) for rate in rates])
    assert best >= uniform - 1e-9
    assert uniform >= proportional - 1e-9


@given(RATES, st.floats(0.1, 50), st.sampled_from(["freshness", "age"]))
def test_the_whole_budget_is_spent(rates: list[float], budget: float, goal: Goal) -> None:
    assert sum(allocate(rates, None, budget, goal)) == pytest.approx(budget, rel=1e-6)


def test_one_price_gives_the_best_allocation() -> None:
    waits = [next_visit(rate, 0.216432) for rate in FIVE]
    assert [1 / wait for wait in waits] == pytest.approx([1.150, 1.358, 1.354, 1.138, 0.0], abs=5e-4)


@given(st.floats(1e-6, 1e6), st.floats(1e-9, 0.999))
def test_a_page_is_due_when_its_gain_reaches_the_price(rate: float, part: float) -> None:
    price = part / rate
    t = next_visit(rate, price)
    x = rate * t
    gain = (1 - (1 + x) * math.exp(-x)) / rate if x > 1e-3 else x * x * (0.5 - x / 3 + x * x / 8) / rate
    assert gain == pytest.approx(price, rel=1e-6)


@given(st.floats(1e-6, 1e6), st.floats(1e-9, 1e9))
def test_and_for_age_as_well(rate: float, level: float) -> None:
    t = next_visit(rate, level / rate**2, goal="age")
    x = rate * t
    gain = x * x / 2 + x * math.exp(-x) + math.expm1(-x) if x > 0.02 else x**3 * (1 / 3 - x / 8 + x * x / 30)
    assert gain == pytest.approx(level, rel=1e-5)


def test_pages_that_change_too_often_are_given_up_for_freshness_alone() -> None:
    assert next_visit(10, 0.1) == math.inf
    assert next_visit(10, 0.1, importance=2) < math.inf
    assert next_visit(10, 0.1, goal="age") < math.inf


def test_nothing_is_due_that_never_changes_or_does_not_matter() -> None:
    assert next_visit(0, 1) == math.inf
    assert next_visit(1, 0.1, importance=0) == math.inf
    assert next_visit(1, 0) == 0


def test_what_matters_more_is_visited_more_often() -> None:
    found = allocate([1.0, 1.0, 1.0], [1.0, 4.0, 0.0], 3.0)
    assert found[1] > found[0] > found[2] == 0


def test_nothing_to_spend_or_to_visit_is_no_fault() -> None:
    assert allocate([], [], 5) == []
    assert allocate([1.0], [1.0], 0) == [0.0]
    assert allocate([0.0, 1.0], [1.0, 0.0], 5) == [0.0, 0.0]


@pytest.mark.parametrize("values", [(-1, 1, 1), (1, math.nan, 1), (1, 1, math.inf), (math.inf, 1, 1)])
def test_what_is_no_amount_is_refused(values: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="from 0 on"):
        next_visit(*values)


def test_lists_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="one for each page"):
        allocate([1.0], [1.0, 2.0], 1)
    with pytest.raises(ValueError, match="budget"):
        allocate([1.0], [1.0], math.inf)
