"""What does an Office document of before 2007 say about itself? The property set of its SummaryInformation stream.

The form is [MS-OLEPS]. Only what a page keeps is read: title, author and two dates.
"""

from __future__ import annotations

import codecs
from struct import error as too_short
from struct import unpack_from

from gossamer.convert.files.ole.compound import Compound
from gossamer.convert.files.page import About

STREAM = "\x05SummaryInformation"
_CODE_PAGE, _TITLE, _AUTHOR, _CREATED, _SAVED = 1, 2, 4, 12, 13
_SHORT, _ANSI, _WIDE, _DATE = 2, 30, 31, 64
_MOST = 200
"""Properties that are looked at."""
_STRING_MOST = 4_096
_BETWEEN = 11_644_473_600
"""Seconds from 1601, where Windows begins to count, to 1970."""


def about(compound: Compound) -> About:
    """Title, author and dates of a document."""
    found = _properties(compound.stream(STREAM, most=1 << 20))
    page = found.get(_CODE_PAGE)
    codec = codec_of(page if isinstance(page, int) else 1252)

    def text(number: int) -> str:
        value = found.get(number)
        if isinstance(value, bytes):
            value = value.decode(codec, "replace")
        return value.split("\0")[0].strip() if isinstance(value, str) else ""

    def date(number: int) -> float | None:
        value = found.get(number)
        return value if isinstance(value, float) else None

    return About(text(_TITLE), text(_AUTHOR), date(_CREATED), date(_SAVED))


def seconds(filetime: int) -> float | None:
    """A date of Windows, as seconds since 1970; None for what is none, as a document never printed."""
    since = filetime / 10_000_000 - _BETWEEN
    return since if 0 < since < 8_000_000_000 else None


def codec_of(code_page: int) -> str:
    """Python's name for a code page of Windows; that of western Europe for one that is not known."""
    number = code_page & 0xFFFF
    name = {1200: "utf-16-le", 10000: "mac-roman", 65001: "utf-8", 932: "cp932", 936: "gbk"}.get(number, f"cp{number}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"


def _properties(data: bytes) -> dict[int, int | float | bytes | str | None]:
    found: dict[int, int | float | bytes | str | None] = {}
    try:
        (start,) = unpack_from("<I", data, 44)
        (count,) = unpack_from("<I", data, start + 4)
        for number in range(min(count, _MOST)):
            name, offset = unpack_from("<II", data, start + 8 + 8 * number)
            found.setdefault(name, _value(data, start + offset))
    except too_short:
        pass  # cut off: what stood before it counts
    return found


def _value(data: bytes, at: int) -> int | float | bytes | str | None:
    kind, length = unpack_from("<HxxI", data, at)
    if kind == _SHORT:
        return int(length & 0xFFFF)
    if kind == _ANSI:
        return data[at + 8 : at + 8 + min(length, _STRING_MOST)]
    if kind == _WIDE:
        return data[at + 8 : at + 8 + 2 * min(length, _STRING_MOST)].decode("utf-16-le", "replace")
    if kind == _DATE:
        return seconds(int(unpack_from("<Q", data, at + 4)[0]))
    return None
