"""A place where code that may break does no harm: one function on bytes, in processes with limits.

Whatever happens inside, the caller gets a value: the result, or the reason why there is none. Only where no process can
be had at all, because what they need cannot be loaded, an error is raised (`NoServer`). A process serves many
tasks, one after another; one that breaks a limit is dead, and the next task gets a new one, forked from a process that
has imported everything (`fork_server.py`). Nothing that comes back is unpickled or run.

There are two faces, because the same thing is wanted by an event loop and by a script: `run` waits in a thread, so that
the loop does not.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass
from enum import Enum, auto
from io import BytesIO
from threading import BoundedSemaphore
from typing import NamedTuple, TypeAlias

from gossamer.engine.deaths import words_for
from gossamer.engine.fork_client import Birth, ForkClient
from gossamer.engine.sandbox_child import ANSWERED, ASKED, CPU_ENDED, TIME_ENDED, WORDS_MOST, Limits, Said
from gossamer.errors import shortage

Alone: TypeAlias = Callable[[], AbstractContextManager[None]]

__all__ = ["Blame", "Ended", "Limits", "Sandbox"]

SAID = range((Said.PROBLEM | Said.LAST | Said.MISTAKE) + 1)
PIECE = 1 << 20
"""Bytes that are taken at once from a process: memory follows what has come, never what was announced."""
GRACE = 30.0
"""Seconds beyond its limit after which a process is ended from outside; its own timer should have done it."""


class Blame(Enum):
    """Whose fault is it that there is no value?"""

    DATA = auto()
    """It takes more than the limits allow."""
    FUNCTION = auto()
    """A mistake in it; another version may do better."""
    OUTSIDE = auto()
    """Somebody has killed the process, as the kernel does when memory runs out."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a task ended."""

    value: bytes = b""
    problem: str = ""
    """Why there is no value."""
    blame: Blame = Blame.DATA
    """Whose fault that is."""


class _Inmate(NamedTuple):
    """A process, from outside."""

    birth: Birth
    line: socket.socket


class Sandbox:
    """Runs one function from bytes to bytes in at most `workers` processes, which begin with the first task.

    The function is given by its module and its name, parted by a colon: only the processes need to import it.
    """

    def __init__(
        self,
        function: str,
        limits: Limits | None = None,
        *,
        workers: int = 1,
        alone: Alone = nullcontext,
        preload: Sequence[str] = (),
    ) -> None:
        """A task runs within `alone`, which may wait until nobody else does, in whatever process. `preload` are modules
        that are loaded once for all processes, besides that of the function."""
        self._alone = alone
        self._limits = limits or Limits()
        self._workers = workers
        self._preload = (function.partition(":")[0], *preload)
        self._child = (
            "from functools import partial; from gossamer.engine.sandbox_child import Limits, live;"
            f" child = partial(live, {function!r}, {self._limits!r})"
        )
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._forks = ForkClient(self._preload, self._child)
        self._threads = ThreadPoolExecutor(self._workers, "cell")
        self._free = BoundedSemaphore(self._workers)
        self._idle: list[_Inmate] = []

    async def run(self, data: bytes, body: bytes = b"") -> Ended:
        """Run the function on this, without holding up the loop."""
        self._belong_here()
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.run_now, data, body)

    def run_now(self, data: bytes, body: bytes = b"") -> Ended:
        """Run the function on this, and wait for it. Where its process is killed from outside, once more in another.

        What is large is a `body`: it is sent as it is, and not copied. Where there is none, the function gets none.
        """
        self._belong_here()
        with self._free, self._alone():
            try:
                ended = self._serve(self._idle_one() or self._new(), data, body)
                return self._serve(self._new(), data, body) if ended.blame is Blame.OUTSIDE else ended
            except OSError as error:
                if lack := shortage(error):
                    raise lack from error
                return Ended(problem=f"no process could be started: {error}", blame=Blame.OUTSIDE)

    def close(self) -> None:
        """End all processes; what is under way ends with a problem."""
        if self._process == os.getpid():
            self._forks.close()
            self._threads.shutdown(cancel_futures=True)
            while self._idle:
                self._idle.pop().line.close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _belong_here(self) -> None:
        """A process that was forked from ours must not speak on our lines: it gets its own."""
        if self._process != os.getpid():
            self._begin()

    def _idle_one(self) -> _Inmate | None:
        with suppress(IndexError):  # another thread may have been faster
            return self._idle.pop()
        return None

    def _new(self) -> _Inmate:
        line, theirs = socket.socketpair()
        with theirs, ExitStack() as failed:
            failed.enter_context(line)
            birth = self._forks.fork([theirs.fileno()])
            failed.pop_all()
            return _Inmate(birth, line)

    def _serve(self, child: _Inmate, *task: bytes) -> Ended:
        try:
            said, answer = self._exchange(child.line, *task)
        except OverflowError as error:
            self._forks.kill(child.birth)
            self._bury(child)
            return Ended(problem=f"breaks the process that reads it, which {error}", blame=Blame.FUNCTION)
        except TimeoutError:
            self._forks.kill(child.birth)
            self._bury(child)
            return Ended(problem=self._words(-TIME_ENDED))
        except OSError:
            code = self._bury(child)
            return Ended(problem=self._words(code), blame=_blame(code))
        if said & Said.LAST:
            self._bury(child)
        else:
            self._idle.append(child)
        if said & Said.PROBLEM:
            blame = Blame.FUNCTION if said & Said.MISTAKE else Blame.DATA
            return Ended(problem=answer.decode(errors="replace"), blame=blame)
        return Ended(answer)

    def _exchange(self, line: socket.socket, data: bytes, body: bytes) -> tuple[Said, bytes]:
        """A task and its answer. The end of the line is an OSError, an answer that is none an OverflowError."""
        deadline = time.monotonic() + self._limits.seconds + GRACE
        line.settimeout(max(deadline - time.monotonic(), 0.001))
        for each in filter(None, (ASKED.pack(len(data), len(body)), data, body)):
            line.sendall(each)
        said, length = ANSWERED.unpack(_receive(line, ANSWERED.size, deadline))
        if said not in SAID or length > max(self._limits.output, WORDS_MOST):
            raise OverflowError(f"claims to answer with {length:,} bytes")
        return Said(said), _receive(line, length, deadline)

    def _bury(self, child: _Inmate) -> int | None:
        child.line.close()
        code = self._forks.end_of(child.birth)
        if child.birth.failure is not None:  # no fault of the task, and no other process would do better
            raise child.birth.failure
        return code

    def _words(self, code: int | None) -> str:
        """What the end of a process means."""
        if code == -CPU_ENDED:
            return f"takes more than {self._limits.cpu:g} s of CPU"
        if code == -TIME_ENDED:
            return f"takes more than {self._limits.seconds:g} s"
        if code == -signal.SIGXFSZ:
            return "writes to a file"
        return f"breaks the process that reads it, which {words_for(code)}"


def _blame(code: int | None) -> Blame:
    """Whose fault the end of a process is. Nobody but others sends it the signals that end any process."""
    if code in (-CPU_ENDED, -TIME_ENDED, -signal.SIGXFSZ):
        return Blame.DATA
    outside = code is None or -code in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
    return Blame.OUTSIDE if outside else Blame.FUNCTION


def _receive(line: socket.socket, length: int, deadline: float) -> bytes:
    data = BytesIO()  # which gives away what it has, without a copy
    while left := length - data.tell():
        line.settimeout(max(deadline - time.monotonic(), 0.001))
        piece = line.recv(min(left, PIECE))
        if not piece:
            raise ConnectionResetError
        data.write(piece)
    return data.getvalue()
