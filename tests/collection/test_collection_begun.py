"""A first crawl that is killed before all of its shards have a table: no damage, and the next one begins again."""

from __future__ import annotations

from pathlib import Path

import pytest

import gossamer
from crawler_process import with_room
from gossamer.collection.families import FAMILIES
from gossamer.collection.folder import Folder
from gossamer.collection.lock import exclusive
from gossamer.errors import NotFound
from gossamer.plan import Plan
from gossamer.store.table.table import Table
from gossamer.testing import MadeWeb, WebSpec

SETTINGS = {"delay": 0.0, "ip_delay": 0.0, "allow_addresses": ("127.0.0.0/8",)}


@pytest.fixture(params=[0, 1], ids=["the first has", "the second has"])
def begun(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    folder = Folder(with_room(tmp_path / "web"))
    folder.create()
    folder.save_plan(Plan(shards=2, **SETTINGS))
    folder.make_shards(2)
    Table.open(folder.table(request.param), FAMILIES, writable=True).close()
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
