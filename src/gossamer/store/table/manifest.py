"""How does a reader come into a table without leaving anything there? By way of a folder that links to its manifest.

A manifest lists the sorted files that count. RocksDB looks for it where it opens a table, and for all else where it is
told to: so what it and rocksdict write goes to the folder with the link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gossamer import files
from gossamer.errors import Damaged
from gossamer.store.table.locality import places

CURRENT = "CURRENT"
NEWBORN = 1 << 10
"""Bytes of a manifest that may have no family yet; with all of them it is larger."""
_NAME = re.compile(r"MANIFEST-[0-9]+").fullmatch


class Mark(NamedTuple):
    """Which manifest counts, and how far. As long as it is the same, no sorted file and no log has come or gone."""

    current: bytes
    """What names it."""
    length: int


def mark(path: Path) -> Mark:
    """That of a table now."""
    try:
        current = files.read(path / CURRENT)
        with suppress(FileNotFoundError):  # gone for good, or a writer that opens the table has just replaced it
            return Mark(current, files.size(path / _named(current)))
        return Mark(current, -1)
    except FileNotFoundError as error:
        cure = "`gossamer verify DIR --repair` makes it again from the archive"
        raise Damaged(f"{path}: there is no table here; {cure}") from error
    except OSError as error:
        raise files.unreadable(error, Path(error.filename or path)) from error


def is_born(path: Path, families: Iterable[str]) -> bool:
    """Was it made as far as rows could be written? A process that is killed may leave half a table, without any.

    RocksDB first writes a manifest, then the file that names it, and then adds family after family to the manifest. A
    table that has lost one of these is damaged, and no beginning: its sorted files and logs tell.
    """
    if not files.is_folder(path):
        return False
    names = files.entries(path)
    if CURRENT not in names:
        return any(name.endswith((".log", ".sst")) for name in names)
    try:
        manifest = path / _named(files.read(path / CURRENT))
        made = files.read(manifest) if files.size(manifest) <= NEWBORN else None
    except (OSError, Damaged):
        return True  # whoever opens it says what is wrong
    columns = {place.column for place in places(families).values()}.union(families)
    return made is None or any(name.encode() in made for name in columns)


def make_door(place: str, current: bytes, scratch: Path) -> Path:
    """A folder that can be opened in the place of the table, which has this name as long as it is read."""
    door = scratch / "table"
    door.mkdir()
    (door / CURRENT).write_bytes(current)
    (door / _named(current)).symlink_to(f"{place}/{_named(current)}")
    return door


def _named(current: bytes) -> str:
    """The name of the manifest: a bare one, whatever the file says."""
    name = current.decode("ascii", "replace").strip()
    return name if _NAME(name) else "MANIFEST"
