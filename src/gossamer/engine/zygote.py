"""Where do fork servers come from? From a copy of the command that was made before anything was open.

A command that crawls has loaded nearly all that its shards and its readers need. To start a new Python for each fork
server and to load it once more takes half a second of CPU; to fork one takes milliseconds. But nobody may fork a
process in which a loop, threads or a table are open. So the command forks one process while there are none: the
zygote, which does nothing but fork servers for whoever holds its line. A worker holds it too, so that the readers of a
shard come from there as well; they themselves do not. Who holds no line starts servers as new processes
(`fork_client.py`).
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

from gossamer.engine.fork_server import BORN, ITSELF, serve

PACKET = 1 << 16
PATIENCE = 10.0
"""Seconds until a server has to be born, or the zygote gone; both take milliseconds."""


class ForkedServer:
    """A fork server whose parent is the zygote: what `ForkClient` asks of a `Popen`."""

    def __init__(self, process: int) -> None:
        self.pid = process
        self._handle: int | None = None
        with suppress(OSError):  # it has ended already
            self._handle = os.pidfd_open(process)

    def wait(self, timeout: float | None = None) -> int | None:
        """Until it has ended; how is known to its parent alone."""
        if self._handle is not None:
            gone = select.poll()
            gone.register(self._handle, select.POLLIN)
            if not gone.poll(None if timeout is None else timeout * 1000):
                raise subprocess.TimeoutExpired("fork server", timeout or 0.0)
            os.close(self._handle)
            self._handle = None
        return None

    def kill(self) -> None:
        """By force."""
        if self._handle is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)


class Zygote:
    """The line to the process that forks servers."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    def server(
        self, preload: Sequence[str], child: str, ours: socket.socket, theirs: socket.socket, *, shared: bool
    ) -> ForkedServer | None:
        """A server at the other end of `ours`, which has `theirs`; None where there is no zygote any more. The
        children of one that is `shared` may ask for servers too."""
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        told = {"preload": list(preload), "child": child, "path": sys.path, "files": limit, "folder": _folder()}
        handles = [theirs.fileno(), *([self._line.fileno()] if shared else [])]
        try:
            socket.send_fds(self._line, [json.dumps(told).encode()], handles)
            theirs.close()  # if nobody takes the other end, it is closed
            ours.settimeout(PATIENCE)
            born = ours.recv(BORN.size)
        except OSError:
            return None
        return ForkedServer(BORN.unpack(born)[1]) if born else None


def _folder() -> str:
    """Where we stand; nowhere in particular if that was removed."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return "/"


_held: Zygote | None = None
"""The zygote of this process, if it has one."""


def held() -> Zygote | None:
    """The zygote that this process may ask."""
    return _held


def begin() -> None:
    """Fork the zygote: by a process that has no threads, no loop and nothing open, and that ends with its work."""
    global _held
    sys.stdout.flush()
    sys.stderr.flush()
    gc.freeze()  # what is loaded is shared for as long as nobody touches it
    line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})  # else two commands hear it
    try:
        process = os.fork()
        if not process:
            _live(theirs)
        theirs.close()
        _held = Zygote(line)
        atexit.register(_end, process, line, os.getpid())
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(process: int, line: socket.socket, owner: int) -> None:
    """With the command. All its servers have ended before; one that has not does not hold us up for ever."""
    if os.getpid() != owner:
        return
    line.close()
    with suppress(OSError):
        handle = os.pidfd_open(process)
        gone = select.poll()
        gone.register(handle, select.POLLIN)
        gone.poll(PATIENCE * 1000)
        os.waitpid(process, os.WNOHANG)


def _live(asked: socket.socket) -> NoReturn:
    """The whole life of the zygote. It ends when nobody holds its line any more and its servers are gone."""
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        _let_go(asked.fileno())
        signal.signal(signal.SIGCHLD, lambda number, frame: _bury())
        while True:
            packet, handles, _, _ = socket.recv_fds(asked, PACKET, 2)
            if not packet:
                break
            if not os.fork():
                _become_server(asked, json.loads(packet), handles)
            for handle in handles:
                os.close(handle)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with suppress(ChildProcessError):
            while True:
                os.wait()
    finally:
        os._exit(0)


def _let_go(kept: int) -> None:
    """Nothing of the command stays open here but its output."""
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    for handle in map(int, os.listdir("/proc/self/fd")):
        if handle > 2 and handle != kept:
            with suppress(OSError):  # of the listing itself
                os.close(handle)


def _bury() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _become_server(asked: socket.socket, told: dict[str, Any], handles: list[int]) -> NoReturn:
    global _held
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    asked.close()
    handle, *lines = handles
    _held = Zygote(socket.socket(fileno=lines[0])) if lines else None
    os.write(handle, BORN.pack(ITSELF, os.getpid(), 0, False))
    resource.setrlimit(resource.RLIMIT_NOFILE, told["files"])
    sys.path[:] = told["path"]
    os.chdir(told["folder"])
    space: dict[str, Any] = {}
    exec(told["child"], space)
    serve(handle, told["preload"], space["child"])
