"""Which tables of a page hold data, and which are there for the layout only? And which cells have words?

A table of data has two rows and two columns at least, its cells are short, and nothing stands in them that would be a
section of its own. Browsers ask much the same when they tell screen readers what is a table.
"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.convert.html.outline import NUMBER
from gossamer.convert.render.kept import Elements, Kept

_SECTION_NAMES = "article aside blockquote dl footer form h1 h2 h3 h4 h5 h6 header main nav pre section table"
SECTIONS = frozenset(_SECTION_NAMES.split())
"""What a cell with data does not hold."""
_NO_DATA = bytes(NUMBER[name] for name in SECTIONS)
_CELL_WORDS_MOST = 150
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
