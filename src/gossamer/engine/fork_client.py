"""How does one ask the fork server for a process, and hear how it ended?

There is one line to the server, and one book of births. With an event loop the loop says when the line can be read.
Without one, callers are threads: whoever waits for its own process reads, and enters what concerns the others.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
from asyncio import AbstractEventLoop
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import RLock
from typing import TypeAlias

from gossamer.engine.deaths import words_for
from gossamer.engine.fork_server import ASKED, BORN, ITSELF, WORDS_MOST
from gossamer.engine.zygote import ForkedServer, held
from gossamer.errors import StorageError, shortage

PATIENCE = 30.0
"""Seconds to hear of a process that was born or killed, or for the server to end; both take milliseconds."""
MOST_BARREN = 3
"""Servers in a row that die before they have forked anybody, after which no more are started."""

Ended: TypeAlias = Callable[[int | None], None]
"""A process is gone: its exit code, negative for a signal; None when the server died first and nobody knows."""


Born: TypeAlias = Callable[[], None]
"""A process is there, and its id is known: from now on it dies with its server."""


def _unheard(code: int | None) -> None:
    """Nobody is called; the code can still be asked for."""


def _unawaited() -> None:
    """Nobody waits for its birth."""


class NoServer(StorageError):
    """No process can be had: what they all have to load cannot be loaded, or their server dies each time."""


class Birth:
    """One process that was asked for."""

    def __init__(self, ended: Ended, begun: Born) -> None:
        self.process: int | None = None
        self.over = False
        self.code: int | None = None
        self.ended = ended
        self.begun = begun
        self.failure: StorageError | None = None
        """Why it was never born, where no other would be either: that is nobody's fault who wanted it."""
        self._early: signal.Signals | None = None

    def born(self, process: int) -> None:
        self.process = process
        if self._early is not None:
            self.kill(self._early)
        self.begun()

    def kill(self, number: signal.Signals) -> None:
        """Send a signal, at once or as soon as there is a process."""
        if self.process is None:
            self._early = number
        elif not self.over:
            with suppress(ProcessLookupError):
                os.kill(self.process, number)

    def end(self, code: int | None) -> None:
        self.over, self.code = True, code
        self.ended(code)

    def fail(self, failure: StorageError | None) -> None:
        """It was never born, or nobody knows how it ended."""
        self.failure = failure
        self.end(None)


