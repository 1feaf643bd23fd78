"""The tables in which near copies meet, for all pages with a print: what came lately in memory, the rest in runs."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gossamer.dedupe.entries import BANDS, BLOCKS, NEAR, NUMBER_BITS, TABLE_BITS, TABLES, Keys, are_near, numbers, spans
from gossamer.dedupe.growing import USUAL, Runs, Shape, entered
from gossamer.dedupe.pages import Pages

_MOST = np.array([16_384] * BLOCKS + [512] * BANDS)
"""Entries of a bucket that are looked at, by table, at most: in a band more are a crowd that shares a template."""
_MOST_YOUNG = 128
"""The same for entries in memory."""
_NUMBERS = (1 << NUMBER_BITS) - 1

Numbers = npt.NDArray[np.int64]
Buckets = list[tuple[int, int]]
"""What a page is looked for by: in each table the least entry of a bucket, and its own."""


class Tables:
    """Entries of pages. `add`, `prepare` and `close` are for the one process that writes."""

    def __init__(self, pages: Pages, folder: Path, shape: Shape = USUAL, *, writable: bool = True) -> None:
        self._runs = Runs(pages, folder, shape)
        if writable:
            self._runs.tidy()
        self._begin()
        for numbered, columns in pages.between(self._runs.end):
            rows = buckets(entered(numbered, columns))
            for number, simhash, row in zip(numbered.tolist(), columns["simhash"].tolist(), rows, strict=True):
                self._skip(number)
                self._enter(row, simhash)
        for number in pages.gone(self.end):
            self._skip(number + 1)

    @property
    def end(self) -> int:
        """The number of the next page."""
        return self._runs.end + len(self._simhashes)

    def add(self, wanted: Buckets, simhash: int) -> int:
        """Enter a page. Its number."""
        number = self.end
        self._enter([(bucket, entry | number) for bucket, entry in wanted], simhash)
        return number

    def lately(self, wanted: Buckets, simhash: int) -> list[int]:
        """Numbers of pages in memory that meet this one, once for each table that they meet in."""
        found, first, simhashes = [], self._runs.end, self._simhashes
        for table, (bucket, _) in enumerate(wanted):
            for entry in self._young.get(bucket, ())[:_MOST_YOUNG]:
                number = entry & _NUMBERS
                if table >= BLOCKS or (simhash ^ simhashes[number - first]).bit_count() <= NEAR:
                    found.append(number)
        return found

    def stored(self, wanted: Keys, simhashes: Keys) -> tuple[npt.NDArray[np.intp], Numbers]:
        """The same for pages in runs, and for many rows of entries: which row, and the number of the page it meets."""
        low, beyond = spans(wanted)
        bounds = np.concatenate([low.ravel(), beyond.ravel()])
        rows, found = [np.empty(0, np.intp)], [np.empty(0, np.int64)]
        for run in self._runs.now:
            start, end = run.places(bounds).reshape(2, -1)
            sizes = np.minimum(end - start, np.tile(_MOST, len(wanted)))
            asked = np.repeat(np.arange(len(sizes)), sizes)
            met = run.keys[_counted(start, sizes)]
            near = are_near(wanted.ravel()[asked], met)
            asked, number = asked[near], numbers(met[near])
            theirs = run.simhashes[number - run.listed.first]
            near = asked % TABLES >= BLOCKS
            near |= np.bitwise_count(simhashes[asked // TABLES] ^ theirs) <= NEAR
            rows.append(asked[near] // TABLES)
            found.append(number[near])
        return np.concatenate(rows), np.concatenate(found)

    def column(self, table: int) -> Keys:
        """All entries of one table, in order."""
        low, end = (np.uint64(each << (64 - TABLE_BITS)) for each in (table, table + 1))
        parts = [run.keys[slice(*run.places(np.array([low, end])))] for run in self._runs.now]
        young = [entry for entries in self._young.values() for entry in entries if low <= entry < end]
        return np.sort(np.concatenate([*parts, np.array(young, np.uint64)]), kind="stable")

    def prepare(self) -> None:
        """What is new becomes part of the next commit."""
        if self._runs.are_enough(len(self._simhashes)):
            entries = np.fromiter(chain.from_iterable(self._young.values()), np.uint64)
            self._runs.add(np.sort(entries), np.array(self._simhashes, np.uint64))
            self._begin()
        self._runs.prepare()

    def close(self) -> None:
        """Leave no file that does not count."""
        self._runs.close()

    def _begin(self) -> None:
        self._young: dict[int, list[int]] = {}
        """Entries that are in no run, by the least entry of their bucket."""
        self._simhashes: list[int] = []
        """Of the pages that are in no run."""

    def _skip(self, number: int) -> None:
        """Numbers up to this one belong to pages that are gone."""
        self._simhashes += [0] * (number - self.end)

    def _enter(self, row: Buckets, simhash: int) -> None:
        for bucket, entry in row:
            self._young.setdefault(bucket, []).append(entry)
        self._simhashes.append(simhash)


def buckets(rows: Keys) -> list[Buckets]:
    """Of each row of entries."""
    low, _ = spans(rows)
    return [list(zip(*both, strict=True)) for both in zip(low.tolist(), rows.tolist(), strict=True)]


def _counted(starts: npt.NDArray[np.intp], sizes: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """For each start as many numbers, counted up from it."""
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes - starts, sizes)
