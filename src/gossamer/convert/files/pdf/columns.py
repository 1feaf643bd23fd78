"""In which order are the lines of a page read?

In that of the file, because most programs write a page as it is read. Only where lines stand beside each other, row
after row, with the same gaps between them, are they put in order: long ones are columns, of which the left one is read
first, and short ones are cells of a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from gossamer.convert.files.pdf.lines import Line

Row: TypeAlias = list[Line]
Span: TypeAlias = tuple[float, float]

_PROSE = 24
"""Characters of a line, on average: from here on it is a line of a column, not a cell."""
_LEVEL = 0.3
"""Of the size of a line: what is no further up or down stands beside it, if it is further to the right than that."""
_ROWS_LEAST = 2
_ROWS_MOST = 2_000
"""That are looked at together."""


def ordered(lines: Sequence[Line]) -> Iterator[Line | list[Row]]:
    """The lines in order; a table is a list of its rows, which all have as many cells."""
    waiting: list[Row] = []
    spans: list[Span] = []
    for row in _rows(lines):
        joined = _merged([*spans, *((line.left, line.right) for line in row)])
        fits = bool(waiting) and (len(row) > 1 or len(joined) == len(spans)) and len(joined) > 1
        if waiting and (not fits or len(waiting) >= _ROWS_MOST):
            yield from _arranged(waiting, spans)
            waiting, spans = [], []
            joined = _merged([(line.left, line.right) for line in row])
        if len(row) > 1 or waiting:
            waiting.append(row)
            spans = joined
        else:
            yield row[0]
    yield from _arranged(waiting, spans)


def _rows(lines: Sequence[Line]) -> Iterator[Row]:
    row: Row = []
    for line in lines:
        if row and not line.follows and not _beside(row[-1], line):
            yield row
            row = []
        row.append(line)
    if row:
        yield row


def _beside(one: Line, other: Line) -> bool:
    return abs(one.base - other.base) < _LEVEL * one.size and other.left >= one.right + _LEVEL * one.size


def _merged(spans: list[Span]) -> list[Span]:
    """Spans that overlap become one."""
    merged: list[Span] = []
    for left, right in sorted(spans):
        if merged and left <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged


def _arranged(rows: list[Row], spans: list[Span]) -> Iterator[Line | list[Row]]:
    cells = [line for row in rows for line in row]
    if not cells:
        return
    while len(rows[-1]) == 1 and len(rows) > 1:  # lines after the last row stand where they stand
        rows = rows[:-1]
    after = cells[sum(map(len, rows)) :]
    if len(rows) < _ROWS_LEAST or len(spans) < 2:
        yield from (line for row in rows for line in row)
    elif sum(len(line.text) for line in cells) >= _PROSE * len(cells):
        yield from (line for span in spans for row in rows for line in row if span[0] <= line.left <= span[1])
    else:
        yield [[line for span in spans for line in _in_span(row, span)] for row in rows]
    yield from after


def _in_span(row: Row, span: Span) -> list[Line]:
    """What a row has in a column: one line, made of all that stands there."""
    here = [line for line in row if span[0] <= line.left <= span[1]]
    if not here:
        return [Line("", span[0], span[0], row[0].base, row[0].size)]
    joined = here[0]
    for line in here[1:]:
        shift = len(joined.text) + 1
        links = tuple((first + shift, end + shift, href) for first, end, href in line.links)
        joined = Line(
            f"{joined.text} {line.text}", joined.left, line.right, joined.base, joined.size, links=joined.links + links
        )
    return [joined]
