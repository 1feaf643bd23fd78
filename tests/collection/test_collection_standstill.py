"""Where no crawl runs, the limit is named that keeps what is queued from being fetched."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gossamer.collection.held_up import standstill
from gossamer.plan import Plan


def shard(*, queued: int = 5, besides: int = 0, kept: int = 10, octets: int = 100) -> Any:
    return SimpleNamespace(queued=queued, besides=besides, kept=kept, bytes=octets)


def still(plan: Plan, *shards: Any, time_over: bool = False) -> str:
    return standstill(plan, shards, time_over=time_over)


def test_a_limit_is_of_all_shards_together() -> None:
    assert "the limit of 20 pages" in still(Plan(pages=20), shard(), shard())
    assert still(Plan(pages=21), shard(), shard()) == ""
    assert "the limit of 200 B" in still(Plan(bytes=200), shard(), shard())
    assert still(Plan(bytes=201), shard(), shard()) == ""


def test_nothing_is_kept_away_from_a_crawl_that_has_nothing_to_do() -> None:
    assert still(Plan(pages=1), shard(queued=0), shard(queued=0)) == ""
    assert still(Plan(pages=1), shard(queued=0), shard(queued=1))


def test_no_limit_of_pages_keeps_away_what_is_fetched_besides_pages() -> None:
    assert still(Plan(pages=1), shard(queued=3, besides=3)) == ""
    assert still(Plan(pages=1), shard(queued=3, besides=3), shard(queued=3, besides=2))


def test_the_time_is_over_where_it_has_passed_and_there_is_a_limit_of_it() -> None:
    assert "the time of" in still(Plan(time=60), shard(), shard(), time_over=True)
    assert still(Plan(time=60), shard(), shard()) == ""
    assert still(Plan(), shard(), time_over=True) == ""
