"""gzip members: a record packed so that its bytes in the file stand alone (RFC 1952).

Two libraries that write the same format. ISA-L packs a real page of 49 KB in 0.115 ms to 1.20 times the size that
`gzip -6` needs 0.92 ms for, and in 0.29 ms to 1.15 times; zlib-ng takes 0.37 ms for 1.04 times and 0.50 ms for the same
size. So levels 1 to 3 are ISA-L's and 4 to 9 are zlib-ng's. ISA-L also unpacks, in half of zlib's time.
"""

from __future__ import annotations

import os
import platform
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from isal import isal_zlib
from zlib_ng import zlib_ng

from gossamer import files
from gossamer.files.holes import data_after

LEVEL = 2 if platform.machine() in {"x86_64", "AMD64"} else 1
"""Level 2 makes real pages 4 % larger than level 3, in two fifths of its time. On ARM only level 1 is quick."""

_GZIP = 31
_RAW_DEFLATE = -15
_MAGIC = b"\x1f\x8b\x08"
_HEADER = _MAGIC + b"\0\0\0\0\0\0\xff"
_OPENING = b"WARC/"
_HEADERS = frozenset((_HEADER, _MAGIC + b"\0\0\0\0\0\0\x03", _MAGIC + b"\0\0\0\0\0\2\x03"))
"""As both libraries write them: no name, no date."""
HEADER_LENGTH = len(_HEADER)
_STORED_MOST = 0xFFFF
_JOINED_MOST = 1 << 20
_CHUNK = 32 << 10
_SLICE = 1 << 20
_LOOK = 1 << 10

BODY_MOST = 128 << 20
"""Bytes of a body that is kept: the plan lets no other be fetched, and an import cuts what is longer."""
RECORD_MOST = 192 << 20
"""Bytes of a record: a body; the rest is for heads, framing and what marking up
adds to a text. What unpacks to more was not written by us."""
DAMAGE_MOST = 2 << 30
"""Bytes of one file that are read or unpacked in search of the next record, over all its damage. Then the rest counts
as damaged too."""


InflateError: type[Exception] = isal_zlib.IsalError  # type: ignore[assignment] # the stub takes it for an instance


class Member(NamedTuple):
    """A whole member of a file, unpacked."""

    offset: int
    length: int
    data: bytes


def packed(parts: Sequence[bytes], level: int) -> bytes:
    """All parts as one member. Only small ones are joined first, which is faster: a body may be large."""
    library: Any = zlib_ng if level > isal_zlib.ISAL_BEST_COMPRESSION else isal_zlib
    if sum(map(len, parts)) <= _JOINED_MOST:
        member: bytes = library.compress(b"".join(parts), level, _GZIP)
        return member
    deflate = library.compressobj(level, library.DEFLATED, _GZIP)
    return b"".join([*map(deflate.compress, parts), deflate.flush()])


def packed_around(text: bytes, dense: bytes, end: bytes) -> bytes:
    """All three as one member: the text packed, and what is compressed already laid behind it as it is."""
    deflate = isal_zlib.compressobj(1, isal_zlib.DEFLATED, _RAW_DEFLATE)
    parts: list[bytes | memoryview] = [_HEADER, deflate.compress(text), deflate.flush(isal_zlib.Z_SYNC_FLUSH)]
    view = memoryview(dense)
    for start in range(0, len(dense), _STORED_MOST):
        parts += _stored(view[start : start + _STORED_MOST], last=False)
    parts += _stored(end, last=True)
    crc = isal_zlib.crc32(end, isal_zlib.crc32(dense, isal_zlib.crc32(text)))
    parts.append(struct.pack("<LL", crc, (len(text) + len(dense) + len(end)) & 0xFFFFFFFF))
    return b"".join(parts)


def _stored(data: bytes | memoryview, *, last: bool) -> tuple[bytes, bytes | memoryview]:
    """A stored block of RFC 1951, which begins and ends at a byte."""
    return struct.pack("<BHH", last, len(data), len(data) ^ 0xFFFF), data


def is_ours(header: bytes) -> bool:
    """Does a member begin as we write it?"""
    return header in _HEADERS


def with_our_header(member: bytes) -> bytes:
    """A whole member, as it was before somebody changed bytes that no reader looks at."""
    return member if is_ours(member[:HEADER_LENGTH]) else _HEADER + member[HEADER_LENGTH:]


def inflating() -> Any:
    """What unpacks one member, piece by piece, and raises `InflateError`."""
    return isal_zlib.decompressobj(_GZIP)


