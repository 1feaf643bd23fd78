"""What is there, and what does it say? Files are opened and folders listed, and nothing is changed."""

from __future__ import annotations

import builtins
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

from gossamer.errors import Damaged
from gossamer.files import walk
from gossamer.files.walk import (
    A_FILE,
    A_FOLDER,
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
from gossamer.pinned_path import Held

Mode: TypeAlias = Literal["rb", "r+b", "ab", "wb"]
SMALL = 16 << 20
"""Bytes of a file that is read at once, at most."""
LEVELS = 3
"""Of folders that a folder of ours has below it, at most."""


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


def open(path: Path, mode: Mode = "rb", buffering: int = -1) -> BinaryIO:
    """Open a regular file, as Python does."""
    return builtins.open(path, mode, buffering, opener=lambda _, flags: descriptor(path, flags))


def read(path: Path, most: int = SMALL) -> bytes:
    """All of a small file."""
    with named(path), open(path, buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise Damaged(f"{path}: is larger than any that we write; move it away")
        return file.read(min(most, size + SMALL))  # it may grow meanwhile, and all of `most` would be set aside


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
        return sorted(_tree(folder, handle, shape, "", LEVELS))
    finally:
        os.close(handle)


def require_plain(folder: Path, *, writing: bool) -> None:
    """Before a library opens what is in a folder: regular files and folders, and nothing else."""
    if isinstance(folder, Held) and folder.below is not None:
        return  # it came in by this door
    handle = descended(folder, FOLDER)
    try:
        _require_plain(folder, handle, writing, LEVELS)
    finally:
        os.close(handle)


def address(path: Path) -> str:
    """What a library can open a file by, to read it."""
    held = isinstance(path, Held) and path.handle is not None
    return f"/proc/self/fd/{path.handle}" if held else str(path.absolute())  # type: ignore[attr-defined]  # it is one


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
