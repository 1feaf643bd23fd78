"""Every way to spoil a file of a collection.

    for file, damage in product(files(sound), DAMAGES): ...

A later step that adds a file to collections has nothing to do: all files that are there are tried, with all verbs of
`reading_verbs`. A file whose damage need not be seen is named in HARMLESS, with the reason.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

Damage: TypeAlias = Callable[[Path], None]


def emptied(path: Path) -> None:
    """Nothing is left in it."""
    path.write_bytes(b"")


def removed(path: Path) -> None:
    """It is gone."""
    path.unlink()


def halved(path: Path) -> None:
    """Its second half is gone."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flipped(path: Path) -> None:
    """One bit is another one, always the same for a name."""
    data = bytearray(path.read_bytes())
    chance = random.Random(path.name)
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def replaced(path: Path) -> None:
    """A folder has its name."""
    path.unlink()
    path.mkdir()


DAMAGES: tuple[Damage, ...] = (emptied, removed, halved, flipped, replaced)

HARMLESS: dict[str, str] = {
    r"lock": "it says who writes now, and is written anew by who does",
    r"shards/\d+/reading": "it names the page that is being read, and is empty between crawls",
    r".*\.lock": "the index's own locks, which hold nothing",
    r"shards/\d+/table/(LOCK|LOG.*|IDENTITY|OPTIONS-\d+|rocksdict-config\.json)": "RocksDB reads no row from them",
    r"shards/\d+/table/\d+\.log": "its log is empty when a crawl has ended in good order",
    r"(.*/)?\.managed\.json": "the engine's list of files to sweep away",
}
"""Files whose damage need not be seen by `verify`, and why."""
UNSEEN_FLIPS: dict[str, str] = {
    r"plan\.toml": "people edit it, and a letter that is another one may be meant",
    r"shards/\d+/index/meta\.json": "it has no checksum; what the index answers is compared with the rows",
}
"""The same for a single bit."""


def files(folder: Path) -> list[str]:
    """All files of a collection."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def is_harmless(name: str, damage: Damage) -> bool:
    """Need nobody notice when this file is damaged?"""
    shapes = (*HARMLESS, *(UNSEEN_FLIPS if damage is flipped else ()))
    return any(re.fullmatch(shape, name) for shape in shapes)


def can(damage: Damage, path: Path) -> bool:
    """An empty file cannot be emptied."""
    return path.stat().st_size > 0 or damage in (removed, replaced)
