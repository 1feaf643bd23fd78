"""Is there anything new in this text? A page is compared with what its kind has shown lately, not kept.

Numbers and the page's own address are taken out first, because a calendar differs only in its numbers and many error
pages only in the address they repeat. What is left is seen as lines, which menus and footers share; in lines that are
new, pairs of words are looked at, which a list of the same goods in another order shares. A page that has enough new
pairs is new, however much of it is boilerplate.

What a kind has shown is a table of one byte fingerprints, overwritten as new ones come: a few hundred bytes
remember the last few dozen pages, and take an unknown line for known once in 255 times.

The look at a text is compiled, in `_newness.c`; `by_lines` is its twin.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from urllib.parse import unquote
from zlib import crc32

import msgspec

from gossamer.urls import keys

LONGEST = 20_000
"""Characters of a page that are looked at."""
ENOUGH = 16
"""New pairs of words that make a page new."""
LINES = 256
"""Lines of a page that are looked at."""
PAIRS = 200
"""Pairs that are looked at before a page is judged by what was found."""
STRETCH = 64
"""Words of a line that are looked at together."""
SIZES = (256, 1_024, 2_048)
"""Bytes of a memory: the next size when half as many marks as it has bytes were made. It begins anew then."""
SHORTEST_NAME = 6
"""Characters of what a page may call itself."""
MARKS = 48
"""Words that stand for all words of a page: those with the smallest hashes."""
_MIX, _MASK = 0x9E3779B1, 0xFFFFFFFF
_DIGITS = b"0123456789"


class Sketch:
    """A page without what varies. Most is worked out only when it is asked for: a new page shows soon that it is."""

    def __init__(self, told: str) -> None:
        """`told` is the text without the page's own address."""
        self._data = told.encode("utf-8", "replace")

    @cached_property
    def digest(self) -> int:
        """Of the text with its numbers; equal for pages that say the same, but for their own address."""
        return keys.digest(self._data)

    @cached_property
    def plain(self) -> int:
        """Of the text without them."""
        return keys.digest(self.undated)

    @cached_property
    def undated(self) -> bytes:
        """The text without digits."""
        return self._data.translate(None, _DIGITS)


def sketch(url: str, title: str, text: str) -> Sketch:
    """A page without its own address."""
    told = f"{title}\n{text[:LONGEST]}"
    if "%" not in url and _shortest_name(url) not in told:  # then none of the others is there, for it is in all of them
        return Sketch(told)
    for name in _names(url):
        if name in told:
            told = told.replace(name, "")
    return Sketch(told)


def _shortest_name(url: str) -> str:
    """The last of `_names`, of an address that needs no unquoting; it is the address where it is that short."""
    plain = url.partition("?")[0]
    last = plain.rstrip("/").rpartition("/")[2]
    stem = last.rpartition(".")[0]
    if len(stem) >= SHORTEST_NAME:
        return stem
    return last if len(last) >= SHORTEST_NAME else _names(url)[-1]


def _names(url: str) -> list[str]:
    """What a page may call itself, the longest first; short names could be any word."""
    path = "/" + url.split("/", 3)[3]
    plain = path.partition("?")[0]
    last = plain.rstrip("/").rpartition("/")[2]
    found = [url, path, unquote(path), plain, last, last.rpartition(".")[0]]
    return [name for name in dict.fromkeys(found) if len(name) >= SHORTEST_NAME]


def marks(found: Sketch) -> tuple[int, ...]:
    """The words of a page, in few numbers: equal for equal words, in whatever order they stand."""
    return tuple(sorted(map(crc32, set(found.undated.split())))[:MARKS])


def by_lines(data: bytes, table: bytearray, lines: int, pairs: int, enough: int, stretch: int) -> tuple[int, int]:
    """How many pairs of words of a text were not met lately, and how many marks were made in the table. The limits are
    `LINES`, `PAIRS`, `ENOUGH` and `STRETCH`."""
    looked_at = new = unknown = 0
    for line in islice(_distinct(data), lines):
        if not _is_new(table, crc32(line)):
            continue
        unknown += 1
        for marks in _pairs(line, stretch):
            new += sum(_is_new(table, mark) for mark in marks)
            looked_at += len(marks)
            if new >= enough:
                break
        if new >= enough or looked_at >= pairs:
            break
    return new, new + unknown


def _distinct(data: bytes) -> Iterator[bytes]:
    """Each line once, one after another: a new page shows that it is by its first lines."""
    met = {b""}
    for line in map(bytes.strip, data.split(b"\n")):
        if line not in met:
            met.add(line)
            yield line


def _pairs(line: bytes, stretch: int) -> Iterator[list[int]]:
    """Its pairs of words, some at a time: a long line that is new shows it soon."""
    before, rest = 0, line
    while rest:
        words = rest.split(maxsplit=stretch)
        rest = words.pop() if len(words) > stretch else b""
        marks = list(map(crc32, words))
        yield [(one * _MIX + other) & _MASK for one, other in zip([before, *marks], marks, strict=False)]
        before = marks[-1]


def _is_new(table: bytearray, mark: int) -> bool:
    """Was it not met lately? From now on it was."""
    place, print_ = mark % len(table), mark >> 24 or 1
    if table[place] == print_:
        return False
    table[place] = print_
    return True


try:
    from gossamer.frontier.worth._newness import met
except ImportError:
    met = by_lines  # there may be no compiler where it is installed


class Memory(msgspec.Struct, array_like=True):
    """What a kind of page has shown lately."""

    table: bytearray = msgspec.field(default_factory=lambda: bytearray(SIZES[0]))
    made: int = 0
    """Marks since the table has its size."""

    def news(self, page: Sketch) -> float:
        """How new a page is, from 0 to 1; it is remembered."""
        new, made = met(page.undated, self.table, LINES, PAIRS, ENOUGH, STRETCH)
        self.made += made
        self._grow()
        return min(new / ENOUGH, 1.0)

    def _grow(self) -> None:
        size = len(self.table)
        if self.made > size // 2 and size < SIZES[-1]:
            self.table = bytearray(SIZES[SIZES.index(size) + 1])
            self.made = 0
