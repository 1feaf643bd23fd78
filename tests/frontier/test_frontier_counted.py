"""Counts that are kept in memory between commits: exact, the same after a restart, and never more than so many."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier import tally
from gossamer.frontier.discover import credit as credit_module
from gossamer.frontier.discover.credit import Credit
from gossamer.frontier.discover.discovery import Discovery, Seeds
from gossamer.frontier.discover.seen import ASK, Seen
from gossamer.frontier.entries import BACKLOG, LINKERS, META, SiteRow
from gossamer.frontier.polite.host_delays import Dates
from gossamer.frontier.queue import backlog as backlog_module
from gossamer.frontier.queue.backlog import Backlog
from gossamer.frontier.worth import budget as budget_module
from gossamer.frontier.worth.budget import Budgets, budget, distance, host_budget, stored
from gossamer.model import Link
from gossamer.store.table.table import Table
from gossamer.store.url_seen import Sieve
from gossamer.testing import VirtualClock
from gossamer.urls import site
from gossamer.urls.scope import Scope


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as opened:
        yield opened


# ------------------------------------------------------------------- budgets


def test_budgets_grow_with_the_sites_that_link_there_and_have_a_limit() -> None:
    assert [budget(linkers) for linkers in (0, 1, 4, 998, 999, 5_000)] == [10, 20, 50, 9_990, 10_000, 10_000]
    assert [host_budget(linkers) for linkers in (0, 1, 4, 998, 999, 5_000)] == [5, 10, 25, 4_995, 5_000, 5_000]


def test_a_site_and_each_of_its_hosts_are_so_many_rounds_away() -> None:
    assert [distance(SiteRow(visits=visits)) for visits in (0, 9, 10, 19, 20)] == [0, 0, 1, 1, 2]
    assert [distance(SiteRow(), host) for host in (1, 5, 6, 10, 11)] == [0, 0, 1, 1, 2]
    assert distance(SiteRow(visits=30), 6) == 3
    assert distance(SiteRow(visits=10), 11) == 2
    assert distance(SiteRow(linkers=1, visits=20), 11) == 1


def test_what_a_site_had_is_counted_and_survives(table: Table) -> None:
    budgets = Budgets(table)
    assert [budgets.new_host("a"), budgets.new_host("a"), budgets.new_host("b")] == [1, 2, 1]
    for _ in range(25):
        budgets.visited("a")
    assert (budgets.distance("a"), budgets.pages("a")) == (2, 10)
    budgets.linked(["a", "b"])
    assert (budgets.distance("a"), budgets.pages("a")) == (1, 20)
    assert budgets.distance("a", 21) == 2
    assert stored(table, "a") == SiteRow(), "not before it is saved"
    budgets.save()
    assert stored(table, "a") == SiteRow(linkers=1, visits=25, hosts=2)
    assert stored(table, "b") == SiteRow(linkers=1, visits=0, hosts=1)
    again = Budgets(table)
    again.read_ahead(["a", "c"])
    again.linked(["a"])
    assert again.new_host("a") == 3
    again.read_ahead(["a"])
    assert again.pages("a") == 30, "what was counted since is not read over"
    assert again.new_host("c") == 1


def test_rows_of_sites_that_are_not_used_leave_the_memory(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget_module, "_KEPT", 2)
    budgets = Budgets(table)
    for name in "ab":
        budgets.visited(name)
    budgets.save()
    assert len(budgets._rows) == 2
    budgets.visited("c")
    budgets.save()
    assert len(budgets._rows) == 0
    budgets.visited("a")
    budgets.save()
    assert stored(table, "a").visits == 2


# ------------------------------------------------------------------- backlog


def test_a_host_with_nothing_queued_has_no_row(table: Table) -> None:
    backlog = Backlog(table)
    backlog.shift("a", 2)
    backlog.shift("a", 1)
    backlog.shift("b", 1)
    assert (backlog.of("a"), backlog.of("b"), backlog.of("c"), backlog.total()) == (3, 1, 0, 0)
    backlog.save()
    assert table.get(BACKLOG, b"a") == (3).to_bytes(8, "big")
    assert (Backlog(table).of("a"), backlog.total()) == (3, 4)
    again = Backlog(table)
    again.read_ahead(["a", "b"])
    again.shift("a", -1)
    again.shift("b", -1)
    again.read_ahead(["a"])
    assert (again.of("a"), again.of("b")) == (2, 0)
    again.save()
    assert list(table.scan(BACKLOG)) == [(b"a", (2).to_bytes(8, "big"))]


def test_the_backlog_of_many_hosts_leaves_the_memory(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog_module, "_KEPT", 2)
    backlog = Backlog(table)
    for name in "ab":
        backlog.shift(name, 1)
    backlog.save()
    assert len(backlog._counts) == 2
    backlog.shift("c", 1)
    backlog.save()
    assert len(backlog._counts) == 0
    backlog.shift("a", 1)
    assert backlog.of("a") == 2


# -------------------------------------------------------------------- credit


def given(table: Table) -> tuple[Credit, Budgets]:
    budgets = Budgets(table)
    return Credit(table, budgets, site), budgets


def pages(budgets: Budgets, *names: str) -> list[int]:
    return [budgets.pages(f"{name}.example") for name in names]


def test_each_site_that_links_to_another_counts_once(table: Table) -> None:
    credit, budgets = given(table)
    links = [
        Link(url)
        for url in ("http://b.example/1", "http://b.example/2", "https://www.b.example:8443/", "http://c.example/")
    ]
    credit.give("http://a.example/", links)
    assert len(credit.waiting) == 2
    credit.give("http://a.example/2", links)
    credit.give("http://www.a.example/", links)
    assert pages(budgets, "b", "c") == [10, 10], "not before it is settled"
    credit.settle()
    assert not credit.waiting
    assert pages(budgets, "a", "b", "c") == [10, 20, 20]
    credit.give("http://c.example/", links)
    credit.settle()
    assert pages(budgets, "a", "b", "c") == [10, 30, 20], "a site does not recommend itself"
    assert sorted(key for key, _ in table.scan(LINKERS)) == [
        b"b.example\0a.example",
        b"b.example\0c.example",
        b"c.example\0a.example",
    ]


def test_a_nofollow_link_is_no_recommendation(table: Table) -> None:
    credit, budgets = given(table)
    credit.give("http://a.example/", [Link("http://b.example/", rel="nofollow"), Link("http://c.example/", rel="tag")])
    credit.settle()
    assert pages(budgets, "b", "c") == [10, 20]


def test_what_is_forgotten_does_not_count_twice(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credit_module, "REMEMBERED", 3)
    credit, budgets = given(table)
    for _ in range(3):
        for number in range(20):
            credit.give(f"http://s{number % 4}.example/", [Link(f"http://t{number}.example/")])
            held = sum(map(len, credit._new.values())) + sum(map(len, credit._old.values()))
            assert held <= 8, "two generations"
        credit.settle()
    assert pages(budgets, *(f"t{number}" for number in range(20))) == [20] * 20


def test_what_was_shown_a_moment_ago_is_not_looked_up(table: Table) -> None:
    credit, _ = given(table)
    for number in range(3):
        credit.give("http://a.example/", [Link("http://b.example/"), Link(f"http://c{number}.example/")])
        assert len(credit.waiting) == (2 if number == 0 else 1)
        credit.settle()


def test_another_shard_is_told_and_nothing_is_counted_here(table: Table) -> None:
    told: list[tuple[str, str]] = []

    def elsewhere(there: str, here: str) -> bool:
        told.append((there, here))
        return there == "b.example"

    budgets = Budgets(table)
    credit = Credit(table, budgets, site, elsewhere=elsewhere)
    credit.give("http://a.example/", [Link("http://b.example/"), Link("http://c.example/")])
    credit.settle()
    assert sorted(told) == [("b.example", "a.example"), ("c.example", "a.example")]
    assert pages(budgets, "b", "c") == [10, 20]


# ---------------------------------------------------------- dates, seeds, seen


def test_a_date_comes_back_as_the_moment_it_was_however_the_wall_clock_jumps() -> None:
    clock = VirtualClock()
    dates = Dates(clock)
    moment, date = clock.steady() + 5.0, clock.wall() + 5.0
    assert (dates.date(moment), dates.steady(date)) == (date, moment)
    clock.jump(-1e6)
    assert (dates.date(moment), dates.steady(date)) == (date, moment)
    assert Dates(clock).date(moment) == date - 1e6


def test_where_a_seed_redirects_to_is_a_seed_for_good(table: Table, tmp_path: Path) -> None:
    def found() -> tuple[Discovery, Seeds]:
        scope = Scope(kind="host", seeds=frozenset({"http://a.example/"}))
        discovery = Discovery(scope)
        return discovery, Seeds(table, discovery)

    discovery, seeds = found()
    assert not discovery.scope.is_start("http://b.example")
    for target in ("https://www.a.example/", "https://www.a.example/", "http://b.example/x"):
        seeds.widen(target)
    assert all(map(discovery.scope.is_start, ("http://a.example", "https://www.a.example", "http://b.example")))
    assert discovery.scope.check("http://b.example/other", 1) is None
    rows = [key for key, _ in table.scan(META, prefix=b"landed")]
    assert rows == [b"landed\0http://b.example/x", b"landed\0https://www.a.example/"]
    table.put(META, b"landed", b"http://e.example/x\nhttp://d.example/")  # as earlier versions kept them
    again, seeds = found()
    assert again.scope.check("http://b.example/other", 1) is None
    assert again.scope.check("http://d.example/other", 1) is None
    assert again.scope.check("http://c.example/", 1) is not None
    assert all(map(discovery.scope.is_start, ("http://a.example", "https://www.a.example", "http://b.example")))


def test_a_link_means_something_where_it_is_new_or_nearer_or_the_table_must_be_asked(
    table: Table, tmp_path: Path
) -> None:
    seen = Seen(Sieve(table, tmp_path / "seen"))
    seen.note("near", 2)
    seen.note("out", None)
    seen.note("deep", ASK + 40)
    links = [("near", 2), ("near", 1), ("out", 9), ("deep", 9), ("near", 0), ("new", 300)]
    batch = seen.batch(links)
    assert (batch.new, batch.unsure) == (["new"], ["near", "out", "deep"])
    assert [batch.knows("near", depth) for depth in (1, 2, 3)] == [False, True, True]
    assert not any(batch.knows(url, 300) for url in ("out", "deep", "new"))
    batch.note("new", 4)
    batch.note("out", 7)
    assert [batch.knows(url, 7) for url in ("new", "out")] == [True, True]
    later = seen.batch([("new", 4), ("out", 6)])
    assert (later.new, later.unsure) == ([], ["out"])
    assert [later.knows("new", depth) for depth in (3, 4)] == [False, True]
    assert [later.knows("out", depth) for depth in (6, 7)] == [False, True]
    seen.close()


def test_counts_of_hosts_that_were_saved_leave_the_memory_and_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tally, "_KEPT", 1)
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        counted = tally.Tally(table)
        for host in ("a.example", "b.example"):
            counted.shift(host, 2, 1)
        for _ in range(2):
            counted.save()
            table.commit()
        counted.shift("a.example", -1, 0)
        assert counted.of("a.example") == tally.Sums(1, 1)
        assert counted.of("b.example") == tally.Sums(2, 1)
