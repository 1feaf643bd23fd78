"""How does one get to a file without following a link? Folder by folder, each opened within the last.

Linux does that in one call (openat2, since 5.6), which Python does not have; a walk of its own takes a call for each
folder. So the one call is tried first, and whatever it does not answer with a folder is walked: also because the walk
knows which of the folders is a link.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import ELOOP, ENOTDIR
from pathlib import Path
from threading import RLock

from gossamer.errors import Damaged

A_FILE, A_FOLDER, A_LINK = "a file", "a folder", "a link"
KINDS = {stat.S_IFREG: A_FILE, stat.S_IFDIR: A_FOLDER, stat.S_IFLNK: A_LINK, stat.S_IFIFO: "a FIFO"} | {
    stat.S_IFSOCK: "a socket"
}
PLAIN = os.O_NOFOLLOW | os.O_CLOEXEC
FOLDER = PLAIN | os.O_DIRECTORY
# A folder that may be passed through need not be readable.
STEP = FOLDER | getattr(os, "O_PATH", 0)
_WRITING = os.O_WRONLY | os.O_RDWR
_OPENAT2 = 437  # on all processors
_AT_FDCWD, _NO_SYMLINKS = -100, 0x04


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


_HOW = {flags: _How(flags & ~os.O_NOFOLLOW, 0, _NO_SYMLINKS) for flags in (FOLDER, STEP)}
_syscall = ctypes.CDLL(None).syscall
_syscall.restype = ctypes.c_long
_syscall.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)


ANCHORS: dict[str, int] = {}
"""Folders at which a way begins, whatever they are called by now, and their descriptors: see `anchors`."""
CHANGING = RLock()
"""Held while an anchor is used or goes: its descriptor may be another file in the next moment."""


def _at_once(path: bytes, flags: int, start: int) -> int:
    """A descriptor of a folder, in one call; negative when it is none, or one cannot ask like this here."""
    return int(_syscall(_OPENAT2, start, path, ctypes.addressof(_HOW[flags]), ctypes.sizeof(_How)))


def descended(folder: Path, flags: int = STEP) -> int:
    """A descriptor of a folder that no link led to."""
    parts = folder.parts
    if ".." in parts:
        raise Damaged(f"{folder}: leads out of the folder that it is in; nothing was touched")
    if ANCHORS:
        with CHANGING:
            if (start := _anchor(os.fspath(folder))) is not None:
                found = _at_once(os.fsencode(start[1]), flags, start[0])
                return found if found >= 0 else _walked_from(*start, folder, flags)
    found = _at_once(os.fsencode(folder), flags, _AT_FDCWD)
    return found if found >= 0 else _walked(folder, flags)


def _anchor(folder: str) -> tuple[int, str] | None:
    """The anchor that a folder is, or is in, and the way from there."""
    if not folder.startswith("/"):
        folder = os.path.abspath(folder)
    for root, handle in ANCHORS.items():
        if folder.startswith(root) and folder[len(root) : len(root) + 1] in ("", "/"):
            return handle, folder[len(root) + 1 :] or "."
    return None


def _walked_from(anchor: int, rest: str, folder: Path, flags: int) -> int:
    """The same, with the name that everybody knows in what is said."""
    try:
        return _walked(Path(rest), flags, anchor)
    except OSError as error:
        error.filename = str(folder)
        raise
    except Damaged as error:
        raise Damaged(f"{str(folder)[: -len(rest)]}{error}") from None


def _walked(folder: Path, flags: int, anchor: int | None = None) -> int:
    start = "/" if folder.is_absolute() else ""
    parts = folder.parts[bool(start) :]
    here = os.open(start or ".", flags if not parts else STEP, dir_fd=anchor)
    for depth, name in enumerate(parts, 1):
        above, here = here, -1
        try:
            here = os.open(name, flags if depth == len(parts) else STEP, dir_fd=above)
        except OSError as error:
            if error.errno not in {ENOTDIR, ELOOP}:
                error.filename = str(Path(start, *parts[:depth]))
                raise
            about = os.stat(name, dir_fd=above, follow_symlinks=False)
            raise refused(Path(start, *parts[:depth]), about, A_FOLDER) from None
        finally:
            os.close(above)
    return here


@contextmanager
def folder_of(path: Path) -> Iterator[int]:
    """The folder that a file is in."""
    handle = descended(path.parent)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """A fault names its file with all folders, where the system knows its bare name or nothing but a descriptor."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def about(path: Path) -> os.stat_result:
    """Of a regular file."""
    with named(path), folder_of(path) as folder:
        found = os.stat(bare(path), dir_fd=folder, follow_symlinks=False)
    check(path, found)
    return found


def bare(path: Path) -> str:
    """The name of a file in its folder."""
    if path.name in ("", ".."):
        raise Damaged(f"{path}: leads out of the folder that it is in; nothing was touched")
    return path.name


def check_file(path: Path, folder: int, flags: int = 0) -> None:
    """What is there, if anything is, is a regular file."""
    with suppress(FileNotFoundError):
        check(path, os.stat(bare(path), dir_fd=folder, follow_symlinks=False), flags)


def check(path: Path, about: os.stat_result, flags: int = 0) -> None:
    """It is a regular file, and may be opened with these flags."""
    if not stat.S_ISREG(about.st_mode):
        raise refused(path, about, A_FILE)
    if flags & _WRITING and about.st_nlink > 1:
        raise Damaged(
            f"{path}: has another name elsewhere (a hard link), and what is written would change that too;"
            " put a copy in its place"
        )


def kind_of(about: os.stat_result) -> str:
    """In words."""
    return KINDS.get(stat.S_IFMT(about.st_mode), "a device")


def refused(path: Path, about: os.stat_result, wanted: str) -> Damaged:
    """What is said of something that is not what we make."""
    found, cure = kind_of(about), f"put {wanted} in its place"
    if found == A_LINK:
        cure = "put what it points to in its place, or mount that there if it is on another disk"
    return Damaged(f"{path}: is {found}, and a collection has {wanted} here; {cure}")
