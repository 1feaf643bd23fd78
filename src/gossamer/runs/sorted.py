"""Sorted runs of keys in mapped files: which of a whole batch are known, in one pass over each run.

A run is a file of 64-bit keys in rising order. Where each key has a mark of one byte, a second file has the marks. The
first key of every block, its fence, tells in which block to search: fences are copied to memory when a run is opened,
or stand in the file behind the keys, and behind them numbers that the owner keeps with the run. A run never changes;
several become one, slice by slice.

NumPy, because it sorts, searches and merges columns of numbers in mapped files without one Python object for each.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from gossamer import files
from gossamer.errors import Damaged
from gossamer.printable import counted
from gossamer.runs import Form

Keys: TypeAlias = npt.NDArray[np.uint64]
Marks: TypeAlias = npt.NDArray[np.uint8]
Places: TypeAlias = npt.NDArray[np.intp]
Which: TypeAlias = npt.NDArray[np.bool_]
KEY = np.dtype("<u8")
MARK = np.dtype("u1")
LAST = np.uint64(2**64 - 1)
NO_KEYS: Keys = np.empty(0, KEY)
NO_MARKS: Marks = np.empty(0, MARK)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Keys in a mapped file, or in memory."""

    form: Form
    number: int
    level: int
    """How many times its keys have been merged."""
    keys: Keys
    fences: Keys
    marks: Marks
    """One for each key, where the form has any."""
    behind: Keys
    """What the owner keeps with the run."""

    @classmethod
    def open(cls, folder: Path, form: Form, number: int, level: int, count: int, behind: int = 0) -> Run:
        """Map its files, which have to be there and whole: so many keys, in order by their fences."""
        paths = form.paths(folder, number)
        fences = -(-count // form.block) if form.fenced else 0
        whole = ((count + fences + behind) * KEY.itemsize, count * MARK.itemsize)
        try:
            sizes = tuple(map(files.size, paths))
        except OSError as error:
            raise Damaged(f"{paths[0].with_suffix('')}: {error.strerror}") from error
        least = 0 if form.fenced else 1  # with nothing behind its keys a run has some
        if count < least or sizes != whole[: len(paths)]:
            raise Damaged(f"{paths[0].with_suffix('')}: {sizes} bytes for {counted(count, 'key')}")
        mapped: Keys = _mapped(paths[0], KEY)
        keys, rest = mapped[:count], mapped[count:]
        found = rest[:fences] if form.fenced else keys[:: form.block].copy()
        marks = _mapped(paths[1], MARK) if paths[1:] else NO_MARKS
        run = cls(form, number, level, keys, found, marks, rest[fences:])
        if not run._is_in_order():
            raise Damaged(f"{paths[0]}: not in order")
        return run

    def find(self, wanted: Keys) -> tuple[Places, Which]:
        """Where each key stands if it is there, and whether it is."""
        at = self._last(wanted, np.less_equal, "right")
        return at, self.keys.take(at, mode="clip") == wanted

    def places(self, wanted: Keys) -> Places:
        """How many keys are less than each of these."""
        if not len(self.keys):
            return np.zeros(len(wanted), np.intp)
        at = self._last(wanted, np.less, "left")
        at += self.keys.take(at, mode="clip") < wanted
        return np.minimum(at, len(self.keys), out=at)

    def _last(self, wanted: Keys, before: np.ufunc, side: Literal["left", "right"]) -> Places:
        """Where the last key stands that comes before each of these, or in the first block the first key."""
        at = np.maximum(self.fences.searchsorted(wanted, side) - 1, 0) * self.form.block
        for step in _steps(self.form.block):
            at += step * before(self.keys.take(at + step, mode="clip"), wanted)
        return at

    def _is_in_order(self) -> bool:
        keys, fences = self.keys, self.fences
        rising = (fences[1:] > fences[:-1]).all() and (fences[-1:] <= keys[-1:]).all()
        return bool(rising and (fences[:1] == keys[:1]).all())


@cache
def _steps(block: int) -> tuple[int, ...]:
    """From half a block down to one key."""
    return tuple(1 << bit for bit in reversed(range(block.bit_length() - 1)))


def in_memory(form: Form, keys: Keys, *, level: int = 0, marks: Marks = NO_MARKS, behind: Keys = NO_KEYS) -> Run:
    """A run of sorted keys that has no file and no number."""
    return Run(form, 0, level, keys, keys[:: form.block], marks, behind)


def marked(form: Form, marks: Mapping[int, int]) -> Run:
    """A run in memory of these keys with their marks."""
    keys = np.fromiter(marks, KEY, len(marks))
    order = keys.argsort()
    return in_memory(form, keys[order], marks=np.fromiter(marks.values(), MARK, len(marks))[order])


def look_up(runs: Iterable[Run], keys: Sequence[int], absent: int) -> list[int]:
    """The mark of each key by the first run that has it, or `absent`. `runs` come newest first."""
    wanted = np.fromiter(keys, KEY, len(keys))
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


def write(folder: Path, number: int, run: Run) -> Run:
    """The same, from files of that number."""
    partial = _Partial(folder, run.form, number, run.level)
    try:
        partial.append(run.keys, run.marks)
        return partial.finish([run.behind])
    except OSError:
        partial.drop()
        raise


class Merge:
    """Neighbouring runs become one, a slice at a time: no call takes long, and no run is ever in memory.

    Of equal keys the newest stays, with its mark. Keys without marks are all different, and may be left out.
    """

    def __init__(
        self,
        folder: Path,
        number: int,
        runs: Sequence[Run],
        *,
        at_once: int,
        stays: Callable[[Keys], Which] | None = None,
    ) -> None:
        """`runs` come oldest first; about `at_once` keys are read for a slice."""
        self.runs = runs
        self.number = number
        self._newest_first = runs[::-1]
        self._stays = stays
        self._slices = _slices([run.keys for run in self._newest_first], max(at_once // len(runs), 1))
        self._partial = _Partial(folder, runs[0].form, number, runs[0].level + 1)

    def advance(self) -> Run | None:
        """One more slice. The run that has come out, when there is none left."""
        spans = next(self._slices, None)
        if spans is None:
            return self._partial.finish([run.behind for run in self.runs])
        self._partial.append(*self._joined(spans))
        return None

    def drop(self) -> None:
        """Give up; what was written is removed."""
        self._partial.drop()

    def _joined(self, spans: Sequence[slice]) -> tuple[Keys, Marks]:
        parts = [*zip(self._newest_first, spans, strict=True)]
        keys = np.concatenate([run.keys[span] for run, span in parts])
        if len(self.runs[0].marks):
            return _each_once(keys, np.concatenate([run.marks[span] for run, span in parts]))
        keys.sort(kind="stable")  # which merges what is in order already
        return keys[self._stays(keys)] if self._stays else keys, NO_MARKS


def _slices(columns: Sequence[Keys], step: int) -> Iterator[list[slice]]:
    """All keys in order, a part of each column at a time. None is read further than a key that all have come to."""
    starts = [0] * len(columns)
    while any(start < len(column) for start, column in zip(starts, columns, strict=True)):
        ahead = [column[start : start + step + 1] for start, column in zip(starts, columns, strict=True)]
        bound = min((part[step - 1] for part in ahead if len(part) > step), default=LAST)
        spans = [
            slice(start, start + int(part[:step].searchsorted(bound, "right")))
            for start, part in zip(starts, ahead, strict=True)
        ]
        yield spans
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

    def __init__(self, folder: Path, form: Form, number: int, level: int) -> None:
        self._folder = folder
        self._form = form
        self._listed = number, level
        self._paths = form.paths(folder, number)
        self._count = 0
        self._fences: list[Keys] = []

    def append(self, keys: Keys, marks: Marks) -> None:
        """On the disk when this returns, so that the end of a large run is no long wait."""
        if self._form.fenced:
            self._fences.append(keys[-self._count % self._form.block :: self._form.block].copy())
        self._count += len(keys)
        _append(self._paths[0], keys)
        for path in self._paths[1:]:
            _append(path, marks)

    def finish(self, behind: Sequence[Keys]) -> Run:
        """It has names from now on; it counts from the commit that lists it."""
        if self._form.fenced:
            _append(self._paths[0], np.concatenate([*self._fences, *behind]))
        for path in self._paths:
            files.move(_partial(path), path)
        files.sync_folder(self._folder)
        return Run.open(self._folder, self._form, *self._listed, self._count, sum(map(len, behind)))

    def drop(self) -> None:
        for path in self._paths:
            files.remove(_partial(path))


def _append(path: Path, column: Keys | Marks) -> None:
    with files.open(_partial(path), "ab") as file:
        file.write(np.ascontiguousarray(column).data)
        file.flush()
        os.fdatasync(file.fileno())


def _mapped(path: Path, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    with files.open(path) as file:
        return np.memmap(file, kind, "r").view(np.ndarray) if files.size(path) else np.empty(0, kind)


def _partial(path: Path) -> Path:
    return path.with_name(f"{path.name}{files.PARTIAL}")
