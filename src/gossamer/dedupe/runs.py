"""Sorted runs of entries in mapped files. A run never changes; several become one, slice by slice.

A file holds the entries in rising order, then the first entry of every block of 512 once more: a search looks there
first, and then at one page of the file. At its end are the simhashes of its pages, by number.

NumPy, because it sorts, searches and merges columns of numbers in mapped files without one Python object for each.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gossamer import files
from gossamer.dedupe.entries import Keys, numbers
from gossamer.errors import Damaged

KEY = np.dtype("<u8")
NAME = re.compile(r"[0-9]{8,}\.(?:entries|partial)")
"""What the files are called."""
BLOCK = 512
"""Entries between two fences: one page of memory."""
_STEPS = tuple(1 << bit for bit in reversed(range(BLOCK.bit_length())))
_LAST = np.uint64(2**64 - 1)


class Listed(NamedTuple):
    """What the table knows of a run."""

    file: int
    level: int
    """How many times its entries have been merged."""
    first: int
    """The number of its first page; runs have pages in one row, without a gap."""
    end: int
    entries: int

    @property
    def pages(self) -> int:
        return self.end - self.first


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Entries in a mapped file, or in memory."""

    listed: Listed
    keys: Keys
    fences: Keys
    simhashes: Keys

    @classmethod
    def open(cls, folder: Path, listed: Listed) -> Run:
        """Map its file, which has to be there and whole."""
        path = path_of(folder, listed.file)
        prints = listed.entries + -(-listed.entries // BLOCK)
        try:
            size = files.size(path)
        except OSError as error:
            raise Damaged(f"{path}: {error.strerror}") from error
        if size != (prints + listed.pages) * KEY.itemsize:
            raise Damaged(f"{path}: {size} bytes for {listed.entries} entries of {listed.pages} pages")
        with files.open(path) as file:
            mapped: Keys = np.memmap(file, KEY, "r").view(np.ndarray) if size else np.empty(0, KEY)
        keys, fences = mapped[: listed.entries], mapped[listed.entries : prints]
        if not (fences[1:] > fences[:-1]).all() or (fences[:1] != keys[:1]).any() or (fences[-1:] > keys[-1:]).any():
            raise Damaged(f"{path}: not in order")
        return cls(listed, keys, fences, mapped[prints:])

    def named(self, file: int) -> Run:
        """The same, for another file."""
        return replace(self, listed=self.listed._replace(file=file))

    def places(self, wanted: Keys) -> npt.NDArray[np.intp]:
        """How many entries are less than each of these."""
        if not len(self.keys):
            return np.zeros(len(wanted), np.intp)
        at = np.maximum(self.fences.searchsorted(wanted) - 1, 0) * BLOCK
        for step in _STEPS:
            at += step * (self.keys.take(at + (step - 1), mode="clip") < wanted)
        places: npt.NDArray[np.intp] = np.minimum(at, len(self.keys))
        return places


def in_memory(listed: Listed, keys: Keys, simhashes: Keys) -> Run:
    """A run of sorted entries that has no file."""
    return Run(listed._replace(entries=len(keys)), keys, keys[::BLOCK], simhashes)


def write(folder: Path, run: Run) -> Run:
    """The same, from its file."""
    partial = Partial(folder, run.listed)
    try:
        partial.append(run.keys)
        return partial.finish([run.simhashes])
    except OSError:
        partial.drop()
        raise


class Merge:
    """Neighbouring runs become one, a slice at a time: no call takes long, and no run is ever in memory."""

    def __init__(self, folder: Path, file: int, runs: Sequence[Run], gone: Sequence[int], at_once: int) -> None:
        """Pages that are `gone` are left out; about `at_once` entries are read for a slice."""
        self.runs = runs
        self.gone = gone
        first, last = runs[0].listed, runs[-1].listed
        self._partial = Partial(folder, Listed(file, first.level + 1, first.first, last.end, 0))
        self._slices = _slices([run.keys for run in runs], max(at_once // len(runs), 1))

    def advance(self) -> Run | None:
        """One more slice. The run that has come out, when there is none left."""
        part = next(self._slices, None)
        if part is None:
            return self._partial.finish([run.simhashes for run in self.runs])
        self._partial.append(part[~np.isin(numbers(part), self.gone)] if self.gone else part)
        return None

    def drop(self) -> None:
        """Give up; what was written is removed."""
        self._partial.drop()


def _slices(columns: Sequence[Keys], step: int) -> Iterator[Keys]:
    """All entries in order. No column is read further than an entry that all have come to."""
    rest = list(columns)
    while any(map(len, rest)):
        bound = min((column[step - 1] for column in rest if len(column) > step), default=_LAST)
        ends = [int(column[:step].searchsorted(bound, "right")) for column in rest]
        yield np.sort(np.concatenate([column[:end] for column, end in zip(rest, ends, strict=True)]), kind="stable")
        rest = [column[end:] for column, end in zip(rest, ends, strict=True)]


class Partial:
    """A run that is being written, under a name that counts for nothing."""

    def __init__(self, folder: Path, listed: Listed) -> None:
        self._folder = folder
        self._listed = listed
        self._count = 0
        self._fences: list[Keys] = []
        self._path = path_of(folder, listed.file)
        self._written = self._path.with_suffix(".partial")

    def append(self, keys: Keys) -> None:
        """On the disk when this returns, so that the end of a large run is no long wait."""
        self._fences.append(keys[-self._count % BLOCK :: BLOCK].copy())
        self._count += len(keys)
        self._write(keys)

    def finish(self, simhashes: Sequence[Keys]) -> Run:
        """It has a name from now on; it counts from the commit that lists it."""
        self._write(np.concatenate([*self._fences, *simhashes]))
        files.move(self._written, self._path)
        files.sync_folder(self._folder)
        return Run.open(self._folder, self._listed._replace(entries=self._count))

    def drop(self) -> None:
        files.remove(self._written)

    def _write(self, keys: Keys) -> None:
        with files.open(self._written, "ab") as file:
            file.write(np.ascontiguousarray(keys, KEY).data)
            file.flush()
            os.fdatasync(file.fileno())


def path_of(folder: Path, file: int) -> Path:
    return folder / f"{file:08}.entries"
