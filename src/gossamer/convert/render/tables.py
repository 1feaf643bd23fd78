"""Which tables of a page hold data, and which are there for the layout only? And which cells have words?

A table of data has two rows and two columns at least, its cells are short, and nothing stands in them that would be a
section of its own. Browsers ask much the same when they tell screen readers what is a table.
"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.convert.html.outline import NUMBER
from gossamer.convert.render.kept import Elements, Kept

_SECTION_NAMES = "article aside blockquote dl footer form header main nav section table"
SECTIONS = frozenset(_SECTION_NAMES.split())
"""What a cell with data does not hold. Nor does it hold a heading, unless some cells are said to be heads."""
_HEADINGS = bytes(NUMBER[f"h{level}"] for level in range(1, 7))
_NO_DATA = bytes(NUMBER[name] for name in SECTIONS)
_CELL_WORDS_MOST = 150
_COLUMNS_MOST = 64
_SPANNED_MOST = 200
"""Bytes of a cell that is written again for every row that it spans. It is as in `writer/types.h`, like the others."""
_P, _TABLE, _TR, _TD, _TH = (NUMBER[name] for name in ("p", "table", "tr", "td", "th"))
_ENDS_CLIMB = frozenset({_TABLE, _TD, _TH})


class Table(NamedTuple):
    """The kept runs of a table of data."""

    caption: list[int]
    """Places of the runs in no cell."""
    rows: dict[int, dict[int, list[int]]]
    """By row and by cell: places of their runs. Without the rows and cells that have none."""


class Tables:
    """The tables of one page; each is looked at when it is met."""

    def __init__(self, elements: Elements, kept: Kept) -> None:
        self._tags = elements.tags
        self._parents = elements.parents
        self._ends = elements.ends
        self._kept = kept
        self._cells: dict[int, int] = {}
        self._known: dict[int, Table | None] = {}

    def of_data(self, table: int) -> Table | None:
        """What is kept of a table; None if it is there for the layout."""
        if table not in self._known:
            self._known[table] = self._look_at(table)
        return self._known[table]

    def cells(self, row: int) -> list[tuple[int, str]]:
        """All cells of a row, with their names."""
        found = []
        cell, end = row + 1, self._ends[row]
        while cell < end:
            if self._tags[cell] in (_TD, _TH):
                found.append((cell, "td" if self._tags[cell] == _TD else "th"))
            cell = self._ends[cell]
        return found

    def _look_at(self, table: int) -> Table | None:
        inside = self._tags[table + 1 : self._ends[table]]
        if len(inside.translate(None, _NO_DATA)) < len(inside):
            return None
        if _TH not in inside and len(inside.translate(None, _HEADINGS)) < len(inside):
            return None
        found = self._sorted(table)
        cells = [places for row in found.rows.values() for places in row.values()]
        if len(found.rows) < 2 or 2 * len(cells) < 3 * len(found.rows) or inside.count(_P) > len(cells):
            return None
        words = self._kept.words
        return found if all(sum(words[place] for place in cell) <= _CELL_WORDS_MOST for cell in cells) else None

    def _sorted(self, table: int) -> Table:
        found = Table([], {})
        for place in range(*self._kept.within(table, self._ends[table])):
            cell = self._cell(self._kept.owners[place])
            if self._tags[cell] == _TABLE:
                found.caption.append(place)
            else:
                row = self._parents[cell]
                found.rows.setdefault(row, {}).setdefault(cell, []).append(place)
        return found

    def _cell(self, element: int) -> int:
        """The cell an element is or stands in; the table if it is in none."""
        passed = []
        while element not in self._cells and self._tags[element] not in _ENDS_CLIMB:
            passed.append(element)
            element = self._parents[element]
        cell = self._cells.get(element, element)
        self._cells.update(dict.fromkeys(passed, cell))
        return cell


class Spanned:
    """The rows of a table while they are written: cells that span several are written in each of them."""

    def __init__(self) -> None:
        self._above: list[tuple[int, str, str]] = [(0, "", "")] * _COLUMNS_MOST
        """By column: for how many rows a cell goes on, its name and what it says."""
        self._cells: list[str] = []
        self._column = 0

    def put(self, name: str, line: str, said: str) -> None:
        """The next cell of a row; `said`: how many rows and columns it spans."""
        while self._column < _COLUMNS_MOST and self._above[self._column][0]:
            self._go_on()
        rows, columns = (int(number) for number in said.split()) if said else (1, 1)
        self._cells.append(f"<{name}>{line}</{name}>")
        below = line if len(line.encode()) <= _SPANNED_MOST else ""
        for number in range(min(columns, _COLUMNS_MOST - self._column)):
            if number:
                self._cells.append(f"<{name}></{name}>")
            self._above[self._column] = (rows - 1, name, "" if number else below)
            self._column += 1

    def end_row(self) -> str:
        """All cells of the row."""
        while self._column < _COLUMNS_MOST:
            self._go_on()
        written = "".join(self._cells)
        self._cells, self._column = [], 0
        return written

    def _go_on(self) -> None:
        left, name, line = self._above[self._column]
        if left:
            self._cells.append(f"<{name}>{line}</{name}>")
            self._above[self._column] = (left - 1, name, line)
        self._column += 1
