"""How is a capture read while a crawl runs? Small pages here; large ones and files in processes of their own.

One odd page must not end a crawl of millions: a mistake of ours while it is read costs that page, which is kept unread.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer import convert, files
from gossamer.collection.crawl.large_pages import HERE
from gossamer.collection.page_fields import DocumentNumbers
from gossamer.convert.sandboxed import LINKS, PAGES
from gossamer.convert.source import Source
from gossamer.errors import shortage
from gossamer.frontier.answer.poison_pages import DEADLY, READING, PoisonPages
from gossamer.model import Capture, Page
from gossamer.plan import Plan
from gossamer.printable import log
from gossamer.store.table.table import Table

if TYPE_CHECKING:
    from gossamer.dedupe.blocks import Blocks

READERS = 1
"""Processes in which files are read, besides that for large pages. Each may take some memory, and so in each shard."""


class PageReader:
    """Turns captures into pages."""

    def __init__(
        self,
        shard: Path,
        plan: Plan,
        table: Table,
        blocks: Blocks | None,
        on_page: Iterable[Callable[[Capture, Page], Page] | None] = (),
    ) -> None:
        """`blocks` know what is template; None where the main content of a page is left to a later build. Each of
        `on_page` gives a page fields."""
        self.poison_pages = PoisonPages(shard / READING, table)
        self._apart = convert.Apart(plan.as_cell(), workers=READERS, alone=partial(_alone_in, shard.parent))
        preload = PAGES if blocks else LINKS
        self._pages = convert.Apart(plan.as_cell(), alone=partial(_alone_in, shard.parent), preload=preload)
        self._agent = plan.as_identity().product
        self._method = plan.content
        self._blocks = blocks
        self._requisites = plan.keeps_requisites()
        self._on_page = tuple(filter(None, on_page))
        self._numbers = DocumentNumbers(table)

    def begin(self, capture: Capture, *, here: float = inf) -> Page | Source:
        """What it says; or, where that is not to be found out here, what `soon` has to be given."""
        url = capture.visit.url
        if self.poison_pages.quarantined(url):
            return convert.unread(capture, DEADLY)
        try:
            with self.poison_pages.reading(url):
                content, template = (self._method, self._blocks.met(url)) if self._blocks else (None, None)
                begun = convert.begin(
                    capture, self._agent, content=content, template=template, here=here, requisites=self._requisites
                )
                return self._with_fields(capture, begun) if isinstance(begun, Page) else begun
        except Exception as error:
            return mistaken(capture, error)

    async def soon(self, capture: Capture, begun: Source) -> Page:
        """The rest of it, read in another process."""
        return self._finished(capture, begun, await (self._pages if begun.page else self._apart).soon(begun))

    def now(self, capture: Capture) -> Page:
        """All of it, while others wait."""
        begun = self.begin(capture)
        return begun if isinstance(begun, Page) else self._finished(capture, begun, self._apart.now(begun))

    async def list_page(self, capture: Capture) -> Page:
        """What a long list says, such as a sitemap."""
        begun = self.begin(capture, here=HERE)
        self.poison_pages.forgive(capture.visit.url)
        return begun if isinstance(begun, Page) else self._finished(capture, begun, await self._pages.soon(begun))

    def _finished(self, capture: Capture, source: Source, page: Page) -> Page:
        try:
            return self._with_fields(capture, convert.finish(source, page))
        except Exception as error:
            return mistaken(capture, error)

    def _with_fields(self, capture: Capture, page: Page) -> Page:
        for with_fields in self._on_page:
            page = with_fields(capture, page)
        return page if capture.provenance is None else self._numbers(capture, page)

    def close(self) -> None:
        """No more reading."""
        self.poison_pages.close()
        self._apart.close()
        self._pages.close()


def mistaken(capture: Capture, error: Exception) -> Page:
    """Our own mistake: the page is kept unread, and the mistake is reported.

    What the machine lacks would be missing for the next page too.
    """
    if lack := shortage(error):
        raise lack from error
    log.warning("%s could not be read, which is a bug: %r", capture.visit.url, error)
    return convert.unread(capture, repr(error))


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Over all processes one at a time: the lock is on the folder itself, and goes with the process that has it."""
    handle = files.folder_descriptor(folder)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
