"""A raw server on loopback that says exactly what a test tells it to, and a fetcher to visit it."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import uvloop

from gossamer.fetch import Fetcher, Found, Guard, Identity, Limits, Resolver, Route, Threads
from gossamer.fetch.memory_budget import Held
from gossamer.model import Capture, Clock, SystemClock, Visit

LOOPBACK = "127.0.0.0/8"
T = TypeVar("T")


def run(main: Coroutine[Any, Any, T], loop: str = "asyncio") -> T:
    """Run to the end, with a bound that no good test meets."""
    bounded = asyncio.wait_for(main, 60)
    return uvloop.run(bounded) if loop == "uvloop" else asyncio.run(bounded)


@dataclass
class Talk:
    """One request and the way to answer it."""

    head: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def reset(self) -> None:
        """Drop the connection with RST instead of FIN."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Handler = Callable[[Talk], Awaitable[bool | None]]
"""Answers a request; True keeps the connection open for the next one."""


@dataclass
class Server:
    """What it was asked, and how often somebody connected."""

    port: int = 0
    connections: int = 0
    heads: list[bytes] = field(default_factory=list)

    def url(self, path: str = "/", host: str = "site.test", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


def says(data: bytes, then: str = "close") -> Handler:
    """Send `data`, then `close`, `reset`, `keep` the connection, or `hang`."""

    async def handle(talk: Talk) -> bool:
        await talk.send(data)
        if then == "hang":
            await asyncio.Event().wait()
        if then == "reset":
            talk.reset()
        return then == "keep"

    return handle


def repeats(start: bytes, data: bytes, pause: float = 0.0) -> Handler:
    """Send `start`, then `data` for ever."""

    async def handle(talk: Talk) -> None:
        await talk.send(start)
        while True:
            await talk.send(data)
            await asyncio.sleep(pause)

    return handle


@asynccontextmanager
async def serving(
    handler: Handler, tls: ssl.SSLContext | None = None, at: tuple[str, int] = ("127.0.0.1", 0)
) -> AsyncIterator[Server]:
    server, tasks = Server(), set[asyncio.Task[Any]]()

    async def on_connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        task = asyncio.current_task()
        assert task
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ssl.SSLError):
            more: bool | None = True
            while more:
                head = await reader.readuntil(b"\r\n\r\n")
                server.heads.append(head)
                more = await handler(Talk(head, reader, writer))
        writer.close()

    listener = await asyncio.start_server(on_connect, *at, ssl=tls, limit=1 << 20, backlog=1024)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        for _ in range(4):  # one that was accepted a moment ago gets its task
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)


@asynccontextmanager
async def fetching(
    limits: Limits = Limits(),  # noqa: B008  # a frozen value
    allow: tuple[str, ...] = (LOOPBACK,),
    lookup: Callable[[str], Found] = lambda host: Found(("127.0.0.1",)),
    route: Route = Route(),  # noqa: B008  # a frozen value
    clock: Clock | None = None,
    turn: Callable[[Visit], str | None] = lambda visit: None,
    held: Held | None = None,
    may_ask: Callable[[], bool] = lambda: True,
) -> AsyncIterator[Fetcher]:
    clock = clock or SystemClock()
    resolver = Resolver(clock, Threads(lookup))
    fetcher = Fetcher(
        limits=limits,
        identity=Identity(contact="https://crawler.test/about", version="1.0"),
        guard=Guard(allow),
        resolver=resolver,
        clock=clock,
        route=route,
        turn=turn,
        held=held,
        may_ask=may_ask,
    )
    try:
        yield fetcher
    finally:
        await fetcher.close()
        resolver.close()


async def visit(handler: Handler, limits: Limits = Limits(), **fields: Any) -> Capture:  # noqa: B008  # a frozen value
    """Serve once, fetch once."""
    async with serving(handler) as server, fetching(limits) as fetcher:
        return await fetcher(Visit(server.url(), **fields))


OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def answer(body: bytes, *fields: bytes, status: bytes = b"200 OK") -> bytes:
    """A whole answer with its length."""
    lines = [b"HTTP/1.1 " + status, *fields, b"Content-Length: %d" % len(body), b"", body]
    return b"\r\n".join(lines)


def chunked(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
