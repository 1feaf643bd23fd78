"""All pairs of near copies, without comparing all pairs: what never meets in a bucket is never looked at.

Pages that say the same words are taken together first, and each is paired with the first of them only: a text that
stands on a thousand pages makes a thousand pairs, not half a million. The first ones meet by simhash and in the bands
of their sketches. In a crowd, where very many meet in one bucket, each is compared with those next to it. So cost grows
with the number of pages, and near copies in a crowd are linked in a chain; `grouped` makes groups of what is linked.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from tempfile import TemporaryFile
from typing import IO, NamedTuple, TypeVar

import numpy as np

from gossamer.dedupe.bits import Places, near_prints, neighbours
from gossamer.dedupe.entries import BLOCKS, NUMBER_BITS, TABLES, Keys, numbers
from gossamer.dedupe.judge import are_copies, resemblances
from gossamer.dedupe.lookup import Lookup
from gossamer.dedupe.pages import COLUMNS, Columns
from gossamer.model import URL

CROWD = 16
"""How many of those that follow in a bucket a page is compared with."""
_AT_ONCE = 50_000

Name = TypeVar("Name", bound=Hashable)


class Pair(NamedTuple):
    """Two pages that are copies."""

    one: URL
    other: URL
    resemblance: float
    distance: int
    """Bits in which the simhashes differ."""


def pairs(lookups: Sequence[Lookup]) -> Iterator[Pair]:
    """All pairs of copies among the pages of these, which have one rule."""
    with TemporaryFile(prefix="gossamer-pairs-") as file:
        numbered = [_copied(lookup, file) for lookup in lookups]
        file.flush()
        if any(map(len, numbered)):
            yield from _Search(lookups, numbered, np.memmap(file, COLUMNS, "r").view(np.ndarray)).found()


def grouped(linked: Iterable[tuple[Name, Name]]) -> list[list[Name]]:
    """What is linked, directly or through others, in one group each; in the order they came."""
    above: dict[Name, Name] = {}

    def top(name: Name) -> Name:
        while (higher := above.setdefault(name, name)) != name:
            above[name] = name = above[higher]
        return name

    for one, other in linked:
        above[top(other)] = top(one)
    groups: dict[Name, list[Name]] = {}
    for name in above:
        groups.setdefault(top(name), []).append(name)
    return list(groups.values())


class _Search:
    """The pages of all lookups in one row. A place in it stands for a page, and one number for a pair of places."""

    def __init__(self, lookups: Sequence[Lookup], numbered: list[Places], columns: Columns) -> None:
        self._lookups = lookups
        self._numbered = numbered
        self._starts = np.cumsum([0, *map(len, numbered)])
        self._columns = columns
        self._prints = np.ascontiguousarray(columns["simhash"])
        self._first = _firsts(np.ascontiguousarray(columns["digest"]))
        """For each place, the first that says the same."""
        self._known = np.empty(0, np.int64)
        """Pairs that have been found to be copies, in order."""

    def found(self) -> Iterator[Pair]:
        """All pairs, each once."""
        copies = np.flatnonzero(self._first != np.arange(len(self._first)))
        yield from self._told(self._first[copies], copies)
        for one, other in self._candidates():
            new = np.setdiff1d(np.minimum(one, other) << 32 | np.maximum(one, other), self._known)
            confirmed = np.concatenate([new[:0], *map(self._confirmed, _parts(new))])
            self._known = np.union1d(self._known, confirmed)
            yield from self._told(confirmed >> 32, confirmed & 0xFFFFFFFF)

    def _candidates(self) -> Iterator[tuple[Places, Places]]:
        distinct = np.flatnonzero(self._first == np.arange(len(self._first)))
        for one, other in near_prints(self._prints[distinct]):
            yield distinct[one], distinct[other]
        for table in range(BLOCKS, TABLES):
            values, places = self._column(table)
            left, right = neighbours(values, CROWD)
            yield places[left], places[right]

    def _column(self, table: int) -> tuple[Keys, Places]:
        """What the first of equal pages are looked for by, in order, and their places."""
        values, places = [], []
        for lookup, numbered, start in zip(self._lookups, self._numbered, self._starts, strict=False):
            entries = lookup.tables.column(table)
            wanted = numbers(entries)
            at = np.minimum(numbered.searchsorted(wanted), len(numbered) - 1)
            there = numbered[at] == wanted if len(numbered) else np.zeros(len(wanted), np.bool_)
            there[there] = self._first[at[there] + start] == at[there] + start
            values.append(entries[there] >> np.uint64(NUMBER_BITS))
            places.append(at[there] + start)
        together = np.concatenate(values)
        order = together.argsort(kind="stable")
        return together[order], np.concatenate(places)[order]

    def _confirmed(self, candidates: Places) -> Places:
        ones, others = self._columns[candidates >> 32], self._columns[candidates & 0xFFFFFFFF]
        rule = self._lookups[0].rule
        return candidates[are_copies(rule, ones, others, resemblances(ones, others))]

    def _told(self, one: Places, other: Places) -> Iterator[Pair]:
        for mine, theirs in zip(_parts(one), _parts(other), strict=True):
            alike = resemblances(self._columns[mine], self._columns[theirs])
            far = np.bitwise_count(self._prints[mine] ^ self._prints[theirs])
            urls = self._urls(mine), self._urls(theirs)
            yield from map(Pair, *urls, alike.tolist(), far.tolist())

    def _urls(self, places: Places) -> list[URL]:
        shelf = self._starts.searchsorted(places, "right") - 1
        urls = np.empty(len(places), object)
        for at, (lookup, numbered) in enumerate(zip(self._lookups, self._numbered, strict=True)):
            mine = shelf == at
            urls[mine] = lookup.pages.urls(numbered[places[mine] - self._starts[at]].tolist())
        told: list[URL] = urls.tolist()
        return told


def _copied(lookup: Lookup, file: IO[bytes]) -> Places:
    """Write the columns of all pages; their numbers."""
    numbered = [np.empty(0, np.int64)]
    for these, columns in lookup.pages.between(0):
        file.write(columns.tobytes())
        numbered.append(these)
    return np.concatenate(numbered)


def _firsts(digests: Keys) -> Places:
    """For each, the place of the first that is equal."""
    _, first, group = np.unique(digests, return_index=True, return_inverse=True)
    return first[group]


def _parts(places: Places) -> Iterator[Places]:
    return (places[start : start + _AT_ONCE] for start in range(0, len(places), _AT_ONCE))
