"""Cells of a few pages: which versions have which, and since when they hold."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from small_shard import BEGAN, SmallShard, read, said, small_shard

from gossamer.collection.ask.shard_readers import ShardReader, ShardReaders
from gossamer.collection.ask.webtable import Webtable
from gossamer.collection.derive.graphs import Graph
from gossamer.errors import UsageError
from gossamer.frontier.entries import State
from gossamer.urls import keys

A, B, C = "http://a.test/", "http://b.test/", "http://c.test/"


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[SmallShard]:
    with small_shard(tmp_path) as made:
        yield made


def webtable(shard: SmallShard, graph: object = None) -> Webtable:
    shard.commit()
    shard_reader = ShardReader(shard.table, lambda: shard.archive)
    readers = cast(ShardReaders, SimpleNamespace(all=[shard_reader], of=lambda url: shard_reader))
    return Webtable(readers, cast(Graph, graph), read)


def when(moment: float) -> datetime:
    return datetime.fromtimestamp(moment, UTC)


def test_every_version_has_its_page_cells_and_only_pages_have_contents(shard: SmallShard) -> None:
    for number, status in enumerate((200, 299, 301, 404)):
        shard.keep(A, said(str(status)), status=status, began=BEGAN + number)
    table = webtable(shard)
    assert [cell.value for cell in table.cells(A, "page:status")] == [404, 301, 299, 200]
    assert [cell.time for cell in table.cells(A, "content:text")] == [when(BEGAN + 1), when(BEGAN)]
    raw = [said(status).encode() for status in ("404", "301", "299", "200")]
    assert [cell.value for cell in table.cells(A, "content:raw")] == raw


def test_a_time_is_that_of_the_record(shard: SmallShard) -> None:
    began = BEGAN + 0.123_456_7
    shard.keep(A, said("fish"), began=began)
    table = webtable(shard)
    cell = table.get(A, "page:status")
    assert cell is not None
    version = next(shard.archive.versions.of(A))
    assert cell.time == datetime.fromisoformat(shard.archive.record(version).field("warc-date") or "")
    assert table.get(A, "page:status", at=cell.time) == cell
    assert table.get(A, "page:status", at=cell.time - timedelta(milliseconds=1)) is None


def test_a_time_without_a_zone_is_one_of_utc(shard: SmallShard) -> None:
    shard.keep(A, said("fish"))
    table, began = webtable(shard), when(BEGAN).replace(tzinfo=None)
    assert table.get(A, "page:status", at=began) == table.get(A, "page:status")
    assert table.get(A, "page:status", at=began - timedelta(seconds=1)) is None


def test_cells_are_asked_for_by_time_and_number(shard: SmallShard) -> None:
    for number in range(3):
        shard.keep(A, said(str(number)), began=BEGAN + number)
    table = webtable(shard)
    every = table.cells(A, "page:digest")
    assert [cell.time for cell in every] == [when(BEGAN + number) for number in (2, 1, 0)]
    assert table.cells(A, "page:digest", versions=2) == every[:2]
    assert table.cells(A, "page:digest", at=when(BEGAN + 1)) == every[1:]
    assert table.get(A, "page:digest") == every[0]
    assert table.get(A, "page:digest", at=when(BEGAN - 1)) is None
    assert every[0].column == "page:digest"


def test_a_page_without_a_text_is_read_when_it_is_asked_for(shard: SmallShard) -> None:
    shard.archive.texts.close()
    _, page = shard.keep(A, said("fish"))
    cell = webtable(shard).get(A, "content:text")
    assert cell is not None
    assert cell.value == page.text


def test_what_the_crawl_knows_holds_since_the_last_visit_or_since_it_was_found(shard: SmallShard) -> None:
    shard.enter(A, state=State.DONE, found=BEGAN, visited=BEGAN + 5, depth=3)
    shard.enter(B, state=State.QUEUED, found=BEGAN, visited=0.0)
    table = webtable(shard)
    assert table.get(A, "crawl:state") == ("crawl:state", when(BEGAN + 5), "done")
    assert table.get(A, "crawl:depth") == ("crawl:depth", when(BEGAN + 5), 3)
    assert table.get(B, "crawl:state") == ("crawl:state", when(BEGAN), "queued")
    assert table.get(B, "crawl:state", at=when(BEGAN - 1)) is None
    assert table.get(C, "crawl:state") is None


def test_an_anchor_is_what_the_newest_text_of_a_page_calls_another(shard: SmallShard) -> None:
    shard.keep(A, f'<a href="{B}">old</a>')
    shard.keep(
        A, f'<a href="{B}">one</a> <a href="{B}">two</a> <a href="{B}">one</a> <a href="{C}">c</a>', began=BEGAN + 1
    )
    shard.keep(C, "nothing")
    table = webtable(shard)
    assert table.cells(B, f"anchor:{A}") == [(f"anchor:{A}", when(BEGAN + 1), "one\ntwo")]
    assert table.cells(B, f"anchor:{C}") == []


def test_a_row_has_the_families_that_are_named(shard: SmallShard) -> None:
    shard.keep(A, f'<a href="{B}">b</a>' + said("fish"))
    shard.keep(B, said("birds"))
    prints = {keys.fingerprint(A): A, 7: ""}
    graph = SimpleNamespace(names=prints, linking=lambda url: [7, *prints] if url == B else [])
    table = webtable(shard, graph)
    usual = set(table.row(A))
    assert {"page:status", "crawl:state"} <= usual
    assert "page:copy_of" not in usual  # it has no value
    assert not any(name.startswith("content:") for name in usual)
    assert {name.partition(":")[0] for name in table.row(A, "content")} == {"content"}
    assert set(table.row(B, "anchor")) == {f"anchor:{A}"}
    assert table.row(A, "anchor") == {}


def test_without_a_graph_nobody_is_known_to_link(shard: SmallShard) -> None:
    shard.keep(A, said("fish"))
    assert webtable(shard).row(A, "anchor") == {}


def test_rows_are_addresses_each_once(shard: SmallShard) -> None:
    for url in (C, A, A + "x", "http://sub.a.test/", "https://a.test/"):
        shard.keep(url, said(url))
    shard.keep(A, said("again"), began=BEGAN + 1)
    table = webtable(shard)
    every = sorted([C, A, A + "x", "http://sub.a.test/", "https://a.test/"], key=keys.row)
    assert list(table.scan()) == every
    assert list(table.scan(A)) == [A, A + "x"]
    assert set(table.scan(host="a.test")) == {A, A + "x", "https://a.test/"}
    assert list(table.scan("http://a")) == [A, A + "x"]
    site = [url for url in every if url != C]
    assert list(table.scan(site="a.test")) == site
    assert list(table.scan(site="test")) == every
    assert list(table.scan("https:", site="a.test")) == ["https://a.test/"]


def test_an_address_that_was_only_found_has_a_row(shard: SmallShard) -> None:
    shard.keep(A, said("fish"))
    shard.enter(B, state=State.QUEUED)
    table = webtable(shard)
    assert list(table.scan()) == [A, B]
    assert list(table.scan(host="b.test")) == [B]
    assert list(table.scan(fetched=True)) == [A]


@pytest.mark.parametrize("column", ["page:", "page", "page:colour", "anchor:", "nothing:at-all"])
def test_a_column_that_there_is_not_is_refused(column: str, shard: SmallShard) -> None:
    with pytest.raises(UsageError, match="no such"):
        webtable(shard).get(A, column)
