"""How long may a client take to ask and to listen, and how many may be connected? uvicorn waits for ever for half a
request, and for whoever takes no answer.

Of its two protocols this is h11: it is always there, and a head that does not end is refused at 64 KiB.
"""

from __future__ import annotations

import asyncio
import resource
import time

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

ASKING = 10.0
"""Seconds from the first byte of a request, or from the opening of a connection, to the last byte of the request."""
CONNECTED_MOST = 2_000
"""Connections. Beyond, the one that has kept us waiting longest is closed for the one that comes."""
FILES_EACH = 2
"""One of so many open files may be a connection."""
TAKING = 60.0
"""Seconds in which what waits to be sent has to be taken."""


def make_room() -> None:
    """Let this process have as many open files as its connections and readers need, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTED_MOST * FILES_EACH if hard == resource.RLIM_INFINITY else min(hard, CONNECTED_MOST * FILES_EACH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def most() -> int:
    """Connections that there may be: fewer where few files may be open, because the readers need some too."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return CONNECTED_MOST if soft == resource.RLIM_INFINITY else min(CONNECTED_MOST, soft // FILES_EACH)


class Connection(H11Protocol):
    """One client. Whoever sends half a request and waits, or takes no answer, is cut off, and costs nobody else
    anything."""

    _late: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        if len(self.connections) >= most():
            self._make_room()
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._heard()
        self._taken()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()

    def handle_events(self) -> None:
        super().handle_events()  # also for what came together with the request before
        if self.conn.their_state is h11.SEND_BODY:
            self._wait()
        elif self.conn.their_state is not h11.IDLE:
            self._heard()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(TAKING, self.transport.abort)

    def resume_writing(self) -> None:
        self._taken()
        super().resume_writing()

    def _wait(self) -> None:
        if self._late is None:
            self._since = time.monotonic()
            self._late = self.loop.call_later(ASKING, self._cut_off)

    def _heard(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _taken(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _cut_off(self) -> None:
        self._heard()
        self.transport.abort()

    def _make_room(self) -> None:
        waiting = [each for each in self.connections if isinstance(each, Connection) and each._late is not None]
        if waiting:
            min(waiting, key=lambda each: each._since)._cut_off()
