"""Tables that are drawn with signs, as in reStructuredText and Org: their rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_BORDER = re.compile(r"=+")


def ruled_rows(lines: Sequence[str]) -> tuple[list[list[str]], bool]:
    """Rows between rules of `+---+`, each perhaps of several lines; and whether the first has the names."""
    rows: list[list[list[str]]] = []
    fresh, head = True, False
    for line in (each.strip() for each in lines):
        if line.startswith("+"):
            head = head or ("=" in line and len(rows) == 1)
            fresh = True
            continue
        _add(rows, [cell.strip() for cell in line.strip("|").split("|")], fresh=fresh)
        fresh = False
    return _joined(rows), head


def simple_rows(lines: Sequence[str]) -> tuple[list[list[str]], bool]:
    """Rows between lines of `===  ===`, whose gaps part the columns; and whether the first has the names."""
    columns = [match.start() for match in _BORDER.finditer(lines[0])]
    rows: list[list[list[str]]] = []
    borders = 0
    head = False
    for line in lines:
        if line.startswith("==") and not line.strip("= "):
            borders += 1
            head = head or (borders == 2 and len(rows) == 1 and line is not lines[-1])
        elif line.strip(" -"):
            cells = list(_cut(line, columns))
            _add(rows, cells, fresh=bool(cells[0]))
    return _joined(rows), head


def _add(rows: list[list[list[str]]], cells: Sequence[str], *, fresh: bool) -> None:
    """Cells of a new row, or more words for those of the last."""
    if fresh or not rows or len(cells) != len(rows[-1]):
        rows.append([[cell] for cell in cells])
        return
    for before, cell in zip(rows[-1], cells, strict=True):
        before.append(cell)


def _joined(rows: list[list[list[str]]]) -> list[list[str]]:
    return [[" ".join(filter(None, cell)) for cell in row] for row in rows]


def _cut(line: str, columns: Sequence[int]) -> Iterator[str]:
    for begin, end in zip(columns, (*columns[1:], None), strict=True):
        yield line[begin:end].strip()
