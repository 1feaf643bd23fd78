"""One file takes the place of another, at once, whatever is killed meanwhile.

A row says which two files it is about before the new one is begun. The commit that moves the rows to the new file says
that it counts. Whoever opens the archive next finishes the swap, or throws the new file away if it does not count.
No swap of ours takes a file away that the archive still lists: a row that says so is wrong, and only the row goes.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from gossamer import files
from gossamer.rows import Size, decoder
from gossamer.store.table.table import Table
from gossamer.store.warc.warc import placed

DAMAGED = "damaged"
"""Beside the folder of the files: where those go that are replaced because they are damaged."""
END = b"end"
"""The last file of the last commit, and how long it was."""
LENGTH = b"length "
"""With the name of a file that is full: how long it is."""
_KEY = b"swap"


class Swap(msgspec.Struct, array_like=True, frozen=True):
    """Which file takes the place of which."""

    new: str
    old: str
    keep: bool
    """The old one is put aside, not deleted."""
    counts: bool = False

    @property
    def leaves(self) -> str:
        """The one of the two that goes."""
        return self.old if self.counts else self.new


swap_of = decoder(Swap)
end_of = decoder(tuple[str, Size])


def begin(table: Table, family: str, swap: Swap) -> None:
    """Before the new file is made."""
    table.put(family, _KEY, msgspec.msgpack.encode(swap))
    table.commit()


def let_count(table: Table, family: str, swap: Swap) -> None:
    """With the next commit the new file counts, and the old one does not."""
    table.put(family, _KEY, msgspec.msgpack.encode(msgspec.structs.replace(swap, counts=True)))


def replaced(table: Table, family: str) -> str:
    """The file of a swap that does not count, or not yet, though it may be there; mostly none."""
    data = table.get(family, _KEY)
    swap = swap_of(data) if data else None
    if swap is None or _is_listed(table, family, swap.leaves):
        return ""
    return swap.leaves  # a name to compare with, and no path


def resume(table: Table, family: str, folder: Path) -> Path | None:
    """Finish a swap that counts, or undo one that does not. Where the old file was put, if it was kept."""
    data = table.get(family, _KEY)
    if data is None:
        return None
    swap, kept = swap_of(data), None
    if not _is_listed(table, family, swap.leaves):
        kept = _take_away(swap, folder)
    table.delete(family, _KEY)
    table.commit()
    return kept


def _is_listed(table: Table, family: str, name: str) -> bool:
    """Is it a file of the archive? The commit that lets the new one count takes the old one off the list."""
    end = table.get(family, END)
    last = end_of(end)[0] if end else ""
    return name == last or table.get(family, LENGTH + name.encode()) is not None


def _take_away(swap: Swap, folder: Path) -> Path | None:
    kept, path = None, placed(folder, swap.leaves)
    try:
        if swap.counts and swap.keep:
            kept = files.put_aside(path, folder.parent / DAMAGED)
        else:
            files.remove(path)
        files.sync_folder(folder)
    except OSError as error:
        raise files.told(error, folder) from error
    return kept
