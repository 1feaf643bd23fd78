"""Cells of spreadsheets through python-calamine, in Rust: the right order, dates as dates, and ten times xlrd's speed.

Imported here alone, and only in the process where files are read: it is compiled code that reads hostile input.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import TypeAlias

from python_calamine import CalamineError, CalamineWorkbook

from gossamer.convert.files.ole.compound import Broken

Cell: TypeAlias = str | float | bool | date | datetime | time | timedelta
Rows: TypeAlias = Iterator[list[Cell]]


def sheets(data: bytes) -> Iterator[tuple[str, Rows]]:
    """The name and the rows of each sheet; Broken where no more can be read."""
    try:
        book = CalamineWorkbook.from_filelike(BytesIO(data))
        for name in book.sheet_names:
            yield name, book.get_sheet_by_name(name).iter_rows()
    except CalamineError as error:
        raise Broken(f"not read to its end: {error}") from None
