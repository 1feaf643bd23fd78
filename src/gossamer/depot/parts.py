"""What does a shard consist of? Files that never change, files that only grow, and a few small ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from gossamer import files


class Stamp(msgspec.Struct, frozen=True, array_like=True):
    """By which a file that never changes is known again on this disk: another one of its name has another."""

    inode: int
    size: int
    modified: int


class Fixed(NamedTuple):
    """A file that never changes. `path` is where it can be read until the checkpoint is kept."""

    name: str
    path: Path


class Growing(NamedTuple):
    """A file that only grows: so much of it counts."""

    name: str
    path: Path
    length: int
    mark: str = ""
    """Another one of the same name has another mark."""


class Small(NamedTuple):
    """A file that is replaced as a whole."""

    name: str
    data: bytes


Part: TypeAlias = Fixed | Growing | Small


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A shard at one commit."""

    parts: tuple[Part, ...]
    sequence: int
    """Changes of its table up to here."""
    marks: tuple[tuple[int, int], ...] = ()
    counts: dict[str, float] | None = None


def stamp_of(path: Path) -> Stamp:
    """As it lies there."""
    found = files.about(path)
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)
