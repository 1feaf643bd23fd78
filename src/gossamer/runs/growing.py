"""Which runs count, and when do several become one? They grow by merging, and outlive a kill at any moment.

This is the LSM tree (O'Neil et al., 1996): what came lately is in memory and becomes a run; some runs of one level
become one of the next, so that a key is rewritten once for each level. The owner keeps the youngest keys, and in its
table a list of the runs that count. Files come first, then the commit that lists them, then the old files go: a kill at
any moment leaves all that was committed, and files in no list are swept away.

`sorted` is loaded with the first run: most crawls never have one, and need no NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gossamer import files
from gossamer.runs import Form

if TYPE_CHECKING:
    from gossamer.runs.sorted import Merge, Run


class Shape(NamedTuple):
    """How runs grow."""

    generation: int
    """Keys, or what has several of them, in memory that make a run."""
    fan: int = 4
    """Runs of one level that make a run of the next."""
    at_once: int = 200_000
    """Keys that are merged before a commit, at most."""


class Commits(Protocol):
    """As much of a table as is used here."""

    commits: int


class Runs:
    """The runs of one folder, in order of age. After each change the owner lists them, in the same commit."""

    def __init__(self, folder: Path, form: Form, shape: Shape, table: Commits) -> None:
        self.now: list[Run] = []
        self.shape = shape
        self._folder = folder
        self._form = form
        self._table = table
        self._last = 0
        self._born: dict[int, int] = {}
        """Commits that had been made when a run was written."""
        self._merges: dict[int, Merge] = {}
        self._old: list[tuple[int, int]] = []
        """Commits that had been made when a run was merged, and its number."""

    def begin(self, runs: Sequence[Run], last: int) -> None:
        """With those that are listed; `last` is the highest number that a listed run has or had."""
        self.now, self._last = list(runs), last

    def number(self) -> int:
        """For a new run."""
        self._last += 1
        return self._last

    def add(self, run: Run) -> None:
        """It counts from the commit that lists it."""
        self._put(len(self.now), len(self.now), run)

    def merge(self, begin: Callable[[Sequence[Run]], Merge]) -> Merge | None:
        """One slice, of the lowest level that has enough runs: small merges do not wait for large ones.

        The merge that it has brought to its end, if it has: then the list has changed.
        """
        level = self._crowded()
        if level is None:
            return None
        merge = self._merges.get(level)
        if merge is None:
            runs = [run for run in self.now if run.level == level]
            merge = self._merges[level] = begin(runs[: self.shape.fan])
        try:
            merged = merge.advance()
        except OSError:
            self._merges.pop(level).drop()
            raise
        if merged is None:
            return None
        self._replace(self._merges.pop(level), merged)
        return merge

    def sweep(self) -> None:
        """Old runs go once a commit has left them out, or at once when none ever listed them."""
        now, kept = self._table.commits, []
        for since, number in self._old:
            if since < now or self._born.get(number, -1) == now:
                self._born.pop(number, None)
                for path in self._form.paths(self._folder, number):
                    files.remove(path)
            else:
                kept.append((since, number))
        self._old = kept

    def clear_folder(self) -> None:
        """Remove what no list names: runs of a commit that never came, and old ones of the last that did."""
        listed = {path.name for run in self.now for path in self._form.paths(self._folder, run.number)}
        for name in files.names(self._folder, self._form.name):
            if name not in listed:
                files.remove(self._folder / name)

    def close(self) -> None:
        """Leave no file that does not count. Half a merge is begun again the next time."""
        self.sweep()
        while self._merges:
            self._merges.popitem()[1].drop()

    def _crowded(self) -> int | None:
        """Runs stand in order of age, so their levels never rise; the last are the lowest."""
        levels = [run.level for run in self.now]
        return next((level for level in reversed(levels) if levels.count(level) >= self.shape.fan), None)

    def _replace(self, merge: Merge, merged: Run) -> None:
        place = self.now.index(merge.runs[0])
        self._old += [(self._table.commits, run.number) for run in merge.runs]
        self._put(place, place + len(merge.runs), merged)

    def _put(self, place: int, end: int, run: Run) -> None:
        self.now[place:end] = [run]
        self._born[run.number] = self._table.commits
