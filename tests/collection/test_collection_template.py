"""What repeats over the pages of a host leaves their content, as the crawl learns it, and all of it after a build."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.collection import Collection, Outside
from gossamer.model import Capture, Visit
from gossamer.testing import VirtualClock

HOST = "http://example.org"
PAGES = 12
NOTICE = (
    "The Daily Loaf has told bakers about flour, ovens and each other since the winter of nineteen hundred and two."
)
WORDS = "bread flour water salt oven stone crust dough yeast morning baker market price loaf knife table fire wood"


def story(number: int) -> str:
    """Paragraphs that no other page has."""
    chance = random.Random(number)
    sentences = [" ".join(chance.choices(WORDS.split(), k=18)).capitalize() + "." for _ in range(12)]
    return "".join(f"<p>{' '.join(sentences[start : start + 3])}</p>" for start in range(0, 12, 3))


def page(number: int) -> str:
    after = f'<p>See also <a href="{HOST}/{number + 1}">the page after this one</a> for what came of it all.</p>'
    return (
        f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Story {number}</title><body><main><article>"
        f"<h1>Story {number}</h1>{story(number)}<p>{NOTICE}</p><h2>Recipe</h2>{story(1_000 + number)}"
        f"{after if number + 1 < PAGES else ''}</article></main></body></html>"
    )


def crawl(collection: Collection, **settings: Any) -> None:
    clock = VirtualClock()
    pages = {f"{HOST}/{number}": page(number).encode() for number in range(PAGES)}

    async def fetch(visit: Visit) -> Capture:
        body = pages.get(visit.url, b"")
        status = 200 if body else 404
        head = f"HTTP/1.1 {status} .\r\nContent-Type: text/html\r\n\r\n".encode()
        return Capture(visit, clock.wall(), 0.1, status, (("content-type", "text/html"),), b"", head, body, body)

    clock.run(collection.crawl_async(f"{HOST}/0", outside=Outside(clock, fetch), **settings))


@pytest.fixture
def crawled(tmp_path: Path) -> Iterator[Collection]:
    with gossamer.open(tmp_path / "web") as collection:
        crawl(collection)
        yield collection


def with_notice(collection: Collection) -> list[int]:
    return [number for number in range(PAGES) if NOTICE in collection.page(f"{HOST}/{number}").content]


def test_a_notice_is_content_until_it_is_known(crawled: Collection) -> None:
    assert with_notice(crawled) == [0, 1, 2, 3]
    for number in range(PAGES):
        found = crawled.page(f"{HOST}/{number}")
        assert NOTICE in found.text
        assert story(number).count("<p>") == 4
        assert all(part in found.page.html for part in story(number).split("</p>")[:-1])
        assert "<h2>Recipe</h2>" in found.page.html, "a heading stays with what it stands over"


@pytest.mark.parametrize("convert", [False, True])
def test_a_build_settles_it(crawled: Collection, convert: bool) -> None:
    crawled.build(convert=convert)
    assert with_notice(crawled) == []


def test_what_was_learned_outlives_the_crawl(crawled: Collection) -> None:
    crawled.build(convert=True)
    crawled.close()
    crawled.build(convert=True)
    assert with_notice(crawled) == []
    assert crawled.verify().problems == []


def test_a_build_of_what_was_only_collected_looks_at_all_first(tmp_path: Path) -> None:
    with gossamer.open(tmp_path / "web") as collection:
        crawl(collection, build=False)
        collection.build()
        assert with_notice(collection) == []
