"""Excel files of before 2007 (XLS), and those that are binary still (XLSB): a heading and a table for each sheet.

Their cells come through python-calamine, in Rust: the right order, dates as dates, and ten times xlrd's speed. It is
imported here alone, and only in the process where files are read: it is compiled code that reads hostile input.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import TypeAlias

from python_calamine import CalamineError, CalamineWorkbook

from gossamer import tagged
from gossamer.convert.files.flow import Block, write
from gossamer.convert.files.ole import properties
from gossamer.convert.files.ole.compound import Broken, Compound
from gossamer.convert.files.page import About, page_of, titled
from gossamer.convert.files.sheets import TOO_MANY, Room, general, sheet
from gossamer.convert.source import Source
from gossamer.model import Page

Cell: TypeAlias = str | float | bool | date | datetime | time | timedelta
Rows: TypeAlias = Iterator[list[Cell]]


def read(source: Source) -> Page:
    """What a workbook says."""
    room = Room()
    problem = ""
    writer = tagged.Writer()
    try:
        write(_blocks(source.data, room), writer)
    except Broken as error:
        problem = str(error)
    html = writer.html()
    return page_of(source, html, titled(_about(source.data), html), problem=problem or _full(room))


def _blocks(data: bytes, room: Room) -> Iterator[Block]:
    for name, rows in _sheets(data):
        yield from sheet(tagged.words(name), _rows(rows, room))


def _sheets(data: bytes) -> Iterator[tuple[str, Rows]]:
    """The name and the rows of each sheet; Broken where no more can be read."""
    try:
        book = CalamineWorkbook.from_filelike(BytesIO(data))
        for name in book.sheet_names:
            yield name, book.get_sheet_by_name(name).iter_rows()
    except CalamineError as error:
        raise Broken(f"not read to its end: {error}") from None


def _rows(rows: Rows, room: Room) -> Iterator[dict[int, str]]:
    for row in rows:
        cells = {column: tagged.words(_shown(value)) for column, value in enumerate(row) if value != ""}
        if not all(map(room.takes, cells.values())):
            return
        yield cells


def _shown(value: Cell) -> str:
    """A value as people see it."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float | int):
        return general(repr(value))
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return str(value)


def _full(room: Room) -> str:
    return "" if room.takes("") else TOO_MANY


def _about(data: bytes) -> About:
    try:
        return properties.about(Compound(data))
    except Broken:
        return About()
