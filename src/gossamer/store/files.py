"""What is the same for every file we write: when it lasts, and what is said when it cannot be written."""

from __future__ import annotations

import os
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path

from gossamer.errors import StorageError


def sync_folder(folder: Path) -> None:
    """A new file lasts when its folder does."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_whole(path: Path, data: bytes) -> None:
    """A small file that is there as a whole or as it was before, also after a power cut."""
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    sync_folder(path.parent)


def told(error: OSError, path: Path) -> StorageError:
    """What the disk said, as one of our errors, with what to do about it."""
    if error.errno in {ENOSPC, EDQUOT, EFBIG}:
        return StorageError(f"{path}: the disk is full; free some space and go on, what was stored is kept")
    return StorageError(f"{path}: cannot be written: {error.strerror}")
