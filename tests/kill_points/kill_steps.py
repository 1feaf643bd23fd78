"""Count every step that Python makes in a collection, over all processes of a command, and die at one of them.

    GOSSAMER_TEST_PLACE    the folder; a step is an opening, a removal, a rename or a new folder in it, a write to or a
                           sync of a file of it, and a commit of the table
    GOSSAMER_TEST_STEPS    a file that grows by one byte for each step: what all processes together have made
    GOSSAMER_TEST_STEP     dies before this one, counted from 1; 0 only counts
    GOSSAMER_TEST_VICTIM   "self": the process that makes the step; "all": every process of the command, at once

The first step is the first byte that is written, so any moment of a life of a collection can be asked for.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

EVENTS = frozenset(("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "os.link", "os.symlink"))
CALLS = ("write", "pwrite", "pwritev", "fsync", "fdatasync", "ftruncate")
BELOW = ("open", "mkdir", "rename", "replace", "unlink", "remove", "rmdir")
"""These may name a file by the folder that it lies in, which no audit tells."""
WRITING = os.O_WRONLY | os.O_RDWR


class Steps:
    """The count of one process, in the file that all share."""

    def __init__(self) -> None:
        self._place = os.path.realpath(os.environ["GOSSAMER_TEST_PLACE"])
        self._last = int(os.environ["GOSSAMER_TEST_STEP"])
        self._all = os.environ["GOSSAMER_TEST_VICTIM"] == "all"
        self._write, self._open = os.write, os.open  # as they are without us
        self._opening, self._owner, self._file = False, 0, -1

    def begin(self) -> None:
        """From now on."""
        for name in CALLS:
            setattr(os, name, self._counted(getattr(os, name)))
        for name in BELOW:
            setattr(os, name, self._counted_below(getattr(os, name)))
        sys.addaudithook(self._audit)

    def watch_commits(self) -> None:
        """RocksDB writes where Python does not see it."""
        table = importlib.import_module("gossamer.store.table.table").Table
        commit = table.commit

        @wraps(commit)
        def counted(own: Any) -> None:
            self._step()
            commit(own)

        table.commit = counted

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in EVENTS and arguments and isinstance(arguments[0], str | bytes | os.PathLike):
            if event == "open" and not arguments[2] & WRITING:
                return
            if os.path.abspath(os.fsdecode(arguments[0])).startswith(self._place):
                self._step()

    def _counted_below(self, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def counted(*arguments: Any, **named: Any) -> Any:
            folder = named.get("dir_fd", named.get("src_dir_fd"))
            reads = call.__name__ == "open" and not (named.get("flags") or arguments[1]) & WRITING
            if folder is not None and not reads and self._is_ours(folder):
                self._step()
            return call(*arguments, **named)

        return counted

    def _counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def counted(file: int, *arguments: Any) -> Any:
            if self._is_ours(file):
                self._step()
            return call(file, *arguments)

        return counted

    def _is_ours(self, file: int) -> bool:
        try:
            return os.readlink(f"/proc/self/fd/{file}").startswith(self._place)
        except OSError:
            return False

    def _own_file(self) -> None:
        """Each process opens it for itself: the zygote closes all that it was born with, and others take the number."""
        self._opening = True
        self._file = self._open(os.environ["GOSSAMER_TEST_STEPS"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._opening, self._owner = False, os.getpid()

    def _step(self) -> None:
        if self._opening:
            return
        if self._owner != os.getpid():
            self._own_file()
        self._write(self._file, b".")
        if self._last and os.fstat(self._file).st_size == self._last:
            os.killpg(0, signal.SIGKILL) if self._all else os.kill(os.getpid(), signal.SIGKILL)


def arm() -> None:
    """As the environment asks for, however full the disk of this machine is."""
    disk = importlib.import_module("gossamer.store.disk")
    disk.room = lambda folder: disk.Room(1 << 40, 1 << 40)
    if "GOSSAMER_TEST_STEPS" in os.environ:  # otherwise it lives
        steps = Steps()
        steps.watch_commits()
        steps.begin()
