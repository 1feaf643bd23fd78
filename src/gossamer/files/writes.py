"""How is something made, moved or removed so that it lasts, and nothing else is touched?"""

from __future__ import annotations

import builtins
import os
import re
import shutil
import stat
from contextlib import suppress
from errno import EXDEV
from pathlib import Path

from gossamer.files.reads import LEVELS, about, descriptor, kind, open
from gossamer.files.walk import A_FILE, FOLDER, check_file, descended, folder_of

PARTIAL = ".partial"
"""At the end of the name of a file that counts for nothing yet."""


def close_to_others(folder: Path) -> None:
    """Only its owner may enter a folder from now on."""
    handle = descended(folder, FOLDER)
    try:
        if stat.S_IMODE(os.fstat(handle).st_mode) != 0o700:
            os.fchmod(handle, 0o700)
    finally:
        os.close(handle)


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
        _empty(handle, shape, "", LEVELS)
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
