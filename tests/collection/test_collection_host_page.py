"""A page of hosts says what each has brought and why it waits, by counters that agree with a count of all addresses."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import gossamer
from crawler_process import with_room
from gossamer.collection.ask import host_order, host_page
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.folder import Folder
from gossamer.errors import Damaged, UsageError
from gossamer.frontier.entries import HOSTS, META, TALLIES, encode, host_row
from gossamer.frontier.tally import Sums, sums_of
from gossamer.store.table.table import Table
from gossamer.urls import keys
from named_web import NamedWeb, named_web

NAMES = ("apple", "birch", "cedar")
SORTS = ("queued", "pages", "failed", "name", "next", "slow")


@pytest.fixture(scope="module")
def web() -> Iterator[NamedWeb]:
    with named_web() as served:
        for place, name in enumerate(NAMES):
            pages = [served.url(name, f"/{number}") for number in range(3 * place + 2)]
            missing = [served.url(name, f"/missing{number}") for number in range(3 - place)]
            served.link(name, "/", [*pages, *missing, *map(served.url, NAMES)])
            for number in range(3 * place + 2):
                served.link(name, f"/{number}", [])
        yield served


@pytest.fixture(scope="module", params=[1, 2])
def collection(
    web: NamedWeb, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[gossamer.Collection]:
    folder = with_room(tmp_path_factory.mktemp("hosts") / "web")
    quick = {"delay": 0, "ip_delay": 0, "patience": 0, "allow_addresses": ("127.0.0.0/8",), "sitemaps": "never"}
    more = {"shards": request.param, "scope": "any", "suffixes": ("localhost",)}
    with gossamer.open(folder) as made:
        made.crawl(web.url("apple"), **quick, **more)
        yield made


def test_the_sums_are_those_of_a_count_of_all_addresses(collection: gossamer.Collection) -> None:
    states = {"page": 0, "queued": 1, "failed": 2}
    counted: dict[str, list[int]] = {f"{name}.localhost": [0, 0, 0] for name in NAMES}
    for state, place in states.items():
        for address in collection.addresses(state=state):
            counted[keys.host(address.url)][place] += 1
    page = collection.host_page("name")
    assert {line.host: [line.pages, line.queued, line.failed] for line in page.hosts} == counted
    assert (page.whole, page.cursor) == (True, None)
    assert collection.verify().problems == []


def test_the_largest_come_first(collection: gossamer.Collection) -> None:
    assert [line.pages for line in collection.host_page("pages").hosts] == [9, 6, 3]
    assert [line.failed for line in collection.host_page("failed").hosts] == [3, 2, 1]
    assert collection.host_page("queued").hosts == []
    assert [line.host for line in collection.host_page("name").hosts] == [f"{name}.localhost" for name in NAMES]


@pytest.mark.parametrize("sort", SORTS)
def test_pages_follow_each_other_without_a_gap(collection: gossamer.Collection, sort: str) -> None:
    whole, found, cursor = collection.host_page(sort).hosts, [], None
    while True:
        page = collection.host_page(sort, limit=1, cursor=cursor)
        found += page.hosts
        if (cursor := page.cursor) is None:
            break
    assert found == whole


def test_hosts_are_found_by_a_part_of_their_name(collection: gossamer.Collection) -> None:
    assert [line.host for line in collection.host_page("pages", search="IRC").hosts] == ["birch.localhost"]
    assert collection.host_page(search="nothing").hosts == []


@pytest.mark.parametrize("few", [0, 10_000])
@pytest.mark.parametrize("sort", ["pages", "failed"])
def test_a_part_of_a_name_that_many_have_is_found_like_one_that_few_have(
    collection: gossamer.Collection, monkeypatch: pytest.MonkeyPatch, sort: str, few: int
) -> None:
    monkeypatch.setattr(host_order, "FEW", few)
    whole = collection.host_page(sort).hosts
    for part in ("e", "c", "localhost", "host\n", "t\na", "nobody"):
        found, cursor = [], None
        while not found or cursor is not None:
            page = collection.host_page(sort, search=part, limit=1, cursor=cursor)
            found, cursor = [*found, *page.hosts], page.cursor
            if not page.hosts:
                break
        assert found == [line for line in whole if part in line.host]


def test_an_order_that_was_kept_is_gone_by_and_one_of_another_sort_is_not(collection: gossamer.Collection) -> None:
    order = collection.host_order("pages")
    assert collection.host_page("pages", order=order) == collection.host_page("pages")
    assert collection.host_page("failed", order=order) == collection.host_page("failed")
    assert collection.host_order("name") is None
    with pytest.raises(UsageError):
        collection.host_order("size")


def test_the_slowest_come_first_and_say_how_slow_they_are(collection: gossamer.Collection) -> None:
    paces = [line.pace for line in collection.host_page("slow").hosts]
    assert len(paces) == len(NAMES), "each has answered; one that has not is not slow"
    assert paces == sorted(paces, reverse=True)


def test_what_is_no_question_is_refused(collection: gossamer.Collection) -> None:
    for wrong in ({"sort": "size"}, {"limit": 0}, {"cursor": "none"}):
        with pytest.raises(UsageError):
            collection.host_page(**wrong)


def test_of_too_many_hosts_the_first_ones_are_looked_at_and_it_is_said(
    collection: gossamer.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_order, "ROWS_MOST", 0)
    collection.close()
    page = collection.host_page("pages")
    collection.close()
    assert (page.hosts, page.whole) == ([], False)
    assert page.as_json() == {"hosts": [], "cursor": None, "whole": False}


def test_by_name_all_are_found_however_few_are_looked_at_for_a_page(
    collection: gossamer.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = collection.host_page("name").hosts
    monkeypatch.setattr(host_page, "SCANNED", 1)
    found, pages, cursor = [], 0, None
    while pages == 0 or cursor is not None:
        page = collection.host_page("name", search="e", cursor=cursor)
        found, pages, cursor = [*found, *page.hosts], pages + 1, page.cursor
        assert page.whole
    assert [line.host for line in found] == ["apple.localhost", "cedar.localhost"]
    assert pages > 1
    assert list(collection.hosts()) == every


def test_hosts_below_a_site_are_its_part_of_all(collection: gossamer.Collection) -> None:
    assert [line.host for line in collection.hosts(site="birch.localhost")] == ["birch.localhost"]
    assert len(list(collection.hosts(site="localhost"))) == 3
    assert list(collection.hosts(site="irch.localhost")) == []


def test_a_host_that_waits_says_why_and_until_when(web: NamedWeb, tmp_path: Path) -> None:
    with gossamer.open(with_room(tmp_path / "web")) as collection:
        settings = {"delay": 0, "ip_delay": 0, "patience": 0, "allow_addresses": ("127.0.0.0/8",), "shards": 1}
        collection.crawl(web.url("apple"), pages=1, sitemaps="never", scope="any", **settings)
        collection.change(delay=3_600)
        collection.close()
        with Table.open(Folder(tmp_path / "web").table(0), FAMILIES, writable=True) as table:
            row = host_row(table.get(HOSTS, b"apple.localhost") or b"")
            table.put(HOSTS, b"apple.localhost", encode(msgspec.structs.replace(row, due=time.time() + 3_000)))
            table.commit()
        (line, *others) = collection.host_page("next").hosts[::-1]
        assert (line.host, line.state) == ("apple.localhost", "resting")
        assert line.reason == "the delay since the last request is not over"
        assert line.next_time is not None
        assert (line.gap, line.basis) == (3_600.0, "least delay 3600 s")
        assert {each.state for each in others} == {"waiting"}
        assert collection.host_page("queued").hosts[0].queued == 5


def test_a_collection_that_was_never_counted_is_counted_by_its_next_crawl(web: NamedWeb, tmp_path: Path) -> None:
    settings = {"delay": 0, "ip_delay": 0, "patience": 0, "allow_addresses": ("127.0.0.0/8",), "shards": 1}
    with gossamer.open(with_room(tmp_path / "web")) as collection:
        collection.crawl(web.url("cedar"), **settings)
        collection.close()
        with Table.open(Folder(tmp_path / "web").table(0), FAMILIES, writable=True) as table:
            for key, _ in list(table.scan(TALLIES)):
                table.delete(TALLIES, key)
            table.delete(META, b"pages-tallied")
            table.commit()
        assert not collection.host_page("pages").whole
        collection.close()
        collection.crawl(depth=19)
        page = collection.host_page("pages")
        assert (page.whole, page.hosts[0].pages) == (True, 9)
        assert collection.verify().problems == []


def test_sums_that_are_wrong_are_named(web: NamedWeb, tmp_path: Path) -> None:
    settings = {"delay": 0, "ip_delay": 0, "patience": 0, "allow_addresses": ("127.0.0.0/8",), "shards": 1}
    with gossamer.open(with_room(tmp_path / "web")) as collection:
        collection.crawl(web.url("cedar"), **settings)
        collection.close()
        with Table.open(Folder(tmp_path / "web").table(0), FAMILIES, writable=True) as table:
            table.put(TALLIES, b"cedar.localhost", bytes(16))
            table.commit()
        assert collection.verify().problems == ["cedar.localhost: 0 pages and 0 failures are counted, but 9 and 1 are"]


def test_a_row_of_sums_is_two_numbers() -> None:
    assert sums_of((5).to_bytes(8, "big") + (7).to_bytes(8, "big")) == Sums(5, 7)
    with pytest.raises(Damaged):
        sums_of(b"five")
