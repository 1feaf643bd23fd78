"""A row about a swap that never was takes no file away: only what the archive does not list goes."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

import gossamer
from gossamer.collection import Outside
from gossamer.collection.column_families import FAMILIES
from gossamer.store.repair.swaps import Swap
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE
from gossamer.testing import MadeWeb, VirtualClock, WebSpec
from harness.seldom import seldom

FALSE_ROWS = {
    "the new one does not count": lambda live: Swap(live, "none.warc.gz", False),
    "the old one goes": lambda live: Swap("none.warc.gz", live, False, True),
    "the old one is put aside": lambda live: Swap("none.warc.gz", live, True, True),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "web"
    clock = VirtualClock()
    made = MadeWeb(WebSpec(seed=6, hosts=2, pages=30), clock=clock)
    with gossamer.open(path) as collection:
        outside = Outside(clock, made.fetch)
        clock.run(collection.crawl_async(made.seed, outside=outside, scope="any", warc_bytes=1 << 16))
    return path


@pytest.fixture
def web(sound: Path, tmp_path: Path) -> Path:
    return shutil.copytree(sound, tmp_path / "web")


@pytest.mark.parametrize("which", [0, -1], ids=["full", "last"])
@pytest.mark.parametrize("kind", seldom(list(FALSE_ROWS), 2))
def test_a_false_row_about_a_swap_costs_no_page(web: Path, kind: str, which: int) -> None:
    shard = web / "shards" / "00"
    captures = sorted((shard / "captures").iterdir())
    assert len(captures) > 1
    row = FALSE_ROWS[kind](captures[which].name)
    with gossamer.open(web) as collection:
        before = {page.url: page.text for page in collection.pages()}
    with Table.open(shard / "table", FAMILIES, writable=True) as table:
        table.put(STATE, b"swap", msgspec.msgpack.encode(row))
        table.commit()
    with gossamer.open(web) as collection:
        assert collection.repair().left == ()
        assert {page.url: page.text for page in collection.pages()} == before
        assert collection.verify().problems == []
    assert sorted((shard / "captures").iterdir()) == captures
