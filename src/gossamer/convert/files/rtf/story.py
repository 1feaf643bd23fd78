"""A stretch of text of an RTF file while it is read: the body, a note, a header. It ends as blocks."""

from __future__ import annotations

from dataclasses import dataclass, field

from gossamer.convert.files.flow import Block, Table
from gossamer.convert.files.line import Line, Look
from gossamer.convert.files.page import Pointers


@dataclass(frozen=True, slots=True)
class Shape:
    """What a paragraph is."""

    level: int = 0
    """Of a heading, 1 to 9; 0 for all else."""
    list_level: int = 0
    in_table: bool = False


@dataclass(slots=True)
class Story:
    """Takes words, ends of paragraphs, cells and rows as they come."""

    pointers: Pointers
    kind: str = "body"
    number: int = 0
    """Of a note."""
    blocks: list[Block] = field(default_factory=list)
    _line: Line = field(default_factory=Line)
    _label: str | None = None
    _cell: list[Block] = field(default_factory=list)
    _row: list[list[Block]] = field(default_factory=list)
    _table: Table | None = None

    def say(self, text: str, look: Look, href: str) -> None:
        """Words of the paragraph."""
        self._line.add(text, look, href)

    def label(self, text: str) -> None:
        """The number or bullet that stands before the paragraph."""
        self._label = (self._label or "") + text

    def paragraph(self, shape: Shape) -> None:
        """The paragraph ends."""
        block = self._block(shape)
        if shape.in_table or self._row:
            self._cell.append(block)
        else:
            self._close_table()
            self.blocks.append(block)

    def cell(self, shape: Shape) -> None:
        """The cell ends, and its last paragraph with it."""
        self._row.append([block for block in (*self._cell, self._block(shape)) if block.line.strip()])
        self._cell = []

    def row(self) -> None:
        """The row ends."""
        self._table = self._table or Table()
        self._table.row()
        for cell in self._row:
            self._table.cell(cell)
        self._row = []

    def finished(self, shape: Shape) -> list[Block]:
        """All blocks, when nothing more comes."""
        last = self._block(shape)
        if self._row or self._cell:
            self._row.append([*self._cell, last])
            self.row()
            last = Block("paragraph")
        self._close_table()
        self.blocks.append(last)
        return [block for block in self.blocks if block.line.strip() or block.rows]

    def _close_table(self) -> None:
        if self._table is not None:
            self.blocks += self._table.blocks()
            self._table = None
        self.blocks += self._cell
        self._cell = []

    def _block(self, shape: Shape) -> Block:
        line = self._line.html(self.pointers, plain=bool(shape.level)).strip()
        label, self._label, self._line = self._label, None, Line()
        number = _number(label)
        if shape.level:
            return Block("heading", line, shape.level, number)
        if label is not None and label.strip():
            return Block("item", line, shape.list_level, number)
        return Block("paragraph", line)


def _number(label: str | None) -> str:
    """What stands before an item; nothing for a bullet."""
    text = (label or "").strip()
    return text if any(each.isalnum() for each in text) and text != "o" else ""
