"""A folder that an export fills appears under its name when all of it is there.

Until then it has a name of its own, which nobody else has: what is removed after an error is ours.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gossamer.errors import StorageError, UsageError

_NAME_MOST = 50
"""Characters, of four bytes at most: a name may have 255 bytes."""


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Where to write meanwhile. `folder` is a new or an empty one; after an error nothing is left."""
    if not folder.name:
        raise UsageError(f"{folder}: the directory would be replaced; name a new one, as in {folder / 'pages'}")
    _require_empty(folder)
    partial = partial_of(folder)
    try:
        partial.mkdir()
    except OSError as error:
        raise StorageError(f"{folder}: cannot be written: {error.strerror}") from error
    try:
        yield partial
        _rename(partial, folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def partial_of(path: Path) -> Path:
    """A name beside another, for what is not whole yet. It is short enough wherever the other is."""
    return path.with_name(f"{path.name[:_NAME_MOST]}.{os.urandom(8).hex()}.partial")


def _rename(partial: Path, folder: Path) -> None:
    try:
        os.rename(partial, folder)
    except OSError as error:  # somebody has put something there meanwhile, or it is a disk of its own
        raise StorageError(f"{folder}: cannot be written: {error.strerror}; nothing was left there") from error


def _require_empty(folder: Path) -> None:
    if os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: is there already, and no empty directory; remove it, or name another")
