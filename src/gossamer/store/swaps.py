"""One file takes the place of another, at once, whatever is killed meanwhile.

A row says which two files it is about before the new one is begun. The commit that moves the rows to the new file says
that it counts. Whoever opens the archive next finishes the swap, or throws the new file away if it does not count.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from gossamer import files
from gossamer.store.table import Table
from gossamer.store.warc import placed

DAMAGED = "damaged"
"""Beside the folder of the files: where those go that are replaced because they are damaged."""
_KEY = b"swap"


class Swap(msgspec.Struct, array_like=True, frozen=True):
    """Which file takes the place of which."""

    new: str
    old: str
    keep: bool
    """The old one is put aside, not deleted."""
    counts: bool = False


_swap = msgspec.msgpack.Decoder(Swap).decode


def begin(table: Table, family: str, swap: Swap) -> None:
    """Before the new file is made."""
    table.put(family, _KEY, msgspec.msgpack.encode(swap))
    table.commit()


def let_count(table: Table, family: str, swap: Swap) -> None:
    """With the next commit the new file counts, and the old one does not."""
    table.put(family, _KEY, msgspec.msgpack.encode(msgspec.structs.replace(swap, counts=True)))


def replaced(table: Table, family: str) -> str:
    """The file that does not count any more, though it may still be there; mostly none."""
    data = table.get(family, _KEY)
    swap = _swap(data) if data else None
    return swap.old if swap and swap.counts else ""  # a name to compare with, and no path


def resume(table: Table, family: str, folder: Path) -> Path | None:
    """Finish a swap that counts, or undo one that does not. Where the old file was put, if it was kept."""
    data = table.get(family, _KEY)
    if data is None:
        return None
    swap, kept = _swap(data), None
    try:
        if not swap.counts:
            files.remove(placed(folder, swap.new))
        elif swap.keep:
            kept = files.put_aside(placed(folder, swap.old), folder.parent / DAMAGED)
        else:
            files.remove(placed(folder, swap.old))
        files.sync_folder(folder)
    except OSError as error:
        raise files.told(error, folder) from error
    table.delete(family, _KEY)
    table.commit()
    return kept
