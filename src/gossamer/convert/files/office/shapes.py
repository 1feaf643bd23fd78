"""Reads text in shapes (DrawingML): slides, their notes, and the drawings that lie over sheets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gossamer.convert.files.flow import Block, Table
from gossamer.convert.files.line import PLAIN, Line, Look
from gossamer.convert.files.office.docx_lists import numeral
from gossamer.convert.files.office.drawings import Drawings, described
from gossamer.convert.files.office.ooxml import Package
from gossamer.convert.files.page import Pointers

_TITLES = ("title", "ctrTitle")
_SILENT = ("sldNum", "dt", "hdr", "sldImg")
_LISTS = ("body", "obj", "")
"""Kinds of placeholders whose paragraphs are items, unless they say otherwise."""
_FORMS = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}
_AROUND = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}"}


@dataclass(slots=True)
class Shared:
    """What all parts of one file have in common."""

    package: Package
    pointers: Pointers
    drawings: Drawings


@dataclass(slots=True)
class _Paragraph:
    line: Line
    level: int = 0
    bullet: bool | None = None
    """None where it says nothing."""
    numbering: str = ""
    start: int = 1


class Shapes:
    """Takes the elements of one part and gives the blocks of its shapes."""

    def __init__(self, shared: Shared, part: str) -> None:
        self._shared = shared
        self._part = part
        self.titles: list[Block] = []
        self.blocks: list[Block] = []
        self.footers: list[Block] = []
        self.spoken: list[Block] = []
        """Of notes: what stands in their body."""
        self.free: list[Block] = []
        """What stands in no placeholder."""
        self._place: str | None = None
        """The kind of placeholder that the shape is; None if it is none."""
        self._paragraph: _Paragraph | None = None
        self._tables: list[Table] = []
        self._cell: list[Block] | None = None
        self._span = 1
        self._look = PLAIN
        self._href = ""
        self._takes = False
        self._counts: dict[int, int] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if action := _STARTS.get(name):
            action(self, attributes)

    def end(self, name: str) -> None:
        if action := _ENDS.get(name):
            action(self)

    def text(self, text: str) -> None:
        if self._takes and self._paragraph:
            self._paragraph.line.add(text, self._look, self._href)

    # Shapes

    def _shape_starts(self, _: dict[str, str]) -> None:
        self._place = None
        self._counts = {}

    def _placeholder(self, attributes: dict[str, str]) -> None:
        self._place = attributes.get("type", "")

    def _described(self, attributes: dict[str, str]) -> None:
        self.blocks += described(attributes.get("descr", ""))

    def _chart(self, attributes: dict[str, str]) -> None:
        self.blocks += self._shared.drawings.chart(self._shared.package.target(self._part, attributes.get("r:id")))

    def _diagram(self, attributes: dict[str, str]) -> None:
        self.blocks += self._shared.drawings.diagram(self._shared.package.target(self._part, attributes.get("r:dm")))

    # Paragraphs

    def _paragraph_starts(self, _: dict[str, str]) -> None:
        self._paragraph = _Paragraph(Line())

    def _properties(self, attributes: dict[str, str]) -> None:
        level = attributes.get("lvl", "")
        if self._paragraph and level in tuple("012345678"):
            self._paragraph.level = int(level)

    def _bullet(self, _: dict[str, str]) -> None:
        if self._paragraph:
            self._paragraph.bullet = True

    def _no_bullet(self, _: dict[str, str]) -> None:
        if self._paragraph:
            self._paragraph.bullet = False

    def _numbering(self, attributes: dict[str, str]) -> None:
        if self._paragraph:
            start = attributes.get("startAt", "1")
            self._paragraph.numbering = attributes.get("type", "")
            self._paragraph.start = int(start) if start.isdecimal() and len(start) < 6 else 1

    def _paragraph_ends(self) -> None:
        paragraph, self._paragraph = self._paragraph, None
        if paragraph is None or not paragraph.line.words():
            return
        block = self._block(paragraph)
        if self._cell is not None:
            self._cell.append(block)
        elif self._place in _TITLES:
            self._add_title(block.line)
        elif self._place == "ftr":
            self.footers.append(block)
        elif self._place not in _SILENT:
            self.blocks.append(block)
            if self._place == "body":
                self.spoken.append(block)
            elif self._place is None:
                self.free.append(block)

    def _add_title(self, line: str) -> None:
        """Lines of a title are one heading."""
        before = f"{self.titles.pop().line} " if self.titles else ""
        self.titles.append(Block("heading", before + line, 1))

    def _block(self, paragraph: _Paragraph) -> Block:
        plain = self._place in _TITLES
        line = paragraph.line.html(self._shared.pointers, plain=plain)
        if plain:
            return Block("paragraph", line.replace("<br>", " "))
        if paragraph.numbering:
            return Block("item", line, paragraph.level, self._label(paragraph))
        bullet = paragraph.bullet
        if bullet is None:
            bullet = self._place in _LISTS and self._cell is None
        return Block("item", line, paragraph.level) if bullet else Block("paragraph", line)

    def _label(self, paragraph: _Paragraph) -> str:
        level = paragraph.level
        self._counts = {each: count for each, count in self._counts.items() if each <= level}
        self._counts[level] = self._counts.get(level, paragraph.start - 1) + 1
        form = next((form for form in _FORMS if paragraph.numbering.startswith(form)), "arabic")
        around = _AROUND.get(paragraph.numbering.removeprefix(form), "{}.")
        return around.format(numeral(self._counts[level], _FORMS[form]))

    # Runs

    def _run_starts(self, _: dict[str, str]) -> None:
        self._look, self._href = PLAIN, ""

    def _run_properties(self, attributes: dict[str, str]) -> None:
        shift = attributes.get("baseline", "0")
        bold, italic = (attributes.get(name) in ("1", "true") for name in "bi")
        self._look = Look(bold, italic, "" if shift in ("0", "0%") else "sub" if shift.startswith("-") else "sup")

    def _link(self, attributes: dict[str, str]) -> None:
        self._href = self._shared.package.address(self._part, attributes.get("r:id"))

    def _run_ends(self) -> None:
        self._look, self._href = PLAIN, ""

    def _text_starts(self, _: dict[str, str]) -> None:
        self._takes = True

    def _text_ends(self) -> None:
        self._takes = False

    def _break(self, _: dict[str, str]) -> None:
        if self._paragraph:
            self._paragraph.line.add("\n")

    # Tables

    def _table_starts(self, _: dict[str, str]) -> None:
        self._tables.append(Table())

    def _table_properties(self, attributes: dict[str, str]) -> None:
        if self._tables:
            self._tables[-1].head = attributes.get("firstRow") in ("1", "true")

    def _row_starts(self, _: dict[str, str]) -> None:
        if self._tables:
            self._tables[-1].row()

    def _cell_starts(self, attributes: dict[str, str]) -> None:
        self._cell = []

    def _cell_ends(self) -> None:
        """Cells that are covered by others are there, and empty."""
        cell, self._cell = self._cell, None
        if self._tables:
            self._tables[-1].cell(cell or [])

    def _table_ends(self) -> None:
        self.blocks += self._tables.pop().blocks()


_STARTS: dict[str, Callable[[Shapes, dict[str, str]], None]] = {
    "p:sp": Shapes._shape_starts,
    "p:pic": Shapes._shape_starts,
    "p:graphicFrame": Shapes._shape_starts,
    "xdr:sp": Shapes._shape_starts,
    "p:ph": Shapes._placeholder,
    "p:cNvPr": Shapes._described,
    "xdr:cNvPr": Shapes._described,
    "c:chart": Shapes._chart,
    "dgm:relIds": Shapes._diagram,
    "a:p": Shapes._paragraph_starts,
    "a:pPr": Shapes._properties,
    "a:buChar": Shapes._bullet,
    "a:buBlip": Shapes._bullet,
    "a:buNone": Shapes._no_bullet,
    "a:buAutoNum": Shapes._numbering,
    "a:r": Shapes._run_starts,
    "a:fld": Shapes._run_starts,
    "a:rPr": Shapes._run_properties,
    "a:hlinkClick": Shapes._link,
    "a:t": Shapes._text_starts,
    "m:t": Shapes._text_starts,
    "a:br": Shapes._break,
    "a:tbl": Shapes._table_starts,
    "a:tblPr": Shapes._table_properties,
    "a:tr": Shapes._row_starts,
    "a:tc": Shapes._cell_starts,
}
_ENDS: dict[str, Callable[[Shapes], None]] = {
    "a:p": Shapes._paragraph_ends,
    "a:r": Shapes._run_ends,
    "a:fld": Shapes._run_ends,
    "a:t": Shapes._text_ends,
    "m:t": Shapes._text_ends,
    "a:tc": Shapes._cell_ends,
    "a:tbl": Shapes._table_ends,
}
