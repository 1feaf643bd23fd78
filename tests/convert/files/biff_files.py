"""Makes small Excel files of before 2007."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import pack

from compound_files import compound

Cell = str | float


def xls(sheets: Mapping[str, Sequence[Sequence[Cell]]], **streams: bytes) -> bytes:
    """A workbook: names of sheets and their rows."""
    bodies = [_sheet(rows) for rows in sheets.values()]
    begins = _record(0x0809, pack("<HHHHII", 0x0600, 5, 0, 0, 0, 0)) + _record(0x0042, pack("<H", 1200))
    begins += _record(0x00E0, pack("<HHHBBHIIH", 0, 0, 1, 0, 0, 0, 0, 0, 0)[:20])
    size = len(begins) + sum(4 + 8 + len(name) for name in sheets) + 4
    listed = b""
    for name, body in zip(sheets, bodies, strict=True):
        listed += _record(0x0085, pack("<IBBBB", size, 0, 0, len(name), 0) + name.encode("latin-1"))
        size += len(body)
    stream = begins + listed + _record(0x000A) + b"".join(bodies)
    return compound({"Workbook": stream.ljust(4096, b"\0"), **streams})


def _sheet(rows: Sequence[Sequence[Cell]]) -> bytes:
    cells = b"".join(_cell(at, column, value) for at, row in enumerate(rows) for column, value in enumerate(row))
    widest = max(map(len, rows), default=0)
    size = _record(0x0200, pack("<IIHHH", 0, len(rows), 0, widest, 0))
    return _record(0x0809, pack("<HHHHII", 0x0600, 0x10, 0, 0, 0, 0)) + size + cells + _record(0x000A)


def _cell(row: int, column: int, value: Cell) -> bytes:
    if isinstance(value, str):
        raw = value.encode("utf-16-le")
        return _record(0x0204, pack("<HHHHB", row, column, 0, len(raw) // 2, 1) + raw)
    return _record(0x0203, pack("<HHHd", row, column, 0, value))


def _record(kind: int, data: bytes = b"") -> bytes:
    return pack("<HH", kind, len(data)) + data
