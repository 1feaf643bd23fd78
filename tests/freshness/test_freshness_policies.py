"""The schedules of the literature: their published figures, and that none of them beats the best in its own measure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from theory import fresh_parts, mean_ages

from gossamer.freshness import allocate, next_visit
from gossamer.freshness.many import allocated, waits
from gossamer.freshness.policies import SCHEDULES, azar, best, lambda_crawl, nutch, proportional, uniform
from gossamer.freshness.revisit import Goal

FIVE = [1.0, 2.0, 3.0, 4.0, 5.0]
THREE = [1.0, 2.0, 10.0]
PAGES = st.lists(st.tuples(st.floats(0.001, 50), st.floats(0.01, 10)), min_size=1, max_size=8)
RATES = st.lists(st.floats(0.001, 100), min_size=1, max_size=12)
BUDGETS = st.floats(0.1, 50)


def test_freshness_of_five_pages_is_the_published_one() -> None:
    figures = {"best": 0.3739, "uniform": 0.3651, "proportional": 0.3167}
    for name, figure in figures.items():
        visits = SCHEDULES[name](FIVE, 1.0, 5.0, "freshness")
        assert fresh_parts(FIVE, visits).mean() == pytest.approx(figure, abs=5e-5)
    assert best(FIVE, 1.0, 5.0) == pytest.approx([1.150, 1.358, 1.354, 1.138, 0.0], abs=5e-4)


def test_age_of_five_pages_is_the_published_one() -> None:
    figures = {"best": 0.2503, "uniform": 0.2543, "proportional": 0.3730}
    for name, figure in figures.items():
        visits = SCHEDULES[name](FIVE, 1.0, 5.0, "age")
        assert mean_ages(FIVE, visits).mean() == pytest.approx(figure, abs=5e-5)
    assert best(FIVE, 1.0, 5.0, "age") == pytest.approx([0.835, 0.968, 1.034, 1.071, 1.093], abs=5e-4)


def test_azar_gives_up_what_changes_too_often() -> None:
    visits = azar(THREE, 1.0, 2.0)
    assert visits == pytest.approx([1.07107, 0.92893, 0.0], abs=5e-6)
    assert (visits / (visits + THREE)).sum() == pytest.approx(0.834315, abs=5e-7)


def test_lambdacrawl_gives_up_nothing() -> None:
    visits = lambda_crawl(THREE, 1.0, 2.0)
    assert visits == pytest.approx([0.55372, 0.64944, 0.79684], abs=5e-6)
    assert -np.log(visits / (visits + THREE)).sum() == pytest.approx(5.0441, abs=5e-5)


def test_nutch_makes_a_month_six_weeks_or_twenty_four_days() -> None:
    assert nutch([30.0, 30.0], [False, True]) == pytest.approx([42.0, 24.0])
    assert nutch([0.0001, 364.0], [True, False]) == pytest.approx([60 / 86_400, 365.0])


@given(RATES, BUDGETS)
def test_the_same_for_all_is_at_least_as_fresh_as_by_the_rate(rates: list[float], budget: float) -> None:
    by_rate, same = proportional(rates, 1.0, budget), uniform(rates, 1.0, budget)
    assert fresh_parts(rates, same).sum() >= fresh_parts(rates, by_rate).sum() - 1e-9


@given(PAGES, BUDGETS)
def test_none_is_better_than_the_best_in_its_own_measure(pages: list[tuple[float, float]], budget: float) -> None:
    rates, weights = map(np.array, zip(*pages, strict=True))
    freshest = weights @ fresh_parts(rates, best(rates, weights, budget, "freshness"))
    youngest = weights @ mean_ages(rates, best(rates, weights, budget, "age"))
    for schedule in SCHEDULES.values():
        for goal in ("freshness", "age"):
            visits = schedule(rates, weights, budget, goal)
            assert weights @ fresh_parts(rates, visits) <= freshest * (1 + 1e-9)
            assert weights @ mean_ages(rates, visits) >= youngest * (1 - 1e-9)


@given(PAGES, BUDGETS)
def test_azar_is_the_best_for_visits_at_random_moments(pages: list[tuple[float, float]], budget: float) -> None:
    rates, weights = map(np.array, zip(*pages, strict=True))

    def value(visits: np.ndarray) -> float:
        return float((weights * visits / (visits + rates)).sum())

    assert max(value(schedule(rates, weights, budget, "freshness")) for schedule in SCHEDULES.values()) <= value(
        azar(rates, weights, budget)
    ) * (1 + 1e-9)


@given(PAGES, BUDGETS)
def test_lambdacrawl_has_the_least_harmonic_cost(pages: list[tuple[float, float]], budget: float) -> None:
    rates, weights = map(np.array, zip(*pages, strict=True))

    def cost(visits: np.ndarray) -> float:
        return float(-(weights * np.log(visits / (visits + rates))).sum())

    found = lambda_crawl(rates, weights, budget)
    assert found.min() > 0
    for other in (uniform(rates, weights, budget), proportional(rates, weights, budget)):
        assert cost(found) <= cost(other) * (1 + 1e-9) + 1e-9


@given(PAGES, BUDGETS, st.sampled_from(["freshness", "age"]), st.sampled_from(sorted(SCHEDULES)))
def test_each_spends_the_whole_budget(pages: list[tuple[float, float]], budget: float, goal: Goal, name: str) -> None:
    rates, weights = map(np.array, zip(*pages, strict=True))
    visits = SCHEDULES[name](rates, weights, budget, goal)
    assert visits.min() >= 0
    assert visits.sum() == pytest.approx(budget, rel=1e-6)


@given(PAGES, BUDGETS, st.sampled_from(["freshness", "age"]))
def test_arrays_say_what_single_pages_say(pages: list[tuple[float, float]], budget: float, goal: Goal) -> None:
    rates, weights = zip(*pages, strict=True)
    assert allocated(rates, weights, budget, goal) == pytest.approx(
        allocate(rates, weights, budget, goal), rel=1e-6, abs=1e-9
    )
    single = [next_visit(rate, 0.3, weight, goal) for rate, weight in pages]
    assert waits(rates, 0.3, weights, goal) == pytest.approx(single, rel=1e-9)


@pytest.mark.parametrize("name", sorted(SCHEDULES))
def test_nothing_to_spend_or_to_visit_is_no_fault(name: str) -> None:
    assert SCHEDULES[name]([], [], 5.0, "freshness").tolist() == []
    assert SCHEDULES[name]([1.0, 2.0], 1.0, 0.0, "freshness").tolist() == [0.0, 0.0]
    visits = SCHEDULES[name]([0.0, 1.0], 1.0, 2.0, "age")
    assert np.isfinite(visits).all()
    assert np.isfinite(SCHEDULES[name]([0.0, 0.0], 1.0, 2.0, "age")).all()
    assert waits([1.0], 0.0).tolist() == [0.0]


def test_a_page_that_never_changes_is_always_fresh() -> None:
    assert fresh_parts([0.0, 1.0], [0.0, 0.0]).tolist() == [1.0, 0.0]
    assert mean_ages([0.0, 1.0], [0.0, 0.0]).tolist() == [0.0, np.inf]
    assert mean_ages([1e-9], [1.0]) == pytest.approx([1e-9 / 6])


@pytest.mark.parametrize("name", sorted(SCHEDULES))
@pytest.mark.parametrize("values", [([-1.0], [1.0], 1.0), ([1.0], [np.nan], 1.0), ([1.0], [1.0], np.inf)])
def test_what_is_no_amount_is_refused(name: str, values: tuple[list[float], list[float], float]) -> None:
    with pytest.raises(ValueError, match="from 0 on"):
        SCHEDULES[name](*values, "freshness")
