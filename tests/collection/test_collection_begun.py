"""A first crawl that is killed before all of its shards have a table: no damage, and the next one begins again."""

from __future__ import annotations

from pathlib import Path

import pytest
from rocksdict import Options, Rdict

import gossamer
from crawler_process import with_room
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.folder import Folder
from gossamer.collection.lock import exclusive
from gossamer.errors import Damaged, NotFound
from gossamer.plan import Plan
from gossamer.store.table.table import Table
from gossamer.testing import MadeWeb, WebSpec

SETTINGS = {"delay": 0.0, "ip_delay": 0.0, "allow_addresses": ("127.0.0.0/8",)}


def unnamed(table: Path) -> None:
    """A manifest that nothing names yet, as a kill leaves it."""
    without_families(table)
    for path in table.iterdir():
        if path.name == "CURRENT" or path.suffix == ".log" or path.name.startswith("OPTIONS"):
            path.unlink()


def without_families(table: Path) -> None:
    """All but the families, which come last."""
    table.mkdir()
    Rdict(str(table), Options(raw_mode=True)).close()


HALVES = {"none": None, "empty": Path.mkdir, "unnamed": unnamed, "no families": without_families}
"""What is there of a table that a killed process was making."""


@pytest.fixture(params=[(0, "none"), (1, "none"), (0, "empty"), (0, "unnamed"), (0, "no families")], ids=str)
def begun(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    """One shard has its table, the other has half of it at most."""
    whole, half = request.param
    folder = Folder(with_room(tmp_path / "web"))
    folder.create()
    folder.save_plan(Plan(shards=2, **SETTINGS))
    folder.make_shards(2)
    Table.open(folder.table(whole), FAMILIES, writable=True).close()
    if make := HALVES[half]:
        make(folder.table(1 - whole))
    return folder


def test_the_next_crawl_begins_again(begun: Folder) -> None:
    with MadeWeb(WebSpec(seed=3, hosts=2, pages=4, names="ip")).serve() as made, gossamer.open(begun.path) as web:
        status = web.crawl(made.seed, trust_plan=True)
        assert status.pages == len(list(web.pages())) > 1
        assert web.verify().problems == []


def test_who_asks_is_told_what_to_do(begun: Folder) -> None:
    with gossamer.open(begun.path) as web:
        with pytest.raises(NotFound, match=r"interrupted before it fetched anything; `gossamer crawl .*` begins again"):
            web.status()
        with exclusive(begun.path), pytest.raises(NotFound, match="is only just being made; ask again in a moment"):
            web.status()


@pytest.mark.parametrize("lost", ["CURRENT", "MANIFEST-*"])
def test_a_table_that_has_lost_a_file_is_damaged_and_no_beginning(begun: Folder, lost: str) -> None:
    for index in range(2):
        with Table.open(begun.table(index), FAMILIES, writable=True) as table:
            table.put("meta", b"a", b"b")
            table.commit()
    for path in begun.table(1).glob(lost):
        path.unlink()
    with gossamer.open(begun.path) as web, pytest.raises(Damaged, match=r"verify .*--repair"):
        web.status()
