"""What is packed with gzip: the document within, read as if it were not.

It is inflated a piece at a time, against the allowance of the whole, and stops at the limits with what there is so far.
"""

from __future__ import annotations

import posixpath
import zlib
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote

from gossamer.convert.files.bundle import MEMBER_MOST
from gossamer.convert.files.within import read_within
from gossamer.convert.source import Source
from gossamer.model import Page

_PIECE, _UNPACKED = 1 << 16, 1 << 20
"""Bytes that go in at once, and that come out."""
_MARK = b"\x1f\x8b"
_RATIO_MOST, _RATIO_FROM = 400, 8 << 20
"""Of unpacked bytes to packed ones, and from how many on it counts; as for ZIP files."""
_WITH_HEAD = 31
"""What zlib calls gzip."""
_NAMES = {".tgz": ".tar", ".svgz": ".svg"}


def read(source: Source) -> Page:
    """What the document within says."""
    problems: list[str] = []
    data = b"".join(_inflated(source, problems))
    page = read_within(source, data, _name(source.url or ""))
    return replace(
        page,
        url=source.url,
        media_type=source.kind.essence,
        content=page.content or page.text,
        problem="; ".join(filter(None, (*problems, page.problem))),
    )


def _inflated(source: Source, problems: list[str]) -> Iterator[bytes]:
    """Its members one after another, as one document; what stands behind the last is passed over."""
    data, most = source.data, min(MEMBER_MOST, source.allowance.octets)
    member, whole = zlib.decompressobj(_WITH_HEAD), 0
    try:
        for start in range(0, len(data), _PIECE):
            packed = data[start : start + _PIECE]
            while packed:
                piece = member.decompress(packed, _UNPACKED)
                whole += len(piece)
                source.allowance.octets -= len(piece)
                yield piece
                if whole >= most or (whole > _RATIO_FROM and whole > _RATIO_MOST * (start + _PIECE)):
                    problems.append(f"only the first {whole:,} bytes were unpacked")
                    return
                packed = member.unused_data if member.eof else member.unconsumed_tail
                if member.eof and packed:
                    if not packed.startswith(_MARK):
                        return
                    member = zlib.decompressobj(_WITH_HEAD)
    except zlib.error as error:
        problems.append(f"is damaged: {error}")
        return
    if not member.eof:
        problems.append("is cut short")


def _name(url: str) -> str:
    """What it was called before it was packed."""
    stem, ending = posixpath.splitext(unquote(url.partition("?")[0], errors="replace"))
    return stem + _NAMES.get(ending.lower(), "")
