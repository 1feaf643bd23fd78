"""How does a shard come back from the store? File by file, each held against its digest.

Whatever is killed meanwhile, files that are whole stay and are not fetched again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from gossamer import files
from gossamer.depot.depot import Depot
from gossamer.depot.heads import Head, KeptFile, digest_of
from gossamer.depot.objects import Objects
from gossamer.errors import Damaged
from gossamer.printable import counted

LOOKS_MOST = 100
"""How often heads are looked at that go on meanwhile."""
_NAME = re.compile(r"[A-Za-z0-9._-]{1,200}(?:/[A-Za-z0-9._-]{1,200}){0,2}")
_ANY = re.compile(r".*", re.DOTALL)


def heads_together(depot: Depot, shards: int) -> list[Head]:
    """One head of each shard, so that none has what another has not sent yet, whatever is published meanwhile."""
    heads: list[Head] = []
    for _ in range(LOOKS_MOST):
        found = [depot.line(shard).newest() for shard in range(shards)]
        heads = [head for head in found if head is not None and head.files]
        if len(heads) < shards:
            raise Damaged(
                f"{depot.url}: has checkpoints of {len(heads)} of {counted(shards, 'shard')};"
                " the first crawl has to go on"
            )
        if fit_together(heads):
            return heads
    raise Damaged(f"{depot.url}: its shards go on faster than they can be looked at; try again")


def fit_together(heads: Sequence[Head]) -> bool:
    """Has every shard sent what the others have of it?"""
    for here, head in enumerate(heads):
        for there, other in enumerate(heads):
            if head.marks and other.marks and head.marks[there][0] < other.marks[here][1]:
                return False
    return True


def restore(objects: Objects, head: Head, folder: Path) -> None:
    """Make a folder what a head says, and nothing else. What is there already and is the same stays.

    FileNotFoundError when the head is an old one, and what it needs was swept away.
    """
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
