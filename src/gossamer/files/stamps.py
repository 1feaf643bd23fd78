"""Has anything changed in a folder? A digest of the names, lengths and times of all files that are in it.

Whoever writes to a file changes one of them. That they are the same says nothing of damage to what is stored.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from gossamer.files.walk import FOLDER, descended

_LEVELS = 6


def stamp(folder: Path, but: Collection[str] = ()) -> str:
    """The digest; files of the folder itself with one of the names in `but` do not count."""
    handle = descended(folder, FOLDER)
    try:
        found = sorted(each for each in _lines(handle, "", _LEVELS) if each.partition("\0")[0] not in but)
    finally:
        os.close(handle)
    return hashlib.sha256("\n".join(found).encode("utf-8", "surrogateescape")).hexdigest()


def _lines(handle: int, within: str, levels: int) -> Iterator[str]:
    with os.scandir(handle) as entries:
        for entry in entries:
            name = within + entry.name
            below = _opened(entry, handle) if levels > 1 else None
            if below is not None:
                try:
                    yield from _lines(below, f"{name}/", levels - 1)
                finally:
                    os.close(below)
            else:
                with suppress(FileNotFoundError):  # somebody has removed it meanwhile
                    about = entry.stat(follow_symlinks=False)
                    yield f"{name}\0{about.st_mode}\0{about.st_size}\0{about.st_mtime_ns}"


def _opened(entry: os.DirEntry[str], within: int) -> int | None:
    """A folder that may be looked into. One of somebody else, like lost+found, counts as a file."""
    if entry.is_dir(follow_symlinks=False):
        with suppress(FileNotFoundError, PermissionError):
            return os.open(entry.name, FOLDER, dir_fd=within)
    return None
