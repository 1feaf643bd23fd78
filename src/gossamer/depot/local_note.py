"""Which checkpoint is a folder on this disk made from? A note beside the files of a shard says so.

It names the lives that have worked on this folder. If the last head of the store is of one of them, the folder has all
that the store has, and perhaps more. If it is of another, somebody has gone on elsewhere, and this is out of date.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from gossamer import files
from gossamer.depot.parts import Stamp
from gossamer.errors import Damaged

FILE = "depot"


class LocalNote(msgspec.Struct, frozen=True):
    """What is known of a folder."""

    depot: str
    """The name of the store's collection."""
    claims: tuple[str, ...]
    sequence: int = 0
    """Changes of the table that the last checkpoint had."""
    stamps: Mapping[str, Stamp] = {}
    """The files of that checkpoint, as they lie here."""


def read(folder: Path) -> LocalNote | None:
    """None where the folder never had to do with a store."""
    try:
        return msgspec.json.decode(files.read(folder / FILE, files.size(folder / FILE)), type=LocalNote)
    except FileNotFoundError:
        return None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Damaged(f"{folder / FILE}: cannot be read ({error}); remove the folder, and it is restored") from error


def write(folder: Path, note: LocalNote) -> None:
    """It lasts when this returns."""
    files.replace(folder / FILE, msgspec.json.encode(note))
