"""Runs that grow by merging (the LSM tree of O'Neil et al., 1996), and outlive a kill at any moment.

The table lists the runs that count, each for an unbroken range of pages. Files come first, then the commit that lists
them, then the old files go. All of it is derived from the prints of the pages: a run that is lost or damaged is made
again from their rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from gossamer import files
from gossamer.dedupe.entries import Keys, entries
from gossamer.dedupe.pages import Columns, Pages
from gossamer.dedupe.runs import NAME, Listed, Merge, Run, in_memory, path_of, write
from gossamer.errors import Damaged
from gossamer.rows import decoder


class Shape(NamedTuple):
    """How the tables grow."""

    generation: int = 4_096
    """Pages in memory that make a run."""
    fan: int = 4
    """Runs of one level that make a run of the next."""
    at_once: int = 400_000
    """Entries that are merged before a commit, at most."""


USUAL = Shape()


listed_of = decoder(list[Listed])


class Runs:
    """The runs of all pages but the youngest, in order of age."""

    def __init__(self, pages: Pages, folder: Path, shape: Shape = USUAL) -> None:
        """Opens what is listed, and changes nothing on the disk."""
        self._pages = pages
        self._folder = folder
        self._shape = shape
        self._merges: dict[int, Merge] = {}
        self._old: list[tuple[int, int]] = []
        """Files that are listed no more, and how many commits had been made by then."""
        listed = listed_of(pages.listed or b"\x90")
        self._file = max((each.file for each in listed), default=0)
        self.now = [self._opened(each) for each in listed]

    @property
    def end(self) -> int:
        """The first page that is in no run."""
        return self.now[-1].listed.end if self.now else 0

    def tidy(self) -> None:
        """Write what had to be made again, and remove files that no list names. For the one process that writes."""
        try:
            files.make_folder(self._folder)
            for place, run in enumerate(self.now):
                if run.listed.file == 0:
                    self.now[place] = write(self._folder, run.named(self._next_file()))
                    self._list()
            counting = {path_of(self._folder, run.listed.file) for run in self.now}
            for path in {self._folder / name for name in files.names(self._folder, NAME)} - counting:
                files.remove(path)
        except OSError as error:
            raise files.told(error, self._folder) from error

    def are_enough(self, pages: int) -> bool:
        """Whether so many pages make a run."""
        return pages >= self._shape.generation

    def add(self, young: Keys, simhashes: Keys) -> None:
        """More pages become a run, by their sorted entries and their simhashes. It counts from the next commit."""
        run = in_memory(Listed(self._next_file(), 0, self.end, self.end + len(simhashes), 0), young, simhashes)
        try:
            self.now.append(write(self._folder, run))
        except OSError as error:
            raise files.told(error, self._folder) from error
        self._list()

    def prepare(self) -> None:
        """Before each commit: one slice of merging is done."""
        try:
            self._sweep()
            self._merge()
        except OSError as error:
            raise files.told(error, self._folder) from error

    def close(self) -> None:
        """Leave no file that does not count. Half a merge is begun again the next time."""
        self._sweep()
        while self._merges:
            self._merges.popitem()[1].drop()

    # --------------------------------------------------------------- opening

    def _opened(self, listed: Listed) -> Run:
        try:
            return Run.open(self._folder, listed)
        except Damaged:
            return self._made_again(listed._replace(file=0))

    def _made_again(self, listed: Listed) -> Run:
        keys = [np.empty(0, np.uint64)]
        simhashes = np.zeros(listed.pages, np.uint64)
        for numbers, columns in self._pages.between(listed.first, listed.end):
            keys.append(entered(numbers, columns).ravel())
            simhashes[numbers - listed.first] = columns["simhash"]
        return in_memory(listed, np.sort(np.concatenate(keys)), simhashes)

    # --------------------------------------------------------------- merging

    def _merge(self) -> None:
        """One slice, of the lowest level that has enough runs: small merges do not wait for large ones."""
        level = self._crowded()
        if level is None:
            return
        merge = self._merges.get(level) or self._begun(level)
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
        levels = [run.listed.level for run in self.now]
        return next((level for level in reversed(levels) if levels.count(level) >= self._shape.fan), None)

    def _begun(self, level: int) -> Merge:
        runs = [run for run in self.now if run.listed.level == level][: self._shape.fan]
        gone = self._pages.gone(runs[0].listed.first, runs[-1].listed.end)
        merge = Merge(self._folder, self._next_file(), runs, gone, self._shape.at_once)
        self._merges[level] = merge
        return merge

    def _replace(self, merge: Merge, merged: Run) -> None:
        place = self.now.index(merge.runs[0])
        self.now[place : place + len(merge.runs)] = [merged]
        self._old += [(self._pages.table.commits, run.listed.file) for run in merge.runs]
        self._pages.forget(merge.gone)
        self._list()

    def _next_file(self) -> int:
        self._file += 1
        return self._file

    def _list(self) -> None:
        self._pages.listed = msgspec.msgpack.encode([run.listed for run in self.now])

    def _sweep(self) -> None:
        """Old files go once a commit has left them out."""
        now = self._pages.table.commits
        for since, file in self._old:
            if since < now:
                files.remove(path_of(self._folder, file))
        self._old = [(since, file) for since, file in self._old if since >= now]


def entered(numbers: npt.NDArray[np.int64], columns: Columns) -> Keys:
    """For each page a row of entries with its number."""
    return entries(columns["simhash"], columns["sketch"]) | numbers.astype(np.uint64)[:, None]
