"""Where do worker processes come from? From one process that has imported everything and does nothing but fork.

To fork a process with threads or a running loop is unsafe, and to import everything in each worker costs a third of a
second of CPU. `multiprocessing` has the same idea as its fork server, but runs the user's script again in every child,
so that a script without a guard around its calls would crawl inside its crawl. Here the script is loaded only where the
work handed in is defined in it (see `orders.py`).

It is asked over a socket that keeps packets apart, one packet with descriptors for one child, and answers with
the process id and later with the exit code. It ends when its socket is closed and its last child is gone: so nobody is
left a zombie, and whoever waits for it waits for them all.

The first that it says is that it is ready, or why it never will be: what cannot be imported now cannot be by the next
one either. Where the system gives it no process, it says that and goes on: it has done nothing wrong.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import signal
import socket
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from errno import EAGAIN, ENOMEM
from struct import Struct
from typing import NoReturn

from gossamer.errors import shortage

ASKED = Struct("<q")
"""The number of a birth."""
BORN = Struct("<qqi?")
"""The number of the birth, process id, exit code, and whether it is the end: without it, the child was just born. Of
one that was never born the id is 0, and the code is that of the error."""
DESCRIPTORS = 64
CANCEL = signal.SIGUSR1
"""Asks a child to end in good order. Nobody else sends it, as a terminal or systemd sends SIGINT or SIGTERM to all."""
ITSELF = 0
"""In the place of the number of a birth: this is of the server. With `end` set, words follow that say why it ends."""
WORDS_MOST = 2_000
"""Bytes of these words."""

Child = Callable[[socket.socket], NoReturn]


def serve(handle: int, preload: Sequence[str], child: Child) -> NoReturn:
    """The whole life of this process."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # a terminal or systemd sends it to all; the supervisor decides
    signal.pthread_sigmask(signal.SIG_BLOCK, {CANCEL})  # a child takes it when it is ready for it
    line = socket.socket(fileno=handle)
    try:
        for name in preload:
            importlib.import_module(name)
    except BaseException as error:
        _give_up(line, error)
    gc.collect()
    gc.freeze()  # what all children share is never touched by their collectors
    line.send(BORN.pack(ITSELF, os.getpid(), 0, False))
    ForkServer(line, child).work()
    os._exit(0)


def _give_up(line: socket.socket, error: BaseException) -> NoReturn:
    traceback.print_exception(error)
    lack = shortage(OSError(ENOMEM, "") if isinstance(error, MemoryError) else error)
    why = str(lack or f"{type(error).__name__}: {error}")
    with suppress(OSError):
        line.send(BORN.pack(ITSELF, os.getpid(), 0, True) + why.encode(errors="replace")[:WORDS_MOST])
    os._exit(1)


class ForkServer:
    """Forks, and tells who was born and who died."""

    def __init__(self, asked: socket.socket, child: Child) -> None:
        asked.setblocking(True)
        self._asked = asked
        self._child = child
        self._births: dict[int, int] = {}
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)

    def work(self) -> None:
        """Until nobody asks any more and all children are gone."""
        poll, asked, served = select.poll(), self._asked.fileno(), True  # `select` knows no descriptor above 1,023
        for handle in (asked, self._wake_read):
            poll.register(handle, select.POLLIN)
        while served or self._births:
            ready = {handle for handle, _ in poll.poll()}
            if self._wake_read in ready:
                self._bury()
            if asked in ready and not self._serve():
                poll.unregister(asked)
                served = False

    def _serve(self) -> bool:
        """Answer one question; False when there will be no more."""
        try:
            packet, handles, _, _ = socket.recv_fds(self._asked, ASKED.size, DESCRIPTORS)
        except ConnectionResetError:
            return False
        if packet:
            (birth,) = ASKED.unpack(packet)
            self._fork(birth, handles)
        return bool(packet)

    def _fork(self, birth: int, handles: list[int]) -> None:
        process, refusal = -1, 0
        try:
            process = os.fork()
        except OSError as error:
            refusal = error.errno or EAGAIN
        if not process:
            self._become_child(handles[0])
        for handle in handles:
            os.close(handle)
        if refusal:
            self._tell(birth, 0, refusal, end=True)
        else:
            self._births[process] = birth
            self._tell(birth, process, 0, end=False)

    def _become_child(self, handle: int) -> NoReturn:
        """All other descriptors that were sent stay open as long as the child lives."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(self._wake_read)
        os.close(self._wake_write)
        self._asked.close()
        self._child(socket.socket(fileno=handle))

    def _bury(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._wake_read, 512):
                pass
        with suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                process, status = found
                birth = self._births.pop(process, None)
                if birth is not None:
                    self._tell(birth, process, os.waitstatus_to_exitcode(status), end=True)

    def _tell(self, birth: int, process: int, code: int, *, end: bool) -> None:
        with suppress(OSError):  # the supervisor is gone: the children notice by themselves
            self._asked.send(BORN.pack(birth, process, code, end))
