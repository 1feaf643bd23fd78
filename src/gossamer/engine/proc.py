"""What does the kernel say of our threads, and of the processes that come from ours?

Has a thread done its work? An engine that queues what it is given does not say how much of it waits, but Linux says
which threads sleep. Where there is no `/proc`, nobody waits. And which processes have we started, they and theirs? That
is for the last moment, when none can be asked to end by itself any more.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import subprocess

LOOK_FIRST, LOOK_EVERY = 0.002, 0.016
"""Seconds between the first two looks, and at most between later ones."""
WAIT_MOST = 60.0
"""Seconds after which nobody waits any longer: a thread that never rests must not hold up everything."""
NAME_MOST = 15
"""Characters that the kernel keeps of a name."""
_TASKS = "/proc/self/task"


class Look(NamedTuple):
    """What the kernel says of a thread."""

    thread: str
    asleep: bool
    slept: str
    """How often it went to sleep by itself."""


def see_off(child: subprocess.Popen[bytes], patience: float) -> None:
    """End one of ours that ends by itself when nobody can speak to it any more; by force when it takes too long."""
    from subprocess import TimeoutExpired  # whoever has a child has loaded it

    assert child.stdin is not None, "it is spoken to by its standard input"
    child.stdin.close()
    try:
        child.wait(patience)
    except TimeoutExpired:
        child.kill()
        child.wait()


def rest(name: str) -> None:
    """Wait until all threads of that name have been asleep from one look to the next: nothing waits for them."""
    before, end = looks(name), time.monotonic() + WAIT_MOST
    threads, pause = [look.thread for look in before], LOOK_FIRST
    while before and time.monotonic() < end:
        time.sleep(pause)
        pause = min(2 * pause, LOOK_EVERY)  # who is busy for long is not asked too often: each look takes its time
        now = list(_looks(name[:NAME_MOST], threads))
        if now == before and all(look.asleep for look in now):
            return
        before = now


def looks(name: str) -> list[Look]:
    """One look at the threads of a name."""
    with suppress(FileNotFoundError):
        return list(_looks(name[:NAME_MOST], os.listdir(_TASKS)))
    return []


def _looks(name: str, threads: Iterable[str]) -> Iterator[Look]:
    for thread in threads:
        with suppress(OSError), open(f"{_TASKS}/{thread}/status", encoding="utf-8", errors="replace") as file:
            if file.readline() == f"Name:\t{name}\n":
                status = file.read()  # fifty lines, of which two tell something
                yield Look(
                    thread, "\nState:\tS" in status, status.rpartition("\nvoluntary_ctxt_switches:\t")[2].split()[0]
                )


def end_descendants() -> None:
    """Kill every process that ours has started, and theirs; parents first, so that none is started again."""
    for process in descendants(os.getpid()):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def descendants(process: int) -> list[int]:
    """The processes below one, each after its parent."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", encoding="latin-1") as file:
            children.setdefault(int(file.read().rpartition(") ")[2].split()[1]), []).append(int(name))
    found = [process]
    for each in found:
        found += children.get(each, [])
    return found[1:]
