"""The whole collection over the wire, line by line: a few at once, each with a reader and a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from itertools import islice

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from gossamer.collection import Collection
from gossamer.collection.ask.selection import Part, named
from gossamer.errors import GossamerError
from gossamer.printable import log
from gossamer.web.api import parameters
from gossamer.web.leases import Exports
from gossamer.web.view_context import face_of

PAGES = 16
"""Read before the event loop hears of them."""
STALLED = 30.0
"""Seconds in which whoever is sent something has to take it."""
MEDIA_TYPE = "application/x-ndjson"


async def export(request: Request) -> Response:
    """What `gossamer export DIR jsonl` writes. What is wrong with the request is said before the first line."""
    asked = parameters.given(parameters.Export, request.query_params)
    sites, include = ((each,) if each else () for each in (asked.site, asked.include))
    part = Part(sites, include, asked.query, named(*filter(None, [asked.fields])))
    face = face_of(request)
    if request.method == "HEAD":
        return Response(media_type=MEDIA_TYPE)
    reader = _Reader(Collection(face.leases.path), face.exports)
    try:
        return _Lines(reader, await reader.begin(part, links=asked.links))
    except BaseException:
        reader.end()
        raise


class _Reader:
    """One export. All of its reading is done in one thread, and so is its end: nothing is closed that is being read."""

    def __init__(self, web: Collection, exports: Exports) -> None:
        self._web, self._exports = web, exports
        self._thread = exports.begin()
        self._lines: Iterator[bytes] = iter(())

    async def begin(self, part: Part, *, links: bool) -> bytes:
        """The first lines."""

        def begun() -> bytes:
            self._lines = self._web.export_lines(part=part, links=links)
            return self._some()

        return await asyncio.get_running_loop().run_in_executor(self._thread, begun)

    async def more(self) -> bytes:
        """Those that follow; nothing at the end."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._some)

    def _some(self) -> bytes:
        return b"".join(islice(self._lines, PAGES))

    def end(self) -> None:
        """When what is being read is read."""
        closed = self._thread.submit(self._web.close)
        closed.add_done_callback(lambda _: self._exports.end(self._thread))


class _Lines(StreamingResponse):
    """An export on its way. It ends when whoever asked goes away, or takes nothing for long."""

    def __init__(self, reader: _Reader, first: bytes) -> None:
        super().__init__(_pieces(reader, first), media_type=MEDIA_TYPE)
        self._reader = reader

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def patient(message: Message) -> None:
            await asyncio.wait_for(send(message), STALLED)

        try:
            with suppress(TimeoutError):
                await super().__call__(scope, receive, patient)
        finally:
            self._reader.end()


async def _pieces(reader: _Reader, first: bytes) -> AsyncIterator[bytes]:
    piece = first
    while piece:
        yield piece
        try:
            piece = await reader.more()
        except GossamerError as error:
            log.error("an export has ended early: %s", error)
            raise  # the head is sent: only a body that is cut short tells whoever reads it
