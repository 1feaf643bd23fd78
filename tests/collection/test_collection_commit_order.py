"""When does a crawl commit? About once a second; a watch in which nothing happens, once a minute."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.commit_order import CommitOrder
from gossamer.frontier.entries import META
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock


class Crawl:
    """A shard whose parts do nothing. `done` are its commits, by the second."""

    def __init__(self, table: Table, *, is_watch: bool) -> None:
        self.table, self.clock, self.done = table, VirtualClock(), list[tuple[int, str]]()
        self.began = self.clock.steady()
        self.frontier = SimpleNamespace(out=0, prepare=None)
        self.peers = SimpleNamespace(waiting=False, prepare=None, committed=None)
        self.gauge, self.reports = SimpleNamespace(has_moved=lambda: False), list[int]()
        nothing: Any = SimpleNamespace(prepare=None)
        parts: dict[str, Any] = {"frontier": self.frontier, "peers": self.peers, "gauge": self.gauge}
        self.order = CommitOrder(
            table, self.clock, nothing, nothing, import_source=nothing, blocks=None, watch_disk=lambda: None,
            is_watch=is_watch, well=lambda: self.reports.append(1), **parts,
        )  # fmt: skip
        said: Any = SimpleNamespace(last=self.clock.steady(), when_due=self._due, soon=lambda: self._note("soon"))
        self.order.commits = said

    def _due(self) -> None:
        self._note("due")
        said: Any = self.order.commits
        said.last = self.clock.steady()

    def _note(self, how: str) -> None:
        self.done.append((round(self.clock.steady() - self.began), how))

    def seconds(self, count: int) -> list[tuple[int, str]]:
        """What is committed in so many seconds."""
        self.done.clear()
        for _ in range(count):
            self.clock.advance(1.0)
            self.order.when_due()
        return list(self.done)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path, FAMILIES, writable=True) as opened:
        yield opened


def test_a_crawl_commits_whenever_it_is_due(table: Table) -> None:
    assert len(Crawl(table, is_watch=False).seconds(100)) == 100


def test_a_watch_rests_five_seconds_after_the_last_change_and_commits_once_a_minute_then(table: Table) -> None:
    watch = Crawl(table, is_watch=True)
    assert [second for second, _ in watch.seconds(130)] == [1, 2, 3, 4, 5, 65, 125]
    table.put(META, b"something", b"new")
    assert [second for second, _ in watch.seconds(2)] == [131, 132]
    table.commit()
    assert [second for second, _ in watch.seconds(20)] == [133, 134, 135, 136, 137]
    watch.frontier.out = 1
    assert len(watch.seconds(20)) == 20, "a visit is out"


@pytest.mark.parametrize(("waiting", "out", "how"), [(True, 0, "soon"), (True, 1, "due"), (False, 0, "due")])
def test_where_nothing_is_out_others_wait_no_longer_for_what_was_found(
    waiting: bool, out: int, how: str, table: Table
) -> None:
    crawl = Crawl(table, is_watch=False)
    crawl.peers.waiting, crawl.frontier.out = waiting, out
    assert crawl.seconds(1) == [(1, how)]


def test_a_shard_that_came_no_further_reports_nothing(table: Table) -> None:
    crawl = Crawl(table, is_watch=False)
    crawl.order._report_progress()
    assert crawl.reports == []
    crawl.gauge.has_moved = lambda: True
    crawl.order._report_progress()
    assert crawl.reports == [1]
