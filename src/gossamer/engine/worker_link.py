"""A worker's place among the processes of this machine. It is at one end of a line; the supervisor is at the other."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from typing import NamedTuple

from gossamer.engine.orders import Orders
from gossamer.engine.protocols import SUPERVISOR, Heard
from gossamer.engine.wire import HEADER, LEASE, Kind, Line, payload

ORPHAN_SECONDS = 30.0
"""How long a worker may live on without a supervisor."""


class Listener(NamedTuple):
    """Who hears the news."""

    heard: Heard
    reborn: Callable[[int], None]
    orphaned: Callable[[], None]


class ProcessSeat:
    """A `WorkerLink`. `wrong` hears of errors in the worker's own callbacks."""

    def __init__(self, index: int, orders: Orders, end: socket.socket, wrong: Callable[[Exception], None]) -> None:
        self.index = index
        self.count = orders.workers
        self.term = orders.term
        self.leased_until = orders.leased_until
        self._wrong = wrong
        self._listener: Listener | None = None
        self._kept: list[tuple[int, int, bytes]] = []
        self._orphaned = self._said_well = False
        self._line = Line(end, self._take, self._lose_supervisor, wrong)

    def listen(self, heard: Heard, reborn: Callable[[int], None], orphaned: Callable[[], None]) -> None:
        listener = self._listener = Listener(heard, reborn, orphaned)
        kept, self._kept = self._kept, []
        for kind, source, message in kept:
            _deliver(listener, kind, source, message)
        if self._orphaned:
            orphaned()

    def send(self, to: int, message: bytes) -> None:
        self._line.write(Kind.MESSAGE, self.index, to, message)

    def tell(self, message: bytes) -> None:
        self._line.write(Kind.MESSAGE, self.index, SUPERVISOR, message)

    def well(self) -> None:
        if not self._said_well:  # once in a life is enough, so it may be said for every page
            self._said_well = True
            self._line.write(Kind.WELL, self.index, SUPERVISOR)

    def leave(self, how: tuple[Kind, bytes] | None) -> None:
        """Everything that was sent goes out before the process ends, and last of all how it ended."""
        if how is not None:
            self._line.write(how[0], self.index, SUPERVISOR, how[1])
        self._line.finish()

    def _take(self, kind: int, source: int, target: int, whole: memoryview) -> None:
        if kind == Kind.LEASE:
            (self.leased_until,) = LEASE.unpack_from(whole, HEADER.size)
        elif self._listener is None:
            self._kept.append((kind, source, payload(whole)))
        else:
            _deliver(self._listener, kind, source, payload(whole))

    def _lose_supervisor(self) -> None:
        """The alarm is the kernel's: it ends the process even if the loop hangs."""
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, ORPHAN_SECONDS)
        self._orphaned = True
        if self._listener is not None:
            try:
                self._listener.orphaned()
            except Exception as error:
                self._wrong(error)


def _deliver(listener: Listener, kind: int, source: int, message: bytes) -> None:
    if kind == Kind.REBORN:
        listener.reborn(source)
    else:
        listener.heard(source, message)
