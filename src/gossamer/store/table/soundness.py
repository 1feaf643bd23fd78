"""Is a table sound? All of it is read, with its checksums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gossamer import files
from gossamer.errors import Damaged
from gossamer.store.table import sorted_files
from gossamer.store.table.manifest import CURRENT
from gossamer.store.table.table import Table


def damage(
    path: Path, families: Sequence[str], read: Callable[[str, bytes, bytes], None] = lambda *_: None
) -> str | None:
    """What is wrong with a table, all of which is read, with its checksums. Nobody may write to it meanwhile.

    `read` raises Damaged at a row, of that family, key and value, that says nothing.
    """
    try:
        with Table.open_alone(path, families) as table:
            named = files.read(path / CURRENT).decode().strip()
            if files.size(path / named) > sorted_files.LIST_MOST:
                return f"{named}: is larger than any list of files that we write"
            if sorted_files.is_torn(path / named):
                return f"{named}: is cut short"
            for name in table.files():
                if words := sorted_files.damage(path / name):
                    return words
            for family in table.families:
                if words := _wrong_row(table, family, read):
                    return f"{path}: {words}"
    except Damaged as error:
        return str(error.__cause__ or error)
    return None


def _wrong_row(table: Table, family: str, read: Callable[[str, bytes, bytes], None]) -> str | None:
    for key, value in table.stored(family):
        try:
            read(family, key, value)
        except Damaged as error:
            return f"{family}, {key[:100]!r}: {error}"
    return None
