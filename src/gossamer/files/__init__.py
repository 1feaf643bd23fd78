"""What may be touched on the disk of a collection? The one door to its files.

Collections are handed around, and one may have been made to harm: a link in the place of a file or folder would let us
overwrite, cut or delete what lies elsewhere, and a FIFO would let us wait for ever. So a path is walked folder by
folder from its root, no link is followed, and only a regular file is opened; what stands in its place is `Damaged`,
with the cure. Names are matched against the shape of those we make: what we did not make is not listed or deleted.

A path that comes here has no link above the collection either: `collection/folder.py` sees to that, so DIR itself may
be one. Libraries that open files by themselves are let in after `require_plain` has looked at all there is. Whoever
writes has anchored DIR (`anchors`): it is the same directory then, whatever is moved to its place.
"""

from __future__ import annotations

import builtins
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EDQUOT, EFBIG, EIO, ENOSPC, EXDEV
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

from gossamer.errors import Damaged, StorageError, shortage
from gossamer.files import walk
from gossamer.files.walk import (
    FOLDER,
    PLAIN,
    bare,
    check,
    check_file,
    descended,
    folder_of,
    kind_of,
    named,
    refused,
)
from gossamer.held import Held

Mode: TypeAlias = Literal["rb", "r+b", "ab", "wb"]
SMALL = 16 << 20
"""Bytes of a file that is read at once, at most."""
A_FILE, A_FOLDER, A_LINK = walk.A_FILE, walk.A_FOLDER, walk.A_LINK
"""Answers of `kind`."""
PARTIAL = ".partial"
"""At the end of the name of a file that counts for nothing yet."""

_LEVELS = 3


# ----------------------------------------------------------------------- opening


