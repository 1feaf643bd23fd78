"""One writer at a time. The kernel frees the lock when its holder dies, so there is no stale one to clean up."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gossamer.errors import Damaged, Locked, StorageError
from gossamer.store.swaps import DAMAGED, put_aside

FILE = "lock"
ORPHANS = 30.0
"""Seconds that the shards of a process that was killed may take to end."""


@contextmanager
def exclusive(folder: Path) -> Iterator[int]:
    """Hold the collection for writing; a second process is told who holds it. Gives the descriptor of the lock."""
    try:
        handle = os.open(folder / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except IsADirectoryError:
        cure = f"`gossamer verify {folder} --repair` puts it aside"
        raise Damaged(f"{folder / FILE}: is a directory, where the lock should be; {cure}") from None
    except OSError as error:
        raise StorageError(f"{folder}: cannot be written to ({error.strerror}); check its owner and mode") from error
    try:
        if not _locked(handle, folder):
            raise Locked(f"{folder}: in use by {_describe(folder)}; wait for it to end or stop it")
        _sign(handle)
        yield handle
    finally:
        os.close(handle)


def clear_way(folder: Path) -> Path | None:
    """A folder where the lock should be is put aside. Where it is now."""
    return put_aside(folder / FILE, folder / DAMAGED) if (folder / FILE).is_dir() else None


def holder(folder: Path) -> dict[str, Any] | None:
    """Who is writing to the collection now; None when nobody is."""
    try:
        handle = os.open(folder / FILE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(folder)
    finally:
        os.close(handle)
    return None


def _locked(handle: int, folder: Path) -> bool:
    """Get the lock. Where its holder was killed, its shards are just ending: that is waited for."""
    patience = time.monotonic() + ORPHANS
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if _lives(_read(folder)) or time.monotonic() > patience:
                return False
            time.sleep(0.05)
        else:
            return True


def _lives(mark: dict[str, Any]) -> bool:
    """Is the process that signed still there, as far as can be known from here?"""
    if mark.get("host") != socket.gethostname():
        return True
    try:
        state = Path(f"/proc/{mark.get('pid')}/stat").read_text().rpartition(") ")[2]
    except OSError:
        return False
    return state[:1] not in ("Z", "X")  # a dead one that nobody has waited for yet holds nothing


def _sign(handle: int) -> None:
    mark = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.time()}
    os.ftruncate(handle, 0)
    os.pwrite(handle, json.dumps(mark).encode(), 0)


def _read(folder: Path) -> dict[str, Any]:
    try:
        mark = json.loads((folder / FILE).read_text())
    except (OSError, ValueError):
        return {}
    return mark if isinstance(mark, dict) else {}


def _describe(folder: Path) -> str:
    mark = _read(folder)
    if not mark:
        return "another process"
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(mark.get("since", 0)))
    return f"process {mark.get('pid')} on {mark.get('host')} since {since}"
