"""How the characters and paragraphs of a Word file are formatted: [MS-DOC] sections 2.6, 2.8 and 2.9.

Formatting is written as changes to a default ("sprms"): a number that says what is changed, and its new value. Those of
a run of the file stand in pages of 512 bytes, sorted by position. Only what a reader can hear is kept: tables, lists,
headings, emphasis, and text that is hidden or deleted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from struct import error as too_short
from struct import unpack_from
from typing import NamedTuple, TypeAlias

from gossamer.convert.files.doc.characters import Piece, WordFile

_STYLES, _CHARACTER_PAGES, _PARAGRAPH_PAGES = 1, 12, 13
_PAGE = 512
_SIZES = (1, 1, 2, 4, 2, 2, 0, 3)
"""Bytes of a value, by the three highest bits of its number; 0 where the value begins with its length."""
_TABLE_SHAPE, _TABS = 0xD608, 0xC615
_STYLES_DEEP = 12
_TITLE = 62
"""The built-in style of a title; 1 to 9 are those of headings."""


@dataclass(frozen=True, slots=True)
class Look:
    """How characters look."""

    bold: bool = False
    italic: bool = False
    hidden: bool = False
    deleted: bool = False
    shift: str = ""
    """sub, sup or nothing."""
    special: bool = False
    """A mark that stands for something, not for itself."""
    symbol: tuple[int, int] | None = None
    """A character of a font without proper encoding: the number of the font, the character."""

    @property
    def unseen(self) -> bool:
        """Is it not to be read?"""
        return self.hidden or self.deleted


@dataclass(frozen=True, slots=True)
class Shape:
    """What a paragraph is."""

    style: int = 0
    level: int = 0
    """Of a heading, 1 to 9; 0 for all else."""
    title: bool = False
    depth: int = 0
    """Tables it stands in."""
    ends_row: bool = False
    ends_inner_cell: bool = False
    ends_inner_row: bool = False
    list: int = 0
    """Number of the list it belongs to; 0 for none."""
    list_level: int = 0


PLAIN_LOOK, PLAIN_SHAPE = Look(), Shape()


class Run(NamedTuple):
    """Formatting from one position of the file to another."""

    first: int
    end: int
    changes: bytes


PageReader: TypeAlias = Callable[[bytes], Iterator[Run]]


class Formats:
    """Looks up formatting by position in the text."""

    def __init__(self, word: WordFile) -> None:
        self._word = word
        self._firsts = [piece.first for piece in word.pieces]
        self._characters = _runs(word, _CHARACTER_PAGES, _character_page)
        self._paragraphs = _runs(word, _PARAGRAPH_PAGES, _paragraph_page)
        self._character_firsts = [run.first for run in self._characters]
        self._paragraph_firsts = [run.first for run in self._paragraphs]
        self._styles = Styles(word.part(_STYLES))
        self._shapes: dict[tuple[bytes, bytes], Shape] = {}

    def looks(self, first: int, end: int) -> Iterator[tuple[int, int, Look]]:
        """The looks of a stretch of text, piece by piece and run by run."""
        at = first
        while at < end:
            piece = self._piece(at)
            if piece is None:
                yield at, end, PLAIN_LOOK
                return
            place = piece.offset + (at - piece.first) * piece.width
            run = _at(self._characters, self._character_firsts, place)
            until = min(end, piece.end)
            if run.end > place:
                until = min(until, at + max((run.end - place) // piece.width, 1))
            yield at, until, _look(run.changes + self._changes(piece))
            at = until

    def shape(self, position: int) -> Shape:
        """What the paragraph is whose mark stands at this position."""
        piece = self._piece(position)
        if piece is None:
            return PLAIN_SHAPE
        place = piece.offset + (position - piece.first) * piece.width
        run = _at(self._paragraphs, self._paragraph_firsts, place)
        key = (run.changes, self._changes(piece))
        if key not in self._shapes:
            self._shapes[key] = self._styles.shape(*key)
        return self._shapes[key]

    def _piece(self, position: int) -> Piece | None:
        number = bisect_right(self._firsts, position) - 1
        if number < 0 or position >= self._word.pieces[number].end:
            return None
        return self._word.pieces[number]

    def _changes(self, piece: Piece) -> bytes:
        """What was changed in a piece as a whole, where that is written apart."""
        number = piece.change >> 1
        return self._word.changes[number] if piece.change & 1 and number < len(self._word.changes) else b""


class Styles:
    """The styles of a document: what a paragraph is before its own changes."""

    def __init__(self, data: bytes) -> None:
        self._styles: dict[int, tuple[int, int, bytes]] = {}
        """Built-in number, style it is based on, changes."""
        with suppress(too_short):  # cut off: the styles before it count
            self._read(data)

    def _read(self, data: bytes) -> None:
        if not data:
            return
        header, count, fixed = unpack_from("<HHH", data)
        at = 2 + header
        for number in range(min(count, 4_095)):
            (length,) = unpack_from("<H", data, at)
            if length:
                self._styles[number] = _style(data[at + 2 : at + 2 + length], fixed)
            at += 2 + length + (length & 1)

    def shape(self, own: bytes, more: bytes) -> Shape:
        """The shape of a paragraph with these changes; its style is the first thing they say."""
        style = unpack_from("<H", own)[0] if len(own) >= 2 else 0
        for name, value in (*_sprms(own[2:]), *_sprms(more)):
            if name == 0x4600:
                style = _number(value)
        shape = _shaped(self._shape_of(style, 0), own[2:] + more)
        return replace(shape, style=style)

    def _shape_of(self, number: int, deep: int) -> Shape:
        if number not in self._styles or deep > _STYLES_DEEP:
            return PLAIN_SHAPE
        built_in, parent, changes = self._styles[number]
        shape = _shaped(self._shape_of(parent, deep + 1), changes)
        if 1 <= built_in <= 9:
            return replace(shape, level=built_in)
        return replace(shape, title=True) if built_in == _TITLE else shape


def _style(data: bytes, fixed: int) -> tuple[int, int, bytes]:
    built_in, kind, _ = unpack_from("<HHH", data)
    (length,) = unpack_from("<H", data, fixed)
    at = fixed + 2 + 2 * length + 2
    changes = b""
    if kind & 0xF == 1 and at + 2 <= len(data):  # of a paragraph: first how it is shaped, then how it looks
        (size,) = unpack_from("<H", data, at)
        changes = data[at + 4 : at + 2 + size]
    return built_in & 0xFFF, kind >> 4, changes


def _shaped(shape: Shape, changes: bytes) -> Shape:
    for name, value in _sprms(changes):
        number = _number(value)
        if name == 0x2416:
            shape = replace(shape, depth=max(shape.depth, 1) if number else 0)
        elif name == 0x6649:
            shape = replace(shape, depth=min(number, 32))
        elif name == 0x2417:
            shape = replace(shape, ends_row=bool(number))
        elif name == 0x244B:
            shape = replace(shape, ends_inner_cell=bool(number))
        elif name == 0x244C:
            shape = replace(shape, ends_inner_row=bool(number))
        elif name == 0x460B:
            shape = replace(shape, list=number if number < 0x800 else 0)
        elif name == 0x260A:
            shape = replace(shape, list_level=min(number, 8))
        elif name == 0x2640 and number < 9:
            shape = replace(shape, level=number + 1)
    return shape


@lru_cache(maxsize=4_096)
def _look(changes: bytes) -> Look:
    look = PLAIN_LOOK
    for name, value in _sprms(changes):
        on = _number(value) in (1, 0x81)
        if name == 0x0835:
            look = replace(look, bold=on)
        elif name == 0x0836:
            look = replace(look, italic=on)
        elif name == 0x083C:
            look = replace(look, hidden=on)
        elif name == 0x0800:
            look = replace(look, deleted=on)
        elif name == 0x0855:
            look = replace(look, special=on)
        elif name == 0x2A48:
            look = replace(look, shift={1: "sup", 2: "sub"}.get(_number(value), ""))
        elif name == 0x6A09:
            look = replace(look, symbol=(_number(value[:2]), _number(value[2:])))
    return look


def _number(value: bytes) -> int:
    return int.from_bytes(value, "little")


def _sprms(changes: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 2 < len(changes):
        name = changes[at] | changes[at + 1] << 8
        at += 2
        size = _SIZES[name >> 13]
        if not size:
            size = changes[at] + 1
            if name == _TABLE_SHAPE:
                size = int.from_bytes(changes[at : at + 2], "little") + 1
            elif name == _TABS and changes[at] == 255:
                return  # its length is a riddle, and nothing that we want follows
        yield name, changes[at : at + size]
        at += size


def _at(runs: list[Run], firsts: list[int], place: int) -> Run:
    number = bisect_right(firsts, place) - 1
    if number >= 0 and place < runs[number].end:
        return runs[number]
    following = runs[number + 1].first if number + 1 < len(runs) else place
    return Run(place, following, b"")


def _runs(word: WordFile, part: int, of_page: PageReader) -> list[Run]:
    """All runs of the pages that a list names; each page is read once."""
    data = word.part(part)
    count = max((len(data) - 4) // 8, 0)
    numbers = unpack_from(f"<{count}I", data, 4 * (count + 1)) if count else ()
    found: list[Run] = []
    for number in dict.fromkeys(each & 0x3FFFFF for each in numbers):
        page = word.stream[number * _PAGE : (number + 1) * _PAGE]
        if len(page) == _PAGE:
            found += of_page(page)
    return sorted(found)


def _character_page(page: bytes) -> Iterator[Run]:
    count = min(page[-1], 101)
    places = unpack_from(f"<{count + 1}I", page)
    for number in range(count):
        at = 2 * page[4 * (count + 1) + number]
        changes = page[at + 1 : at + 1 + page[at]] if at else b""
        yield Run(places[number], places[number + 1], changes)


def _paragraph_page(page: bytes) -> Iterator[Run]:
    count = min(page[-1], 29)
    places = unpack_from(f"<{count + 1}I", page)
    for number in range(count):
        at = 2 * page[4 * (count + 1) + 13 * number]
        size = 2 * page[at] - 1
        if size < 0:
            at += 1
            size = 2 * page[at] if at < _PAGE else 0
        yield Run(places[number], places[number + 1], page[at + 1 : at + 1 + size] if at else b"")
