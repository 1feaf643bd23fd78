"""A table that was taken away, and an empty one in its place, hide nothing: the captures are there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import gossamer
from gossamer.collection import Outside
from gossamer.collection.families import FAMILIES
from gossamer.errors import Damaged
from gossamer.store.table.table import Table
from gossamer.testing import MadeWeb, VirtualClock, WebSpec


def test_a_table_that_is_empty_is_named_and_made_again_from_the_captures(tmp_path: Path) -> None:
    clock = VirtualClock()
    made = MadeWeb(WebSpec(seed=3, pages=12), clock=clock)
    with gossamer.open(tmp_path / "web") as web:
        clock.run(web.crawl_async(made.seed, outside=Outside(clock, made.fetch)))
        pages = [page.url for page in web.pages()]
        web.close()
        table = web.path / "shards" / "00" / "table"
        shutil.rmtree(table)
        Table.open(table, FAMILIES, writable=True).close()
        for ask in (web.status, web.verify, lambda: web.why(made.seed)):
            with pytest.raises(
                Damaged, match="its table is empty, and its captures are there; `gossamer verify DIR --rep"
            ):
                ask()
        assert any("its table is empty" in problem for problem in web.repair().problems)
        assert [page.url for page in web.pages()] == pages
        assert web.verify().problems == []
