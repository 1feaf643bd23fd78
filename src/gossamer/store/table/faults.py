"""What has RocksDB said? One of our errors, with what to do about it.

rocksdict reports every fault as a bare `Exception`, so they are told apart by their words.
"""

from __future__ import annotations

from errno import EAGAIN, EIO, EMFILE, ENOMEM
from os import strerror
from pathlib import Path

from rocksdict import DbClosedError

from gossamer.errors import Damaged, Locked, StorageError, shortage
from gossamer.lazy import pattern

CURE = "`gossamer verify DIR --repair` makes it again from the archive"
_DENIED = pattern(r"([^/\s:]+): (Permission denied|Operation not permitted)$")
_ENTRANCE = pattern(r"/proc/self/fd/[0-9]+")
"""The name that RocksDB has for a table: see `files.anchors`."""


def as_storage_error(error: Exception, path: Path) -> Exception:
    """The error to raise for a table at `path`."""
    words = _ENTRANCE.sub(lambda _: str(path), str(error))
    low = words.lower()
    if isinstance(error, DbClosedError):
        return error
    if "/lock:" in low or "lock hold" in low:
        return in_use(path)
    if "no space left" in low or "file too large" in low or "quota" in low:
        return StorageError(f"{path}: the disk is full; free some space and go on, nothing committed is lost")
    for number in (EMFILE, ENOMEM, EIO, EAGAIN):  # in the words of the system, which the library repeats
        if strerror(number).lower() in low and (lack := shortage(OSError(number, words), path)):
            return lack
    if low.startswith(("corruption", "invalid argument", "io error: no such file")):
        return Damaged(f"{path}: the table cannot be read ({words}); {CURE}")
    if (denied := _DENIED.search(words)) is not None:  # what stands before the name may be a reader's own folder
        return StorageError(f"{path / denied[1]}: cannot be read ({denied[2]}); check its owner and mode")
    return StorageError(f"{path}: the table cannot be used: {words}")


def in_use(path: Path) -> Locked:
    """Somebody else has it open to write."""
    return Locked(f"{path}: another process is writing to this table; wait until it has ended")
