"""A crawl in one process goes on after a mistake of ours, as long as it comes any further."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.restarts import _how_far, live
from gossamer.engine.deaths import SAME
from gossamer.errors import GossamerError
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.ledger import Ledger
from gossamer.store.repair.skipped_captures import Passed
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE


def enter(table: Table, number: int, state: State) -> None:
    ledger = Ledger(table)
    ledger.put(f"http://a.test/{number}", Entry(state, 0, 1.0, "so"), None)
    ledger.save()
    table.commit()


def test_a_crawl_that_comes_further_in_every_life_is_not_given_up(tmp_path: Path) -> None:
    lives: list[int] = []

    async def life(table: Table) -> None:
        lives.append(len(lives))
        if len(lives) <= 2 * SAME:
            enter(table, lives[-1], State.DONE)
            raise ZeroDivisionError("the same each time")

    asyncio.run(live(tmp_path / "table", life))
    assert len(lives) == 2 * SAME + 1


def test_a_crawl_that_comes_no_further_is_given_up_and_says_what_it_raised(tmp_path: Path) -> None:
    lives: list[int] = []

    async def life(table: Table) -> None:
        lives.append(1)
        raise ZeroDivisionError("the same each time")

    with pytest.raises(GossamerError, match=r"ZeroDivisionError\('the same each time'\)"):
        asyncio.run(live(tmp_path / "table", life))
    assert len(lives) == SAME


def test_whatever_is_taken_in_or_passed_over_is_further(tmp_path: Path) -> None:
    path = tmp_path / "table"
    with Table.open(path, FAMILIES, writable=True) as table:
        enter(table, 0, State.QUEUED)
    met = [_how_far(path)]
    for number, state in enumerate((State.QUEUED, State.DONE, State.FAILED, State.EXCLUDED), 1):
        with Table.open(path, FAMILIES, writable=True) as table:
            enter(table, number, state)
        met.append(_how_far(path))
    with Table.open(path, FAMILIES, writable=True) as table:
        Passed(table, STATE).note("http://a.test/odd", 1.0, "odd")
        table.commit()
    met.append(_how_far(path))
    assert len(set(met)) == len(met)
    assert met[-1] == (2, 1, 1, 1, 0, 1)
