"""Files are read in processes of their own: a PDF that was made to break its reader breaks nothing else. Large pages
are, too, so that whoever has others to serve does not wait for them.

`sandboxed_reader` is the other end. What travels is plain data, so nothing that comes back from a broken process is
trusted more than the file was. All words of a file are its content, so they travel once.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache
from typing import Literal, NamedTuple

import msgspec

from gossamer.convert.fields import with_fields
from gossamer.convert.source import Source
from gossamer.convert.type.mime import MimeType
from gossamer.engine.sandbox import Blame, Ended, Limits, Sandbox
from gossamer.model import Page


class Fields(NamedTuple):
    """What was said about a page."""

    links: Sequence[str]
    refreshes: Sequence[str]
    robots: Sequence[str]
    agent: str
    content: str | None
    requisites: bool = False
    dress: bool = False


class Task(NamedTuple):
    """What a reader needs of a source besides its bytes, which are sent as they are: they may be many."""

    kind: MimeType
    url: str | None
    fields: Fields | None = None
    """Only for a page, which is read with all that was said about it."""
    listing: str | None = None
    """Only for a list of addresses: its Content-Type."""
    date: float | None = None
    """Only for a file of this machine: when it changed."""


LITTLE = 96 << 20
"""Bytes of memory for the first try: enough for nearly all."""
_FUNCTION = "gossamer.convert.sandboxed_reader:read"
FILES, PAGES, LINKS = ("gossamer.convert.preloaded_files",), ("gossamer.convert.preloaded_content",), ()
"""What is loaded before processes are forked: for all readers of files it takes 0.3 s of CPU, for pages with their main
content half of that, and for pages without it nothing."""
_UNREAD: dict[Blame, Literal["", "mistake", "killed"]] = {
    Blame.DATA: "",
    Blame.FUNCTION: "mistake",
    Blame.OUTSIDE: "killed",
}
_encode = msgspec.msgpack.Encoder().encode
_page = msgspec.msgpack.Decoder(Page).decode


class Apart:
    """Reads sources in a cell, for an event loop and for everybody else.

    Most need little memory, and get little. What needs more is read once more, with all that the limits allow, and
    alone: of those there is one process at a time, however many read beside each other.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        workers: int = 1,
        alone: Callable[[], AbstractContextManager[None]] = nullcontext,
        preload: Sequence[str] = FILES,
    ) -> None:
        """Within `alone` nobody else has such a process, in whatever process they are. What is not in `preload` is
        loaded by the first who needs it, in each process."""
        limits = limits or Limits()
        little = replace(limits, memory=min(LITTLE, limits.memory))
        self._little = Sandbox(_FUNCTION, little, workers=workers, preload=preload)
        self._much = None
        if limits.memory > LITTLE:
            self._much = Sandbox(_FUNCTION, replace(limits, tasks=1), alone=alone, preload=preload)

    def close(self) -> None:
        """End all processes."""
        for cell in filter(None, (self._little, self._much)):
            cell.close()

    async def soon(self, source: Source) -> Page:
        """What a file says; the loop goes on meanwhile."""
        task = _task(source), source.data
        ended = await self._little.run(*task)
        if self._much is not None and _may_lack_memory(ended):
            ended = await self._much.run(*task)
        return _answer(source, ended)

    def now(self, source: Source) -> Page:
        """What a file says, waited for."""
        task = _task(source), source.data
        ended = self._little.run_now(*task)
        if self._much is not None and _may_lack_memory(ended):
            ended = self._much.run_now(*task)
        return _answer(source, ended)


@cache
def common() -> Apart:
    """For whoever has none: one process, begun with the first file, that ends with ours."""
    apart = Apart()
    atexit.register(apart.close)
    return apart


def _task(source: Source) -> bytes:
    wanted = source.content, source.requisites, source.dress
    fields = Fields(source.links, source.refreshes, source.robots, source.agent, *wanted)
    return _encode(Task(source.kind, source.url, fields if source.page else None, source.listing, source.date))


def _may_lack_memory(ended: Ended) -> bool:
    """Compiled code dies where it gets none."""
    return ended.problem.startswith(("needs more than", "breaks the process"))


def _answer(source: Source, ended: Ended) -> Page:
    problem = ended.problem
    if not problem:
        try:
            page = _page(ended.value)
            content = page.content if source.page else page.text
            return replace(page, links=tuple(page.links), content=content)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            problem = f"its reader does not answer with a page: {error}"
    fault = _UNREAD[ended.blame] if ended.problem else "mistake"
    unread = Page(source.url, source.kind.essence, problem=problem, unread=fault)
    return with_fields(source, unread) if source.page else unread
