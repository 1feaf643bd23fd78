"""Where does the next page of a list begin? After what was given last, whatever has changed meanwhile."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, TypeAlias

import msgspec

from gossamer.errors import UsageError
from gossamer.urls import keys

Moment: TypeAlias = Annotated[float, msgspec.Meta(ge=-62_135_596_800.0, lt=253_402_300_800.0)]
"""Seconds since 1970, in the years that calendars know: 1 to 9999."""


class Cursor(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """What was given last. Programs take it as it is."""

    after: str
    """An address, or the cursor of a page of hosts."""
    since: Moment | None = None
    """What a list of changes is compared with: it stays the same when a crawl begins between two pages."""


def written(cursor: Cursor) -> str:
    """For the address of the next page."""
    return base64.urlsafe_b64encode(msgspec.msgpack.encode(cursor)).decode().rstrip("=")


def address_after(text: str) -> Cursor | None:
    """Of a list of addresses; None for its beginning."""
    cursor = _read(text)
    if cursor is not None and not keys.is_shaped(cursor.after):
        raise _foreign(text)
    return cursor


def host_after(text: str) -> str | None:
    """Of a list of hosts, as the collection knows it."""
    cursor = _read(text)
    return cursor.after if cursor else None


def _read(text: str) -> Cursor | None:
    if not text:
        return None
    try:
        data = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), b"-_", validate=True)
        return msgspec.msgpack.decode(data, type=Cursor)
    except (binascii.Error, UnicodeError, msgspec.DecodeError):
        raise _foreign(text) from None


def _foreign(text: str) -> UsageError:
    return UsageError(f"cursor: {text[:40]!r} is none; take `next` of the page before, or leave it out to begin")
