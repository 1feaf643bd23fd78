"""Sheets of cells, whatever file they come from: a heading with the name of each, and a table.

Columns and rows without a word are left out, so that a sheet with one cell in its last corner is one cell. There is a
limit on cells and on characters for the whole file, since one string may stand in a million cells.

Numbers, of charts too, are as people see them: dates by their format, no noise of binary fractions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from gossamer.convert.files.flow import Block

CELLS_MOST = 500_000
CHARACTERS_MOST = 32_000_000
COLUMNS_MOST = 16_384
_EMPTY_MOST = 20
"""Empty cells that are written for each that has words."""
TOO_MANY = f"more than {CELLS_MOST:,} cells or {CHARACTERS_MOST:,} characters in them; the rest was not read"
_EPOCH = datetime(1899, 12, 30)
_EPOCH_1904 = datetime(1904, 1, 1)
_DAYS_MOST = 2_958_466
"""The last day of the year 9999."""
_NO_PART_OF_A_DATE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_DATES = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
"""Numbers of the formats for dates and times that need no definition."""
_TIMES = frozenset((18, 19, 20, 21, 45, 46, 47))
_PERCENTS = frozenset((9, 10))


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


def general(text: str) -> str:
    """A number with 15 digits at most, as spreadsheets count; what is no number as it is."""
    try:
        number = float(text)
    except ValueError:
        return text
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return format(number, ".15g")


def kind_of_format(number: int, code: str = "") -> str:
    """What a number format makes of a number: date, time, percent, or general for all others."""
    if number in _TIMES:
        return "time"
    if number in _DATES:
        return "date"
    if number in _PERCENTS:
        return "percent"
    code = _NO_PART_OF_A_DATE.sub("", code.split(";")[0]).lower()
    if any(letter in code for letter in "yd") or ("m" in code and not any(letter in code for letter in "hs0#")):
        return "date"
    if any(letter in code for letter in "hs") and "general" not in code:
        return "time"
    return "percent" if "%" in code else "general"


def shown(text: str, kind: str, *, from_1904: bool = False) -> str:
    """A number as its kind of format shows it. Dates are written as ISO 8601 does."""
    if kind == "general":
        return general(text)
    try:
        number = float(text)
    except ValueError:
        return text
    if kind == "percent":
        return f"{general(repr(round(number * 100, 10)))}%"
    if not 0 <= number < _DAYS_MOST:
        return general(text)
    moment = (_EPOCH_1904 if from_1904 else _EPOCH) + timedelta(seconds=round(number * 86_400))
    if kind == "time" and number < 1:
        return f"{moment:%H:%M:%S}"
    return f"{moment:%Y-%m-%d}" if moment.time() == datetime.min.time() else f"{moment:%Y-%m-%d %H:%M:%S}"
