"""Which dates are trusted: those that are right, and none that are now, never, at random or of the last build."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.freshness import change_rate, next_visit
from gossamer.freshness.signals import (
    FEW,
    LEAST,
    MEMORY,
    Trust,
    alarms,
    as_long_as,
    heard,
    is_build_stamp,
    is_worth_a_visit,
    precision,
    rate_between,
    recall,
    silence,
    tells,
    weight,
)


def chance_of_change(trust: Trust, rate: float, since: float, moved: bool) -> float:
    """The chance that a page has changed since the visit, that long ago, by its rate and by what its date did."""
    if not moved:
        return -math.expm1(-rate_between(trust, rate) * since)
    unchanged = math.exp(-rate * since)
    return (1 - unchanged) * weight(trust) / (unchanged + (1 - unchanged) * weight(trust)) if unchanged < 1 else 0.0


TRUSTS = st.builds(Trust, *[st.floats(0, MEMORY)] * 4)
RATES, TIMES = st.floats(1e-4, 100), st.floats(1e-4, 1000)
DAY = 86_400


def after(visits: int, dates: Callable[[bool, random.Random], bool], changing: float = 0.3, seed: int = 5) -> Trust:
    """The trust in dates after visits to pages of which a part had changed."""
    chance, trust = random.Random(seed), Trust()
    for _ in range(visits):
        changed = chance.random() < changing
        trust = heard(trust, dates(changed, chance), changed)
    return trust


RIGHT = after(400, lambda changed, _: changed)
NOW = after(400, lambda changed, _: True)
NEVER = after(400, lambda changed, _: False)
RANDOM = after(400, lambda changed, chance: chance.random() < 0.5)
HALF = after(2_000, lambda changed, chance: changed and chance.random() < 0.5)


def test_a_site_of_which_nothing_is_known_is_neither_trusted_nor_distrusted() -> None:
    assert precision(Trust()) == recall(Trust()) == alarms(Trust()) == 0.5
    assert weight(Trust()) == silence(Trust()) == 1
    assert as_long_as(Trust(), 0.1, 7, moved=False) == 7
    assert as_long_as(Trust(), 0.1, 7, moved=True) == pytest.approx(7)


def test_right_dates_are_trusted() -> None:
    assert precision(RIGHT) > 0.98
    assert recall(RIGHT) > 0.98
    assert chance_of_change(RIGHT, 0.1, 1.0, moved=True) > 0.9
    assert chance_of_change(RIGHT, 0.1, 1.0, moved=False) < 0.01
    wait = next_visit(0.1, 0.2)
    assert is_worth_a_visit(RIGHT, 0.1, wait / 4, True, wait)
    assert not is_worth_a_visit(RIGHT, 0.1, wait * 4, False, wait)


@pytest.mark.parametrize(
    ("trust", "moved"),
    [(NOW, True), (NEVER, False), (RANDOM, True), (RANDOM, False)],
    ids=["now", "never", "random and moved", "random and still"],
)
def test_dates_that_tell_nothing_change_nothing(trust: Trust, moved: bool) -> None:
    """They may move a visit by a little: four hundred visits leave some doubt."""
    assert as_long_as(trust, 0.1, 7.0, moved) == pytest.approx(7.0, rel=0.25)


def test_dates_that_are_always_now_are_seldom_right_and_miss_nothing() -> None:
    assert precision(NOW) == pytest.approx(0.3, abs=0.06)
    assert recall(NOW) > 0.98
    assert weight(NOW) == pytest.approx(1, abs=0.02)


def test_dates_that_tell_something_are_told_apart_from_those_that_tell_nothing() -> None:
    assert [tells(trust) for trust in (RIGHT, HALF, Trust())] == [True] * 3
    assert [tells(trust) for trust in (NOW, RANDOM)] == [False] * 2
    assert tells(Trust(told=100, idle=300, quiet=200)), "where none moves, nothing has changed"


def test_dates_that_never_move_miss_everything() -> None:
    assert recall(NEVER) < 0.02
    assert silence(NEVER) > 0.97


def test_where_half_of_the_changes_are_told_the_rest_comes_at_half_the_rate() -> None:
    assert rate_between(HALF, 2.0) == pytest.approx(1.0, rel=0.15)
    assert weight(HALF) > 50


def test_one_visit_is_not_enough_for_trust() -> None:
    assert weight(heard(Trust(), moved=True, changed=True)) < 1.5
    assert silence(heard(Trust(), moved=True, changed=True)) > 0.6


def test_a_site_that_mends_its_ways_is_believed_again() -> None:
    trust = NOW
    for number in range(4 * MEMORY):
        trust = heard(trust, moved=number % 3 == 0, changed=number % 3 == 0)
    assert weight(trust) > 20
    assert silence(trust) < 0.1


def test_a_still_date_never_silences_a_page_for_good() -> None:
    assert silence(Trust(told=1e9)) == LEAST


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60), TRUSTS)
def test_a_row_is_of_the_same_size_after_any_number_of_visits(visits: list[tuple[bool, bool]], trust: Trust) -> None:
    for moved, changed in visits:
        trust = heard(trust, moved, changed)
    row = msgspec.msgpack.encode(trust)
    assert len(row) == 37
    assert msgspec.msgpack.decode(row, type=Trust) == trust


def test_counts_stay_within_the_memory() -> None:
    trust = after(10 * MEMORY, lambda changed, _: changed)
    assert MEMORY * 0.99 < sum(msgspec.structs.astuple(trust)) <= MEMORY


@given(TRUSTS, RATES, TIMES, st.booleans())
def test_the_other_wait_is_the_one_with_the_same_chance(trust: Trust, rate: float, since: float, moved: bool) -> None:
    wait = as_long_as(trust, rate, since, moved)
    assert 0 <= wait < math.inf
    assert wait >= since * (1 - 1e-9) if moved else wait <= since
    assert -math.expm1(-rate * wait) == pytest.approx(chance_of_change(trust, rate, since, moved), abs=1e-9)


@given(TRUSTS, RATES)
def test_nothing_has_changed_at_the_moment_of_the_visit(trust: Trust, rate: float) -> None:
    for moved in (False, True):
        assert chance_of_change(trust, rate, 0.0, moved) == 0
        assert as_long_as(trust, rate, 0.0, moved) == 0
    assert as_long_as(trust, 0.0, 3.0, moved=True) == 3.0


def test_the_odds_after_a_signal_are_those_of_counting() -> None:
    """Of pages whose date moved, as many had changed as the formula says: dates with faults of both kinds."""
    chance = random.Random(11)
    rate, since, trust, seen = 0.4, 1.5, Trust(), []
    for _ in range(20_000):
        changed = chance.random() < -math.expm1(-rate * since)
        moved = chance.random() < (0.8 if changed else 0.1)
        trust = heard(trust, moved, changed)
        seen.append((moved, changed))
    right = [changed for moved, changed in seen if moved]
    assert chance_of_change(trust, rate, since, moved=True) == pytest.approx(sum(right) / len(right), abs=0.05)
    assert precision(trust) == pytest.approx(sum(right) / len(right), abs=0.05)
    assert change_rate([(since, changed) for _, changed in seen]) == pytest.approx(rate, rel=0.05)


def stamps(*days: int) -> list[float]:
    start = datetime(2026, 3, 1, tzinfo=UTC).timestamp()
    return [start + day * DAY + 60 * number for number, day in enumerate(days)]


def test_a_site_that_dates_all_pages_by_its_last_build_is_recognised() -> None:
    assert is_build_stamp(stamps(*[0] * FEW))
    assert is_build_stamp(stamps(*[0] * 95, *range(1, 6)))
    assert not is_build_stamp(stamps(*[0] * (FEW - 1)))  # too few to tell
    assert not is_build_stamp(stamps(*[0] * 90, *range(1, 11)))
    assert not is_build_stamp(stamps(*range(100)))
    assert not is_build_stamp([])
