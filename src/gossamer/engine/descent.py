"""Which processes come from ours? For the last moment, when nobody can be asked to end by himself any more."""

from __future__ import annotations

import os
import signal
from contextlib import suppress


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
