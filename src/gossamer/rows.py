"""What does a row say? One that does not decode is damage, like a table that cannot be read.

Nothing of ours writes such a row, and the checksums of a table that somebody else has written agree with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeAlias, TypeVar

import msgspec

from gossamer.errors import Damaged
from gossamer.printable import counted

T = TypeVar("T")
NUMBER_MOST = 8
"""Bytes of a number."""
Natural: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
"""In a row it has at most 64 bits."""
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=(1 << 32) - 1)]
Size: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
"""Bytes, or a place in a file."""
Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0.0, lt=253_402_300_800.0)]
"""A date from 1970 to the year 9999, which calendars know, or a time; neither infinite nor no number."""


def decoder(kind: type[T]) -> Callable[[bytes], T]:
    """From the stored form of a row to its value. How is worked out with the first row: it takes longer than most."""
    decode: Callable[[bytes], T] | None = None

    def decoded(data: bytes) -> T:
        nonlocal decode
        if decode is None:
            decode = msgspec.msgpack.Decoder(kind).decode
        try:
            return decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise damaged(getattr(kind, "__name__", "one of several"), str(error)) from error

    return decoded


def text(data: bytes) -> str:
    """A row that is words, or a name that a row has."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise damaged("text", str(error)) from error


def number(data: bytes, most: int = NUMBER_MOST) -> int:
    """A row that is a number; nothing is 0."""
    if len(data) > most:
        raise damaged("number", f"it has {counted(len(data), 'byte')}")
    found = int.from_bytes(data, "big")
    if found >> 63:  # there would be none after it
        raise damaged("number", f"it is {found:,}")
    return found


def damaged(kind: str, why: str) -> Damaged:
    """What is said of a row that says nothing."""
    return Damaged(
        f"a row of the table, {kind}, cannot be read ({why}); `gossamer verify DIR --repair` makes the table again from"
        " the archive"
    )
