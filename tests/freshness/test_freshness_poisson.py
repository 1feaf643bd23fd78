"""How often a page changes, and how stale a copy is: against the textbook's figures, chance, and plain counting."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.freshness import age, change_rate, freshness

RATES = st.floats(1e-6, 1e3)
TIMES = st.floats(1e-6, 1e3)


def test_a_week_after_the_visit_a_page_that_changes_weekly_is_two_and_a_half_days_old() -> None:
    assert age(1 / 7, 7) == pytest.approx(7 / math.e)
    assert age(1 / 7, 7) == pytest.approx(2.575, abs=5e-4)


@pytest.mark.parametrize(("expected", "fresh"), [(0.1, 0.9516), (0.5, 0.7869), (1, 0.6321), (2, 0.4323), (10, 0.1000)])
def test_freshness_depends_on_the_changes_between_two_visits(expected: float, fresh: float) -> None:
    assert freshness(expected, 1) == pytest.approx(fresh, abs=5e-5)
    assert freshness(expected / 30, 30) == pytest.approx(fresh, abs=5e-5)


def test_a_page_that_never_changes_is_always_fresh() -> None:
    assert freshness(0, 100) == 1
    assert age(0, 100) == 0
    assert freshness(5, 0) == 1
    assert age(5, 0) == 0


def test_a_page_that_is_never_visited_again_is_stale() -> None:
    assert freshness(1, math.inf) == 0
    assert freshness(0, math.inf) == 1


@given(RATES, TIMES)
def test_age_is_the_integral_of_what_was_lost(rate: float, t: float) -> None:
    steps = 400
    width = t / steps
    lost = sum(-math.expm1(-rate * (number + 0.5) * width) * width for number in range(steps))
    assert age(rate, t) == pytest.approx(lost, rel=2e-3 if rate * t < 50 else 0.2)
    assert 0 <= age(rate, t) <= t


@given(st.floats(1e-12, 1e-3))
def test_small_ages_are_exact(expected: float) -> None:
    assert age(expected, 1.0) == pytest.approx(expected / 2 - expected**2 / 6 + expected**3 / 24, rel=1e-9)


def test_what_was_simulated_is_what_the_formulas_say() -> None:
    chance = random.Random(7)
    rate, interval, rounds = 0.4, 3.0, 40_000
    first = [chance.expovariate(rate) for _ in range(rounds)]
    fresh = sum(min(moment, interval) for moment in first) / (rounds * interval)
    old = sum(max(interval - moment, 0.0) for moment in first) / rounds
    assert freshness(rate, interval) == pytest.approx(fresh, rel=0.02)
    assert age(rate, interval) == pytest.approx(old, rel=0.02)


def test_equal_intervals_are_estimated_with_little_bias() -> None:
    assert change_rate([(1, True)] * 6 + [(1, False)] * 4) == pytest.approx(0.8473, abs=5e-5)


def test_other_intervals_are_estimated_by_the_largest_likelihood() -> None:
    visits = [(1, True), (3, True), (2, False), (2, False)]
    assert change_rate(visits) == pytest.approx(0.35008, abs=5e-6)


@given(st.lists(st.tuples(st.floats(0.01, 100), st.booleans()), min_size=2, max_size=12))
def test_no_rate_nearby_is_more_likely(visits: list[tuple[float, bool]]) -> None:
    if len({changed for _, changed in visits}) == 1 or len({interval for interval, _ in visits}) == 1:
        return

    def likelihood(rate: float) -> float:
        chances = (math.log(-math.expm1(-rate * t)) if changed else -rate * t for t, changed in visits)
        return math.fsum(chances)

    found = change_rate(visits)
    assert likelihood(found) >= max(likelihood(found * 0.99), likelihood(found * 1.01))


def test_nothing_seen_and_nothing_but_changes_have_a_rate_too() -> None:
    assert change_rate([]) == pytest.approx(math.log(2) / 0.5)
    assert 0 < change_rate([(1, False), (2, False)]) < 0.5
    assert 2 < change_rate([(0.1, True), (0.2, True)]) < 100
    assert change_rate([(0, True)]) == change_rate([])  # at the same moment: it tells nothing


def test_more_visits_come_nearer_to_the_true_rate() -> None:
    chance = random.Random(3)

    def seen(rate: float, number: int) -> list[tuple[float, bool]]:
        intervals = [chance.uniform(0.1, 4.0) for _ in range(number)]
        return [(each, chance.random() < -math.expm1(-rate * each)) for each in intervals]

    for rate in (0.05, 0.5, 2.0):
        assert change_rate(seen(rate, 4_000)) == pytest.approx(rate, rel=0.12)


@given(st.lists(st.tuples(st.floats(1e-9, 1e9), st.booleans()), max_size=8))
def test_a_rate_is_always_a_number_above_zero(visits: list[tuple[float, bool]]) -> None:
    assert 0 < change_rate(visits) < math.inf


@pytest.mark.parametrize("interval", [-1.0, math.inf, math.nan])
def test_a_time_that_is_none_is_refused(interval: float) -> None:
    with pytest.raises(ValueError, match="interval"):
        change_rate([(interval, True)])
    if not interval > 0:
        with pytest.raises(ValueError, match="negative"):
            age(1, interval)
