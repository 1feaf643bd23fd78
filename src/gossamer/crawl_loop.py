"""The loop: what is due is fetched, read, marked, kept and taken back.

Every part is handed in. The web's faults are values, so nothing here catches anything; batching of commits happens
behind `store` and `frontier`. What came in one turn of the event loop is read page by page, then kept, then taken back:
each stage finds its own code and data in the caches of the processor, which saves a sixth of the time for a page.
"""

from __future__ import annotations

from asyncio import TaskGroup, sleep
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol

from gossamer.model import Answer, Capture, Page, Visit


class Due(Protocol):
    """What the loop asks of a frontier."""

    def due(self) -> AsyncIterator[Visit]:
        """Visits in polite order; ends when nothing is queued or out."""

    def done(self, *answers: Answer) -> object:
        """The next date for each address, new links in."""


async def crawl(
    frontier: Due,
    fetch: Callable[[Visit], Awaitable[Capture]],
    convert: Callable[[Capture], Awaitable[Page]],
    mark: Callable[[Page], Page],
    store: Callable[[Capture, Page], None],
    *,
    workers: int,
) -> None:
    """Crawl until nothing is due."""
    read: list[Answer] = []

    async def work() -> None:
        async for visit in frontier.due():  # polite order; ends when nothing is queued or out
            capture = await fetch(visit)  # the web's faults are in capture.failure
            page = await convert(capture)  # read once: text and links
            read.append(Answer(visit, capture, page))
            del capture, page  # they may be large, and the next may take long
            await sleep(0)  # others are read meanwhile
            if read:
                keep()

    def keep() -> None:
        come, answers = read[:], []
        read.clear()  # first, for should one of them break us, nobody may keep the others twice
        for visit, capture, page in come:
            page = mark(page)  # copy_of is set
            store(capture, page)  # in the archive before it is done
            answers.append(Answer(visit, capture, page))
        frontier.done(*answers)  # next date for these addresses, new links in

    async with TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work())
