"""What may be touched on the disk of a collection? The one door to its files.

Collections are handed around, and one may have been made to harm: a link in the place of a file or folder would let us
overwrite, cut or delete what lies elsewhere, and a FIFO would let us wait for ever. So a path is walked folder by
folder from its root, no link is followed, and only a regular file is opened; what stands in its place is `Damaged`,
with the cure. Names are matched against the shape of those we make: what we did not make is not listed or deleted.

A path that comes here has no link above the collection either: `collection/folder.py` sees to that, so DIR itself may
be one. Libraries that open files by themselves are let in after `require_plain` has looked at all there is.
"""

from __future__ import annotations

import builtins
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EDQUOT, EFBIG, ELOOP, ENOSPC, ENOTDIR, EXDEV
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

from gossamer.errors import Damaged, StorageError

Mode: TypeAlias = Literal["rb", "r+b", "ab", "wb"]
SMALL = 16 << 20
"""Bytes of a file that is read at once, at most."""
PARTIAL = ".partial"
"""At the end of the name of a file that counts for nothing yet."""

_PLAIN = os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = _PLAIN | os.O_DIRECTORY
# A folder that may be passed through need not be readable.
_STEP = _FOLDER | getattr(os, "O_PATH", 0)
_WRITING = os.O_WRONLY | os.O_RDWR
_LEVELS = 3
A_FILE, A_FOLDER, A_LINK = "a file", "a folder", "a link"
_KINDS = {stat.S_IFREG: A_FILE, stat.S_IFDIR: A_FOLDER, stat.S_IFLNK: A_LINK, stat.S_IFIFO: "a FIFO"} | {
    stat.S_IFSOCK: "a socket"
}


# ----------------------------------------------------------------------- opening


