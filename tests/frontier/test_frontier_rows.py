"""Rows that are counted in: exact, the same after a restart, and never more in memory than so many."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier import rows as rows_module
from gossamer.frontier.entries import SITES, Entry, SiteRow, State, encode, encode_new, entry, site_row
from gossamer.frontier.rows import Rows
from gossamer.model import Kind
from gossamer.store.table.table import Table


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as opened:
        yield opened


def rows_of(table: Table) -> Rows[SiteRow]:
    return Rows(table, SITES, site_row, SiteRow)


def test_a_row_that_is_changed_is_read_as_it_is_now_and_written_with_the_next_save(table: Table) -> None:
    rows = rows_of(table)
    assert rows.peek("a") is None
    rows.use("a").visits += 2
    rows.use("a").visits += 1
    assert rows.peek("a") == SiteRow(visits=3)
    assert rows_of(table).peek("a") is None, "not before it is saved"
    rows.save()
    assert rows_of(table).peek("a") == rows_of(table).use("a") == SiteRow(visits=3)
    rows.use("a").visits += 1
    assert rows.peek("a") == SiteRow(visits=4)
    rows.save()
    assert rows_of(table).peek("a") == SiteRow(visits=4)


def test_a_row_that_was_only_looked_at_is_not_written(table: Table) -> None:
    rows = rows_of(table)
    rows.peek("a")
    rows.read_ahead(["b"])
    rows.save()
    assert list(table.scan(SITES)) == []


def test_what_is_read_ahead_is_what_is_stored_and_does_not_undo_a_change(table: Table) -> None:
    table.put(SITES, b"a", encode(SiteRow(visits=1)))
    table.put(SITES, b"b", encode(SiteRow(visits=2)))
    rows = rows_of(table)
    rows.use("a").visits = 7
    rows.read_ahead(["a", "b", "c"])
    table.put(SITES, b"b", encode(SiteRow(visits=99)))
    assert [rows.peek(name) for name in "abc"] == [SiteRow(visits=7), SiteRow(visits=2), None]
    rows.use("c").visits = 3
    rows.save()
    rows.read_ahead(["c"])
    assert rows.peek("c") == SiteRow(visits=3)


def test_two_generations_of_rows_are_kept_and_no_more(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "KEPT", 2)
    rows = rows_of(table)
    for name in "abc":
        rows.use(name).visits = 1
    rows.save()
    for name in "abc":
        table.put(SITES, name.encode(), encode(SiteRow(visits=50)))
    assert rows.peek("a") == SiteRow(visits=1), "the older generation is still in memory"
    rows.read_ahead(["b"])
    assert rows.peek("b") == SiteRow(visits=1)
    for name in "def":
        rows.use(name)
    rows.save()
    assert rows.peek("c") == SiteRow(visits=50), "it was dropped, and comes from the table"
    assert len(rows._kept) + len(rows._old) <= 6
    for name in "gh":
        rows.use(name)
    rows.save()
    assert len(rows._kept) in (0, 3), "as many as may be kept are, and one more is too many"


@pytest.mark.parametrize(
    "new",
    [
        Entry(State.EXCLUDED, 3, 1.5, "outside", Kind.SITEMAP, 2, 0, "http://a.example/"),
        Entry(State.EXCLUDED, 3, 1.5, "outside", guess="script"),
        Entry(State.QUEUED, 0, 1.5, position=7, rank=1 << 40),
        Entry(State.QUEUED, 0, 1.5, rank=1 << 40),
        *(Entry(State.QUEUED, 1, 1.5, position=7, **{name: 2}) for name in ("hint", "cash", "sunk")),
    ],
)
def test_the_row_of_a_new_address_says_all_that_is_known_of_it(new: Entry) -> None:
    assert entry(encode_new(new)) == new
    assert len(encode_new(new)) <= len(encode(new))
