"""The text of a Word file as blocks: paragraphs, headings, items and tables, fields as their results.

Marks in the text say where paragraphs (13), cells and rows (7) and fields (19, 20, 21) end: [MS-DOC] 2.4 and 2.8.25.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gossamer.convert.files.doc.characters import WordFile, joined
from gossamer.convert.files.doc.formatting import PLAIN_SHAPE, Formats, Shape
from gossamer.convert.files.doc.formatting import Look as WordLook
from gossamer.convert.files.doc.lists import Lists
from gossamer.convert.files.flow import Block, Table
from gossamer.convert.files.line import Line, Look
from gossamer.convert.files.page import Pointers
from gossamer.convert.files.word import Field, href_of, symbol, text_of

_CELL, _PARAGRAPH, _SECTION = "\x07", "\r", "\x0c"
_PARAGRAPH_ENDS = re.compile("[\r\x07\x0c]")
_MARKS = re.compile("[\x00-\x1f\u00ad\u200b]")
_NOTE = "\x02"
_BEGINS, _SEPARATES, _ENDS = "\x13", "\x14", "\x15"
_FIELDS_DEEP = 50
_MEANT = {"\x0b": "\n", "\x0e": "\n", "\t": "\t", "\x1e": "\u2011", "\xa0": " "}
"""What marks stand for, that stand for text."""


class Context:
    """What all stories of a file share."""

    def __init__(self, word: WordFile, pointers: Pointers) -> None:
        self.word = word
        self.pointers = pointers
        self.formats = Formats(word)
        self.lists = Lists(word)
        self.notes = 0
        """Marks of notes that were met."""


class Story:
    """One stretch of text that is read from its first character to its last."""

    def __init__(self, context: Context, first: int, end: int, note: str = "") -> None:
        self._context = context
        self._first, self._end = first, min(end, len(context.word.text))
        self._note = note
        self._fields: list[Field] = []
        self._line = Line()
        self._table = Table()
        self._row: list[list[Block]] = []
        self._cell: list[Block] = []
        self._in_table = False

    def blocks(self) -> Iterator[Block]:
        """All of its blocks."""
        for first, end in self._paragraphs():
            shape = self._context.formats.shape(end) if end < self._end else PLAIN_SHAPE
            mark = self._context.word.text[end] if end < self._end else _PARAGRAPH
            self._read(first, end)
            in_table = shape.depth > 0 or mark == _CELL
            if self._in_table and not in_table:
                yield from self._close_table()
            block = self._block(shape)
            self._line = Line()
            if in_table:
                self._add_to_table(block, shape, mark)
            else:
                yield block
        if self._in_table:
            yield from self._close_table()

    def _paragraphs(self) -> Iterator[tuple[int, int]]:
        """Where each begins, and where its mark is."""
        at = self._first
        for found in _PARAGRAPH_ENDS.finditer(self._context.word.text, self._first, self._end):
            yield at, found.start()
            at = found.end()
        if at < self._end:
            yield at, self._end

    def _block(self, shape: Shape) -> Block:
        plain = bool(shape.level or shape.title)
        line = self._line.html(self._context.pointers, plain=plain)
        label = None
        if shape.list and line.strip() and not shape.ends_row:
            label = self._context.lists.label(shape.list, shape.list_level)
        if plain and line.strip():
            return Block("heading", line, shape.level or 1, label or "")
        if label is not None:
            return Block("item", line, shape.list_level, label)
        return Block("paragraph", line)

    def _add_to_table(self, block: Block, shape: Shape, mark: str) -> None:
        self._in_table = True
        if shape.ends_row and shape.depth <= 1 and mark == _CELL:
            self._end_row()
            return
        if shape.ends_inner_row or not block.line.strip():
            block = Block("paragraph")
        self._cell.append(block)
        if mark == _CELL and shape.depth <= 1:
            if self._context.word.old and self._row and len(self._cell) == 1 and not block.line:
                self._cell = []  # old files do not say where a row ends, but two marks do
                self._end_row()
                return
            self._row.append(self._cell)
            self._cell = []

    def _end_row(self) -> None:
        self._table.row()
        for cell in self._row:
            self._table.cell([block for block in cell if block.line])
        self._row, self._cell = [], []

    def _close_table(self) -> list[Block]:
        if self._row or self._cell:
            self._row.append(self._cell)
            self._end_row()
        blocks, self._table, self._in_table = self._table.blocks(), Table(), False
        return blocks

    def _read(self, first: int, end: int) -> None:
        text = self._context.word.text
        for start, stop, look in self._context.formats.looks(first, end):
            if look.symbol and not look.unseen:
                self._say(symbol(look.symbol[1]), look)
                continue
            at = start
            for found in _MARKS.finditer(text, start, stop):
                self._say(text[at : found.start()], look)
                self._obey(found[0], look)
                at = found.end()
            self._say(text[at:stop], look)

    def _say(self, text: str, look: WordLook) -> None:
        if not text or look.unseen:
            return
        if self._fields and not self._fields[-1].separated:
            self._fields[-1].add(text)
        elif all(field.separated for field in self._fields):
            shown = Look(look.bold, look.italic, look.shift)
            self._line.add(joined(text), shown, self._href())

    def _obey(self, mark: str, look: WordLook) -> None:
        if mark == _BEGINS:
            self._fields.append(Field(deep=len(self._fields) >= _FIELDS_DEEP))
        elif mark == _SEPARATES and self._fields:
            self._fields[-1].separated = True
        elif mark == _ENDS and self._fields:
            field = self._fields.pop()
            if not field.separated:
                self._say(text_of(field.code), look)
        elif mark == _NOTE and look.special and not look.unseen:
            self._say(self._mark_of_note(), look)
        elif mark in _MEANT:
            self._say(_MEANT[mark], look)

    def _mark_of_note(self) -> str:
        if self._note:
            return self._note
        self._context.notes += 1
        return f"[{self._context.notes}]"

    def _href(self) -> str:
        return next((href for field in reversed(self._fields) if (href := href_of(field.code))), "")
