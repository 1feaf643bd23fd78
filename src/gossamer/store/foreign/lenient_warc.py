"""Records of WARC files that somebody else wrote: any packing, any version, whole or damaged.

`reader` reads our own files, in which a record is a gzip member. Here nothing is taken for granted: what is no
record is reported with its offset and passed over, the next line that begins one is looked for, and of a block that is
longer than asked for only the beginning is held.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gossamer.model import Headers
from gossamer.store.foreign.claims import wrong
from gossamer.store.foreign.unpacking import Broken, Unpacking
from gossamer.store.warc.warc import Place, Record, uuid_of

HEAD_MOST = 64 << 10
"""Bytes of the header of a record; a usual one has less than 1,000."""
BESIDE = frozenset({"request", "metadata"})
BESIDE_MOST = 1 << 20
"""Bytes of the block of a request or of metadata: what counts stands at its beginning."""
OPENING = b"WARC/"
LONG, ENDS = "length", "unspecified"
_BEGINS = re.compile(rb"WARC/(?<![ \t:]WARC/)[01]\.\d+\r?\n(?=[A-Za-z])")
"""Also within a line, because garbage need not end with one; a field may have these words as its value, though."""
_BEGINS_MOST = 16
_END = b"\r\n\r\n"
_ENDS = re.compile(rb".(?:\r\n\r\n|\n\n.{0,2}|)", re.DOTALL)
"""The last byte of a block, and the empty lines behind it or the end of the file."""
_EMPTY_LINE = re.compile(rb"\n\r?\n")
_FOLD = re.compile(rb"\r?\n[ \t]+")


class Fault(NamedTuple):
    """Something that could not be read."""

    offset: int
    words: str


class Met(NamedTuple):
    """A record, and what should be known of it."""

    record: Record
    """Its place says where it begins; the length there is that of its block, also where that is cut."""
    cut: str = ""
    """Why only the beginning of its block is here: `length`, it is too long, or `unspecified`, the file ends."""


def records(stream: Unpacking, name: str, most: int) -> Iterator[Met | Fault]:
    """Every record, with up to `most` bytes of its block, and every fault, in their order in the file."""
    reader = _Reader(stream, name, most)
    while True:
        try:
            found = reader.next()
        except Broken as broken:
            yield Fault(broken.offset, broken.words)
            if not stream.resume():
                return
            continue
        if found is None:
            return
        yield found
        if isinstance(found, Met):
            yield from reader.remarks(found)


class _Reader:
    def __init__(self, stream: Unpacking, name: str, most: int) -> None:
        self._stream = stream
        self._name = name
        self._most = most
        self._even = True
        """The pieces of a packed file are its records, so far."""
        self._told = False

    def remarks(self, met: Met) -> Iterator[Fault]:
        """What is wrong with a record that was read all the same."""
        offset = met.record.place.offset
        if not self._even and not self._told:
            self._told = True
            yield Fault(offset, "from here on records are not packed one by one; they were read all the same")
        if met.cut == ENDS:
            early = "another begins before it ends" if self._stream.peek(1) else "the file ends before the record does"
            yield Fault(offset, f"{early}; what there is of it was read")
        elif self._stream.peek(len(_END)) not in (_END, b""):
            yield Fault(offset, "the record does not end where its length says; it was read all the same")
        if not met.cut and (which := wrong(met.record)):
            yield Fault(
                offset, f"the {which} of a {met.record.type} does not have its digest; it was read all the same"
            )

    def next(self) -> Met | Fault | None:
        stream = self._stream
        if not stream.skip_blank():
            return None
        offset, passed = stream.offset, stream.passed
        alone = stream.at_start or not stream.packed
        if stream.peek(len(OPENING)) != OPENING:
            return self._lost(offset, passed, "no record begins here")
        head = self._head()
        fields = _fields(head) if head else None
        length = _length(fields) if fields else None
        if fields is None or length is None:
            return self._lost(offset, passed, "the header of a record is not whole, or says no length")
        return self._record(offset, fields, length, alone)

    def _head(self) -> bytes | None:
        """Up to the empty line; None, and the beginning of it passed over, where another record begins before that."""
        head = self._stream.until(_EMPTY_LINE, HEAD_MOST)
        if head is None:
            self._stream.skip(len(OPENING))
            return None
        torn = _BEGINS.search(head, len(OPENING))
        if torn is None:
            return head
        self._stream.back(len(head) - torn.start())
        return None

    def _record(self, offset: int, fields: Headers, length: int, alone: bool) -> Met | Fault:
        stream, named = self._stream, dict(reversed(fields))
        kind = named.get("warc-type", "").lower()
        length = stream.believed(length, _ENDS, _BEGINS, _BEGINS_MOST)
        block = stream.take(min(length, BESIDE_MOST if kind in BESIDE else self._most), _BEGINS)
        there = len(block) + stream.skip(length - len(block), _BEGINS)
        self._even &= alone and (not stream.packed or stream.offset == offset or stream.at_start)
        place = Place(self._name, offset, length, uuid_of(named.get("warc-record-id", "")))
        record = Record(place, kind, fields, block)
        return Met(record, why_cut(there, len(block), length))

    def _lost(self, offset: int, passed: int, words: str) -> Fault:
        """Go on where the next record begins."""
        self._stream.skip_to(_BEGINS, _BEGINS_MOST)
        return Fault(offset, f"{words}; {self._stream.passed - passed:,} bytes were passed over")


def why_cut(there: int, held: int, length: int) -> str:
    """Of a block of that length, so many bytes were in the file and so many are held."""
    return ENDS if there < length else LONG if held < length else ""


def _fields(head: bytes) -> Headers | None:
    text = _FOLD.sub(b" ", head.rstrip()).decode("utf-8", "replace")
    pairs = [line.partition(":") for line in text.split("\n")[1:]]
    return tuple((name.strip().lower(), value.strip()) for name, colon, value in pairs if colon) or None


def _length(fields: Headers) -> int | None:
    said = next((value for name, value in fields if name == "content-length"), "")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 19 else None
