"""The records of a PowerPoint file of before 2007: [MS-PPT] 2.1 and 2.3.

A record has a type, a length and either data or further records. Slides, notes and the document itself are found by
numbers, through a table that each saving adds to; the last saving counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import error as too_short
from struct import unpack_from
from typing import NamedTuple

from gossamer.convert.files.ole.compound import Broken, Compound

_EDIT, _PLACES = 0x0FF5, 0x1772
_EDITS_MOST = 10_000
_ENCRYPTED = 0xF3D1C4DF
_DEEP = 24


class Record(NamedTuple):
    """Where a record lies."""

    kind: int
    instance: int
    """Tells records of one type apart."""
    first: int
    """Where its data begins, and where it ends."""
    end: int
    holds: bool
    """Its data is records."""


class Records:
    """The stream, and what is in it."""

    def __init__(self, compound: Compound) -> None:
        self.data = compound.stream("PowerPoint Document")
        self.places: dict[int, int] = {}
        user = compound.stream("Current User", most=1 << 10)
        try:
            token, edit = unpack_from("<II", user, 12)
            if token == _ENCRYPTED:
                raise Broken("encrypted: it can only be read with its password")
            self.document = self._edits(edit)
        except too_short:
            self.document = 0

    def at(self, offset: int) -> Record | None:
        """The record that begins here."""
        if offset + 8 > len(self.data):
            return None
        head, kind, length = unpack_from("<HHI", self.data, offset)
        first = offset + 8
        return Record(kind, head >> 4, first, min(first + length, len(self.data)), head & 0xF == 0xF)

    def inside(self, outer: Record | None) -> Iterator[Record]:
        """The records that a record holds; of None, those of the stream."""
        at, end = (outer.first, outer.end) if outer else (0, len(self.data))
        while at + 8 <= end and (record := self.at(at)):
            yield record._replace(end=min(record.end, end))
            at = record.end

    def all_inside(self, outer: Record, passed: frozenset[int] = frozenset()) -> Iterator[Record]:
        """Those, and what they hold, in order; what is held by records of some types is passed over."""
        waiting = [self.inside(outer)]
        while waiting:
            record = next(waiting[-1], None)
            if record is None:
                waiting.pop()
                continue
            yield record
            if record.holds and record.kind not in passed and len(waiting) < _DEEP:
                waiting.append(self.inside(record))

    def find(self, outer: Record | None, kind: int, instance: int | None = None) -> Record | None:
        """The first record of a type that a record holds."""
        found = (each for each in self.inside(outer) if each.kind == kind)
        return next((each for each in found if instance in (None, each.instance)), None)

    def bytes(self, record: Record) -> bytes:
        return self.data[record.first : record.end]

    def text(self, record: Record) -> str:
        """The text of a record that has two bytes for each character."""
        data = self.bytes(record)
        return data[: len(data) & ~1].decode("utf-16-le", "replace").replace("\0", "")

    def _edits(self, edit: int) -> int:
        """Take in where everything lies, the last saving first; gives the number of the document."""
        document, met = 0, set[int]()
        while edit not in met and len(met) < _EDITS_MOST:
            met.add(edit)
            record = self.at(edit)
            if record is None or record.kind != _EDIT:
                break
            before, places, number = unpack_from("<8xIII", self.data, record.first)
            document = document or number
            self._take(places)
            edit = before
        return document

    def _take(self, offset: int) -> None:
        record = self.at(offset)
        if record is None or record.kind != _PLACES:
            return
        at = record.first
        while at + 4 <= record.end:
            (head,) = unpack_from("<I", self.data, at)
            number, count = head & 0xFFFFF, min(head >> 20, (record.end - at - 4) // 4)
            for each, place in enumerate(unpack_from(f"<{count}I", self.data, at + 4)):
                self.places.setdefault(number + each, place)
            at += 4 + 4 * count
            if not head >> 20:
                break
