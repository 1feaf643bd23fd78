"""The loop and its commits: what breaks in the middle is neither kept twice nor committed."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from pathlib import Path
from weakref import ref

import pytest

from gossamer.crawl_loop import crawl
from gossamer.errors import StorageError
from gossamer.model import Answer, Capture, Page, SystemClock, Visit
from gossamer.store.commits import Commits
from gossamer.store.table.table import Table


class Queue:
    """Hands out so many visits at once."""

    def __init__(self, number: int) -> None:
        self.left = [Visit(f"http://a.test/{each}") for each in range(number)]
        self.answers: list[Answer] = []

    async def due(self) -> AsyncIterator[Visit]:
        while self.left:
            yield self.left.pop()

    def done(self, *answers: Answer) -> None:
        self.answers += answers


async def fetch(visit: Visit) -> Capture:
    return Capture(visit, 0.0, 0.0, 200)


async def convert(capture: Capture) -> Page:
    return Page(capture.visit.url)


def test_a_page_that_cannot_be_kept_stops_the_crawl_and_no_other_is_kept_twice() -> None:
    queue, kept = Queue(6), []

    def store(capture: Capture, page: Page) -> None:
        kept.append(page.url)
        if len(kept) == 3:
            raise StorageError("the disk is full")

    with pytest.raises(BaseExceptionGroup):
        asyncio.run(crawl(queue, fetch, convert, lambda page: page, store, workers=6))
    assert len(kept) == len(set(kept))


def test_every_page_is_marked_kept_and_taken_back_once() -> None:
    queue, kept = Queue(20), []
    asyncio.run(crawl(queue, fetch, convert, lambda page: page, lambda _, page: kept.append(page.url), workers=4))
    assert sorted(kept, key=str) == sorted((answer.visit.url for answer in queue.answers), key=str)
    assert len(set(kept)) == 20


def test_nothing_is_committed_after_something_broke_in_the_middle(tmp_path: Path) -> None:
    with Table.open(tmp_path / "table", ("rows",), writable=True) as table:
        commits = Commits(table, SystemClock())
        table.put("rows", b"a", b"1")
        commits.now()
        table.put("rows", b"b", b"2")
        with pytest.raises(OSError, match="full"), commits.whole():
            raise OSError("full")
        commits.now()
        assert table.pending == 1
    with Table.open(tmp_path / "table", ("rows",), writable=False) as table:
        assert table.get("rows", b"a") == b"1"
        assert table.get("rows", b"b") is None


def test_a_worker_that_waits_holds_no_page() -> None:
    """Answers may have 50 MB, and there are many workers: what was kept is gone before the next one comes."""
    kept: list[ref[Page]] = []

    class Waiting(Queue):
        async def due(self) -> AsyncIterator[Visit]:
            for visit in self.left:
                yield visit
                gc.collect()
                assert all(page() is None for page in kept)

        def done(self, *answers: Answer) -> None:
            assert answers

    class Kept(Page):
        __slots__ = ("__weakref__",)

    async def read(capture: Capture) -> Page:
        return Kept(capture.visit.url)

    asyncio.run(crawl(Waiting(3), fetch, read, lambda page: page, lambda _, page: kept.append(ref(page)), workers=1))
    assert len(kept) == 3
