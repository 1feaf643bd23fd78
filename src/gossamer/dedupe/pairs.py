"""All pairs of near copies, without comparing all pairs: what never meets in a bucket is never looked at.

Pages that say the same words are taken together first, and each is paired with the first of them only: a text that
stands on a thousand pages makes a thousand pairs, not half a million. The first ones meet by simhash and in the bands
of their sketches. In a crowd, where very many meet in one bucket, each is compared with those next to it. So cost grows
with the number of pages, and near copies in a crowd are linked in a chain; `grouped` makes groups of what is linked.

Which of very many prints are within a few bits of each other is found in a few sorts (`near_prints`). After Manku, Jain
and Das Sarma (WWW 2007): cut into one block more than bits may differ, prints that are near agree in one block. Where
they do, the rest is cut once more in the same way, and again one part agrees. For three bits that makes 16 ways to put
28 bits in front; in the order of each, prints that are near stand together.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from gossamer.dedupe.entries import BLOCKS, NEAR, NUMBER_BITS, TABLES, Keys, numbers, rotated
from gossamer.dedupe.judge import are_copies, resemblances
from gossamer.dedupe.lookup import Lookup
from gossamer.dedupe.pages import COLUMNS, Columns
from gossamer.model import URL
from gossamer.urls import keys

CROWD = 16
"""How many of those that follow in a bucket a page is compared with."""
_AT_ONCE = 50_000

Name = TypeVar("Name", bound=Hashable)
Places = npt.NDArray[np.int64]


class Pair(NamedTuple):
    """Two pages that are copies."""

    one: URL
    other: URL
    resemblance: float
    distance: int
    """Bits in which the simhashes differ."""


def pairs(lookups: Sequence[Lookup]) -> Iterator[Pair]:
    """All pairs of copies among the pages of these, which have one rule."""
    with TemporaryFile(prefix="gossamer-pairs-") as columns, TemporaryFile(prefix="gossamer-pairs-") as urls:
        pages = _Pages.copied(lookups, columns, urls)
        if len(pages.columns):
            yield from _Search(lookups, pages).found()


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


@dataclass(frozen=True, slots=True, eq=False)
class _Pages:
    """The pages of all lookups in one row, in mapped files. A place in it stands for a page."""

    columns: Columns
    urls: npt.NDArray[np.uint8]
    ends: Places
    """Where each address ends."""
    places: list[Places]
    """For each lookup, the place of each number; -1 where there is no page."""

    @classmethod
    def copied(cls, lookups: Sequence[Lookup], columns: IO[bytes], urls: IO[bytes]) -> _Pages:
        sizes, places, count = [np.empty(0, np.int64)], [], 0
        for lookup in lookups:
            mine = np.full(lookup.tables.end, -1, np.int64)
            for numbered, rows in lookup.pages.chunks():
                mine[numbered] = np.arange(count, count + len(rows))
                columns.writelines(row[: COLUMNS.itemsize] for row in rows)
                urls.writelines(row[COLUMNS.itemsize :] for row in rows)
                sizes.append(np.fromiter(map(len, rows), np.int64) - COLUMNS.itemsize)
                count += len(rows)
            places.append(mine)
        return cls(_mapped(columns, COLUMNS), _mapped(urls, np.dtype("u1")), np.cumsum(np.concatenate(sizes)), places)

    def url(self, place: int) -> URL:
        start = self.ends[place - 1] if place else 0
        return keys.url_in(self.urls[start : self.ends[place]].tobytes())


class _Search:
    """A pair of places is one number, the lesser place in front."""

    def __init__(self, lookups: Sequence[Lookup], pages: _Pages) -> None:
        self._lookups = lookups
        self._pages = pages
        self._prints = np.ascontiguousarray(pages.columns["simhash"])
        self._first = _firsts(np.ascontiguousarray(pages.columns["digest"]))
        """For each place, the first that says the same."""
        self._known = np.empty(0, np.int64)
        """Pairs that have been found to be copies, in order."""

    def found(self) -> Iterator[Pair]:
        """All pairs, each once."""
        copies = np.flatnonzero(self._first != np.arange(len(self._first)))
        yield from self._told(self._first[copies], copies)
        for one, other in self._candidates():
            new = _without(np.minimum(one, other) << 32 | np.maximum(one, other), self._known)
            confirmed = np.concatenate([new[:0], *map(self._confirmed, _parts(new))])
            self._known = np.sort(np.concatenate([self._known, confirmed]), kind="stable")
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
        for lookup, mine in zip(self._lookups, self._pages.places, strict=True):
            entries = lookup.tables.column(table)
            at = mine[numbers(entries)]
            kept = (at >= 0) & (self._first[at] == at)
            values.append(entries[kept] >> np.uint64(NUMBER_BITS))
            places.append(at[kept])
        together = np.concatenate(values)
        order = together.argsort(kind="stable")
        return together[order], np.concatenate(places)[order]

    def _confirmed(self, candidates: Places) -> Places:
        ones, others = self._pages.columns[candidates >> 32], self._pages.columns[candidates & 0xFFFFFFFF]
        rule = self._lookups[0].rule
        return candidates[are_copies(rule, ones, others, resemblances(ones, others))]

    def _told(self, one: Places, other: Places) -> Iterator[Pair]:
        for mine, theirs in zip(_parts(one), _parts(other), strict=True):
            alike = resemblances(self._pages.columns[mine], self._pages.columns[theirs])
            far = np.bitwise_count(self._prints[mine] ^ self._prints[theirs])
            urls = (map(self._pages.url, places.tolist()) for places in (mine, theirs))
            yield from map(Pair, *urls, alike.tolist(), far.tolist())


def _mapped(file: IO[bytes], kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """What was written to a file; empty files cannot be mapped."""
    file.flush()
    return np.memmap(file, kind, "r").view(np.ndarray) if file.tell() else np.empty(0, kind)


def _firsts(digests: Keys) -> Places:
    """For each, the place of the first that is equal."""
    _, first, group = np.unique(digests, return_index=True, return_inverse=True)
    return first[group]


def _without(candidates: Places, known: Places) -> Places:
    """Each once, in order, without those that are known."""
    found = np.sort(candidates)
    new = np.ones(len(found), np.bool_)
    np.not_equal(found[1:], found[:-1], out=new[1:])
    if len(known):
        new &= known[np.minimum(known.searchsorted(found), len(known) - 1)] != found
    return found[new]


def _parts(places: Places) -> Iterator[Places]:
    return (places[start : start + _AT_ONCE] for start in range(0, len(places), _AT_ONCE))


def near_prints(prints: Keys, most: int = NEAR, crowd: int = 64) -> Iterator[tuple[Places, Places]]:
    """Pairs of places whose prints differ in at most so many bits, some at a time. A pair may come more than once.

    Of more than `crowd` prints that agree in their front bits, each is compared with so many that follow.
    """
    for front in _fronts(prints, most):
        order = front.argsort()
        left, right = neighbours(front[order], crowd)
        one, other = order[left], order[right]
        near = np.bitwise_count(prints[one] ^ prints[other]) <= most
        yield one[near], other[near]


def neighbours(values: Keys, crowd: int) -> tuple[Places, Places]:
    """Pairs of places of sorted values that are equal, at most `crowd` places apart."""
    lefts, rights = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for step in range(1, crowd + 1):
        left = np.flatnonzero(values[step:] == values[:-step])
        if not len(left):
            break
        lefts.append(left)
        rights.append(left + step)
    return np.concatenate(lefts), np.concatenate(rights)


def _fronts(prints: Keys, most: int) -> Iterator[npt.NDArray[np.uint64]]:
    for start, width in _cuts(64, most + 1):
        turned = rotated(prints, start)
        for behind, size in _cuts(64 - width, most + 1):
            part = turned << np.uint64(width + behind) >> np.uint64(64 - size)
            yield turned >> np.uint64(64 - width) << np.uint64(size) | part


def _cuts(bits: int, parts: int) -> list[tuple[int, int]]:
    """Where each of so many parts begins, and how wide it is."""
    bounds = [bits * part // parts for part in range(parts + 1)]
    return [(start, end - start) for start, end in pairwise(bounds)]
