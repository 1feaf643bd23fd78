"""A list can be taken up where it was left, over all shards: nothing comes twice, and nothing is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawler_process import with_room
from gossamer.collection import Collection
from gossamer.testing import MadeWeb, WebSpec
from gossamer.urls import keys


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    folder = with_room(tmp_path_factory.mktemp("listed") / "my-web")
    with MadeWeb(WebSpec(seed=7, hosts=6, pages=40, names="ip")).serve() as served, gossamer.open(folder) as found:
        found.crawl(served.seed, scope="any", shards=2, allow_addresses=("127.0.0.0/8",), delay=0, ip_delay=0)
        yield found


def taken_up(ask: Callable[[str | None], Iterable[Any]], name: Callable[[Any], str], some: int) -> list[Any]:
    """A whole list, so many at a time."""
    found: list[Any] = []
    while more := list(islice(ask(name(found[-1]) if found else None), some)):
        found += more
    return found


@pytest.mark.parametrize("some", [1, 3, 1_000])
def test_a_list_is_the_same_in_parts(web: Collection, some: int) -> None:
    pages = taken_up(lambda after: web.listed(after=after), lambda each: str(each.url), some)
    assert [each.url for each in pages] == [page.url for page in web.pages()]
    assert [keys.row(each.url) for each in pages] == sorted(keys.row(each.url) for each in pages)
    assert {each.title for each in pages} == {page.title for page in web.pages()}
    changes = taken_up(lambda after: web.changes(after=after), lambda each: str(each.url), some)
    assert changes == list(web.changes())
    assert [each.url for each in changes] == [each.url for each in pages]


def test_a_list_of_a_site_is_its_part_of_the_whole(web: Collection) -> None:
    for host in web.hosts():
        whole = [each for each in web.listed() if keys.host(each.url) == host.host]
        found = taken_up(
            lambda after, host=host: web.listed(site=host.host, after=after), lambda each: str(each.url), 2
        )
        assert found == whole


def test_an_export_by_lines_is_the_file(web: Collection, tmp_path: Path) -> None:
    with (tmp_path / "pages.jsonl").open("wb") as out:
        web.export("jsonl", out)
    assert b"".join(web.export_lines()) == (tmp_path / "pages.jsonl").read_bytes()
