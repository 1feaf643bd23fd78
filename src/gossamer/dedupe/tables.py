"""The tables in which near copies meet, for all pages with a print: what came lately in memory, the rest in runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from gossamer.dedupe.entries import BANDS, BLOCKS, NEAR, TABLE_BITS, TABLES, Keys, are_near, numbers, spans
from gossamer.dedupe.pages import Pages
from gossamer.dedupe.print_runs import FORM, USUAL, PrintRuns, entered
from gossamer.runs.growing import Shape
from gossamer.runs.sorted import Run, in_memory

_MOST = np.array([16_384] * BLOCKS + [512] * BANDS)
"""Entries of a bucket that are looked at, by table, at most: in a band more are a crowd that shares a template."""
_MOST_YOUNG = np.minimum(_MOST, 128)
"""The same for entries in memory."""

Numbers = npt.NDArray[np.int64]


class Tables:
    """Entries of pages. `add`, `prepare` and `close` are for the one process that writes."""

    def __init__(self, pages: Pages, folder: Path, shape: Shape = USUAL, *, writable: bool = True) -> None:
        self._runs = PrintRuns(pages, folder, shape)
        if writable:
            self._runs.tidy()
        self._begin()
        for numbered, columns in pages.between(self._runs.end):
            self._fresh.append(entered(numbered, columns).ravel())
            for number, simhash in zip(numbered.tolist(), columns["simhash"].tolist(), strict=True):
                self._skip(number)
                self._simhashes.append(simhash)
        for number in pages.gone(self.end):
            self._skip(number + 1)

    @property
    def end(self) -> int:
        """The number of the next page."""
        return self._runs.end + len(self._simhashes)

    def add(self, row: Keys, simhash: int) -> int:
        """Enter a page by its entries. Its number."""
        number = self.end
        self._fresh.append(row | np.uint64(number))
        self._simhashes.append(simhash)
        return number

    def stored(self, wanted: Keys, simhashes: Keys) -> tuple[npt.NDArray[np.intp], Numbers]:
        """For many rows of entries: which row, and the number of a page that it meets, once for each table."""
        low, beyond = spans(wanted)
        bounds = np.concatenate([low.ravel(), beyond.ravel()])
        rows, found = [np.empty(0, np.intp)], [np.empty(0, np.int64)]
        first, young = 0, self._young()
        for run in (*self._runs.now, young):
            start, end = run.places(bounds).reshape(2, -1)
            sizes = np.minimum(end - start, np.tile(_MOST_YOUNG if run is young else _MOST, len(wanted)))
            asked = np.repeat(np.arange(len(sizes)), sizes)
            met = run.keys[_counted(start, sizes)]
            near = are_near(wanted.ravel()[asked], met)
            asked, number = asked[near], numbers(met[near])
            theirs = run.behind[number - first]
            near = asked % TABLES >= BLOCKS
            near |= np.bitwise_count(simhashes[asked // TABLES] ^ theirs) <= NEAR
            rows.append(asked[near] // TABLES)
            found.append(number[near])
            first += len(run.behind)
        return np.concatenate(rows), np.concatenate(found)

    def column(self, table: int) -> Keys:
        """All entries of one table, in order."""
        low, end = (np.uint64(each << (64 - TABLE_BITS)) for each in (table, table + 1))
        parts = [run.keys[slice(*run.places(np.array([low, end])))] for run in (*self._runs.now, self._young())]
        return np.sort(np.concatenate(parts), kind="stable")

    def prepare(self) -> None:
        """What is new becomes part of the next commit."""
        if self._runs.are_enough(len(self._simhashes)):
            self._runs.add(self._young())
            self._begin()
        self._runs.prepare()

    def close(self) -> None:
        """Leave no file that does not count."""
        self._runs.close()

    def _begin(self) -> None:
        self._last: Run | None = None
        """Entries that are in no run, in order, as they were when somebody asked last."""
        self._fresh: list[Keys] = []
        """Those that came since."""
        self._simhashes: list[int] = []
        """Of the pages that are in no run."""

    def _skip(self, number: int) -> None:
        """Numbers up to this one belong to pages that are gone."""
        self._simhashes += [0] * (number - self.end)

    def _young(self) -> Run:
        """The pages that are in no run, as if they were."""
        if self._fresh or self._last is None:
            new = np.sort(np.concatenate([np.empty(0, np.uint64), *self._fresh]))
            keys = new if self._last is None else np.concatenate([self._last.keys, new])
            # Stable, because that merges what is in order already.
            keys, simhashes = np.sort(keys, kind="stable"), np.array(self._simhashes, np.uint64)
            self._last = in_memory(FORM, keys, behind=simhashes)
            self._fresh.clear()
        return self._last


def _counted(starts: npt.NDArray[np.intp], sizes: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """For each start as many numbers, counted up from it."""
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes - starts, sizes)
