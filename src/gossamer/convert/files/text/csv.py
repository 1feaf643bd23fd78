"""Comma-separated values, whatever they are separated by: a table."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from io import StringIO

from gossamer import tagged
from gossamer.convert.files import kinds
from gossamer.convert.files.page import About
from gossamer.convert.files.sheets import COLUMNS_MOST, TOO_MANY, Room, has_names
from gossamer.convert.files.text.plain import decoded, text_page
from gossamer.convert.source import Source
from gossamer.model import Page

_LOOKED_AT = 65_536
_LINES = 50
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_DELIMITERS = ",;\t|"
_CELL = r'(?:"((?:[^"]++|"")*+)(?:"|\Z))?([^DELIMITER\n]*+)(DELIMITER|\n|\Z)'


def read(source: Source) -> Page:
    """What a table says that is written as text."""
    found = decoded(source)
    delimiter = "\t" if source.kind.essence == kinds.TSV else delimiter_of(found.text)
    rows: list[list[str]] = []
    problem = ""
    try:
        rows.extend(_written(found.text, delimiter))
    except _Full as error:
        problem = f"{error}"
    writer = tagged.Writer()
    writer.table(rows, head=has_names(rows))
    return text_page(source, found, writer.html(), About(), problem=problem)


class _Full(Exception):
    """No more cells fit in."""


def _written(text: str, delimiter: str) -> Iterator[list[str]]:
    room = Room()
    for row in _rows(text, delimiter):
        if not all(map(room.takes, row)):
            raise _Full(TOO_MANY)
        yield [tagged.words(cell) for cell in row[:COLUMNS_MOST]]


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """By the standard library, but for rows with a cell that is too long for it. Its limit is one for the whole
    process, and so is left as it is."""
    file = StringIO(text)
    rows = csv.reader(file, delimiter=delimiter)
    while True:
        begin = file.tell()
        try:
            row = next(rows, None)
        except csv.Error:
            row, end = _long_row(text, begin, delimiter)
            file.seek(end)
        if row is None:
            return
        yield row


def _long_row(text: str, at: int, delimiter: str) -> tuple[list[str], int]:
    """The row that begins there, and where the next begins."""
    cells = re.compile(_CELL.replace("DELIMITER", re.escape(delimiter)))
    row: list[str] = []
    while found := cells.match(text, at):
        quoted, rest, ended = found.groups()
        row.append(rest if quoted is None else quoted.replace('""', '"') + rest)
        at = found.end()
        if ended != delimiter:
            break
    return row, at


def delimiter_of(text: str) -> str:
    """The sign that most lines have equally often, and often at that; a comma, if there is none."""
    head = _QUOTED.sub("", text[:_LOOKED_AT])
    lines = [line for line in head.split("\n")[:_LINES] if line.strip()]
    return max(_DELIMITERS, key=lambda sign: _agreement([line.count(sign) for line in lines]), default=",")


def _agreement(counts: list[int]) -> tuple[int, int]:
    """Lines with as many as the commonest number of them, and that number."""
    some = [count for count in counts if count]
    commonest = max(set(some), key=some.count, default=0)
    return some.count(commonest), commonest
