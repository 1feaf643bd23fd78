"""The supervisor's side of the fork server: ask for a process, hear of its birth and of its end."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from gossamer.engine.fork_server import ASKED, BORN

PATIENCE = 10.0
"""Seconds for the fork server to end when all is over; it takes milliseconds."""


class Parent(Protocol):
    """Who asked for a process, and hears of it."""

    def ended(self, code: int | None) -> None:
        """It is gone: its exit code, negative for a signal; None when the fork server died first and nobody knows."""


class Birth:
    """One process that was asked for."""

    def __init__(self, parent: Parent) -> None:
        self.parent = parent
        self.process: int | None = None
        self._early: signal.Signals | None = None

    def born(self, process: int) -> None:
        self.process = process
        if self._early is not None:
            self.kill(self._early)

    def kill(self, number: signal.Signals) -> None:
        """Send a signal, at once or as soon as there is a process."""
        if self.process is None:
            self._early = number
        else:
            with suppress(ProcessLookupError):
                os.kill(self.process, number)


class ForkClient:
    """Starts the fork server when the first process is asked for, and a new one should it die."""

    def __init__(self, preload: Sequence[str]) -> None:
        self._preload = tuple(preload)
        self._loop = asyncio.get_running_loop()
        self._server: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._births: dict[int, Birth] = {}
        self._last = 0

    def fork(self, parent: Parent, handles: Sequence[int]) -> Birth:
        """A new process that owns copies of these descriptors; the first is its line."""
        line = self._line or self._start()
        self._last += 1
        birth = self._births[self._last] = Birth(parent)
        with suppress(ConnectionError):  # the fork server has just died, which is noticed in a moment
            socket.send_fds(line, [ASKED.pack(self._last)], handles)
        return birth

    def close(self) -> None:
        """Kill who still lives, and wait until nobody does."""
        for birth in self._births.values():
            birth.kill(signal.SIGKILL)
        self._lose_server()

    def _start(self) -> socket.socket:
        self._server, line = start_server(self._preload, "from gossamer.engine.child import live as child")
        line.setblocking(False)
        self._loop.add_reader(line, self._hear, line)
        self._line = line
        return line

    def _hear(self, line: socket.socket) -> None:
        with suppress(BlockingIOError):
            while packet := _receive(line):
                self._take(packet)
            self._lose_server()
            self._tell_unseen()

    def _take(self, packet: bytes) -> None:
        number, process, code, end = BORN.unpack(packet)
        if end:
            self._births.pop(number).parent.ended(code)
        else:
            self._births[number].born(process)

    def _lose_server(self) -> None:
        if self._line is not None and self._server is not None:
            self._loop.remove_reader(self._line)
            self._line.close()
            try:
                self._server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()
            self._line = self._server = None

    def _tell_unseen(self) -> None:
        """The fork server has died; nobody can say any more how its children end, so none may be left."""
        births, self._births = self._births, {}
        for birth in births.values():
            birth.kill(signal.SIGKILL)
            _await_end(birth.process)
            birth.parent.ended(None)


def start_server(preload: Sequence[str], child: str) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """A new server and the line to it; `child` is the code that defines what its children do, under that name."""
    line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        serve = f"serve({theirs.fileno()}, {tuple(preload)!r}, child)"
        code = f"from gossamer.engine.fork_server import serve; {child}; {serve}"
        command = [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]), line


def _receive(line: socket.socket) -> bytes:
    try:
        return line.recv(BORN.size)
    except ConnectionResetError:
        return b""


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
