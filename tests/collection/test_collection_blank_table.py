"""A table that was taken away, and an empty one in its place, hide nothing: the captures are there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from made_shard import A, Shard
from made_shard import made as made_shard

import gossamer
from gossamer.collection import Outside
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import shard_identity
from gossamer.errors import Damaged
from gossamer.plan import Plan
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


def test_only_captures_without_any_row_are_a_table_that_is_gone(tmp_path: Path) -> None:
    def blank(shard: Shard) -> bool:
        return shard_identity.is_blank(shard.table, shard.place)

    with made_shard(tmp_path / "rows") as shard:
        assert blank(shard), "a file of captures is there, and no row"
        shard.keep(A)
        assert not blank(shard)
    with made_shard(tmp_path / "imprint") as shard:
        shard_identity.leave(shard.table, 0, Plan())
        assert not blank(shard)
    with made_shard(tmp_path / "unfinished") as shard:
        shard_identity.set_unfinished(shard.table, True)
        assert not blank(shard)
    with made_shard(tmp_path / "counts") as shard:
        shard.enter(A)
        assert not blank(shard)
    with made_shard(tmp_path / "new") as shard:
        for path in (shard.place / "captures").iterdir():
            path.unlink()
        assert not blank(shard), "there is nothing"
