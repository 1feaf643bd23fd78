"""A crawl that only collects leaves everything that is derived to a build, and nothing is lost by it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.collection import Collection, Outside
from gossamer.testing import Copies, MadeWeb, VirtualClock, WebSpec
from gossamer.testing.clock import START

SPEC = WebSpec(seed=6, hosts=2, pages=15, names="ip", copies=Copies(exact=0.2))


def crawl(collection: Collection, *, day: int = 0, **settings: Any) -> None:
    clock = VirtualClock(START + day * 86_400)
    web = MadeWeb(SPEC, clock=clock)
    clock.run(collection.crawl_async(web.seed, scope="any", outside=Outside(clock, web.fetch), **settings))


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Collection]:
    with gossamer.open(tmp_path / "bare") as collection:
        crawl(collection, build=False)
        yield collection


@pytest.fixture
def usual(tmp_path: Path) -> Iterator[Collection]:
    with gossamer.open(tmp_path / "usual") as collection:
        crawl(collection)
        yield collection


def words(collection: Collection) -> str:
    """Three words of the made web that stand together on some page."""
    content = next(page.content for page in collection.pages() if len(page.content.split()) > 50)
    return " ".join(content.split()[20:23])


def found(collection: Collection, question: str) -> list[tuple[str, str]]:
    return [(hit.url, hit.title) for hit in collection.search(question).hits]


def said(collection: Collection) -> dict[str, tuple[str, list[str]]]:
    return {page.url: (page.text, [link.url for link in page.links]) for page in collection.pages()}


def test_it_collects_the_same_pages_and_keeps_nothing_else(bare: Collection, usual: Collection) -> None:
    assert said(bare) == said(usual)
    shard = bare.path / "shards" / "00"
    assert not (shard / "texts").exists()
    assert not (shard / "index").exists()
    assert not (bare.path / "graph").exists()
    assert bare.verify().problems == []


def test_a_build_makes_it_what_it_would_have_been(bare: Collection, usual: Collection) -> None:
    question = words(usual)
    assert found(usual, question)
    built = bare.build()
    assert (built.texts, built.indexed) == (bare.status().pages, bare.status().pages)
    assert sorted(found(bare, question)) == sorted(found(usual, question))
    assert {page.url: page.page.language for page in bare.pages()} == {
        page.url: page.page.language for page in usual.pages()
    }
    assert bare.verify().problems == []


def test_a_crawl_that_builds_may_follow_and_a_build_takes_in_the_rest(bare: Collection, usual: Collection) -> None:
    crawl(bare, day=1, build=True, revisit=True)
    bare.build()
    question = words(usual)
    assert set(found(bare, question)) & set(found(usual, question))
    assert bare.search(question).total == usual.search(question).total
    assert bare.verify().problems == []


def test_a_collection_that_was_searchable_stays_so_and_says_nothing_wrong(usual: Collection) -> None:
    question = words(usual)
    before = found(usual, question)
    crawl(usual, day=1, build=False, revisit=True)
    assert found(usual, question) == before
    assert usual.verify().problems == []
    usual.build()
    assert found(usual, question) == before
