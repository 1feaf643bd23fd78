"""What else was in files that were imported? Records that are no captures: who made a file, answers to POST, and so on.

They are written among the captures, as they were, with the file that they come from in a field of their own
(`warc.ASIDE`), so whoever reads or copies the files has them. A row says where each lies: by it a record that comes
again is known, and the index for replay has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

import msgspec

from gossamer.model import status_in
from gossamer.rows import Size, decoder
from gossamer.store.table.table import Table
from gossamer.store.warc.warc import LOOKUP, Place, Record

_PREFIX = b"aside\0"


class Aside(msgspec.Struct, array_like=True, frozen=True):
    """Where a record lies, and what an index tells of it."""

    file: str
    offset: Size
    length: Size
    record: str
    type: str
    url: str
    lookup: str
    """The address at which it is looked up."""
    began: float
    media_type: str
    status: int
    digest: str

    @property
    def place(self) -> Place:
        return Place(self.file, self.offset, self.length, self.record)


aside_of = decoder(Aside)


class Asides:
    """The rows of a shard, by what the records hold."""

    def __init__(self, table: Table, family: str) -> None:
        self._table = table
        self._family = family

    def has(self, record: Record) -> bool:
        """Is it here already?"""
        return self._table.get(self._family, _key(record)) is not None

    def note(self, record: Record, place: Place) -> None:
        """It lies there."""
        head = record.head
        row = Aside(
            file=place.file,
            offset=place.offset,
            length=place.length,
            record=record.place.record,
            type=record.type,
            url=record.url or "",
            lookup=record.field(LOOKUP) or record.url or "",
            began=record.began,
            media_type=_media_type(record, head),
            status=status_in(head),
            digest=record.field("warc-payload-digest") or "",
        )
        self._table.put(self._family, _key(record), msgspec.msgpack.encode(row))

    def forget(self, record: Record) -> None:
        """It is taken out."""
        self._table.delete(self._family, _key(record))

    def all(self) -> Iterator[Aside]:
        """Every row."""
        return (aside_of(data) for _, data in self._table.scan(self._family, prefix=_PREFIX))

    def told(self, url: str) -> str:
        """What is kept of an address, in words; nothing where nothing is."""
        kinds = sorted({row.type for row in self.all() if row.url == url})
        return f"an import has kept records about it that are no page ({', '.join(kinds)})" if kinds else ""


def _key(record: Record) -> bytes:
    told = sha256(f"{record.type}\0{record.place.record}\0{record.url}\0".encode("utf-8", "surrogateescape"))
    told.update(record.block)
    return _PREFIX + told.digest()[:16]


def _media_type(record: Record, head: bytes) -> str:
    """Of what is inside of an answer, where it is one."""
    lines = (line.partition(b":") for line in head.split(b"\n")[1:])
    served = next((value for name, _, value in lines if name.strip().lower() == b"content-type"), None)
    said = served.decode("latin-1") if served is not None else record.field("content-type") or ""
    return said.partition(";")[0].strip().lower()
