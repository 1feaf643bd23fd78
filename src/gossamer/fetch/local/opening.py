"""How is a file opened that anybody may have put there? No link is followed to it, and only a regular file is opened.

Opening a FIFO would wait for ever, and a device may do things; so what is there is looked at before, and once more when
it is open: it may have been exchanged in between.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from errno import ELOOP, ENOENT, ENOTDIR, ENXIO
from pathlib import Path

from gossamer.errors import Damaged
from gossamer.files import walk

_READING = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY


class NotPlain(Exception):
    """It is no regular file; says what it is."""


@contextmanager
def opened(path: bytes) -> Iterator[int]:
    """A descriptor of a regular file that no link led to. OSError, or NotPlain, when it is none."""
    where = Path(os.fsdecode(path))
    try:
        with walk.folder_of(where) as folder:
            _require_plain(os.stat(where.name, dir_fd=folder, follow_symlinks=False))
            handle = os.open(where.name, _READING, dir_fd=folder)
    except Damaged:
        if os.path.realpath(where.parent) == str(where.parent):  # a file is where a folder was
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT)) from None
        raise NotPlain("behind a link, which is not followed") from None
    except OSError as error:
        if error.errno in (ELOOP, ENXIO):  # exchanged a moment ago
            raise NotPlain("no regular file") from None
        if error.errno == ENOTDIR:
            raise FileNotFoundError(*error.args) from None
        raise
    try:
        _require_plain(os.fstat(handle))
        yield handle
    finally:
        os.close(handle)


def read_small(path: bytes, most: int) -> bytes:
    """What stands in a small file, up to a length; nothing where there is none that can be read."""
    try:
        with opened(path) as handle:
            return os.pread(handle, most, 0)
    except (OSError, NotPlain):
        return b""


def _require_plain(about: os.stat_result) -> None:
    if not stat.S_ISREG(about.st_mode):
        raise NotPlain(f"{walk.kind_of(about)}, and no regular file")
