"""Records of WARC files that somebody else wrote: any packing, any version, whole or damaged.

`reader` reads our own files, in which a record is a gzip member. Here nothing is taken for granted: what is no
record is reported with its offset and passed over, the next line that begins one is looked for, and of a block that is
longer than asked for only the beginning is held.

The dialect of ClueWeb09 is WARC/0.18 with bare line feeds and lengths that count the carriage returns which were taken
out; a header may have an empty line in the middle. Its records are whole all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gossamer.model import Headers
from gossamer.printable import counted
from gossamer.store.foreign.claims import wrong
from gossamer.store.foreign.unpacking import Broken, Unpacking
from gossamer.store.warc.warc import Place, Record, uuid_of

HEAD_MOST = 64 << 10
"""Bytes of the header of a record; a usual one has less than 1,000."""
BESIDE = frozenset({"request", "metadata"})
BESIDE_MOST = 16 << 20
"""Bytes of the block of a request or of metadata: several are held beside the block of a response."""
HEADER_MOST = 256
"""Bytes of the name of a field, and some more."""
OPENING = b"WARC/"
LONG, ENDS = "length", "unspecified"
_BEGINS = re.compile(rb"WARC/(?<![ \t:]WARC/)[01]\.\d+\r?\n(?=[A-Za-z])")
"""Also within a line, because garbage need not end with one; a field may have these words as its value, though."""
_BEGINS_MOST = 16
_END = re.compile(rb"\r\n\r\n|\n\n|\Z")
_END_MOST = 4
_OTHER = re.compile(rb"\n(?=WARC/[01]\.\d+\r?\nWARC-)")
"""Where in a block another record begins."""
_GOES_ON = re.compile(rb"\s*(?:WARC|Content)-[A-Za-z-]+:")
"""The rest of a header with an empty line in the middle."""
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
        self._told = self._told_mended = False
        self._mended = False
        """The length of the record that was read last counts what is not there."""

    def remarks(self, met: Met) -> Iterator[Fault]:
        """What is wrong with a record that was read all the same."""
        offset = met.record.place.offset
        if not self._even and not self._told:
            self._told = True
            yield Fault(offset, "from here on records are not packed one by one; they were read all the same")
        if self._mended and not self._told_mended:
            self._told_mended = True
            yield Fault(offset, "from here on lengths count line ends that are not there; records were read whole")
        if met.cut == ENDS:
            early = "another begins before it ends" if self._stream.peek(1) else "the file ends before the record does"
            yield Fault(offset, f"{early}; what there is of it was read")
        elif not self._mended and not _END.match(self._stream.peek(_END_MOST)):
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
        if fields and _length(fields) is None and _GOES_ON.match(stream.peek(HEADER_MOST)):
            fields += _fields(b"\n" + (stream.until(_EMPTY_LINE, HEAD_MOST) or b"")) or ()
        length = _length(fields) if fields else None
        if head is None or fields is None or length is None:
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

    def _record(self, offset: int, fields: Headers, said: int, alone: bool) -> Met | Fault:
        stream, named = self._stream, dict(reversed(fields))
        kind = named.get("warc-type", "").lower()
        length = stream.believed(said, _ENDS, _BEGINS, _BEGINS_MOST)
        block = stream.take(min(length, BESIDE_MOST if kind in BESIDE else self._most), _BEGINS)
        there = len(block) + stream.skip(length - len(block), _BEGINS)
        if stream.packed and len(block) == there == length:
            block = self._without_next(block)
            there = length = len(block)
        whole = _mended(block, said) if len(block) == there < said else None
        self._mended = whole is not None
        if whole is not None:
            block, there, length = whole, len(whole), len(whole)
        self._even &= alone and (not stream.packed or stream.offset == offset or stream.at_start)
        place = Place(self._name, offset, length, uuid_of(named.get("warc-record-id", "")))
        record = Record(place, kind, fields, block)
        return Met(record, why_cut(there, len(block), length))

    def _without_next(self, block: bytes) -> bytes:
        """What is no part of a block that runs into the next record comes again."""
        if _END.match(self._stream.peek(_END_MOST)):
            return block
        other = _OTHER.search(block + self._stream.peek(HEADER_MOST))
        if other is None or other.end() >= len(block):
            return block
        self._stream.unread(block[other.end() :])
        return block[: other.end()]

    def _lost(self, offset: int, passed: int, words: str) -> Fault:
        """Go on where the next record begins."""
        self._stream.skip_to(_BEGINS, _BEGINS_MOST)
        return Fault(offset, f"{words}; {counted(self._stream.passed - passed, 'byte was', 'bytes were')} passed over")


def _mended(block: bytes, said: int) -> bytes | None:
    """A block whose length counts a carriage return before each of its line feeds, though none is there; None for one
    that is of another length, or that has no end."""
    end = next((end for end in (b"\r\n\r\n", b"\n\n") if block.endswith(end)), b"")
    whole = block.removesuffix(end)
    bare = whole.count(b"\n") - whole.count(b"\r\n")
    return whole if end and 0 < said - len(whole) <= bare else None


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
