"""Sorted runs of fingerprints in mapped files: which of a whole batch are known, in one pass over each run.

A run is two files: 64-bit keys in rising order, and for each key a mark of one byte. A batch is sorted and looked
up in every run, the newest first, whose mark wins. A run never changes; several become one, slice by slice.

NumPy, because it sorts, searches and merges columns of numbers in mapped files without one Python object for each.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gossamer import files
from gossamer.errors import Damaged
from gossamer.shown import counted

BLOCK = 128
"""Keys between two fences: a search touches one page of a run, and fences take a sixteenth of a byte for each key."""

Keys: TypeAlias = npt.NDArray[np.uint64]
Marks: TypeAlias = npt.NDArray[np.uint8]
KEY = np.dtype("<u8")
MARK = np.dtype("u1")
LAST = np.uint64(2**64 - 1)
STEPS = tuple(1 << bit for bit in reversed(range(BLOCK.bit_length() - 1)))


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Keys and marks in mapped files, and the first key of every block in memory."""

    number: int
    level: int
    """How many times its keys have been merged."""
    keys: Keys
    marks: Marks
    fences: Keys

    @classmethod
    def open(cls, folder: Path, number: int, level: int, count: int) -> Run:
        """Map its files. Every block is looked at once, which also tells whether the run is whole."""
        keys, marks = _paths(folder, number)
        try:
            sizes = files.size(keys), files.size(marks)
        except OSError as error:
            raise Damaged(f"{keys.with_suffix('')}: {error.strerror}") from error
        if count < 1 or sizes != (count * KEY.itemsize, count * MARK.itemsize):
            raise Damaged(f"{keys.with_suffix('')}: {sizes} bytes for {counted(count, 'key')}")
        mapped: Keys = _mapped(keys, KEY)
        fences = mapped[::BLOCK].copy()
        if not (fences[1:] > fences[:-1]).all() or fences[-1] > mapped[-1]:
            raise Damaged(f"{keys}: not in order")
        return cls(number, level, mapped, _mapped(marks, MARK), fences)

    @property
    def count(self) -> int:
        return len(self.keys)

    def find(self, wanted: Keys) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
        """Where each key stands if it is there, and whether it is."""
        at = np.maximum(self.fences.searchsorted(wanted, "right") - 1, 0) * BLOCK
        for step in STEPS:
            at += step * (self.keys.take(at + step, mode="clip") <= wanted)
        return at, self.keys.take(at, mode="clip") == wanted

    def remove(self, folder: Path) -> None:
        """Delete its files; who has them mapped can still read them."""
        for path in _paths(folder, self.number):
            files.remove(path)


def look_up(runs: Iterable[Run], prints: Sequence[int], absent: int) -> list[int]:
    """The mark of each fingerprint by the first run that has it, or `absent`. `runs` come newest first."""
    wanted = np.fromiter(prints, KEY, len(prints))
    found = np.full(len(wanted), absent, np.int16)
    order = wanted.argsort()
    wanted = wanted[order]
    for run in runs:
        at, hit = run.find(wanted)
        found[order[hit]] = run.marks.take(at[hit], mode="clip")
        missed = ~hit
        order, wanted = order[missed], wanted[missed]
    marks: list[int] = found.tolist()
    return marks


def write(folder: Path, number: int, marks: Mapping[int, int]) -> Run:
    """A new run of these fingerprints with their marks."""
    keys = np.fromiter(marks, KEY, len(marks))
    order = keys.argsort()
    partial = _Partial(folder, number)
    try:
        partial.append(keys[order], np.fromiter(marks.values(), MARK, len(marks))[order])
        return partial.finish(level=0)
    except OSError:
        partial.drop()
        raise


class Merge:
    """Several runs become one, a slice at a time: no call takes long, and no run is ever in memory."""

    def __init__(self, folder: Path, number: int, runs: Sequence[Run], *, at_once: int) -> None:
        """`runs` come newest first; about `at_once` keys are read for a slice."""
        self.runs = runs
        self._slices = _slices(runs, max(at_once // len(runs), 1))
        self._partial = _Partial(folder, number)

    def advance(self) -> Run | None:
        """One more slice. The run that has come out, when there is none left."""
        part = next(self._slices, None)
        if part is None:
            return self._partial.finish(level=self.runs[0].level + 1)
        self._partial.append(*part)
        return None

    def drop(self) -> None:
        """Give up; what was written is removed."""
        self._partial.drop()


def _slices(runs: Sequence[Run], step: int) -> Iterator[tuple[Keys, Marks]]:
    """All keys in order, each once, with its newest mark. No run is read further than a key all have come to."""
    starts = [0] * len(runs)
    while any(start < run.count for start, run in zip(starts, runs, strict=True)):
        ends = [min(start + step, run.count) for start, run in zip(starts, runs, strict=True)]
        bound = min((run.keys[end - 1] for run, end in zip(runs, ends, strict=True) if end < run.count), default=LAST)
        spans = []
        for run, start, end in zip(runs, starts, ends, strict=True):
            spans.append(slice(start, start + int(run.keys[start:end].searchsorted(bound, "right"))))
        keys = np.concatenate([run.keys[span] for run, span in zip(runs, spans, strict=True)])
        marks = np.concatenate([run.marks[span] for run, span in zip(runs, spans, strict=True)])
        yield _each_once(keys, marks)
        starts = [span.stop for span in spans]


def _each_once(keys: Keys, marks: Marks) -> tuple[Keys, Marks]:
    """In order; of equal keys the first one stays."""
    order = keys.argsort(kind="stable")
    keys = keys[order]
    first = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return keys[first], marks[order][first]


class _Partial:
    """A run that is being written, under names that count for nothing."""

    def __init__(self, folder: Path, number: int) -> None:
        self._folder = folder
        self._number = number
        self._count = 0

    def append(self, keys: Keys, marks: Marks) -> None:
        """On the disk when this returns, so that the end of a large run is no long wait."""
        for path, data in zip(_paths(self._folder, self._number), (keys.data, marks.data), strict=True):
            with files.open(_partial(path), "ab") as file:
                file.write(data)
                file.flush()
                os.fdatasync(file.fileno())
        self._count += len(keys)

    def finish(self, level: int) -> Run:
        for path in _paths(self._folder, self._number):
            files.move(_partial(path), path)
        files.sync_folder(self._folder)
        return Run.open(self._folder, self._number, level, self._count)

    def drop(self) -> None:
        for path in _paths(self._folder, self._number):
            files.remove(_partial(path))


def _mapped(path: Path, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    with files.open(path) as file:
        return np.memmap(file, kind, "r").view(np.ndarray)


def _paths(folder: Path, number: int) -> tuple[Path, Path]:
    return folder / f"{number:08}.keys", folder / f"{number:08}.marks"


def _partial(path: Path) -> Path:
    return path.with_name(f"{path.name}.partial")
