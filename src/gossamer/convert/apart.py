"""Files are read in processes of their own: a PDF that was made to break its reader breaks nothing else. Large pages
are, too, so that whoever has others to serve does not wait for them.

`inside` is the other end. What travels is plain data, so nothing that comes back from a broken process is trusted more
than the file was. All words of a file are its content, so they travel once.
"""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import msgspec

from gossamer.convert.fields import with_fields
from gossamer.convert.mime import MimeType
from gossamer.convert.source import Source
from gossamer.engine.cell import Cell, Ended, Limits
from gossamer.model import Page


class Fields(NamedTuple):
    """What was said about a page."""

    links: Sequence[str]
    refreshes: Sequence[str]
    robots: Sequence[str]
    agent: str
    content: str | None


class Task(NamedTuple):
    """What a reader needs of a source."""

    data: bytes
    kind: MimeType
    url: str | None
    fields: Fields | None = None
    """Only for a page, which is read with all that was said about it."""


_encode = msgspec.msgpack.Encoder().encode
_page = msgspec.msgpack.Decoder(Page).decode


class Apart:
    """Reads sources in a cell, for an event loop and for everybody else."""

    def __init__(self, limits: Limits | None = None, *, workers: int = 1) -> None:
        self._cell = Cell("gossamer.convert.inside:read", limits, workers=workers)
        self.close = self._cell.close

    async def soon(self, source: Source) -> Page:
        """What a file says; the loop goes on meanwhile."""
        return _answer(source, await self._cell.run(_task(source)))

    def now(self, source: Source) -> Page:
        """What a file says, waited for."""
        return _answer(source, self._cell.run_now(_task(source)))


@cache
def common() -> Apart:
    """For whoever has none: one process, begun with the first file, that ends with ours."""
    apart = Apart()
    atexit.register(apart.close)
    return apart


def _task(source: Source) -> bytes:
    fields = Fields(source.links, source.refreshes, source.robots, source.agent, source.content)
    return _encode(Task(source.data, source.kind, source.url, fields if source.page else None))


def _answer(source: Source, ended: Ended) -> Page:
    problem = ended.problem
    if not problem:
        try:
            page = _page(ended.value)
            return page if source.page else replace(page, content=page.text)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            problem = f"its reader does not answer with a page: {error}"
    unread = Page(source.url, source.kind.essence, problem=problem)
    return with_fields(source, unread) if source.page else unread
