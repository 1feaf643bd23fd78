"""The inside of a cell: a process that runs one function on one piece of data after another, under limits.

The kernel keeps the limits, not the code that may be looping or broken: timers for CPU and wall time whose signals
nobody handles, a limit on memory that may be written (`RLIMIT_DATA`: unlike `RLIMIT_AS` it does not count libraries
and address space that is only reserved), no files and no core dumps. So a process that breaks a limit dies of a signal
that says which one it was. When nobody is at the other end of the line any more, the kernel ends it as well.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntFlag
from struct import Struct
from typing import NoReturn

ASKED = Struct("<QQ")
"""The length of the data that follows."""
ANSWERED = Struct("<BQ")
"""What it is, and the length of what follows."""
WORDS_MOST = 4_000
"""Bytes of the words for a problem."""
PAGE = resource.getpagesize()
NICE = 10
"""Who asks goes first: it has others to serve while it waits."""
CPU_ENDED, TIME_ENDED = signal.SIGPROF, signal.SIGALRM


@dataclass(frozen=True, slots=True)
class Limits:
    """What one task may use."""

    cpu: float = 20.0
    """Seconds of CPU."""
    seconds: float = 60.0
    """Seconds by the clock."""
    memory: int = 256 << 20
    """Bytes that may be written to, beyond what a new process has."""
    output: int = 64 << 20
    """Bytes of the result."""
    tasks: int = 200
    """A process is renewed after so many."""

    @property
    def growth(self) -> int:
        """A process that keeps so many bytes more than a new one is renewed.

        Near the limit each object costs calls to the kernel that fail: a task of one second takes twenty.
        """
        return self.memory // 3


class Said(IntFlag):
    """How a task ended."""

    VALUE = 0
    PROBLEM = 1
    """What follows are words."""
    LAST = 2
    """The process ends itself now."""
    MISTAKE = 4
    """The words are of an exception, which is a mistake in the function."""


def live(function: str, limits: Limits, line: socket.socket) -> NoReturn:
    """All that this process does; `function` is its module and its name, parted by a colon."""
    try:
        module, _, name = function.partition(":")
        work = getattr(importlib.import_module(module), name)
        _shut_in(line, limits)
        SandboxChild(work, limits, line).work()
    finally:
        os._exit(0)


def _shut_in(line: socket.socket, limits: Limits) -> None:
    os.nice(NICE)
    sys.dont_write_bytecode = True  # a module that a task is the first to need would be the end of it
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_DATA, _writable() + limits.memory),
    ):
        resource.setrlimit(kind, (most, most))
    for number in (CPU_ENDED, TIME_ENDED, signal.SIGIO, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    fcntl.fcntl(line, fcntl.F_SETOWN, os.getpid())


class SandboxChild:
    """Takes tasks from its line and answers them."""

    def __init__(self, function: Callable[..., bytes], limits: Limits, line: socket.socket) -> None:
        self._function = function
        self._limits = limits
        self._line = line
        self._left = limits.tasks
        self._most = _resident() + limits.growth

    def work(self) -> None:
        """Until there is nobody any more, or it is time for a new process."""
        self._line.setblocking(True)
        while (task := self._next()) is not None:
            said, answer = self._answer(task)
            self._left -= 1
            del task
            if self._left <= 0 or _resident() > self._most:
                said |= Said.LAST
            self._line.sendall(ANSWERED.pack(said, len(answer)))
            self._line.sendall(answer)
            if said & Said.LAST:
                return

    def _next(self) -> list[bytes] | None:
        """What the function is given: the task, and its body where it has one."""
        header = self._line.recv(ASKED.size, socket.MSG_WAITALL)
        if len(header) < ASKED.size:
            return None
        lengths = ASKED.unpack(header)
        task = [self._line.recv(length, socket.MSG_WAITALL) if length else b"" for length in lengths]
        if [*map(len, task)] != [*lengths]:
            return None
        return task if task[1] else task[:1]

    def _answer(self, task: list[bytes]) -> tuple[Said, bytes]:
        _stand_somewhere()
        self._set_limits(self._limits.cpu, self._limits.seconds)
        try:
            value = self._function(*task)
        except MemoryError:
            return Said.PROBLEM | Said.LAST, f"needs more than {megabytes(self._limits.memory)} of memory".encode()
        except Exception as error:
            words = f"{type(error).__name__}: {error}"[: WORDS_MOST // 4]
            return Said.PROBLEM | Said.MISTAKE, words.encode(errors="replace")
        finally:
            self._set_limits(0, 0)
        if len(value) > self._limits.output:
            return Said.PROBLEM, f"comes to more than {megabytes(self._limits.output)}".encode()
        return Said.VALUE, value

    def _set_limits(self, cpu: float, seconds: float) -> None:
        """While they are set, an end of the line is a signal: SIGIO, which nobody handles either."""
        flags = fcntl.fcntl(self._line, fcntl.F_GETFL) & ~os.O_ASYNC
        fcntl.fcntl(self._line, fcntl.F_SETFL, flags | (os.O_ASYNC if cpu else 0))
        signal.setitimer(signal.ITIMER_PROF, cpu)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _stand_somewhere() -> None:
    """Where whoever began has removed the working directory since, Python 3.13 has no words for a name that a module
    lacks (SystemError), and every codec that is looked up asks for one."""
    try:
        os.getcwd()
    except FileNotFoundError:
        os.chdir("/")


def megabytes(size: int) -> str:
    """A size for people."""
    return f"{size / (1 << 20):.4g} MiB"


def _resident() -> int:
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * PAGE


def _writable() -> int:
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[5]) * PAGE
