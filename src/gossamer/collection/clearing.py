"""What stands in the place of a file or folder of ours and is none is put aside, as the first step of a repair.

A folder or a FIFO where a file should be is refused by whoever opens it (`files`). Once it is out of the way, the file
is but missing, and that is mended like any other loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gossamer import files
from gossamer.collection.folder import INDEX, LINKS, PRINTS, SHARDS, TABLE, Folder
from gossamer.store.archive import FOLDER as CAPTURES
from gossamer.store.swaps import DAMAGED
from gossamer.store.texts import FOLDER as TEXTS

_PARTS = (CAPTURES, TEXTS, TABLE, INDEX, str(Path(LINKS).parent), "seen", PRINTS)
"""Folders of a shard that hold files and nothing else."""


def clear(folder: Folder) -> Iterator[Path]:
    """Where things are now that were in the way."""
    root = folder.path
    for name in ("lock", "gate"):
        yield from _aside(root / name, files.A_FILE, root / DAMAGED)
    if files.kind(root / SHARDS) != files.A_FOLDER:
        return
    for name in files.entries(root / SHARDS):
        if name.isdecimal() and files.kind(root / SHARDS / name) == files.A_FOLDER:
            yield from _clear_shard(root / SHARDS / name)


def _clear_shard(shard: Path) -> Iterator[Path]:
    yield from _aside(shard / "reading", files.A_FILE, shard / DAMAGED)
    for part in _PARTS:
        yield from _aside(shard / part, files.A_FOLDER, shard / DAMAGED)
        if files.kind(shard / part) == files.A_FOLDER:
            for name in files.entries(shard / part):
                yield from _aside(shard / part / name, files.A_FILE, shard / DAMAGED)


def _aside(path: Path, wanted: str, aside: Path) -> Iterator[Path]:
    """A link stays and is refused: who has made it, as to put a part on another disk, has lost nothing."""
    if files.kind(path) not in ("", wanted, files.A_LINK) and (moved := files.put_aside(path, aside)):
        yield moved
