"""Blocks one after the other, as a text, a cell of a table or a text box has them, before they are written.

Tagged text has lines in its cells, not blocks. So a table that only arranges a page (one cell, or headings and
tables within) is taken apart into the blocks of its cells, in their order; in all others each cell becomes a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gossamer import tagged

_DEPTH_MOST = 9
_COLUMNS_MOST = 256
_COVERED_MOST = 20_000
"""Cells of one table that are covered by others."""
_BREAK = "<br>"


class Block(NamedTuple):
    """One block of text."""

    kind: str
    """heading, paragraph, item, quote, pre or table."""
    line: str = ""
    level: int = 0
    """Of a heading, from 1; depth of an item, from 0."""
    label: str = ""
    """The number of an item, as it stands before it; nothing for a bullet."""
    head: bool = False
    """Its first row has the names of the columns."""
    rows: tuple[tuple[str, ...], ...] = ()


class Table:
    """A table that is being read: rows of cells, each a list of blocks."""

    def __init__(self) -> None:
        self._rows: list[list[list[Block]]] = []
        self._covered = _COVERED_MOST
        self.head = False

    def row(self) -> None:
        """Begin a row."""
        self._rows.append([])

    def cell(self, blocks: list[Block], span: int = 1) -> None:
        """The next cell of the row, and the empty ones that it covers."""
        if not self._rows:
            self.row()
        row = self._rows[-1]
        if len(row) < _COLUMNS_MOST:
            covered = min(span - 1, _COLUMNS_MOST, self._covered)
            self._covered -= covered
            row += [blocks, *([] for _ in range(covered))]

    def blocks(self) -> list[Block]:
        """What becomes of it."""
        if self._only_arranges():
            return [block for row in self._rows for cell in row for block in cell]
        rows = tuple(tuple(map(_line, row)) for row in self._rows)
        return [Block("table", head=self.head, rows=rows)]

    def _only_arranges(self) -> bool:
        cells = [cell for row in self._rows for cell in row]
        return len(cells) == 1 or any(block.kind in ("heading", "table") for cell in cells for block in cell)


def _line(cell: Sequence[Block]) -> str:
    return _BREAK.join(labelled(block) for block in cell if block.line.strip())


def labelled(block: Block) -> str:
    """Its line with its number."""
    return f"{tagged.words(block.label)} {block.line}" if block.label else block.line


def begun(blocks: list[Block], beginning: str) -> list[Block]:
    """Blocks with something before the first line."""
    if not blocks or not beginning:
        return blocks
    return [blocks[0]._replace(line=beginning + blocks[0].line.lstrip()), *blocks[1:]]


def write(blocks: Iterable[Block], writer: tagged.Writer) -> None:
    """Write blocks as tagged text."""
    lists = _Lists()
    for block in blocks:
        if block.kind == "item":
            if block.line.strip():
                depth, ordered = lists.next(block.level, block.label)
                writer.item(block.line if ordered else labelled(block), depth, ordered=ordered)
        elif block.line.strip() or block.rows:
            lists = _Lists()
            _write(block, writer)


def _write(block: Block, writer: tagged.Writer) -> None:
    match block.kind:
        case "heading":
            writer.heading(block.level, labelled(block))
        case "table":
            writer.table(block.rows, head=block.head)
        case "quote":
            writer.quote(block.line)
        case "pre":
            writer.pre(block.line)
        case _:
            writer.paragraph(block.line)


class _Lists:
    """The lists that are open, and their items as whoever reads tagged text will count them.

    Where the document counts otherwise (a, b, c; 1.1, 1.2; a list that goes on after a picture) its number is written.
    """

    def __init__(self) -> None:
        self._levels: list[int] = []
        """Of the lists, in the document. It may leave some out; tagged text does not."""
        self._counts: list[int] = []

    def next(self, level: int, label: str) -> tuple[int, bool]:
        """The depth of the next item, and whether its number comes by itself."""
        while self._levels and self._levels[-1] > level and len(self._levels) > 1:
            self._levels.pop()
        if not self._levels or (self._levels[-1] < level and len(self._levels) < _DEPTH_MOST):
            self._levels.append(level)
        self._levels[-1] = level
        depth = len(self._levels) - 1
        del self._counts[depth + 1 :]
        self._counts += [0] * (depth + 1 - len(self._counts))
        ordered = label == f"{self._counts[depth] + 1}."
        self._counts[depth] = self._counts[depth] + 1 if ordered else 0
        return depth, ordered
