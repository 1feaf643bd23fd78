"""What is missing after pages came or went without what is made from them is noted, and no more than that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.derive.underived import LINKS_WHOLE, PAST_WHOLE, Underived, leave_out, outdate
from gossamer.dedupe.column_families import PRINTS, STALE, WHOLE
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path / "other", FAMILIES, writable=True) as made:
        made.put(STATE, LINKS_WHOLE, b"1")
        made.put(STATE, PAST_WHOLE, b"1")
        made.put(PRINTS, WHOLE, b"1")
        yield made


def stated(table: Table) -> tuple[bytes | None, ...]:
    """What is whole: the log of links, the index of earlier versions, the prints."""
    return table.get(STATE, LINKS_WHOLE), table.get(STATE, PAST_WHOLE), table.get(PRINTS, WHOLE)


def test_a_crawl_that_only_collects_leaves_all_to_the_next_build(table: Table, tmp_path: Path) -> None:
    Underived(tmp_path, table, cast(Archive, None), str)
    assert stated(table) == (None, None, None)


def test_pages_that_come_without_prints_and_texts_that_change_are_told_apart(table: Table) -> None:
    outdate(table)
    assert stated(table) == (None, None, STALE)
    leave_out(table)
    outdate(table)
    assert table.get(PRINTS, WHOLE) is None  # there is nothing that could serve
