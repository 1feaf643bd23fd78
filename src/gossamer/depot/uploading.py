"""How does a checkpoint get into the store? What the last one has not got travels; many files make one object.

Files that never change go into packs, which lose their use when the table merges its files; what has grown goes into
objects of its own, which are of use as long as the collection. A pack of which little is still used is left behind:
that little is packed again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from gossamer import files
from gossamer.depot.heads import Head, KeptFile, Piece, digest_of
from gossamer.depot.objects import Objects
from gossamer.depot.parts import Fixed, Growing, Small, Snapshot, Stamp, stamp_of
from gossamer.errors import Damaged

OBJECT_MOST = 32 << 20
"""Bytes of an object, which is held in memory while it is made."""
PIECES_MOST = 64
"""Small pieces of a file that grows: with more they are uploaded once more, as large ones. A crawl of months has many
checkpoints, and each head names every piece."""
_OBJECT = re.compile(r"([0-9]{10,15})-[0-9]{6,}\.(?:pack|tails)")
SPARSE = 4
"""A pack of which less than one in so many bytes is used is left behind."""


class Uploaded(NamedTuple):
    """What a head says of a snapshot."""

    files: Mapping[str, KeptFile]
    packs: Mapping[str, int]
    stamps: Mapping[str, Stamp]
    octets: int
    """Bytes that have travelled."""


class Uploader:
    """Of one life. Objects are numbered in it."""

    def __init__(self, objects: Objects, folder: str, life: int) -> None:
        self._objects = objects
        self._names = f"{folder}/objects/{life:010}-"
        self._count = 0

    def upload(self, snapshot: Snapshot, before: Head, stamps: Mapping[str, Stamp]) -> Uploaded:
        """All that `before` has not got; `stamps` are those of its files on this disk."""
        first = self._count
        try:
            return self._uploaded(snapshot, before, stamps)
        except BaseException:
            self._count = first  # no head names what was uploaded: the next try writes over it
            raise

    def _uploaded(self, snapshot: Snapshot, before: Head, stamps: Mapping[str, Stamp]) -> Uploaded:
        sparse = _sparse(before, {part.name for part in snapshot.parts})
        pack, tails = _Object(self, "pack"), _Object(self, "tails")
        kept: dict[str, KeptFile] = {}
        now: dict[str, Stamp] = {}
        for part in snapshot.parts:
            known = before.files.get(part.name)
            match part:
                case Fixed(name, path):
                    now[name] = stamp_of(path)
                    is_known = known is not None and stamps.get(name) == now[name] and not _in(known, sparse)
                    kept[name] = known if known and is_known else KeptFile(tuple(pack.file(path, 0, now[name].size)))
                case Small(name, data):
                    is_known = known is not None and [each.digest for each in known.pieces] == [digest_of(data)]
                    is_known = is_known and not _in(known, sparse)
                    kept[name] = known if known and is_known else KeptFile(tuple(pack.data(data)))
                case Growing():
                    kept[part.name] = _grown(part, known, tails)
        pack.close()
        tails.close()
        used = {piece.object for each in kept.values() for piece in each.pieces}
        packs = {name: size for name, size in {**before.packs, **pack.sizes}.items() if name in used}
        return Uploaded(kept, packs, now, sum(pack.sizes.values()) + sum(tails.sizes.values()))

    def name(self, kind: str) -> str:
        """For a new object."""
        self._count += 1
        return f"{self._names}{self._count:06}.{kind}"

    def put(self, name: str, data: bytes) -> None:
        """Keep it."""
        self._objects.put(name, data)


def life_of(name: str) -> int | None:
    """Whose an object is; None where it is none of ours."""
    found = _OBJECT.fullmatch(name.rpartition("/")[2])
    return int(found[1]) if found else None


class _Object:
    """Pieces are gathered, and kept as one object when they are enough."""

    def __init__(self, uploader: Uploader, kind: str) -> None:
        self._uploader = uploader
        self._kind = kind
        self._gathered = bytearray()
        self._name = ""
        self.sizes: dict[str, int] = {}

    def file(self, path: Path, start: int, end: int) -> Iterator[Piece]:
        """The bytes of a file from one place to another. They have to be there."""
        while start < end:
            if len(self._gathered) >= OBJECT_MOST:
                self.close()
            data = files.read_at(path, min(end - start, OBJECT_MOST - len(self._gathered)), start)
            if not data:
                raise Damaged(f"{path}: ends at byte {start:,} and should have {end:,}; no checkpoint was made of it")
            yield from self.data(data)
            start += len(data)

    def data(self, data: bytes) -> Iterator[Piece]:
        if not self._name:
            self._name = self._uploader.name(self._kind)
        yield Piece(self._name, len(self._gathered), len(data), digest_of(data))
        self._gathered += data

    def close(self) -> None:
        """What was gathered is kept."""
        if self._name:
            self._uploader.put(self._name, bytes(self._gathered))
            self.sizes[self._name] = len(self._gathered)
            self._gathered, self._name = bytearray(), ""


def _grown(part: Growing, known: KeptFile | None, tails: _Object) -> KeptFile:
    if known is None or known.mark != part.mark or known.size > part.length:
        known = KeptFile((), part.mark)
    large = tuple(takewhile(lambda piece: piece.length >= OBJECT_MOST // 2, known.pieces))
    if len(known.pieces) - len(large) >= PIECES_MOST:
        tails.close()  # so that the first of the new ones is large, too
        known = KeptFile(large, part.mark)
    return KeptFile((*known.pieces, *tails.file(part.path, known.size, part.length)), part.mark)


def _sparse(before: Head, wanted: set[str]) -> set[str]:
    """The packs that are hardly used any more."""
    used: Counter[str] = Counter()
    for name, kept in before.files.items():
        if name in wanted:
            used.update({piece.object: piece.length for piece in kept.pieces})
    return {name for name, size in before.packs.items() if used[name] * SPARSE < size}


def _in(kept: KeptFile | None, packs: set[str]) -> bool:
    return kept is not None and any(piece.object in packs for piece in kept.pieces)
