"""Which captures have no version any more, because nobody wants to keep them, but still lie in the archive?

A file of captures is written again when much of it is of no use. Until then its records are noted here, so that
`verify` does not miss their rows and a repair does not bring them back.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import NamedTuple

import msgspec

from gossamer.model import URL
from gossamer.rows import Size, decoder
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE, Version
from gossamer.store.warc.warc import date

_PREFIX = b"pruned\0"


class Place(NamedTuple):
    """Where such a record lies."""

    file: str
    length: Size


place_of = decoder(Place)


class Pruned:
    """The notes of a shard, by address and moment."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def note(self, url: URL, version: Version) -> None:
        """Its version goes with the same commit."""
        self._table.put(STATE, _key(url, version.began), msgspec.msgpack.encode(Place(version.file, version.length)))

    def has(self, url: URL, began: float) -> bool:
        """Is a capture of no use?"""
        return self._table.get(STATE, _key(url, began)) is not None

    def files(self) -> dict[str, int]:
        """How many bytes of which file are of no use."""
        wasted: dict[str, int] = {}
        for _, place in self._all():
            wasted[place.file] = wasted.get(place.file, 0) + place.length
        return wasted

    def count(self) -> int:
        """How many records wait."""
        return sum(1 for _ in self._all())

    def forget(self, gone: Set[str]) -> None:
        """Those files are there no more. Part of the next commit."""
        for key in [key for key, place in self._all() if place.file in gone]:
            self._table.delete(STATE, key)

    def _all(self) -> Iterator[tuple[bytes, Place]]:
        return ((key, place_of(data)) for key, data in self._table.scan(STATE, prefix=_PREFIX))


def _key(url: URL, began: float) -> bytes:
    return _PREFIX + url.encode(errors="replace") + b"\0" + date(began).encode()
