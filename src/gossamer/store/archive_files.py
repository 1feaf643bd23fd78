"""Which files of captures are there, and how long was each at the last commit? What lies past that, a kill has left.

The WARC is its own redo log. A capture is written at once and whole, the row about it with the next commit; what a
kill leaves between the two is found again past the committed length (`uncommitted`) and registered, not refetched.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from gossamer import files
from gossamer.rows import number
from gossamer.store.repair.swaps import END, LENGTH, end_of, replaced, resume
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE
from gossamer.store.warc.reader import Group, cut, forget_cached, whole_captures, write_again
from gossamer.store.warc.warc import NAME, placed, warc_files


class ArchiveFiles:
    """The files of captures of a shard, as its table knows them."""

    def __init__(self, table: Table, folder: Path) -> None:
        self._table = table
        self._folder = folder

    def committed(self) -> tuple[str, int]:
        """The last WARC file of the last commit, and how long it was."""
        stored = self._table.get(STATE, END)
        return end_of(stored) if stored else ("", 0)

    def reached(self, file: str, end: int) -> None:
        """All captures up to there have their rows, with the next commit."""
        self._close_before(file)
        self._table.put(STATE, END, msgspec.msgpack.encode((file, end)))

    def _close_before(self, last: str) -> None:
        """Files that are full keep their length, so that it shows when something is cut off or lost, now or before."""
        first, length = self.committed()
        if first in ("", last):
            return
        lengths = {path.name: files.size(path) for path in warc_files(self._folder) if first <= path.name < last}
        lengths[first] = max(lengths.get(first, 0), length)
        for name, size in lengths.items():
            self.set_length(name, size)

    def set_length(self, file: str, length: int | None) -> None:
        """How long a file is that nothing is appended to any more; None: there is no such file."""
        if length is None:
            self._table.delete(STATE, LENGTH + file.encode())
        else:
            self._table.put(STATE, LENGTH + file.encode(), length.to_bytes(8, "big"))

    def all(self) -> list[tuple[Path, int]]:
        """The WARC files that are there, with their committed lengths."""
        last, passed, lengths = self.committed()[0], replaced(self._table, STATE), self.lengths()
        found = {path.name: path for path in warc_files(self._folder) if path.name <= last and path.name != passed}
        for name in lengths.keys() - found.keys():  # a reader lists what it could open, and need not have opened all
            if files.kind(path := placed(self._folder, name)):
                found[name] = path
        return [(path, lengths[name] if name in lengths else files.size(path)) for name, path in sorted(found.items())]

    def lengths(self) -> dict[str, int]:
        """The files that the last commit has, there or not, and how long they were."""
        rows = self._table.scan(STATE, prefix=LENGTH)
        lengths = {key[len(LENGTH) :].decode(errors="replace"): number(value) for key, value in rows}
        lengths.update([self.committed()])
        return {name: length for name, length in lengths.items() if NAME.fullmatch(name)}

    def missing(self) -> list[str]:
        """The files that should be there, and are not."""
        return sorted(self.lengths().keys() - {path.name for path, _ in self.all()})

    def forget_missing(self) -> None:
        """With the next commit nobody looks for them any more. Their rows are gone before."""
        gone, there = self.missing(), self.all()
        for name in gone:
            self.set_length(name, None)
        if self.committed()[0] not in gone:
            return
        self._table.delete(STATE, END)
        if there:
            path, length = there[-1]
            self.set_length(path.name, None)
            self._table.put(STATE, END, msgspec.msgpack.encode((path.name, length)))

    # ------------------------------------------------------------ after a kill

    def uncommitted_bytes(self) -> int:
        """What a killed crawl left past the committed length."""
        name, length = self.committed()
        sizes = {path.name: files.size(path) for path in warc_files(self._folder)}
        return sum(size for each, size in sizes.items() if each > name) + max(sizes.get(name, 0) - length, 0)

    def uncommitted(self) -> Iterator[Group]:
        """Whole captures past the committed length, in order; what is cut short after the last is cut off.

        A sync of them may have failed. Then they are in memory, and not on the disk, and the kernel takes them for
        written: so they are read from the disk, and what is whole is written once more, for the next sync to mean it.
        """
        resume(self._table, STATE, self._folder)
        name, length = self.committed()
        for path in warc_files(self._folder):
            if path.name < name:
                continue
            end = start = length if path.name == name else 0
            forget_cached(path, start)
            for group in whole_captures(path, start, asides=True):
                yield group
                end = group.end
            if files.size(path) > end:
                cut(path, end)
            write_again(path, start, end)
