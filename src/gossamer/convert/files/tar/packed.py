"""What is packed with gzip, bzip2 or xz: the document within, read as if it were not.

It is unpacked a piece at a time, against the allowance of the whole, and stops at the limits with what there is so far.
"""

from __future__ import annotations

import bz2
import lzma
import posixpath
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import unquote

from gossamer.convert.files import kinds
from gossamer.convert.files.bundle import MEMBER_MOST
from gossamer.convert.files.tar.headers import Octets
from gossamer.convert.files.within import read_within
from gossamer.convert.source import Source
from gossamer.model import Page

_PIECE, _UNPACKED = 1 << 16, 1 << 20
"""Bytes that go in at once, and that come out."""
_RATIO_MOST, _RATIO_FROM = 400, 8 << 20
"""Of unpacked bytes to packed ones, and from how many on it counts; as for ZIP files."""
_MEMBERS_MOST = 100_000
"""Some programs pack a file in parts of 64 KiB; empty parts cost time alone."""
_WITH_HEAD = 31
"""What zlib calls gzip."""
_MEMORY_MOST = 64 << 20
"""Bytes that xz may ask for: what its own strongest setting takes, and no more."""
_NAMES = {".tgz": ".tar", ".tbz": ".tar", ".tbz2": ".tar", ".txz": ".tar", ".svgz": ".svg"}


class _Gzip:
    """zlib, with the manners of the other two."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_WITH_HEAD)

    @property
    def eof(self) -> bool:
        return self._member.eof

    @property
    def unused_data(self) -> bytes:
        return self._member.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._member.unconsumed_tail

    def decompress(self, data: bytes, most: int) -> bytes:
        return self._member.decompress(self._member.unconsumed_tail + data, most)


class _Way(NamedTuple):
    """A way to pack: how a member begins, and what unpacks one."""

    mark: bytes
    unpacker: Callable[[], _Gzip | bz2.BZ2Decompressor | lzma.LZMADecompressor]


WAYS = {
    kinds.GZIP: _Way(b"\x1f\x8b", _Gzip),
    kinds.BZIP2: _Way(b"BZh", bz2.BZ2Decompressor),
    kinds.XZ: _Way(b"\xfd7zXZ", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY_MOST)),
}


def read(source: Source) -> Page:
    """What the document within says."""
    problems: list[str] = []
    most = min(MEMBER_MOST, source.allowance.octets)
    data = b"".join(unpacked(source.data, source.kind.essence, most, problems))
    source.allowance.octets -= len(data)
    page = read_within(source, data, _name(source.url or ""))
    return replace(
        page,
        url=source.url,
        media_type=source.kind.essence,
        content=page.content or page.text,
        problem="; ".join(filter(None, (*problems, page.problem))),
    )


def unpacked(data: Octets, kind: str, most: int, problems: list[str]) -> Iterator[bytes]:
    """Its members one after another, as one document of at most so many bytes, or little more; what stands behind the
    last is passed over. `problems` hears of what is not read."""
    way = WAYS[kind]
    member, members, whole = way.unpacker(), 1, 0
    try:
        for start in range(0, len(data), _PIECE):
            packed = data[start : start + _PIECE]
            while packed or not member.needs_input:
                piece = member.decompress(packed, _UNPACKED)
                whole += len(piece)
                yield piece
                if whole >= most or (whole > _RATIO_FROM and whole > _RATIO_MOST * (start + _PIECE)):
                    problems.append(f"only the first {whole:,} bytes were unpacked")
                    return
                packed = member.unused_data if member.eof else b""
                if not member.eof:
                    continue
                if packed and not packed.startswith(way.mark):
                    return
                if not packed:
                    break
                member, members = way.unpacker(), members + 1
                if members > _MEMBERS_MOST:
                    problems.append(f"only the first {_MEMBERS_MOST:,} of its parts were unpacked")
                    return
    except (zlib.error, OSError, EOFError, lzma.LZMAError) as error:
        problems.append(f"is damaged: {error}")
        return
    if not member.eof:
        problems.append("is cut short")


def _name(url: str) -> str:
    """What it was called before it was packed."""
    stem, ending = posixpath.splitext(unquote(url.partition("?")[0], errors="replace"))
    return stem + _NAMES.get(ending.lower(), "")
