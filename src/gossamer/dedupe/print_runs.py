"""The runs of prints: entries of all pages but the youngest, and their simhashes.

They are sorted runs that grow by merging (`runs/growing.py`), each for an unbroken range of pages; behind its entries a
run has the simhashes of its pages, by number. All of it is derived from the prints of the pages: a run that is lost or
damaged is made again from their rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from gossamer import files
from gossamer.dedupe.entries import Keys, entries, numbers
from gossamer.dedupe.pages import Columns, Pages
from gossamer.errors import Damaged
from gossamer.rows import Count, Size, damaged, decoder
from gossamer.runs import Form
from gossamer.runs.growing import Runs, Shape
from gossamer.runs.sorted import NO_KEYS, Merge, Run, in_memory, write

NAME = re.compile(r"[0-9]{8,}\.(?:entries(?:\.partial)?|partial)")
"""What the files are called; `.partial` alone is what older versions have left of a merge."""
FORM = Form(NAME, (".entries",), block=512, fenced=True)
"""A search looks at the fences first, and then at one page of the file."""
USUAL = Shape(generation=4_096, fan=4, at_once=400_000)


class Listed(NamedTuple):
    """What the table knows of a run."""

    number: Count
    level: Count
    first: Count
    """The number of its first page."""
    end: Count
    entries: Size


_listed_of = decoder(list[Listed])


def listed_of(row: bytes) -> list[Listed]:
    """Which runs count, each with the pages that follow those of the one before."""
    found, end = _listed_of(row), 0
    for each in found:
        if each.first != end or each.end < end:
            raise damaged("prints", f"a run has the pages from {each.first:,} to {each.end:,}, behind {end:,}")
        end = each.end
    return found


class PrintRuns:
    """The runs of all pages but the youngest, in order of age."""

    def __init__(self, pages: Pages, folder: Path, shape: Shape = USUAL) -> None:
        """Opens what is listed, and changes nothing on the disk."""
        self._pages = pages
        self._folder = folder
        self._runs = Runs(folder, FORM, shape, pages.table)
        self._gone: dict[int, Sequence[int]] = {}
        """By the number of a run to come, the pages that its merge leaves out."""
        listed = listed_of(pages.listed or b"\x90")
        self._runs.begin([self._opened(each) for each in listed], max((each.number for each in listed), default=0))

    @property
    def now(self) -> Sequence[Run]:
        """Those that count."""
        return self._runs.now

    @property
    def end(self) -> int:
        """The first page that is in no run."""
        return pages_in(self.now)

    def tidy(self) -> None:
        """Remove files that no list names, and write what had to be made again. For the one process that writes."""
        try:
            files.make_folder(self._folder)
            self._runs.clear_folder()
            for place, run in enumerate(self.now):
                if run.number == 0:
                    self._runs.now[place] = write(self._folder, self._runs.number(), run)
                    self._list()
        except OSError as error:
            raise files.told(error, self._folder) from error

    def are_enough(self, pages: int) -> bool:
        """Whether so many pages make a run."""
        return pages >= self._runs.shape.generation

    def add(self, young: Run) -> None:
        """More pages become a run. It counts from the next commit."""
        try:
            self._runs.add(write(self._folder, self._runs.number(), young))
        except OSError as error:
            raise files.told(error, self._folder) from error
        self._list()

    def prepare(self) -> None:
        """Before each commit: one slice of merging is done."""
        try:
            self._runs.sweep()
            if (merge := self._runs.merge(self._begun)) is not None:
                self._merged(merge)
        except OSError as error:
            raise files.told(error, self._folder) from error

    def close(self) -> None:
        """Leave no file that does not count. Half a merge is begun again the next time."""
        self._runs.close()

    def _opened(self, listed: Listed) -> Run:
        number, level, first, end, count = listed
        try:
            return Run.open(self._folder, FORM, number, level, count, end - first)
        except Damaged:
            return self._made_again(level, first, end)

    def _made_again(self, level: int, first: int, end: int) -> Run:
        try:
            keys, simhashes = [NO_KEYS], np.zeros(end - first, np.uint64)
        except MemoryError:
            raise damaged("prints", f"a run has {end - first:,} pages, and its file is gone") from None
        for numbered, columns in self._pages.between(first, end):
            keys.append(entered(numbered, columns).ravel())
            simhashes[numbered - first] = columns["simhash"]
        return in_memory(FORM, np.sort(np.concatenate(keys)), level=level, behind=simhashes)

    def _begun(self, runs: Sequence[Run]) -> Merge:
        number, first = self._runs.number(), pages_in(self.now[: self.now.index(runs[0])])
        gone = self._gone[number] = self._pages.gone(first, first + pages_in(runs))

        def stays(keys: Keys) -> npt.NDArray[np.bool_]:
            return np.isin(numbers(keys), gone, invert=True)

        at_once = self._runs.shape.at_once
        return Merge(self._folder, number, runs, at_once=at_once, stays=stays if gone else None)

    def _merged(self, merge: Merge) -> None:
        self._pages.forget(self._gone.pop(merge.number))
        self._list()

    def _list(self) -> None:
        ends = accumulate(len(run.behind) for run in self.now)
        rows = [
            Listed(run.number, run.level, end - len(run.behind), end, len(run.keys))
            for run, end in zip(self.now, ends, strict=True)
        ]
        self._pages.listed = msgspec.msgpack.encode(rows)


def pages_in(runs: Sequence[Run]) -> int:
    """Runs have pages in one row, without a gap: so many before a run are the number of its first."""
    return sum(len(run.behind) for run in runs)


def entered(numbered: npt.NDArray[np.int64], columns: Columns) -> Keys:
    """For each page a row of entries with its number."""
    return entries(columns["simhash"], columns["sketch"]) | numbered.astype(np.uint64)[:, None]