def unpacked(chunks: Iterable[bytes]) -> tuple[bytes, int] | None:
    """What the member that `chunks` begin with holds, and its length; None unless it is whole and sound.

    A member that is no record is not sound: a page that came compressed lies in its record as a member. Nor is one that
    holds more than `RECORD_MOST`.
    """
    return _unpacked(chunks, _Effort(RECORD_MOST))


def unpacked_at_once(data: bytes) -> bytes | None:
    """The same for a member that is in memory, without its length. Most are small, and need no care for their size."""
    inflate = inflating()
    try:
        part: bytes = inflate.decompress(data[:_SLICE], _SLICE)
    except InflateError:
        return None
    if inflate.eof:
        return part if part.startswith(_OPENING) else None
    found = unpacked(sliced(data))
    return found[0] if found else None


def members(path: Path, start: int = 0, end: int | None = None, *, unbroken: bool = False) -> Iterator[Member]:
    """The whole members that begin from `start` on and before `end`, one at a time.

    Damaged stretches are passed over, as long as all of them together cost no more than `DAMAGE_MOST`; `unbroken`
    members end at the first of them.
    """
    with files.reading(path), files.open(path, buffering=0) as file:
        handle, spent = file.fileno(), _Effort(DAMAGE_MOST)
        position: int | None = start
        while position is not None and (end is None or position < end):
            effort = _Effort(RECORD_MOST)
            found = _unpacked(_chunks(handle, position), effort)
            if found is not None:
                yield Member(position, found[1], found[0])
                position += found[1]
            elif unbroken:
                return
            else:
                spent.made += effort.made
                position = _next_member(handle, position + 1, end, spent)


@dataclass
class _Effort:
    """Bytes that were read or unpacked, and how many there may be."""

    most: int
    made: int = 0

    @property
    def left(self) -> int:
        return self.most - self.made


def _unpacked(chunks: Iterable[bytes], effort: _Effort) -> tuple[bytes, int] | None:
    inflate = inflating()
    parts: list[bytes] = []
    read = 0
    for chunk in chunks:
        read += len(chunk)
        try:
            for part in _slices(inflate, chunk):
                parts.append(part)
                effort.made += len(part)
                if effort.left < 0 or not _OPENING.startswith(parts[0][: len(_OPENING)]):
                    return None
        except InflateError:
            effort.made += _SLICE  # nobody knows how much it was
            return None
        if inflate.eof:
            data = b"".join(parts)
            return (data, read - len(inflate.unused_data)) if data.startswith(_OPENING) else None
    return None


def _slices(inflate: Any, data: bytes) -> Iterator[bytes]:
    """What a piece of a member unpacks to, which may be a thousand times as much."""
    full = True
    while full and not inflate.eof:
        part: bytes = inflate.decompress(data, _SLICE)
        yield part
        data, full = inflate.unconsumed_tail, len(part) == _SLICE


def sliced(data: bytes) -> Iterator[bytes]:
    """A member that is in memory, for `unpacked`: what is left of a piece after each slice is copied."""
    return (data[start : start + _SLICE] for start in range(0, len(data), _SLICE))


def _chunks(file: int, position: int) -> Iterator[bytes]:
    while chunk := os.pread(file, _CHUNK, position):
        yield chunk
        position += len(chunk)


def _next_member(file: int, position: int, end: int | None, spent: _Effort) -> int | None:
    """Where something begins like a record of ours; None when there is nothing before `end`, or it took too much."""
    found = _next_magic(file, position, end, spent)
    while found is not None and not _opens(file, found, spent):
        found = _next_magic(file, found + 1, end, spent)
    return found


def _next_magic(file: int, position: int, end: int | None, spent: _Effort) -> int | None:
    while (at := data_after(file, position)) is not None and spent.left > 0 and (end is None or at < end):
        chunk = os.pread(file, _CHUNK, at)
        if len(chunk) < len(_MAGIC):
            return None
        found = chunk.find(_MAGIC)
        spent.made += found + 1 or len(chunk)
        if found >= 0:
            return at + found
        position = at + len(chunk) - len(_MAGIC) + 1
    return None


def _opens(file: int, position: int, spent: _Effort) -> bool:
    """Does a record begin there? A look at a few bytes, since pages are full of members that are none."""
    spent.made += _LOOK
    try:
        opening: bytes = inflating().decompress(os.pread(file, _LOOK, position), len(_OPENING))
    except InflateError:
        return False
    return opening == _OPENING
