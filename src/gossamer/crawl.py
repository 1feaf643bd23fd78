"""The loop: what is due is fetched, read, marked, kept and taken back.

Every part is handed in. The web's faults are values, so nothing here catches anything; batching of commits happens
behind `store` and `frontier`.
"""

from __future__ import annotations

from asyncio import TaskGroup
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol

from gossamer.model import Capture, Page, Visit


class Due(Protocol):
    """What the loop asks of a frontier."""

    def due(self) -> AsyncIterator[Visit]:
        """Visits in polite order; ends when nothing is queued or out."""

    def done(self, visit: Visit, capture: Capture, page: Page) -> None:
        """The next date for this address, new links in."""


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

    async def work() -> None:
        async for visit in frontier.due():  # polite order; ends when nothing is queued or out
            capture = await fetch(visit)  # the web's faults are in capture.failure
            page = mark(await convert(capture))  # read once: text and links; copy_of is set
            store(capture, page)  # in the archive before it is done
            frontier.done(visit, capture, page)  # next date for this address, new links in

    async with TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work())
