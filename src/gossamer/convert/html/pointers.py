"""The links of a page as they are written, in columns: the scanner hands them over without an object for each.

A column is UTF-8, one text after the other, with the ends of these in numbers of 64 bits. What is known of a link
beside its texts is one byte, its mark: where it stands, and whether it says nofollow.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TypeAlias

from gossamer.convert.html.links import Pointer

PLACES = ("a", "area", "iframe", "link", "refresh", "frame")
"""By the lower bits of a mark."""
NOFOLLOW = 8
_LINK = PLACES.index("link")

Columns: TypeAlias = tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes]
"""Addresses, anchors and rels, each with their ends; and marks."""


class Pointers:
    """What a page has of links."""

    __slots__ = ("_all", "columns")

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self._all: tuple[Pointer, ...] | None = None

    def __len__(self) -> int:
        return len(self.columns[-1])

    @property
    def made(self) -> tuple[Pointer, ...]:
        """All of them, as objects."""
        if self._all is None:
            self._all = _pointers(self.columns, PLACES)
        return self._all

    def __eq__(self, other: object) -> bool:
        return self.made == (other.made if isinstance(other, Pointers) else other)

    def __hash__(self) -> int:
        return hash(self.columns)

    def __repr__(self) -> str:
        return repr(self.made)

    @property
    def anchors(self) -> str:
        """All of them, one after the other."""
        return self.columns[2].decode("utf-8", "replace")

    def with_fragments(self) -> Iterator[tuple[int, str]]:
        """The numbers and addresses of those that name a place in what they point to."""
        hrefs, ends, *_ = self.columns
        stops, at = memoryview(ends).cast("q"), hrefs.find(b"#")
        while at >= 0:
            number = bisect_right(stops, at)
            end = stops[number]
            yield number, hrefs[stops[number - 1] if number else 0 : end].decode("utf-8", "replace")
            at = hrefs.find(b"#", end)

    def canonical(self) -> Iterator[int]:
        """The numbers of link elements that name the page itself."""
        _, _, _, _, rels, ends, marks = self.columns
        if b"canonical" not in rels:
            return
        at = 0
        for number, (mark, end) in enumerate(zip(marks, memoryview(ends).cast("q"), strict=True)):
            if place_of(mark) == _LINK and b"canonical" in rels[at:end].split():
                yield number
            at = end


def place_of(mark: int) -> int:
    """Its number among `PLACES`."""
    return mark & (NOFOLLOW - 1)


def columns(pointers: Iterable[Pointer]) -> Columns:
    """Links that are objects already."""
    pointers = list(pointers)
    hrefs, anchors, rels = (_column([pointer[field] for pointer in pointers]) for field in range(3))
    marks = bytes(PLACES.index(place) | NOFOLLOW * ("nofollow" in rel) for _, _, rel, place in pointers)
    return (*hrefs, *anchors, *rels, marks)


def _column(texts: Sequence[str]) -> tuple[bytes, bytes]:
    data = [text.encode("utf-8", "replace") for text in texts]
    return b"".join(data), array("q", accumulate(map(len, data))).tobytes()


def one_by_one(columns: Columns, places: tuple[str, ...], /) -> tuple[Pointer, ...]:
    """The same as the compiled part: columns become tuples."""
    *texts_and_ends, marks = columns
    texts = (_texts(*each) for each in zip(texts_and_ends[::2], texts_and_ends[1::2], strict=True))
    return tuple(zip(*texts, [places[place_of(mark)] for mark in marks], strict=True))


def _texts(data: bytes, ends: bytes) -> list[str]:
    stops = memoryview(ends).cast("q").tolist()
    return [data[at:end].decode("utf-8", "replace") for at, end in zip([0, *stops], stops, strict=False)]


_pointers: Callable[[Columns, tuple[str, ...]], tuple[Pointer, ...]]
try:
    from gossamer.convert.html._scan import pointers as _pointers
except ImportError:
    _pointers = one_by_one
