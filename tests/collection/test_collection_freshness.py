"""How fresh are all pages that are watched? Each shard counts by its pages, and too few visits say nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.freshness import FEW, freshness_of, rates_of
from gossamer.freshness.price import Population
from gossamer.frontier.entries import META, WATCHED, encode
from gossamer.frontier.revisit.dating import WatchState
from gossamer.store.table.table import Table

DAY = 86_400.0
NOW = 1_800_000_000.0
Tables = Callable[..., list[Table]]


def watched(pages: int, rate: float = 1.0, **more: Any) -> WatchState:
    """So many pages that change so often a day, visited four times in that; the watch has just ended."""
    population = Population()
    for _ in range(pages):
        population.enter(rate, 1.0)
    price = population.price(4.0 * rate * pages, "age") if pages else 0.0
    return WatchState(population=population, price=price, saved=NOW, **more)


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    numbers = count()
    with ExitStack() as stack:

        def made(*states: WatchState | None) -> list[Table]:
            opened = [
                stack.enter_context(Table.open(tmp_path / str(next(numbers)), FAMILIES, writable=True)) for _ in states
            ]
            for table, state in zip(opened, states, strict=True):
                if state is not None:
                    table.put(META, WATCHED, encode(state))
            return opened

        yield made


def test_where_nothing_was_watched_nothing_is_told(tables: Tables) -> None:
    shards = tables(None, watched(0))
    assert freshness_of(shards, NOW) is None
    assert rates_of(shards) == {}


def test_each_shard_counts_by_its_pages(tables: Tables) -> None:
    quick, slow = watched(1, 8.0), watched(3, 0.5)
    shards = tables(quick, None, slow)
    one, other = (state.outlook(NOW) for state in (quick, slow))
    found = freshness_of(shards, NOW)
    assert found is not None
    assert found.pages == 4
    assert found.fresh == pytest.approx(one.freshness / 4 + other.freshness * 3 / 4)
    assert found.age == pytest.approx((one.age / 4 + other.age * 3 / 4) * DAY)
    assert found.visits_a_day == pytest.approx(one.visits + other.visits)
    later = freshness_of(shards, NOW + DAY)
    assert later is not None
    assert later.fresh < found.fresh


def test_rates_of_all_shards_are_put_together(tables: Tables) -> None:
    found = rates_of(tables(watched(1, 8.0), watched(3, 0.5), watched(2, 8.0)))
    assert list(found.values()) == [3, 3]
    assert list(found) == sorted(found)


def test_what_visits_have_found_is_told_from_twenty_on(tables: Tables) -> None:
    assert FEW == 20
    few = freshness_of(tables(watched(1, looks=15, found=9, expected=8.0), watched(1, looks=4)), NOW)
    assert few is not None
    assert (few.visits_changed, few.visits_expected) == (None, None)
    enough = freshness_of(tables(watched(1, looks=15, found=9, expected=8.0), watched(1, looks=5, expected=2.0)), NOW)
    assert enough is not None
    assert (enough.visits_changed, enough.visits_expected) == (9 / 20, 10.0 / 20)


def test_what_visits_at_random_moments_have_found_is_told_from_twenty_on(tables: Tables) -> None:
    right, wrong = {"sampled_days": 10.0, "fresh_days": 9.0}, {"sampled_days": 4.0, "fresh_days": 2.0}
    few = freshness_of(tables(watched(3, samples=12.0, **right), watched(1, samples=7.0, **wrong)), NOW)
    assert few is not None
    assert (few.measured, few.samples) == (None, 19)
    shards = tables(watched(3, samples=12.0, **right), watched(1, samples=8.0, **wrong), watched(5, samples=50.0))
    enough = freshness_of(shards, NOW)
    assert enough is not None
    assert enough.measured == pytest.approx(0.9 * 3 / 4 + 0.5 * 1 / 4), "one that was never sampled says nothing"
    assert enough.samples == 20
