"""What has the system said of a file? One of our errors, with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, EIO, ENOSPC
from pathlib import Path

from gossamer.errors import StorageError, shortage


def unreadable(error: OSError, path: Path) -> StorageError:
    """What stands between us and a file that is there. It may be whole, so it is the machine's fault and no damage."""
    words = f"{path}: cannot be read ({error.strerror or error}); check its owner and mode"
    return shortage(error, path) or StorageError(words)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Around what takes a file that cannot be read for a damaged one. One that is gone is left to it."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise unreadable(error, Path(error.filename) if isinstance(error.filename, str) else path) from error


def told(error: OSError, path: Path) -> StorageError:
    """What the disk said, as one of our errors, with what to do about it."""
    if error.errno in {ENOSPC, EDQUOT, EFBIG}:
        return StorageError(f"{path}: the disk is full; free some space and go on, what was stored is kept")
    if error.errno == EIO:
        return StorageError(
            f"{path}: the disk fails ({error.strerror}); see the system's log, and go on when it is sound: what was"
            " committed is kept, and of the rest what the disk really has is read back"
        )
    return StorageError(f"{path}: cannot be written: {error.strerror}")
