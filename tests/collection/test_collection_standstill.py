"""Where no crawl runs, the limit is named that keeps what is queued from being fetched."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.collection import status
from gossamer.collection.status import standstill
from gossamer.plan import Plan


def shard(
    *, queued: int = 5, besides: int = 0, kept: int = 10, octets: int = 100, time_over: bool | None = None
) -> Any:
    counts = SimpleNamespace(queued=queued, besides=besides, kept=kept, bytes=octets)
    look = None if time_over is None else SimpleNamespace(time_over=time_over)
    return SimpleNamespace(counts=counts, look=look)


@pytest.fixture(autouse=True)
def _told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "Ledger", lambda table: table)
    monkeypatch.setattr(status, "last_look", lambda table: table.look)


def test_a_limit_is_of_all_shards_together() -> None:
    assert "the limit of 20 pages" in standstill(Plan(pages=20), [shard(), shard()], is_running=False)
    assert standstill(Plan(pages=21), [shard(), shard()], is_running=False) == ""
    assert "the limit of 200 B" in standstill(Plan(bytes=200), [shard(), shard()], is_running=False)
    assert standstill(Plan(bytes=201), [shard(), shard()], is_running=False) == ""


def test_nothing_is_kept_away_from_a_crawl_that_runs_or_has_nothing_to_do() -> None:
    assert standstill(Plan(pages=1), [shard()], is_running=True) == ""
    assert standstill(Plan(pages=1), [shard(queued=0), shard(queued=0)], is_running=False) == ""
    assert standstill(Plan(pages=1), [shard(queued=0), shard(queued=1)], is_running=False)


def test_no_limit_of_pages_keeps_away_what_is_fetched_besides_pages() -> None:
    limited = Plan(pages=1)
    assert standstill(limited, [shard(queued=3, besides=3)], is_running=False) == ""
    assert standstill(limited, [shard(queued=3, besides=3), shard(queued=3, besides=2)], is_running=False)


def test_the_time_is_over_where_a_shard_has_said_so_and_there_is_a_limit_of_it() -> None:
    assert "the time of" in standstill(Plan(time=60), [shard(), shard(time_over=True)], is_running=False)
    assert standstill(Plan(time=60), [shard(), shard(time_over=False)], is_running=False) == ""
    assert standstill(Plan(), [shard(time_over=True)], is_running=False) == ""
