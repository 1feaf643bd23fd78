"""Files that can be imported: what each is, by its first bytes, and how it is opened.

A WACZ file is a parcel for each WARC file in it. A parcel is known by its content, whatever it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, cast
from zipfile import BadZipFile, ZipFile, ZipInfo

from gossamer.errors import UsageError
from gossamer.shown import line
from gossamer.store import arc, foreign, trec
from gossamer.store.exchanges import Item, captures
from gossamer.store.unpacking import Broken, Unpacking

_SAMPLE = 1 << 20
_ZIP = b"PK"
_WARCS = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz")
_FORMATS = "WARC, ARC, WACZ or TREC Web"

READERS: dict[bytes, Callable[[Unpacking, str, int], Iterator[Item]]] = {
    foreign.OPENING: lambda stream, name, most: captures(foreign.records(stream, name, most)),
    arc.OPENING: lambda stream, name, most: captures(arc.records(stream, name, most)),
    trec.OPENING: trec.captures,
}
"""By how the file begins when it is unpacked."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """A file to be imported, or one inside a WACZ file."""

    path: Path
    inside: str
    """Its name in the WACZ file; empty for a file of its own."""
    size: int
    mark: bytes
    """Tells it from all other contents."""
    opening: bytes
    """How it begins: one of READERS."""

    @property
    def name(self) -> str:
        """For people, and for the metadata of what comes from it; a name need not be UTF-8, and this is."""
        return line(f"{self.path.name}/{self.inside}" if self.inside else self.path.name)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Its bytes."""
        if not self.inside:
            with self.path.open("rb") as file:
                yield file
        else:
            with ZipFile(self.path) as wacz, wacz.open(self.inside) as member:
                yield cast(BinaryIO, member)

    def items(self, stream: Unpacking, most: int) -> Iterator[Item]:
        """What it brings from there on, with bodies of up to `most` bytes."""
        return READERS[self.opening](stream, self.name, most)


def parcels(paths: Sequence[str | Path]) -> list[Parcel]:
    """All files to be imported, each once; a clear word about the first that cannot be."""
    found = [parcel for path in paths for parcel in _of(Path(path))]
    return list({parcel.mark: parcel for parcel in found}.values())


def _of(path: Path) -> list[Parcel]:
    try:
        with path.open("rb") as file:
            if file.read(len(_ZIP)) == _ZIP:
                return _inside(path)
            opening, size = _opening(file, str(path)), path.stat().st_size
            return [Parcel(path, "", size, _mark(file, size), opening)]
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from None


def _inside(path: Path) -> list[Parcel]:
    try:
        with ZipFile(path) as wacz:
            inside = [info for info in wacz.infolist() if info.filename.lower().endswith(_WARCS)]
            found = [_member(path, wacz, info) for info in inside]
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise UsageError(f"{path}: a damaged ZIP or WACZ file: {error}") from None
    if not found:
        raise UsageError(f"{path}: a ZIP file without WARC files; what is imported is {_FORMATS}")
    return found


def _member(path: Path, wacz: ZipFile, info: ZipInfo) -> Parcel:
    with wacz.open(info) as member:
        opening = _opening(cast(BinaryIO, member), f"{path}/{info.filename}")
    return Parcel(path, info.filename, info.file_size, _mark_inside(info), opening)


def _opening(file: BinaryIO, name: str) -> bytes:
    """How it begins when it is unpacked; a clear word when that is nothing we know."""
    with suppress(Broken):
        stream = Unpacking(file)
        foreign.skip_blank(stream)
        first = stream.peek(max(map(len, READERS)))
        for opening in READERS:
            if first.startswith(opening):
                return opening
    raise UsageError(f"{name}: neither {_FORMATS.replace(' or ', ' nor ')}")


def _mark(file: BinaryIO, size: int) -> bytes:
    """Two samples and the size: reading all of a terabyte to know it again would take hours."""
    told = sha256(size.to_bytes(8, "big"))
    for start in (0, max(size - _SAMPLE, 0)):
        file.seek(start)
        told.update(file.read(_SAMPLE))
    return told.digest()


def _mark_inside(info: ZipInfo) -> bytes:
    return sha256(f"{info.file_size} {info.CRC} {info.filename}".encode()).digest()
