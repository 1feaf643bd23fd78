"""Documents that were made to do harm go through the cell and through a crawl: nothing breaks, each has a reason."""

from __future__ import annotations

import asyncio
import logging
import resource
from pathlib import Path

import pytest
from hostile import Hostile, corpus, honest_files

import gossamer
from gossamer.collection import Outside
from gossamer.convert import document
from gossamer.model import Capture, Kind, Visit
from gossamer.testing import VirtualClock

FEW, MANY = 40, 1_000
GROWTH_MOST = 512 << 10
"""KiB by which our own process may grow while all of them are read."""
INDEX = "http://hostile.example/"


def assert_read(documents: list[Hostile]) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    silent = []
    for each in documents:
        page = document(each.data, each.media_type or None, f"{INDEX}{each.name}")
        if each.data and not page.problem and not page.text:
            silent.append(each.name)
    assert silent == []
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < GROWTH_MOST


class HostileSite:
    """An index, and what it points to."""

    def __init__(self, documents: list[Hostile]) -> None:
        self._documents = {f"{INDEX}{number}/{each.name}": each for number, each in enumerate(documents)}

    async def fetch(self, visit: Visit) -> Capture:
        """Takes the place of a real fetcher."""
        await asyncio.sleep(0.001)
        if visit.kind is Kind.PAGE and visit.url == INDEX:
            links = "".join(f'<a href="{url}">x</a> ' for url in self._documents)
            return self._answer(visit, "text/html", f"<title>Index</title>{links}".encode())
        if found := self._documents.get(visit.url):
            return self._answer(visit, found.media_type, found.data)
        return Capture(visit, 0.0, 0.001, 404)

    @property
    def urls(self) -> set[str]:
        return set(self._documents)

    def _answer(self, visit: Visit, media_type: str, body: bytes) -> Capture:
        headers = (("content-type", media_type),) if media_type else ()
        return Capture(visit, 0.0, 0.001, 200, headers, body=body, wire=body)


def assert_crawled(folder: Path, documents: list[Hostile], caplog: pytest.LogCaptureFixture) -> None:
    site, clock = HostileSite(documents), VirtualClock()
    with caplog.at_level(logging.WARNING, "gossamer"), gossamer.open(folder / "web") as collection:
        outside = Outside(clock, site.fetch)
        clock.run(collection.crawl_async(INDEX, outside=outside, delay=0.0, ip_delay=0.0, url_length=4_096))
        kept = {page.url for page in collection.pages()}
    assert site.urls <= kept
    assert not [record for record in caplog.records if "which is a bug" in record.message]


@pytest.fixture(scope="module")
def few() -> list[Hostile]:
    """To make them takes as long as to read them."""
    return corpus(FEW)


def test_hostile_documents_are_read_or_have_a_reason(few: list[Hostile]) -> None:
    assert_read(few)


def test_a_crawl_survives_them(few: list[Hostile], tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert_crawled(tmp_path, few[::4], caplog)  # a crawl reads them as above; some of each kind do


@pytest.mark.parametrize("kind", honest_files())
def test_honest_files_are_read_without_a_problem(kind: str) -> None:
    page = document(honest_files()[kind])
    assert (page.problem, bool(page.text)) == ("", True)


@pytest.mark.soak
def test_a_thousand_hostile_documents_are_read_or_have_a_reason() -> None:
    documents = corpus(MANY)
    assert len({each.name for each in documents}) == len(documents) == MANY
    assert_read(documents)


@pytest.mark.soak
def test_a_crawl_survives_a_thousand_of_them(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert_crawled(tmp_path, corpus(MANY), caplog)
