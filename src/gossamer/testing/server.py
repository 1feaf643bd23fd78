"""The face with sockets: HTTP/1.1 with keep-alive on loopback, for all hosts at once, in a thread of its own.

A minimal `asyncio.Protocol` rather than a framework: a few thousand requests a second leave the time to
the crawler under test, and every byte that goes out is known.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import cast

from gossamer.testing.origin import Exchange, Origin
from gossamer.testing.wire import UNANSWERED, Ending

_LONGEST_HEAD = 65_536
_BACKLOG = 1024
_AT_ONCE = 16_384
"""An answer that the kernel takes in one piece is noted in the log before it is sent. A test that has seen the
answer is then never ahead of the log."""


def listen(addresses: Iterable[str], port: int) -> list[socket.socket]:
    """Sockets for all of these loopback addresses on one port; 0 takes a free one.

    One socket bound to the loopback device serves all of 127/8 and nothing else. Linux lets everybody do
    that since 5.7; where it is refused, each address gets a socket of its own.
    """
    try:
        return [_bound("0.0.0.0", port, device=b"lo")]
    except PermissionError:
        return _one_by_one(list(dict.fromkeys(addresses)), port)


def _one_by_one(addresses: list[str], port: int) -> list[socket.socket]:
    first = _bound(addresses[0], port)
    port = first.getsockname()[1]
    return [first, *(_bound(address, port) for address in addresses[1:])]


def _bound(address: str, port: int, device: bytes = b"") -> socket.socket:
    # asyncio switches Nagle's algorithm off only for sockets that say they are TCP.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if device:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device)
        listener.bind((address, port))
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


@contextmanager
def serving(origin: Origin, listeners: list[socket.socket]) -> Iterator[None]:
    """Answer on these sockets until the block ends."""
    stop: Future[Callable[[], object]] = Future()
    work = partial(asyncio.run, _serve(origin, listeners, stop))
    thread = threading.Thread(target=work, name="made web", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.result()()
        thread.join()


async def _serve(origin: Origin, listeners: list[socket.socket], stop: Future[Callable[[], object]]) -> None:
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    connections: set[_Connection] = set()
    servers = [
        await loop.create_server(lambda: _Connection(origin, connections), sock=listener, backlog=_BACKLOG)
        for listener in listeners
    ]
    stop.set_result(partial(loop.call_soon_threadsafe, stopped.set))
    await stopped.wait()
    for server in servers:
        server.close()
    for connection in connections:
        connection.abort()
    await asyncio.sleep(0)  # lets the connections note their ends in the log


class _Connection(asyncio.Protocol):
    """One client: takes a request, answers it, and only then looks at the next."""

    def __init__(self, origin: Origin, connections: set[_Connection]) -> None:
        self._origin = origin
        self._connections = connections
        self._received = b""
        self._exchange: Exchange | None = None
        self._answer = UNANSWERED
        self._timer: asyncio.TimerHandle | None = None
        self._draining = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(0)  # so that the log says when the kernel took the last byte
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        if self._timer:
            self._timer.cancel()
        if self._exchange:
            self._origin.end(self._exchange, self._answer, 0, finished=False)
            self._exchange = None

    def abort(self) -> None:
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._proceed()

    def pause_writing(self) -> None:
        self._draining = True

    def resume_writing(self) -> None:
        self._draining = False
        self._end()
        self._proceed()

    def _proceed(self) -> None:
        """Take up requests until one has to wait or none is left."""
        while not (self._exchange or self._draining or self._transport.is_closing()):
            head, found, rest = self._received.partition(b"\r\n\r\n")
            if not found and len(head) < _LONGEST_HEAD:
                return
            self._received = rest
            self._begin(head)

    def _begin(self, head: bytes) -> None:
        self._exchange = self._origin.receive(head)
        if self._exchange is None:
            self._transport.write(b"".join(self._origin.refuse().sent()))
            self._transport.close()
        elif self._exchange.latency:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._exchange.latency, self._in_time, self._exchange)
        else:
            self._write(self._exchange)

    def _in_time(self, exchange: Exchange) -> None:
        self._write(exchange)
        self._proceed()

    def _write(self, exchange: Exchange) -> None:
        answer = self._answer = self._origin.answer(exchange)
        if answer.ending is Ending.SILENT:
            return
        data = b"".join(answer.sent())
        if len(data) <= _AT_ONCE:
            self._end()
        self._transport.write(data)
        if not self._draining:
            self._end()
        if answer.ending is not Ending.WHOLE or answer.closes or exchange.request.closes:
            self._transport.close()

    def _end(self) -> None:
        """Note in the log that the answer is out, unless that is done."""
        exchange, answer = self._exchange, self._answer
        if exchange:
            size, whole = sum(map(len, answer.sent())), answer.ending is Ending.WHOLE
            self._origin.end(exchange, answer, size, finished=whole)
            self._exchange, self._answer = None, UNANSWERED
