"""Sheets of cells, whatever file they come from: a heading with the name of each, and a table.

Columns and rows without a word are left out, so that a sheet with one cell in its last corner is one cell. There is a
limit on cells and on characters for the whole file, since one string may stand in a million cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gossamer.convert.files.flow import Block

CELLS_MOST = 500_000
CHARACTERS_MOST = 32_000_000
COLUMNS_MOST = 16_384
_EMPTY_MOST = 20
"""Empty cells that are written for each that has words."""
TOO_MANY = f"more than {CELLS_MOST:,} cells or {CHARACTERS_MOST:,} characters in them; the rest was not read"


class Room:
    """How many more cells are read of one file."""

    def __init__(self) -> None:
        self._cells = CELLS_MOST
        self._characters = CHARACTERS_MOST

    def takes(self, cell: str) -> bool:
        """Whether one more cell fits in."""
        self._cells -= 1
        self._characters -= len(cell)
        return self._cells >= 0 and self._characters >= 0


def sheet(name: str, rows: Iterable[dict[int, str]]) -> list[Block]:
    """A sheet: its name, and rows of cells by the number of their column, all of them lines of tagged text."""
    kept = [row for row in rows if row]
    columns = sorted({column for row in kept for column, cell in row.items() if cell.strip()})
    if len(columns) * len(kept) <= _EMPTY_MOST * sum(map(len, kept)):
        table = [[row.get(column, "") for column in columns] for row in kept]
    else:  # hardly any cell is filled, so to keep them in line would take more room than they do
        table = [[row[column] for column in sorted(row)] for row in kept]
    cells = tuple(map(tuple, table))
    return [Block("heading", name, 2), Block("table", head=has_names(cells), rows=cells)]


def has_names(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: every cell has words, and none is a number."""
    if len(rows) < 2 or not rows[0]:
        return False
    return all(cell.strip() and not _is_number(cell) for cell in rows[0])


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "").rstrip("%"))
    except ValueError:
        return False
    return True
