"""Have these fingerprints been met? Asked for a batch at once, durable with every commit, in little memory.

The idea is Mercator's sieve, as BUbiNG has it (Boldi et al., WWW 2014), and DRUM of IRLbot (Lee et al., WWW 2008):
check and insert in sorted batches. They rewrite one sorted file for each batch. We keep sorted runs that grow by
merging (`runs/growing.py`), so that a key is rewritten a handful of times at most; and the answer comes at once, so
that no address has to wait on disk for it.

What came since the last run is in memory, and in rows of the table, one for each commit. The table also lists the
runs that count.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer import files
from gossamer.errors import Damaged
from gossamer.rows import damaged, decoder, number
from gossamer.runs import Form
from gossamer.runs.growing import Runs, Shape
from gossamer.store.table.table import Table

if TYPE_CHECKING:
    from gossamer.runs.sorted import Merge, Run

ABSENT = -1
"""In place of a mark: the sieve does not have this key."""
SEEN = "seen"
"""`runs` -> which files count; `fresh`, sequence number -> what one commit added that is in no run yet"""
FAMILIES = (SEEN,)

NAME = re.compile(r"[0-9]{8,}\.(?:keys|marks)(?:\.partial)?")
"""What the files of its runs are called."""
FORM = Form(NAME, (".keys", ".marks"), block=128, fenced=False)
"""A search touches one page of a run, and fences take a sixteenth of a byte for each key."""
USUAL = Shape(generation=1 << 17, fan=4, at_once=200_000)
_LIST = b"runs"
_FRESH = b"fresh"


class Sieve:
    """Marks of one byte by fingerprint."""

    def __init__(self, table: Table, folder: Path, shape: Shape = USUAL) -> None:
        self._table = table
        self._folder = folder
        self._young: dict[int, int] = {}
        self._unsaved: dict[int, int] = {}
        self._rows = 0
        self._runs = Runs(folder, FORM, shape, table)
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
        return len(self._runs.now)

    def marks(self, prints: list[int]) -> list[int]:
        """What was put for each fingerprint last; ABSENT when nothing was."""
        young = self._young
        found = [young.get(each, ABSENT) for each in prints]
        rest = [each for each, mark in zip(prints, found, strict=True) if mark == ABSENT]
        if not rest or not self._runs.now:
            return found
        from gossamer.runs.sorted import look_up

        stored = iter(look_up(reversed(self._runs.now), rest, ABSENT))
        return [next(stored) if mark == ABSENT else mark for mark in found]

    def put(self, fingerprint: int, mark: int) -> None:
        """Seen by every later look, durable with the next commit."""
        self._young[fingerprint] = self._unsaved[fingerprint] = mark

    def put_all(self, fingerprints: Iterable[int], mark: int) -> None:
        """The same for many."""
        marks = dict.fromkeys(fingerprints, mark)
        self._young.update(marks)
        self._unsaved.update(marks)

    def prepare(self) -> None:
        """What is new becomes part of the next commit; one slice of merging is done."""
        try:
            self._runs.sweep()
            if len(self._young) >= self._runs.shape.generation:
                self._spill()
            else:
                self._save()
            if self._runs.merge(self._begun) is not None:
                self._merged()
        except OSError as error:
            raise files.told(error, self._folder) from error

    def restart(self) -> None:
        """Empty it, to be filled again from elsewhere."""
        self._runs.now, self._young, self._unsaved, self._rows = [], {}, {}, 0
        for key, _ in list(self._table.scan(SEEN)):
            self._table.delete(SEEN, key)
        self._list_runs()
        self._runs.clear_folder()
        self.fault = ""

    def close(self) -> None:
        """Leave no file that does not count. Half a merge is begun again the next time."""
        self._runs.close()

    # ---------------------------------------------------------------- opening

    def _load(self) -> None:
        listed = self._table.get(SEEN, _LIST)
        try:
            if listed is None:
                raise Damaged("it has no list of its files")
            if rows := runs_of(listed):
                self._open(rows)
            for key, row in self._table.scan(SEEN, prefix=_FRESH):
                self._young.update(fresh_of(row))
                self._rows = number(key[len(_FRESH) :]) + 1
        except Damaged as error:
            self.fault = str(error)
            return
        self._runs.clear_folder()

    def _open(self, rows: list[tuple[int, int, int]]) -> None:
        from gossamer.runs.sorted import Run

        self._runs.begin([Run.open(self._folder, FORM, *row) for row in rows], max(number for number, _, _ in rows))

    # -------------------------------------------------------------- preparing

    def _save(self) -> None:
        if self._unsaved:
            self._table.put(SEEN, _fresh_key(self._rows), _packed(self._unsaved))
            self._rows += 1
            self._unsaved = {}

    def _spill(self) -> None:
        from gossamer.runs.sorted import marked, write

        self._runs.add(write(self._folder, self._runs.number(), marked(FORM, self._young)))
        self._list_runs()
        for row in range(self._rows):
            self._table.delete(SEEN, _fresh_key(row))
        self._young, self._unsaved, self._rows = {}, {}, 0

    def _begun(self, runs: Sequence[Run]) -> Merge:
        from gossamer.runs.sorted import Merge

        return Merge(self._folder, self._runs.number(), runs, at_once=self._runs.shape.at_once)

    def _merged(self) -> None:
        self._list_runs()

    def _list_runs(self) -> None:
        rows = [(run.number, run.level, len(run.keys)) for run in self._runs.now]
        self._table.put(SEEN, _LIST, msgspec.msgpack.encode(rows))


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