def descriptor(path: Path, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
    """Open a regular file, by the flags of `os.open`."""
    if isinstance(path, Held) and path.handle is not None:
        return _once_more(path.handle)
    with named(path), folder_of(path) as folder:
        check_file(path, folder, flags)  # before it is opened: opening a device may do things
        handle = os.open(path.name, flags & ~os.O_TRUNC | PLAIN | os.O_NONBLOCK, mode, dir_fd=folder)
    try:
        check(path, os.fstat(handle), flags)
        if flags & os.O_TRUNC:
            os.ftruncate(handle, 0)
    except BaseException:
        os.close(handle)
        raise
    return handle


def folder_descriptor(folder: Path) -> int:
    """Open a folder itself, to lock it or to make it last."""
    return descended(folder, FOLDER)


def close_to_others(folder: Path) -> None:
    """Only its owner may enter a folder from now on."""
    handle = descended(folder, FOLDER)
    try:
        if stat.S_IMODE(os.fstat(handle).st_mode) != 0o700:
            os.fchmod(handle, 0o700)
    finally:
        os.close(handle)


def open(path: Path, mode: Mode = "rb", buffering: int = -1) -> BinaryIO:
    """Open a regular file, as Python does."""
    return builtins.open(path, mode, buffering, opener=lambda _, flags: descriptor(path, flags))


def read(path: Path, most: int = SMALL) -> bytes:
    """All of a small file."""
    with named(path), open(path, buffering=0) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise Damaged(f"{path}: is larger than any that we write; move it away")
        return file.read(most)


def read_at(path: Path, length: int, offset: int) -> bytes:
    """Some bytes of a regular file, as many as there are. One that is held is not opened again."""
    if isinstance(path, Held) and path.handle is not None:
        return os.pread(path.handle, length, offset)
    handle = descriptor(path)
    try:
        return os.pread(handle, length, offset)
    finally:
        os.close(handle)


def about(path: Path) -> os.stat_result:
    """What the system says of a regular file."""
    return walk.about(path)


def size(path: Path) -> int:
    """Bytes of a regular file."""
    if isinstance(path, Held) and path.handle is not None:
        return os.fstat(path.handle).st_size
    return about(path).st_size


def is_same(path: Path, handle: int) -> bool:
    """Is this file the one that is open?"""
    try:
        return os.path.samestat(about(path), os.fstat(handle))
    except FileNotFoundError:
        return False


def is_file(path: Path) -> bool:
    """Is there a regular file? Something else in its place is no answer."""
    try:
        size(path)
    except FileNotFoundError:
        return False
    return True


def is_folder(path: Path) -> bool:
    """Is there a folder? Something else in its place is no answer."""
    if isinstance(path, Held) and path.below is not None:
        return True
    try:
        os.close(descended(path))
    except FileNotFoundError:
        return False
    return True


def kind(path: Path) -> str:
    """What is there, in words; nothing when there is nothing."""
    try:
        with named(path), folder_of(path) as folder:
            return kind_of(os.stat(bare(path), dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return ""


def names(folder: Path, shape: re.Pattern[str]) -> list[str]:
    """The regular files of a folder whose whole name is of that shape, in order. Without the folder, none."""
    if isinstance(folder, Held) and folder.below is not None:
        return sorted(name for name, each in folder.below.items() if each.below is None and shape.fullmatch(name))
    return _listed(folder, shape, A_FILE)


def folders(folder: Path, shape: re.Pattern[str]) -> list[str]:
    """The folders in a folder, likewise."""
    return _listed(folder, shape, A_FOLDER)


def entries(folder: Path) -> list[str]:
    """The names of all that is in a folder, whatever it is; in order."""
    handle = descended(folder, FOLDER)
    try:
        return sorted(os.listdir(handle))
    finally:
        os.close(handle)


def tree(folder: Path, shape: re.Pattern[str]) -> list[str]:
    """The files of a folder and below, by the shape of `name`, `below/` or `below/name`; in order."""
    handle = descended(folder, FOLDER)
    try:
        return sorted(_tree(folder, handle, shape, "", _LEVELS))
    finally:
        os.close(handle)


def require_plain(folder: Path, *, writing: bool) -> None:
    """Before a library opens what is in a folder: regular files and folders, and nothing else."""
    if isinstance(folder, Held) and folder.below is not None:
        return  # it came in by this door
    handle = descended(folder, FOLDER)
    try:
        _require_plain(folder, handle, writing, _LEVELS)
    finally:
        os.close(handle)


def address(path: Path) -> str:
    """What a library can open a file by, to read it."""
    held = isinstance(path, Held) and path.handle is not None
    return f"/proc/self/fd/{path.handle}" if held else str(path.absolute())  # type: ignore[attr-defined]  # it is one


# ---------------------------------------------------------------------- changing


def make_folder(path: Path) -> None:
    """A folder, with those above it; it lasts."""
    try:
        os.close(descended(path))
    except FileNotFoundError:
        make_folder(path.parent)
        with folder_of(path) as above, suppress(FileExistsError):
            os.mkdir(path.name, dir_fd=above)
        with suppress(PermissionError):  # one may be allowed to add to a folder and not to read it
            sync_folder(path.parent)
        os.close(descended(path))


def replace(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Put a file in the place of another, at once or not at all; it lasts."""
    partial = path.with_name(path.name + PARTIAL)
    remove(partial)
    with suppress(FileNotFoundError):  # what its owner has closed stays closed
        mode &= stat.S_IMODE(about(path).st_mode)
    with builtins.open(descriptor(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    move(partial, path)
    sync_folder(path.parent)


def move(old: Path, new: Path) -> None:
    """Rename a file; one of the new name goes. Between two disks it is copied."""
    with folder_of(old) as here, folder_of(new) as there:
        check_file(old, here)
        check_file(new, there)
        try:
            os.rename(old.name, new.name, src_dir_fd=here, dst_dir_fd=there)
            return
        except OSError as error:
            if error.errno != EXDEV:
                raise
    _copy(old, new)
    remove(old)


def move_folder(old: Path, new: Path) -> None:
    """Rename a folder; of the new name there may be an empty one."""
    with folder_of(old) as here, folder_of(new) as there:
        os.rename(old.name, new.name, src_dir_fd=here, dst_dir_fd=there)


def open_like_folder(path: Path) -> None:
    """Whoever may read the folder may read this file: a library has written it for its own user alone."""
    with suppress(FileNotFoundError, PermissionError), folder_of(path) as folder:
        handle = descriptor(path)
        try:
            os.fchmod(handle, os.fstat(folder).st_mode & 0o666)
        finally:
            os.close(handle)


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
        with folder_of(path) as here, folder_of(target) as there:
            os.rename(path.name, target.name, src_dir_fd=here, dst_dir_fd=there)
    sync_folder(aside)
    return target


def remove(path: Path) -> None:
    """Delete a regular file, if there is one."""
    try:
        with folder_of(path) as folder:
            check_file(path, folder)
            os.unlink(path.name, dir_fd=folder)
    except FileNotFoundError:
        pass


def remove_folder(folder: Path, shape: re.Pattern[str]) -> None:
    """Delete what we made in a folder, by the shape of `name`, `below/` or `below/name`; and itself, if that is all."""
    try:
        handle = descended(folder, FOLDER)
    except FileNotFoundError:
        return
    try:
        _empty(handle, shape, "", _LEVELS)
    finally:
        os.close(handle)
    with folder_of(folder) as above, suppress(OSError):  # not empty: something is not ours
        os.rmdir(folder.name, dir_fd=above)


def remove_tree(folder: Path) -> None:
    """Delete a folder of ours with all that is in it, if there is one. Links in it go, and not what they lead to."""
    with suppress(FileNotFoundError), folder_of(folder) as above:
        shutil.rmtree(folder.name, dir_fd=above)


def link(old: Path, new: Path) -> None:
    """A second name for a file that never changes: it stays readable there, whoever removes the first."""
    with folder_of(old) as here, folder_of(new) as there:
        check_file(old, here)
        os.link(old.name, new.name, src_dir_fd=here, dst_dir_fd=there, follow_symlinks=False)


def sync_folder(folder: Path) -> None:
    """A new file lasts when its folder does."""
    handle = descended(folder, FOLDER)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


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


# ------------------------------------------------------------------------- within


def _once_more(handle: int) -> int:
    """A descriptor of the same file, deleted or not, for reading from its beginning."""
    try:
        return os.open(f"/proc/self/fd/{handle}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # a system without it
        again = os.dup(handle)
        os.lseek(again, 0, os.SEEK_SET)
        return again


def _listed(folder: Path, shape: re.Pattern[str], wanted: str) -> list[str]:
    try:
        handle = descended(folder, FOLDER)
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
                        raise refused(folder / entry.name, entry.stat(follow_symlinks=False), wanted)
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
                below = os.open(entry.name, FOLDER, dir_fd=handle)
                try:
                    _require_plain(path, below, writing, levels - 1)
                finally:
                    os.close(below)
            elif writing or not entry.is_file(follow_symlinks=False):
                check_file(path, handle, os.O_WRONLY if writing else 0)


def _tree(folder: Path, handle: int, shape: re.Pattern[str], within: str, levels: int) -> Iterator[str]:
    with os.scandir(handle) as entries:
        for entry in entries:
            name = within + entry.name
            if levels > 1 and shape.fullmatch(f"{name}/") and entry.is_dir(follow_symlinks=False):
                below = os.open(entry.name, FOLDER, dir_fd=handle)
                try:
                    yield from _tree(folder, below, shape, f"{name}/", levels - 1)
                finally:
                    os.close(below)
            elif shape.fullmatch(name):
                check_file(folder / name, handle)
                yield name


def _empty(handle: int, shape: re.Pattern[str], within: str, levels: int) -> None:
    with os.scandir(handle) as listed:
        entries = list(listed)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False) and levels > 1 and shape.fullmatch(f"{within}{entry.name}/"):
            below = os.open(entry.name, FOLDER, dir_fd=handle)
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
