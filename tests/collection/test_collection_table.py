"""The collection as a table: every value by row, column and time, and the order of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import gossamer
from gossamer.collection import Collection, Outside
from gossamer.collection.ask.webtable import FAMILIES
from gossamer.errors import UsageError
from gossamer.testing import Changes, MadeWeb, Redirects, VirtualClock, WebSpec
from gossamer.urls import keys

SPEC = WebSpec(seed=2, hosts=2, pages=8, redirects=Redirects(chains=0.3), changes=Changes(pages=1.0, rate=(2.0, 2.0)))
ROUNDS = 3


class Crawled:
    """A web that was crawled three times, three days apart, and what it said each time."""

    def __init__(self, folder: Path) -> None:
        clock = VirtualClock()
        self.web = MadeWeb(SPEC, clock=clock)
        self.collection = gossamer.open(folder)
        self.said: list[dict[str, str]] = []
        self.times: list[datetime] = []
        for number in range(ROUNDS):
            asked = {"revisit": True} if number else {"scope": "any"}
            seeds = () if number else (self.web.seed,)
            clock.run(self.collection.crawl_async(*seeds, outside=Outside(clock, self.web.fetch), **asked))
            self.said.append({page.url: page.text for page in self.collection.pages()})
            self.times.append(datetime.fromtimestamp(clock.wall(), UTC))
            self.collection.close()
            clock.advance(3 * 86_400)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    made = Crawled(tmp_path_factory.mktemp("table") / "web")
    yield made
    made.collection.close()


@pytest.fixture
def collection(crawled: Crawled) -> Collection:
    return crawled.collection


def test_a_cell_holds_what_the_page_said_at_that_time(crawled: Crawled) -> None:
    table = crawled.collection.table
    for said, time in zip(crawled.said, crawled.times, strict=True):
        for url, text in said.items():
            cell = table.get(url, "content:text", at=time)
            assert cell is not None
            assert cell.value == text
            assert cell.time <= time


def test_before_the_first_version_there_is_nothing(crawled: Crawled) -> None:
    before = datetime(2001, 1, 1, tzinfo=UTC)
    assert crawled.collection.table.get(crawled.web.seed, "page:status", at=before) is None
    assert crawled.collection.table.row(crawled.web.seed, at=before) == {}


def test_the_last_versions_come_newest_first(crawled: Crawled) -> None:
    table, url = crawled.collection.table, crawled.web.seed
    every = table.cells(url, "page:digest")
    assert [cell.time for cell in every] == sorted((cell.time for cell in every), reverse=True)
    assert len({cell.value for cell in every}) == len(every) == ROUNDS
    assert table.cells(url, "page:digest", versions=2) == every[:2]
    assert table.cells(url, "page:digest", at=every[1].time) == every[1:]


def test_a_row_has_all_columns_that_have_a_value(crawled: Crawled) -> None:
    row = crawled.collection.table.row(crawled.web.seed)
    assert {"page:status", "page:type", "page:digest", "page:title", "crawl:state", "crawl:depth"} <= set(row)
    assert "page:copy_of" not in row
    assert (row["page:status"].value, row["crawl:state"].value) == (200, "done")
    assert crawled.collection.table.row("http://nowhere.example/") == {}


def test_anchors_are_cells_named_after_the_pages_they_stand_on(crawled: Crawled) -> None:
    url = crawled.web.seed
    pages = {page.url: page for page in crawled.collection.pages()}
    expected = {
        f"anchor:{page.url}": "\n".join(dict.fromkeys(link.anchor for link in page.links if link.url == url))
        for page in pages.values()
        if any(link.url == url for link in page.links) and page.url != url
    }
    row = crawled.collection.table.row(url, "anchor")
    assert expected
    assert {column: cell.value for column, cell in row.items() if column != f"anchor:{url}"} == expected
    assert crawled.collection.table.get(url, f"anchor:{url}x") is None


def test_rows_come_in_surt_order_and_a_host_is_one_stretch(crawled: Crawled) -> None:
    table = crawled.collection.table
    every = list(table.scan())
    assert every == sorted(every, key=keys.row)
    assert set(crawled.said[-1]) <= set(every)
    host = crawled.web.host(1)
    assert list(table.scan(host=host)) == [url for url in every if keys.host(url) == host]
    prefix = crawled.web.home(1) + "r"
    assert list(table.scan(prefix)) == [url for url in every if url.startswith(prefix)]
    assert list(table.scan("http://h1")) == [url for url in every if url.startswith("http://h1")]


def test_every_family_says_what_it_keeps(collection: Collection) -> None:
    assert all(family.holds and family.keeps for family in FAMILIES.values())
    with pytest.raises(UsageError, match="no such family; there are page, content, crawl, anchor"):
        collection.table.row("http://h0.example/", "pages")
    with pytest.raises(UsageError, match="no such column; page has status, type"):
        collection.table.get("http://h0.example/", "page:colour")
    with pytest.raises(UsageError, match="anchor:ADDRESS"):
        collection.table.get("http://h0.example/", "anchor:")
