"""Is an index whole? Every file of the engine ends with a checksum of itself, which the engine does not look at.

A file is its bytes, then a footer in JSON with `crc`, then the length of the footer and a mark, four bytes each. The
files that count are those of the segments that `meta.json` names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from uuid import UUID
from zlib import crc32

import msgspec

from gossamer import files

META = "meta.json"
_TAIL, _MARK = 8, 1337
_FOOTER_MOST = 50_000
_PIECE = 1 << 20
_ALWAYS = ("term", "idx", "pos", "store", "fast", "fieldnorm")


class _Deletes(msgspec.Struct):
    opstamp: int


class _Segment(msgspec.Struct):
    segment_id: str
    max_doc: int = 0
    deletes: _Deletes | None = None


class _Meta(msgspec.Struct):
    segments: list[_Segment]


class _Footer(msgspec.Struct):
    crc: int


def problems(folder: Path) -> Iterator[str]:
    """What is wrong with the files of an index."""
    try:
        with files.reading(folder / META):
            counting = names(files.read(folder / META))
    except (FileNotFoundError, ValueError) as error:
        yield f"{folder / META}: cannot be read ({error})"
        return
    for name in counting:
        if not _is_sound(folder / name):
            yield f"{folder / name}: is missing or damaged"


def names(meta: bytes) -> list[str]:
    """The files that count by what `meta.json` holds; ValueError when that is nothing of the engine's."""
    found = []
    for segment in _meta(meta).segments:
        deleted = [f"{segment.deletes.opstamp}.del"] if segment.deletes else []
        found += [f"{UUID(segment.segment_id).hex}.{ending}" for ending in (*_ALWAYS, *deleted)]
    return found


def part_sizes(folder: Path) -> list[int]:
    """How many rows each segment has, those that were taken out too."""
    return [segment.max_doc for segment in _meta(files.read(folder / META)).segments]


def _meta(data: bytes) -> _Meta:
    try:
        return msgspec.json.decode(data, type=_Meta)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _is_sound(path: Path) -> bool:
    try:
        with files.reading(path), files.open(path) as file:
            size = files.size(path)
            file.seek(max(0, size - _FOOTER_MOST))
            end = file.read()
            length, mark = int.from_bytes(end[-8:-4], "little"), int.from_bytes(end[-4:], "little")
            if mark != _MARK or length + _TAIL > len(end):
                return False
            footer = msgspec.json.decode(end[-_TAIL - length : -_TAIL], type=_Footer)
            file.seek(0)
            return _sum(file, size - _TAIL - length) == footer.crc
    except (FileNotFoundError, ValueError, RecursionError):
        return False


def _sum(file: BinaryIO, length: int) -> int:
    found = 0
    while piece := file.read(min(_PIECE, length)):
        found, length = crc32(piece, found), length - len(piece)
    return found
