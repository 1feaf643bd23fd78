"""The fork server asked from threads: for a process, and how it ended.

`Nursery` does the same on an event loop. Here callers block, each for its own process: one of them reads what the
server says, and notes what concerns the others.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock

from gossamer.engine.fork_client import start_server
from gossamer.engine.fork_server import ASKED, BORN

PATIENCE = 30.0
"""Seconds to hear of a process that was born or killed; it takes milliseconds."""


class BlockingForkClient:
    """Starts the fork server when the first process is asked for, and a new one should it die."""

    def __init__(self, preload: Sequence[str], child: str) -> None:
        self._preload = tuple(preload)
        self._child = child
        self._lock = Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._closed = False
        self._last = 0
        self._processes: dict[int, int | None] = {}
        """By birth, those that live; None for one that was asked for and is not yet born."""
        self._codes: dict[int, int | None] = {}
        """By birth, how those ended that nobody has asked about yet."""

    def fork(self, handle: int) -> int:
        """The number of the birth of a new process that owns a copy of this descriptor; OSError where none can be."""
        with self._lock:
            if self._closed:
                raise ConnectionError("this place is closed")
            line = self._line or self._start()
            self._last += 1
            self._processes[self._last] = None
            with suppress(ConnectionError):  # the server has just died: who waits for the process notices
                socket.send_fds(line, [ASKED.pack(self._last)], [handle])
            return self._last

    def kill(self, birth: int) -> None:
        """End a process."""
        with self._lock:
            self._kill(birth)

    def end_of(self, birth: int) -> int | None:
        """Wait for the end of a process: its exit code, negative for a signal; None when nobody knows."""
        with self._lock:
            while birth in self._processes:
                self._hear()
            return self._codes.pop(birth, None)

    def close(self) -> None:
        """Kill who still lives, and wait until nobody does."""
        with self._lock:
            self._closed = True
            for birth in tuple(self._processes):
                self._kill(birth)
            self._lose_server()

    def _kill(self, birth: int) -> None:
        while birth in self._processes and self._processes[birth] is None:
            self._hear()
        if process := self._processes.get(birth):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def _start(self) -> socket.socket:
        self._server, self._line = start_server(self._preload, self._child)
        self._line.settimeout(PATIENCE)
        return self._line

    def _hear(self) -> None:
        """Take in what the fork server tells next."""
        packet = b""
        with suppress(OSError):
            packet = self._line.recv(BORN.size) if self._line else b""
        if not packet:
            self._lose_server()
            return
        birth, process, code, end = BORN.unpack(packet)
        if end:
            del self._processes[birth]
            self._codes[birth] = code
        else:
            self._processes[birth] = process

    def _lose_server(self) -> None:
        """Without a fork server nobody can say any more how its children end, so none may be left."""
        processes, self._processes = self._processes, {}
        self._codes.update(dict.fromkeys(processes))
        for process in filter(None, processes.values()):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        if self._line is not None and self._server is not None:
            self._line.close()
            try:
                self._server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()
            self._line = self._server = None