def descriptor(path: Path, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
    """Open a regular file, by the flags of `os.open`."""
    with _folder_of(path) as folder:
        _check_file(path, folder, flags)  # before it is opened: opening a device may do things
        handle = os.open(path.name, flags & ~os.O_TRUNC | _PLAIN | os.O_NONBLOCK, mode, dir_fd=folder)
    try:
        _check(path, os.fstat(handle), flags)
        if flags & os.O_TRUNC:
            os.ftruncate(handle, 0)
    except BaseException:
        os.close(handle)
        raise
    return handle


def folder_descriptor(folder: Path) -> int:
    """Open a folder itself, to lock it or to make it last."""
    return _descended(folder, _FOLDER)


def open(path: Path, mode: Mode = "rb", buffering: int = -1) -> BinaryIO:
    """Open a regular file, as Python does."""
    return builtins.open(path, mode, buffering, opener=lambda _, flags: descriptor(path, flags))


def read(path: Path, most: int = SMALL) -> bytes:
    """All of a small file."""
    with open(path, buffering=0) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise Damaged(f"{path}: is larger than any that we write; move it away")
        return file.read(most)


def size(path: Path) -> int:
    """Bytes of a regular file."""
    return _about(path).st_size


def is_file(path: Path) -> bool:
    """Is there a regular file? Something else in its place is no answer."""
    try:
        size(path)
    except FileNotFoundError:
        return False
    return True


def is_folder(path: Path) -> bool:
    """Is there a folder? Something else in its place is no answer."""
    try:
        os.close(_descended(path))
    except FileNotFoundError:
        return False
    return True


def kind(path: Path) -> str:
    """What is there, in words; nothing when there is nothing."""
    try:
        with _folder_of(path) as folder:
            return _kind(os.stat(_bare(path.name, path), dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return ""


def names(folder: Path, shape: re.Pattern[str]) -> list[str]:
    """The regular files of a folder whose whole name is of that shape, in order. Without the folder, none."""
    return _listed(folder, shape, A_FILE)


def folders(folder: Path, shape: re.Pattern[str]) -> list[str]:
    """The folders in a folder, likewise."""
    return _listed(folder, shape, A_FOLDER)


def tree(folder: Path, shape: re.Pattern[str]) -> list[str]:
    """The files of a folder and below, by the shape of `name`, `below/` or `below/name`; in order."""
    handle = _descended(folder, _FOLDER)
    try:
        return sorted(_tree(folder, handle, shape, "", _LEVELS))
    finally:
        os.close(handle)


def require_plain(folder: Path, *, writing: bool) -> None:
    """Before a library opens what is in a folder: regular files and folders, and nothing else."""
    handle = _descended(folder, _FOLDER)
    try:
        _require_plain(folder, handle, writing, _LEVELS)
    finally:
        os.close(handle)


# ---------------------------------------------------------------------- changing


def make_folder(path: Path) -> None:
    """A folder, with those above it; it lasts."""
    try:
        os.close(_descended(path))
    except FileNotFoundError:
        make_folder(path.parent)
        with _folder_of(path) as above, suppress(FileExistsError):
            os.mkdir(path.name, dir_fd=above)
        with suppress(PermissionError):  # one may be allowed to add to a folder and not to read it
            sync_folder(path.parent)
        os.close(_descended(path))


def replace(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Put a file in the place of another, at once or not at all; it lasts."""
    partial = path.with_name(path.name + PARTIAL)
    remove(partial)
    with suppress(FileNotFoundError):  # what its owner has closed stays closed
        mode &= stat.S_IMODE(_about(path).st_mode)
    with builtins.open(descriptor(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    move(partial, path)
    sync_folder(path.parent)


def move(old: Path, new: Path) -> None:
    """Rename a file; one of the new name goes. Between two disks it is copied."""
    with _folder_of(old) as here, _folder_of(new) as there:
        _check_file(old, here)
        _check_file(new, there)
        try:
            os.rename(old.name, new.name, src_dir_fd=here, dst_dir_fd=there)
            return
        except OSError as error:
            if error.errno != EXDEV:
                raise
    _copy(old, new)
    remove(old)


def put_aside(path: Path, aside: Path) -> Path | None:
    """Move whatever is there away and keep it, beside what was put there before. Where it is now."""
    if not (found := kind(path)):
        return None
    make_folder(aside)
    target, number = aside / path.name, 1
    while kind(target):
        target, number = aside / f"{path.name}.{number}", number + 1
    if found == A_FILE:
        move(path, target)
    else:  # a link goes as it is: what it points to is not looked at
        with _folder_of(path) as here, _folder_of(target) as there:
            os.rename(path.name, target.name, src_dir_fd=here, dst_dir_fd=there)
    sync_folder(aside)
    return target


def remove(path: Path) -> None:
    """Delete a regular file, if there is one."""
    try:
        with _folder_of(path) as folder:
            _check_file(path, folder)
            os.unlink(path.name, dir_fd=folder)
    except FileNotFoundError:
        pass


def remove_folder(folder: Path, shape: re.Pattern[str]) -> None:
    """Delete what we made in a folder, by the shape of `name`, `below/` or `below/name`; and itself, if that is all."""
    try:
        handle = _descended(folder, _FOLDER)
    except FileNotFoundError:
        return
    try:
        _empty(handle, shape, "", _LEVELS)
    finally:
        os.close(handle)
    with _folder_of(folder) as above, suppress(OSError):  # not empty: something is not ours
        os.rmdir(folder.name, dir_fd=above)


def sync_folder(folder: Path) -> None:
    """A new file lasts when its folder does."""
    handle = _descended(folder, _FOLDER)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def told(error: OSError, path: Path) -> StorageError:
    """What the disk said, as one of our errors, with what to do about it."""
    if error.errno in {ENOSPC, EDQUOT, EFBIG}:
        return StorageError(f"{path}: the disk is full; free some space and go on, what was stored is kept")
    return StorageError(f"{path}: cannot be written: {error.strerror}")


# ----------------------------------------------------------------------- walking


@contextmanager
def _folder_of(path: Path) -> Iterator[int]:
    handle = _descended(path.parent)
    try:
        yield handle
    finally:
        os.close(handle)


def _descended(folder: Path, flags: int = _STEP) -> int:
    """A descriptor of a folder that no link led to."""
    parts = folder.parts[1:] if folder.is_absolute() else folder.parts
    here = os.open("/" if folder.is_absolute() else ".", _STEP if parts else flags)
    for depth, name in enumerate(parts, 1):
        above, here = here, -1
        try:
            here = os.open(_bare(name, folder), flags if depth == len(parts) else _STEP, dir_fd=above)
        except OSError as error:
            if error.errno not in {ENOTDIR, ELOOP}:
                raise
            place = Path("/" if folder.is_absolute() else "", *parts[:depth])
            raise _refused(place, os.stat(name, dir_fd=above, follow_symlinks=False), "a folder") from None
        finally:
            os.close(above)
    return here


def _bare(name: str, path: Path) -> str:
    if name == "..":
        raise Damaged(f"{path}: leads out of the folder that it is in; nothing was touched")
    return name


def _about(path: Path) -> os.stat_result:
    with _folder_of(path) as folder:
        about = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    _check(path, about)
    return about


def _check_file(path: Path, folder: int, flags: int = 0) -> None:
    """What is there, if anything is, is a regular file."""
    with suppress(FileNotFoundError):
        _check(path, os.stat(_bare(path.name, path), dir_fd=folder, follow_symlinks=False), flags)


def _check(path: Path, about: os.stat_result, flags: int = 0) -> None:
    if not stat.S_ISREG(about.st_mode):
        raise _refused(path, about, "a file")
    if flags & _WRITING and about.st_nlink > 1:
        raise Damaged(
            f"{path}: has another name elsewhere (a hard link), and what is written would change that too;"
            " put a copy in its place"
        )


def _kind(about: os.stat_result) -> str:
    return _KINDS.get(stat.S_IFMT(about.st_mode), "a device")


def _refused(path: Path, about: os.stat_result, wanted: str) -> Damaged:
    found, cure = _kind(about), f"put {wanted} in its place"
    if found == A_LINK:
        cure = "put what it points to in its place, or mount that there if it is on another disk"
    return Damaged(f"{path}: is {found}, and a collection has {wanted} here; {cure}")


def _listed(folder: Path, shape: re.Pattern[str], wanted: str) -> list[str]:
    try:
        handle = _descended(folder, _FOLDER)
    except FileNotFoundError:
        return []
    found = []
    try:
        with os.scandir(handle) as entries:
            for entry in entries:
                if shape.fullmatch(entry.name):
                    found.append(entry.name)
                    is_right = entry.is_file if wanted == A_FILE else entry.is_dir
                    if not is_right(follow_symlinks=False):
                        raise _refused(folder / entry.name, entry.stat(follow_symlinks=False), wanted)
    finally:
        os.close(handle)
    return sorted(found)


def _require_plain(folder: Path, handle: int, writing: bool, levels: int) -> None:
    with os.scandir(handle) as entries:
        for entry in entries:
            path = folder / entry.name
            if entry.is_dir(follow_symlinks=False):
                if levels == 1:
                    raise Damaged(f"{path}: no folder of a collection is as deep as this; move it away")
                below = os.open(entry.name, _FOLDER, dir_fd=handle)
                try:
                    _require_plain(path, below, writing, levels - 1)
                finally:
                    os.close(below)
            elif writing or not entry.is_file(follow_symlinks=False):
                _check_file(path, handle, os.O_WRONLY if writing and path.suffix not in _NEVER_CHANGED else 0)


def _tree(folder: Path, handle: int, shape: re.Pattern[str], within: str, levels: int) -> Iterator[str]:
    with os.scandir(handle) as entries:
        for entry in entries:
            name = within + entry.name
            if levels > 1 and shape.fullmatch(f"{name}/") and entry.is_dir(follow_symlinks=False):
                below = os.open(entry.name, _FOLDER, dir_fd=handle)
                try:
                    yield from _tree(folder, below, shape, f"{name}/", levels - 1)
                finally:
                    os.close(below)
            elif shape.fullmatch(name):
                _check_file(folder / name, handle)
                yield name


_NEVER_CHANGED = {".sst"}
"""Files of the table that are written once; a copy of a collection may share them."""


def _empty(handle: int, shape: re.Pattern[str], within: str, levels: int) -> None:
    with os.scandir(handle) as listed:
        entries = list(listed)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False) and levels > 1 and shape.fullmatch(f"{within}{entry.name}/"):
            below = os.open(entry.name, _FOLDER, dir_fd=handle)
            try:
                _empty(below, shape, f"{within}{entry.name}/", levels - 1)
            finally:
                os.close(below)
            with suppress(OSError):  # as above
                os.rmdir(entry.name, dir_fd=handle)
        elif entry.is_file(follow_symlinks=False) and shape.fullmatch(within + entry.name):
            os.unlink(entry.name, dir_fd=handle)


def _copy(old: Path, new: Path) -> None:
    partial = new.with_name(new.name + PARTIAL)
    with open(old) as source, open(partial, "wb") as out:
        while piece := source.read(1 << 20):
            out.write(piece)
        out.flush()
        os.fsync(out.fileno())
    move(partial, new)
