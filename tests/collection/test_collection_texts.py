"""What pages say is kept by a crawl, whatever happens to it, and is what a reader would find in the captures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

import pytest

import gossamer
from gossamer import convert
from gossamer.collection import Collection, Outside
from gossamer.testing import Copies, Errors, MadeWeb, Redirects, Sitemaps, VirtualClock, WebSpec

SPEC = WebSpec(
    seed=4,
    hosts=3,
    pages=20,
    gzip=True,
    encodings=0.3,
    errors=Errors(missing=0.1),
    redirects=Redirects(chains=0.1),
    copies=Copies(exact=0.2),
    sitemaps=Sitemaps(hosts=1.0),
)


@pytest.fixture
def crawled(tmp_path: Path) -> Iterator[Collection]:
    clock = VirtualClock()
    web = MadeWeb(SPEC, clock=clock)
    with gossamer.open(tmp_path / "web") as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", outside=Outside(clock, web.fetch)))
        yield collection


def text_files(collection: Collection) -> list[Path]:
    return sorted((collection.path / "shards" / "00" / "texts").glob("*.warc.gz"))


def test_every_page_has_a_text_that_says_what_its_capture_says(crawled: Collection) -> None:
    pages = list(crawled.pages())
    assert len(pages) > 40
    for page in pages:
        assert page.version.text or page.version.text_of, page.url
        read = convert.read(page.capture, "Gossamer")
        assert (page.text, page.title, page.page.encoding) == (read.text, read.title, read.encoding)
        assert [link[:4] for link in page.links] == [link[:4] for link in read.links]


def test_copies_share_the_text_of_the_first(crawled: Collection) -> None:
    copies = [page for page in crawled.pages() if page.version.copy_of]
    assert copies
    shared = [page for page in copies if page.version.text_of]
    for page in shared:
        assert page.version.text is None
        assert page.text == crawled.page(page.version.text_of or "").text


def test_without_its_texts_a_collection_says_the_same(crawled: Collection) -> None:
    before = {page.url: (page.text, page.title) for page in crawled.pages()}
    assert crawled.verify().problems == []
    rmtree(crawled.path / "shards" / "00" / "texts")
    crawled.close()
    assert {page.url: (page.text, page.title) for page in crawled.pages()} == before
    assert any("gossamer build" in problem for problem in crawled.verify().problems)
