"""Is an address one of a million seeds, or near one? They are known by fingerprints, of eight bytes each.

A set of strings would take ten times as much. Fingerprints lie in sorted arrays, one for each beginning, so that one
more moves a few hundred others and never all of them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable

from gossamer.model import URL
from gossamer.urls.keys import fingerprint, origin

_BEGINNING = 52
"""Bits of a fingerprint that are not its beginning: there are 4,096 of these."""


class Prints:
    """A set of strings that only grows."""

    def __init__(self) -> None:
        self._sorted: dict[int, array[int]] = {}
        self._mixed = False
        """They are not sorted yet."""

    def add(self, text: str) -> bool:
        """Whether it is new."""
        if self._mixed:
            self._sort()
        mark = fingerprint(text)
        marks = self._sorted.get(mark >> _BEGINNING)
        if marks is None:
            marks = self._sorted[mark >> _BEGINNING] = array("Q")
        place = bisect_left(marks, mark)
        if place < len(marks) and marks[place] == mark:
            return False
        marks.insert(place, mark)
        return True

    def update(self, texts: Iterable[str]) -> None:
        """Many at once. They are sorted when somebody asks, which takes half of the time."""
        self._mixed = True
        there = self._sorted
        for mark in map(fingerprint, texts):
            beginning = mark >> _BEGINNING
            if beginning in there:
                there[beginning].append(mark)
            else:
                there[beginning] = array("Q", (mark,))

    def _sort(self) -> None:
        for beginning, marks in self._sorted.items():
            self._sorted[beginning] = array("Q", sorted(set(marks)))
        self._mixed = False

    def __contains__(self, text: str) -> bool:
        if self._mixed:
            self._sort()
        mark = fingerprint(text)
        marks = self._sorted.get(mark >> _BEGINNING)
        if marks is None:
            return False
        place = bisect_left(marks, mark)
        return place < len(marks) and marks[place] == mark

    def __len__(self) -> int:
        if self._mixed:
            self._sort()
        return sum(map(len, self._sorted.values()))


class SeedPrints:
    """Seeds that do not stand in the plan: those of a long list, and where seeds redirect to."""

    def __init__(self) -> None:
        self._seeds = Prints()
        self._places = Prints()
        self._origins = Prints()
        self.some = False
        """Is there any?"""

    def add(self, url: URL, place: str) -> bool:
        """One more, with the place around it that belongs to the crawl. Whether it is new."""
        new = self._seeds.add(url)
        if new:
            self.some = True
            self._places.add(place)
            self._origins.add(origin(url))
        return new

    def load(self, seeds: Iterable[URL], place: Callable[[URL], str]) -> None:
        """Many at once; `place` tells the place around each."""
        urls = list(seeds)
        self.some = self.some or bool(urls)
        self._seeds.update(urls)
        self._places.update(map(place, urls))
        self._origins.update(map(origin, urls))

    def has(self, url: URL) -> bool:
        """Is it one of them?"""
        return url in self._seeds

    def has_origin(self, name: str) -> bool:
        """Is one of them there?"""
        return name in self._origins

    def reach(self, places: Iterable[str]) -> bool:
        """Is one of the places around one of them?"""
        return any(place in self._places for place in places)
