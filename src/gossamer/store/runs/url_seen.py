"""Have these fingerprints been met? Asked for a batch at once, durable with every commit, in little memory.

The idea is Mercator's sieve, as BUbiNG has it (Boldi et al., WWW 2014), and DRUM of IRLbot (Lee et al., WWW 2008):
check and insert in sorted batches. They rewrite one sorted file for each batch. We keep sorted runs that grow by
merging (the LSM tree of O'Neil et al., 1996), so that a key is rewritten once for each level, a handful of times at
most; and the answer comes at once, so that no address has to wait on disk for it.

What came since the last run is in memory, and in rows of the table, one for each commit. The table also lists the
runs that count. Files come first, then the commit that lists them, then the old files go: a kill at any moment leaves
all that was committed, and files in no list are swept away.

`runs` is loaded with the first run: most crawls never have one, and need no NumPy.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gossamer import files
from gossamer.errors import Damaged
from gossamer.rows import damaged, decoder, number
from gossamer.store.table.table import Table

if TYPE_CHECKING:
    from gossamer.store.runs.runs import Merge, Run

ABSENT = -1
"""In place of a mark: the sieve does not have this key."""
SEEN = "seen"
"""`runs` -> which files count; `fresh`, sequence number -> what one commit added that is in no run yet"""
FAMILIES = (SEEN,)

NAME = re.compile(r"[0-9]{8,}\.(?:keys|marks)(?:\.partial)?")
"""What `runs` calls its files."""
_LIST = b"runs"
_FRESH = b"fresh"


class Shape(NamedTuple):
    """How a sieve grows."""

    generation: int = 1 << 17
    """Keys in memory that make a run."""
    fan: int = 4
    """Runs of one level that make a run of the next."""
    at_once: int = 200_000
    """Keys that are merged before a commit, at most."""


USUAL = Shape()


class Sieve:
    """Marks of one byte by fingerprint."""

    def __init__(self, table: Table, folder: Path, shape: Shape = USUAL) -> None:
        self._table = table
        self._folder = folder
        self._shape = shape
        self._young: dict[int, int] = {}
        self._unsaved: dict[int, int] = {}
        self._rows = 0
        self._runs: list[Run] = []
        self._next = 0
        self._born: dict[int, int] = {}
        """Commits that had been made when a run was written."""
        self._merges: dict[int, Merge] = {}
        self._old: list[tuple[int, Run]] = []
        """Runs that were merged, and how many commits had been made by then."""
        self.fault = ""
        """Why it does not hold all that it should; empty when it does."""
        try:
            files.make_folder(folder)
            self._load()
        except OSError as error:
            raise files.told(error, folder) from error

    @property
    def runs(self) -> int:
        """Files that a batch is looked up in."""
        return len(self._runs)

    def marks(self, prints: list[int]) -> list[int]:
        """What was put for each fingerprint last; ABSENT when nothing was."""
        young = self._young
        found = [young.get(each, ABSENT) for each in prints]
        rest = [each for each, mark in zip(prints, found, strict=True) if mark == ABSENT]
        if not rest or not self._runs:
            return found
        from gossamer.store.runs.runs import look_up

        stored = iter(look_up(reversed(self._runs), rest, ABSENT))
        return [next(stored) if mark == ABSENT else mark for mark in found]

    def put(self, fingerprint: int, mark: int) -> None:
        """Seen by every later look, durable with the next commit."""
        self._young[fingerprint] = self._unsaved[fingerprint] = mark

    def prepare(self) -> None:
        """What is new becomes part of the next commit; one slice of merging is done."""
        try:
            self._sweep()
            if len(self._young) >= self._shape.generation:
                self._spill()
            else:
                self._save()
            self._merge()
        except OSError as error:
            raise files.told(error, self._folder) from error

    def restart(self) -> None:
        """Empty it, to be filled again from elsewhere."""
        self._runs, self._young, self._unsaved, self._rows = [], {}, {}, 0
        for key, _ in list(self._table.scan(SEEN)):
            self._table.delete(SEEN, key)
        self._list_runs()
        self._clear_folder()
        self.fault = ""

    def close(self) -> None:
        """Leave no file that does not count. Half a merge is begun again the next time."""
        self._sweep()
        while self._merges:
            self._merges.popitem()[1].drop()

    # ---------------------------------------------------------------- opening

    def _load(self) -> None:
        listed = self._table.get(SEEN, _LIST)
        try:
            if listed is None:
                raise Damaged("it has no list of its files")
            rows = runs_of(listed)
            if rows:
                self._open(rows)
            for key, row in self._table.scan(SEEN, prefix=_FRESH):
                self._young.update(fresh_of(row))
                self._rows = number(key[len(_FRESH) :]) + 1
        except Damaged as error:
            self.fault = str(error)
            return
        self._clear_folder()

    def _open(self, rows: list[tuple[int, int, int]]) -> None:
        from gossamer.store.runs.runs import Run

        self._runs = [Run.open(self._folder, *row) for row in rows]
        self._next = max(number for number, _, _ in rows)

    def _clear_folder(self) -> None:
        """Remove what no list names: runs of a commit that never came, and old ones of the last that did."""
        listed = {f"{run.number:08}" for run in self._runs}
        for name in files.names(self._folder, NAME):
            if name.endswith(files.PARTIAL) or name.partition(".")[0] not in listed:
                files.remove(self._folder / name)

    # -------------------------------------------------------------- preparing

    def _save(self) -> None:
        if self._unsaved:
            self._table.put(SEEN, _fresh_key(self._rows), _packed(self._unsaved))
            self._rows += 1
            self._unsaved = {}

    def _spill(self) -> None:
        from gossamer.store.runs.runs import write

        self._add(len(self._runs), write(self._folder, self._number(), self._young))
        for row in range(self._rows):
            self._table.delete(SEEN, _fresh_key(row))
        self._young, self._unsaved, self._rows = {}, {}, 0

    def _merge(self) -> None:
        """One slice, of the lowest level that has enough runs: small merges do not wait for large ones."""
        level = self._crowded()
        if level is None:
            return
        merge = self._merges.get(level)
        if merge is None:
            from gossamer.store.runs.runs import Merge

            runs = [run for run in self._runs if run.level == level][: self._shape.fan]
            merge = Merge(self._folder, self._number(), runs[::-1], at_once=self._shape.at_once)
            self._merges[level] = merge
        try:
            merged = merge.advance()
        except OSError:
            self._merges.pop(level).drop()
            raise
        if merged is not None:
            del self._merges[level]
            self._replace(merge, merged)

    def _crowded(self) -> int | None:
        """Runs stand in order of age, so their levels never rise; the last are the lowest."""
        levels = [run.level for run in self._runs]
        return next((level for level in reversed(levels) if levels.count(level) >= self._shape.fan), None)

    def _replace(self, merge: Merge, merged: Run) -> None:
        place = self._runs.index(merge.runs[-1])
        self._runs = [run for run in self._runs if run not in merge.runs]
        self._old += [(self._table.commits, run) for run in merge.runs]
        self._add(place, merged)

    def _add(self, place: int, run: Run) -> None:
        self._runs.insert(place, run)
        self._born[run.number] = self._table.commits
        self._list_runs()

    def _number(self) -> int:
        self._next += 1
        return self._next

    def _list_runs(self) -> None:
        rows = [(run.number, run.level, run.count) for run in self._runs]
        self._table.put(SEEN, _LIST, msgspec.msgpack.encode(rows))

    def _sweep(self) -> None:
        """Old runs go once a commit has left them out, or at once when none ever listed them."""
        now, kept = self._table.commits, []
        for since, run in self._old:
            if since < now or self._born.get(run.number, -1) == now:
                run.remove(self._folder)
                self._born.pop(run.number, None)
            else:
                kept.append((since, run))
        self._old = kept


runs_of = decoder(list[tuple[int, int, int]])


def _fresh_key(row: int) -> bytes:
    return _FRESH + row.to_bytes(8, "big")


def _packed(marks: Mapping[int, int]) -> bytes:
    return struct.pack(f"<{len(marks)}Q{len(marks)}B", *marks, *marks.values())


def fresh_of(row: bytes) -> Mapping[int, int]:
    """Fingerprints and depths of one commit."""
    count, over = divmod(len(row), 9)
    if over:
        raise damaged("fingerprints", f"it has {len(row):,} bytes")
    numbers = struct.unpack(f"<{count}Q{count}B", row)
    return dict(zip(numbers[:count], numbers[count:], strict=True))
