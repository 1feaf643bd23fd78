"""How does a shard come back from the store? File by file into a folder of its own, which gets its name at the end.

Whatever is killed meanwhile, files that are whole stay and are not fetched again. If the head that was begun with is
swept away, because its owner goes on, the newest one is taken, with all files that are the same in both.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from gossamer import files
from gossamer.depot.heads import Head, KeptFile, Line, digest_of
from gossamer.depot.objects import Objects
from gossamer.errors import Damaged

TRIES = 10
"""Heads that are begun with. Each has most files of the one before."""
_NAME = re.compile(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+){0,2}")
_ANY = re.compile(r".*", re.DOTALL)


def restore(objects: Objects, line: Line, folder: Path) -> Head:
    """Make a folder what the newest head says, and nothing else. What is there already and is the same stays."""
    for left in reversed(range(TRIES)):
        head = line.newest()
        if head is None:
            raise Damaged(f"shard {line.shard}: the store has no checkpoint of it; it cannot be restored from there")
        try:
            _fill(objects, head, folder)
        except FileNotFoundError as error:
            if not left or line.newest() == head:
                raise Damaged(
                    f"shard {line.shard}: an object of its checkpoint is gone from the store ({error})"
                ) from error
            continue
        return head
    raise AssertionError("the last try decides")


def _fill(objects: Objects, head: Head, folder: Path) -> None:
    files.make_folder(folder)
    wanted = {_checked(name): kept for name, kept in head.files.items()}
    for name in files.tree(folder, _ANY):
        if name not in wanted:
            files.remove(folder / name)
    for name, kept in wanted.items():
        path = folder / name
        files.make_folder(path.parent)
        if not _is_whole(path, kept):
            _fetch(objects, kept, path)
    for below in {(folder / name).parent for name in wanted}:
        files.sync_folder(below)


def _checked(name: str) -> str:
    """A store may be anybody's: no name leads out of the folder."""
    if not _NAME.fullmatch(name) or ".." in PurePosixPath(name).parts:
        raise Damaged(f"{name!r}: no file of a shard is called so; the store was written by somebody else")
    return name


def _is_whole(path: Path, kept: KeptFile) -> bool:
    if not files.is_file(path) or files.size(path) != kept.size:
        return False
    start = 0
    for piece in kept.pieces:
        if digest_of(files.read_at(path, piece.length, start)) != piece.digest:
            return False
        start += piece.length
    return True


def _fetch(objects: Objects, kept: KeptFile, path: Path) -> None:
    files.remove(path)
    with files.open(path, "wb") as file:
        for piece in kept.pieces:
            data = objects.get_range(piece.object, piece.offset, piece.length)
            if digest_of(data) != piece.digest:
                raise Damaged(
                    f"{piece.object}: is damaged in the store, at byte {piece.offset:,}; {path.name} needs it"
                )
            file.write(data)
        file.flush()
        os.fsync(file.fileno())