class ForkClient:
    """Starts the fork server when the first process is asked for, and a new one should it die."""

    def __init__(
        self, preload: Sequence[str], child: str, loop: AbstractEventLoop | None = None, *, shares: bool = False
    ) -> None:
        """`child` is the code that defines what the processes do, under that name. If it `shares`, they may ask the
        zygote for servers of their own."""
        self._shares = shares
        self._preload = tuple(preload)
        self._child = child
        self._loop = loop
        self._lock = RLock()  # may be taken again, because `ended` may ask for a process or kill one
        self._server: subprocess.Popen[bytes] | ForkedServer | None = None
        self._line: socket.socket | None = None
        self._births: dict[int, Birth] = {}
        """Those that are not over."""
        self._last = ITSELF
        self._fruitful = False
        """The server has forked somebody."""
        self._barren = 0
        """Servers that never have, since the last one that did."""
        self._failure: NoServer | None = None
        self._closed = False

    def fork(self, handles: Sequence[int], ended: Ended = _unheard, begun: Born = _unawaited) -> Birth:
        """A new process that owns copies of these descriptors; the first is its line. OSError where none can be now,
        NoServer where none ever can.

        A server may be killed after it has forked and before it could tell: then there is a process that nobody can
        end. So who minds tells it nothing before it has `begun`; it then finds its line closed, and ends.
        """
        with self._lock:
            if self._closed:
                raise ConnectionError("this place is closed")
            if self._failure is not None:
                raise self._failure
            line = self._line or self._start()
            self._last += 1
            with suppress(ConnectionError):  # the server has just died: whoever reads the line notices
                socket.send_fds(line, [ASKED.pack(self._last)], handles)
            birth = self._births[self._last] = Birth(ended, begun)
            return birth

    def kill(self, birth: Birth, number: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to a process, at once or as soon as it is born."""
        with self._lock:
            birth.kill(number)

    def end_of(self, birth: Birth) -> int | None:
        """Wait for the end of a process: its exit code, negative for a signal; None when nobody knows."""
        with self._lock:
            while not birth.over:
                self._hear()
            return birth.code

    def close(self) -> None:
        """Kill all processes that still live, and wait until none does. No `ended` is called any more."""
        with self._lock:
            self._closed = True
            for birth in self._births.values():
                birth.ended = _unheard
                birth.kill(signal.SIGKILL)
            while self._births:  # those that are not born yet die when they are
                self._hear()
            self._lose_server()

    def _start(self) -> socket.socket:
        self._fruitful = False
        line, self._server = self._forked() or self._new()
        line.settimeout(PATIENCE)
        if self._loop is not None:
            self._loop.add_reader(line, self._hear)
        self._line = line
        return line

    def _forked(self) -> tuple[socket.socket, ForkedServer] | None:
        """A server of the zygote, where this process has one."""
        zygote = held()
        if zygote is None:
            return None
        line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            server = zygote.server(self._preload, self._child, line, theirs, shared=self._shares)
        if server is None:
            line.close()
            return None
        return line, server

    def _new(self) -> tuple[socket.socket, subprocess.Popen[bytes]]:
        """A server that is a new process, and loads everything itself."""
        line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            serve = f"serve({theirs.fileno()}, {self._preload!r}, child)"
            code = f"from gossamer.engine.fork_server import serve; {self._child}; {serve}"
            command = [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"]
            return line, subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])

    def _hear(self) -> None:
        """Take in what the server says next: that a process was born, or how it ended."""
        packet = _received(self._line) if self._line else b""
        if not packet:
            self._lose_server()
            return
        number, process, code, end = BORN.unpack_from(packet)
        if number == ITSELF:
            if end:
                self._failure = _no_server(packet[BORN.size :].decode(errors="replace"))
        elif end and not process:
            self._births.pop(number).fail(_unborn(code))
        elif end:
            self._births.pop(number).end(code)
        else:
            self._fruitful = True
            self._births[number].born(process)

    def _lose_server(self) -> None:
        """Without a server nobody can say any more how its children end, so none may be left."""
        births, self._births = self._births, {}
        for birth in births.values():
            birth.kill(signal.SIGKILL)
        code = self._end_server()
        self._barren = 0 if self._fruitful else self._barren + 1
        if self._failure is None and self._barren >= MOST_BARREN:
            self._failure = _no_server(f"{self._barren} in a row died before they could, the last {words_for(code)}")
        for birth in births.values():
            _await_end(birth.process)
            birth.fail(self._failure)

    def _end_server(self) -> int | None:
        """It ends by itself when the line is closed and its last child is gone; its exit code."""
        code = None
        if self._line is not None and self._server is not None:
            if self._loop is not None:
                self._loop.remove_reader(self._line)
            self._line.close()
            try:
                code = self._server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._server.kill()
                code = self._server.wait()
            self._line = self._server = None
        return code


def _received(line: socket.socket) -> bytes:
    """The next packet; none at the end. That the other end has died with something unread comes before its words."""
    for _ in range(2):
        try:
            return line.recv(BORN.size + WORDS_MOST)
        except ConnectionResetError:
            continue
        except OSError:
            break
    return b""


def _no_server(why: str) -> NoServer:
    return NoServer(
        f"the process that others are forked from cannot do its work: {why}. What is kept is safe: see the lines above"
        " for the cause, mend what is installed, then start again to go on"
    )


def _unborn(number: int) -> StorageError:
    """Why the system gave no process."""
    error = OSError(number, os.strerror(number))
    return shortage(error) or StorageError(f"no process can be started: {error.strerror}; what was stored is kept")


def _await_end(process: int | None) -> None:
    """Wait for somebody else's child, so that no successor meets it."""
    if process is None:
        return
    with suppress(OSError):  # it is gone already
        handle = os.pidfd_open(process)
        gone = select.poll()
        gone.register(handle, select.POLLIN)
        gone.poll(PATIENCE * 1000)
        os.close(handle)
