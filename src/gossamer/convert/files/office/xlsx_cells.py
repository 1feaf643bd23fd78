"""Reads the cells of a sheet of an Excel file, and the strings that all sheets share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from gossamer import tagged
from gossamer.convert.files.markup import Enough
from gossamer.convert.files.sheets import COLUMNS_MOST, TOO_MANY, Room, kind_of_format, shown

_STRINGS_MOST = 2_000_000
_LINKS_MOST = 20_000
_PLACE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")
_HEADERS = frozenset({"x:oddHeader", "x:oddFooter", "x:evenHeader", "x:evenFooter", "x:firstHeader", "x:firstFooter"})
_TRUTH = {"0": "FALSE", "1": "TRUE"}


@dataclass(frozen=True, slots=True)
class Book:
    """What all sheets of a file have in common."""

    strings: list[str]
    kinds: list[str]
    """Of number formats, by the style of a cell."""
    from_1904: bool
    """Days are counted from 1904, as on the first Macintosh."""
    room: Room


def number_kinds(styles: Element) -> list[str]:
    """The kind of number format of each style of cells."""
    codes = {each.get("numFmtId", ""): each.get("formatCode", "") for each in styles.iter("x:numFmt")}
    found = next(styles.iter("x:cellXfs"), None)
    used = [each.get("numFmtId", "0") for each in found.iter("x:xf")] if found is not None else []
    return [kind_of_format(int(each) if each.isdecimal() else 0, codes.get(each, "")) for each in used]


class Strings:
    """Takes the elements of the shared strings."""

    def __init__(self) -> None:
        self.strings: list[str] = []
        self._parts: list[str] = []
        self._takes = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "x:t":
            self._takes = True
        elif name == "x:si":
            self._parts = []

    def end(self, name: str) -> None:
        if name == "x:t":
            self._takes = False
        elif name == "x:si":
            if len(self.strings) >= _STRINGS_MOST:
                raise Enough("too many strings")
            self.strings.append("".join(self._parts))

    def text(self, text: str) -> None:
        if self._takes:
            self._parts.append(text)


class Sheet:
    """Takes the elements of one sheet."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self.rows: dict[int, dict[int, str]] = {}
        """Lines of tagged text, by row and column."""
        self.links: list[tuple[int, int, str]] = []
        """Row, column, and the name of the target."""
        self.headers: list[str] = []
        """And footers, with their codes."""
        self._row = -1
        self._column = -1
        self._kind = ""
        self._style = 0
        self._parts: list[str] | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "x:c":
            self._cell(attributes)
        elif name in ("x:v", "x:t") or name in _HEADERS:
            self._parts = [] if self._parts is None or name != "x:t" else self._parts
        elif name == "x:row":
            number = attributes.get("r", "")
            self._row = int(number) if number.isdecimal() and len(number) < 9 else self._row + 1
            self._column = -1
        elif name == "x:hyperlink" and len(self.links) < _LINKS_MOST:
            row, column = _place(attributes.get("ref", ""))
            self.links.append((row, column, attributes.get("r:id", "")))

    def end(self, name: str) -> None:
        if name == "x:v":
            self._keep(self._value())
        elif name == "x:is":
            self._keep("".join(self._parts or ()))
            self._parts = None
        elif name in _HEADERS:
            self.headers.append("".join(self._parts or ()))
            self._parts = None

    def text(self, text: str) -> None:
        if self._parts is not None:
            self._parts.append(text)

    def _cell(self, attributes: dict[str, str]) -> None:
        row, column = _place(attributes.get("r", ""))
        self._row = row if row >= 0 else self._row
        self._column = column if column >= 0 else self._column + 1
        self._kind = attributes.get("t", "n")
        style = attributes.get("s", "0")
        self._style = int(style) if style.isdecimal() and len(style) < 9 else 0
        self._parts = None

    def _value(self) -> str:
        text = "".join(self._parts or ())
        self._parts = None
        book = self._book
        match self._kind:
            case "s":
                number = int(text) if text.isdecimal() and len(text) < 9 else len(book.strings)
                return book.strings[number] if number < len(book.strings) else ""
            case "n":
                kind = book.kinds[self._style] if self._style < len(book.kinds) else "general"
                return shown(text, kind, from_1904=book.from_1904)
            case "b":
                return _TRUTH.get(text, text)
        return text

    def _keep(self, text: str) -> None:
        if not text.strip() or not 0 <= self._column < COLUMNS_MOST:
            return
        if not self._book.room.takes(text):
            raise Enough(TOO_MANY)
        self.rows.setdefault(self._row, {})[self._column] = tagged.words(text)


def _place(name: str) -> tuple[int, int]:
    """Row and column of a cell, or of the first of a range: AA7 is (7, 26). Two times -1 for what is none."""
    found = _PLACE.match(name)
    if found is None:
        return -1, -1
    column = 0
    for letter in found[1].upper():
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(found[2]), column - 1
