"""Excel files of before 2007 (XLS): a heading and a table for each sheet."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time
from typing import TYPE_CHECKING

from gossamer import tagged
from gossamer.convert.files.flow import Block, write
from gossamer.convert.files.numbers import general
from gossamer.convert.files.ole import properties
from gossamer.convert.files.ole.compound import Broken, Compound
from gossamer.convert.files.page import About, page_of, titled
from gossamer.convert.files.sheets import TOO_MANY, Room, sheet
from gossamer.convert.source import Source
from gossamer.model import Page

if TYPE_CHECKING:
    from gossamer.convert.files.xls.calamine import Cell, Rows


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
    from gossamer.convert.files.xls.calamine import sheets  # a large library, loaded only where files are read

    for name, rows in sheets(data):
        yield from sheet(tagged.words(name), _rows(rows, room))


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
