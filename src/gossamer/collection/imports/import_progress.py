"""How far is each file taken in? A row for each says so, in the commit that has what came from it.

Captures are under way beside each other, so a file counts as read up to the first that is not done.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gossamer.collection.column_families import IMPORTS
from gossamer.collection.imports.import_files import ImportFile
from gossamer.rows import Size, decoder
from gossamer.store.table.table import Table


class Row(msgspec.Struct, array_like=True, frozen=True):
    """How far a file was taken in."""

    name: str
    offset: Size
    done: bool


row_of = decoder(Row)


class ImportProgress:
    """The files of an import, by their numbers, as one shard has them."""

    def __init__(self, imported_files: Sequence[ImportFile], table: Table) -> None:
        self._files = imported_files
        self._table = table
        rows = [self._row(import_file) for import_file in imported_files]
        self._offsets = [row.offset for row in rows]
        self.finished = {number for number, row in enumerate(rows) if row.done}
        """Files that need no reading any more, as of the last commit."""
        self._over = set(self.finished)
        """All of it has come."""
        self._lacking: set[int] = set()
        """Files to be tried again: they cannot be read, or have revisits whose payload is not here."""
        self._moved: set[int] = set()
        """Files about which there is something new."""
        self._last = 0
        self._places: dict[int, tuple[int, int]] = {}
        """File and offset of what is under way, by a number; and of what waits for its payload to come."""
        self._waiting: dict[int, tuple[int, int]] = {}

    # -------------------------------------------------------------------- what

    def begin(self, number: int, offset: int) -> int:
        """Something of a file is under way from now on; the number by which that is known."""
        self.reach(number, offset)
        self._last += 1
        self._places[self._last] = (number, offset)
        return self._last

    def end(self, place: int) -> None:
        """It is done, or put off."""
        self._places.pop(place, None)

    def put_off(self, place: int) -> None:
        """It is done later than what comes after it."""
        self._waiting[place] = self._places.pop(place)

    def resume(self, place: int) -> None:
        """What was put off is under way again."""
        self._places[place] = self._waiting.pop(place)

    def give_up(self, place: int) -> None:
        """What was put off does not come."""
        self._waiting.pop(place)

    def reach(self, number: int, offset: int) -> None:
        """A file was read up to there."""
        self._offsets[number] = offset
        self._moved.add(number)

    def over(self, number: int) -> None:
        """All of a file has come."""
        self._over.add(number)
        self._moved.add(number)

    def lack(self, number: int) -> None:
        """A file has something that is not here; it is to be read again."""
        self._lacking.add(number)

    def file_of(self, place: int) -> int:
        """The file that something under way is from."""
        return (self._places.get(place) or self._waiting[place])[0]

    # ------------------------------------------------------------------ how far

    @property
    def all_over(self) -> bool:
        """All of all files has come."""
        return len(self._over) == len(self._files)

    @property
    def under_way(self) -> bool:
        """Something is, but for what was put off."""
        return bool(self._places)

    def is_first(self, place: int) -> bool:
        """Nothing that came before is under way any more."""
        return min(self._places) == place

    def told(self, number: int) -> tuple[int, bool]:
        """From which offset on a file is to be read, and whether that is needed no more."""
        return self._lowest().get(number, self._offsets[number]), number in self._over

    def prepare(self) -> None:
        """Into the next commit."""
        lowest = self._lowest()
        for number in sorted(self._moved):
            import_file = self._files[number]
            done = number in self._over and number not in lowest
            if done and number in self._lacking:
                self._table.delete(IMPORTS, import_file.mark)
            else:
                offset = 0 if done else lowest.get(number, self._offsets[number])
                row = Row(import_file.name, offset, done)
                self._table.put(IMPORTS, import_file.mark, msgspec.msgpack.encode(row))
                self.finished |= {number} if done else set()
        self._moved = {number for number in self._moved if number in lowest or number not in self._over}

    def _lowest(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for number, offset in (*self._places.values(), *self._waiting.values()):
            found[number] = min(found.get(number, offset), offset)
        return found

    def _row(self, import_file: ImportFile) -> Row:
        stored = self._table.get(IMPORTS, import_file.mark)
        return row_of(stored) if stored else Row(import_file.name, 0, done=False)
