"""Is there anything new in this text? A page is compared with what its kind has shown lately, not kept.

Numbers and the page's own address are taken out first, because a calendar differs only in its numbers and many error
pages only in the address they repeat. What is left is seen as lines, which menus and footers share; in lines that are
new, pairs of words are looked at, which a list of the same goods in another order shares. A page that has enough new
pairs is new, however much of it is boilerplate.

What a kind has shown is a table of one byte fingerprints, overwritten as new ones come: a few hundred bytes
remember the last few dozen pages, and take an unknown line for known once in 255 times.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote
from zlib import crc32

from gossamer.urls import keys

LONGEST = 20_000
"""Characters of a page that are looked at."""
ENOUGH = 16
"""New pairs of words that make a page new."""
LINES = 256
"""Lines of a page that are looked at."""
PAIRS = 200
"""Pairs that are looked at before a page is judged by what was found."""
SIZES = (256, 1_024, 2_048)
"""Bytes of a memory: the next size when half as many marks as it has bytes were made. It begins anew then."""
MARKS = 48
"""Words that stand for all words of a page: those with the smallest hashes."""
_MIX, _MASK = 0x9E3779B1, 0xFFFFFFFF


class Sketch(NamedTuple):
    """A page without what varies."""

    lines: tuple[bytes, ...]
    digest: int
    """Of the text with its numbers; equal for pages that say the same, but for their own address."""
    plain: int
    """Of the text without them."""


def sketch(url: str, title: str, text: str) -> Sketch:
    """The lines of a page, each once, without digits and without its own address."""
    told = f"{title}\n{text[:LONGEST]}"
    for name in _names(url):
        if name in told:
            told = told.replace(name, "")
    data = told.encode("utf-8", "replace")
    plain = data.translate(None, b"0123456789")
    lines = tuple(dict.fromkeys(filter(None, map(bytes.strip, plain.split(b"\n")))))
    return Sketch(lines, keys.digest(data), keys.digest(plain))


def _names(url: str) -> list[str]:
    """What a page may call itself, the longest first; short names could be any word."""
    path = "/" + url.split("/", 3)[3]
    plain = path.partition("?")[0]
    last = plain.rstrip("/").rpartition("/")[2]
    found = [url, path, unquote(path), plain, last, last.rpartition(".")[0]]
    return [name for name in dict.fromkeys(found) if len(name) >= 6]


def marks(found: Sketch) -> tuple[int, ...]:
    """The words of a page, in few numbers: equal for equal words, in whatever order they stand."""
    return tuple(sorted(map(crc32, set(b" ".join(found.lines).split())))[:MARKS])


class Memory:
    """What a kind of page has shown lately."""

    def __init__(self, table: bytes = b"", made: int = 0) -> None:
        self.table = bytearray(table or SIZES[0])
        self.made = made

    def news(self, page: Sketch) -> float:
        """How new a page is, from 0 to 1; it is remembered."""
        pairs = new = 0
        for line in page.lines[:LINES]:
            if not self._meet((crc32(line),)):
                continue
            words = list(map(crc32, line.split()))
            new += self._meet([(one * _MIX + other) & _MASK for one, other in zip([0, *words], words, strict=False)])
            pairs += len(words)
            if new >= ENOUGH or pairs >= PAIRS:
                break
        self._grow()
        return min(new / ENOUGH, 1.0)

    def _meet(self, marks: Iterable[int]) -> int:
        """How many were not met lately; from now on they were."""
        table, size, new = self.table, len(self.table), 0
        for mark in marks:
            place, print_ = mark % size, mark >> 24 or 1
            if table[place] != print_:
                table[place] = print_
                new += 1
        self.made += new
        return new

    def _grow(self) -> None:
        size = len(self.table)
        if self.made > size // 2 and size < SIZES[-1]:
            self.table = bytearray(SIZES[SIZES.index(size) + 1])
            self.made = 0
