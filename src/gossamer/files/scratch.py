"""Which folder does a reader have for what its libraries insist on writing? One that says whose it is.

It lies in the temporary folder of the machine and goes with its reader, unless that is killed. So its name has the
number of the process, and the next reader takes away what those have left that are gone: folders of that name which
belong to the same user, made on this machine and where processes are numbered as here (a container has its own count).
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import islice

LOOKED_MOST = 10_000
"""Entries of the temporary folder that are looked at; it may be a very full one."""
CLEARED_MOST = 200
"""Folders that one reader takes away, so that none waits long for the dead."""


def prefix() -> str:
    """What the name of a reader's folder begins with; `tempfile` makes the rest. What the dead have left goes first."""
    _clear(tempfile.gettempdir(), os.getpid())
    return f"{_ours()}-{os.getpid()}-"


def _ours() -> str:
    numbered = ""
    with suppress(OSError):
        numbered = os.readlink("/proc/self/ns/pid")
    return f"gossamer-reader-{zlib.crc32(f'{os.uname().nodename} {numbered}'.encode(errors='replace')):08x}"


@cache
def _clear(place: str, _process: int) -> None:
    """Once in the life of a process."""
    with suppress(OSError):
        for path in islice(_left(place), CLEARED_MOST):
            shutil.rmtree(path, ignore_errors=True)


def _left(place: str) -> Iterator[str]:
    name = re.compile(rf"{_ours()}-([0-9]{{1,9}})-\w+")
    with os.scandir(place) as entries:
        for entry in islice(entries, LOOKED_MOST):
            found = name.fullmatch(entry.name)
            if found and entry.is_dir(follow_symlinks=False) and _is_mine(entry) and _is_gone(int(found[1])):
                yield entry.path


def _is_mine(entry: os.DirEntry[str]) -> bool:
    return entry.stat(follow_symlinks=False).st_uid == os.geteuid()


def _is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):  # another user's by now; the number of none
        return False
    return False
