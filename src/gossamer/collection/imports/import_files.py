"""Files that can be imported: what each is, by its first bytes, and how it is opened.

A WACZ file is several, one for each WARC file in it; so is the directory of another collection. Each is known by its
content, whatever it is called.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from gossamer.collection.folder import Folder
from gossamer.convert.files.zip.zipped import TAIL, directory_size
from gossamer.errors import DamagedInput, UsageError
from gossamer.files.holes import holes
from gossamer.printable import line
from gossamer.store.foreign import arc, lenient_warc, trec
from gossamer.store.foreign.exchanges import Item, captures
from gossamer.store.foreign.lenient_warc import Fault, Met
from gossamer.store.foreign.unpacking import Broken, Unpacking
from gossamer.store.versions import FOLDER as CAPTURES
from gossamer.store.warc.warc import warc_files

_SAMPLE = 1 << 20
_TRIES = 10
"""Packed pieces that are looked at, to know what a file is that begins with damage."""
_ZIP = b"PK"
_HOLES_MOST = 16 << 30
"""Bytes of a file that the disk does not have: zeros, which take half a minute to read."""
_DIRECTORY_MOST = 16 << 20
_WARCS = (".warc", ".warc.gz", ".warc.zst", ".warc.lz4", ".arc", ".arc.gz")
_FORMATS = "WARC, ARC, WACZ or TREC Web"
_DAMAGE = (
    BadZipFile,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    zlib.error,
    struct.error,
)
"""What `zipfile` raises for files that are none, or not whole."""

READERS: dict[bytes, Callable[[Unpacking, str, int], Iterator[Met | Fault]]] = {
    lenient_warc.OPENING: lenient_warc.records,
    arc.OPENING: arc.records,
}
_OPENINGS = (*READERS, trec.OPENING)
"""By how the file begins when it is unpacked."""


@dataclass(frozen=True, slots=True)
class ImportFile:
    """A file to be imported, or one inside a WACZ file."""

    path: Path
    inside: str
    """Its name in the WACZ file; empty for a file of its own."""
    size: int
    mark: bytes
    """Tells it from all other contents."""
    opening: bytes
    """How it begins when it is unpacked: what it is."""
    at: int = 0
    """Where it begins in the WACZ file: two in it may have one name."""

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
            there = self.path.stat()
            opened = _opened(self.path, there.st_ino, there.st_size, there.st_mtime_ns, os.getpid())
            if self.at not in opened.members:
                raise BadZipFile("it has changed since it was looked at; import it again")
            with opened.wacz.open(opened.members[self.at]) as member:
                yield cast(BinaryIO, member)

    def items(self, stream: Unpacking, most: int) -> Iterator[Item]:
        """What it brings from there on, with bodies of up to `most` bytes."""
        if self.opening == trec.OPENING:
            yield from trec.captures(stream, self.name, most)
            return
        with ExitStack() as stack:
            first = self._records(Unpacking(stack.enter_context(self.open())), most) if stream.start else None
            yield from captures(self._records(stream, most), next(first, None) if first else None)

    def _records(self, stream: Unpacking, most: int) -> Iterator[Met | Fault]:
        return READERS[self.opening](stream, self.name, most)


class _Opened(NamedTuple):
    """A WACZ file, and what is in it by where it begins."""

    wacz: ZipFile
    members: dict[int, ZipInfo]


@lru_cache(maxsize=1)
def _opened(path: Path, *_as_it_is: int) -> _Opened:
    """Stays open for the next member: who reads the directory for each takes the square of their number."""
    wacz = ZipFile(path)
    return _Opened(wacz, {each.header_offset: each for each in wacz.infolist()})


class Sorted(NamedTuple):
    """What somebody asked to be imported."""

    imported_files: tuple[ImportFile, ...]
    """Each content once."""
    problems: tuple[str, ...]
    """Why others cannot be; they do not keep these from it."""


def sort(paths: Sequence[str | Path], into: Path | None = None) -> Sorted:
    """What each of these files is. One that cannot be imported is named; where none can be, that is an error."""
    if into and os.path.realpath(into) in map(os.path.realpath, paths):  # `resolve` raises at links in a circle
        raise UsageError(f"{into}: is the collection itself; name another one, or files")
    found: dict[bytes, ImportFile] = {}
    problems: list[str] = []
    for path in map(Path, paths):
        try:
            for import_file in _of(path, problems):
                found.setdefault(import_file.mark, import_file)
        except DamagedInput as error:
            problems.append(str(error))
    if not found and problems:
        raise DamagedInput("; ".join(problems))
    return Sorted(tuple(found.values()), tuple(problems))


def _of(path: Path, problems: list[str]) -> list[ImportFile]:
    try:
        if path.is_dir():
            return _of_collection(path, problems)
        if path.exists() and not path.is_file():
            raise DamagedInput(f"{path}: is no file")
        with path.open("rb") as file:
            if holes(file.fileno(), path.stat().st_size, _HOLES_MOST) > _HOLES_MOST:
                raise DamagedInput(
                    f"{path}: is mostly holes, which read as zeros; fetch it again, or cut it where they begin"
                )
            file.seek(0)
            if file.read(len(_ZIP)) == _ZIP:
                _require_small_directory(file, path)
                return _inside(path, problems)
            opening, size = _opening(file, str(path)), path.stat().st_size
            return [ImportFile(path, "", size, _mark(file, size), opening)]
    except OSError as error:
        raise DamagedInput(f"{path}: cannot be read: {error.strerror or error}") from None


def _of_collection(path: Path, problems: list[str]) -> list[ImportFile]:
    """All that another collection has captured: its WARC files."""
    folder = Folder(path)
    if not folder.exists():
        raise DamagedInput(f"{path}: is a directory and no collection; name the files in it")
    places = [warc_files(folder.shard(number) / CAPTURES) for number in folder.numbers()]
    return [each for place in places for file in place for each in _of(file, problems)]


def _require_small_directory(file: BinaryIO, path: Path) -> None:
    """`zipfile` reads the directory of an archive whole, however long it is said to be."""
    file.seek(max(path.stat().st_size - TAIL, 0))
    if directory_size(file.read(TAIL)) > _DIRECTORY_MOST:
        most = f"{_DIRECTORY_MOST >> 20} MiB"
        raise DamagedInput(f"{path}: its directory has more than {most}; unpack it, and name the WARC files in it")


def _inside(path: Path, problems: list[str]) -> list[ImportFile]:
    found: list[ImportFile] = []
    try:
        with ZipFile(path) as wacz:
            inside = [info for info in wacz.infolist() if info.filename.lower().endswith(_WARCS)]
            for info in inside:
                try:
                    found.append(_member(path, wacz, info))
                except (DamagedInput, *_DAMAGE) as error:
                    problems.append(f"{path}/{info.filename}: cannot be read: {error}")
    except _DAMAGE as error:
        raise DamagedInput(f"{path}: a damaged ZIP or WACZ file: {error}") from None
    if not inside:
        raise DamagedInput(f"{path}: a ZIP file without WARC files; what is imported is {_FORMATS}")
    return found


def _member(path: Path, wacz: ZipFile, info: ZipInfo) -> ImportFile:
    if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise DamagedInput("packed in a way that is not read; only stored and deflated members are")
    with wacz.open(info) as member:
        opening = _opening(cast(BinaryIO, member), f"{path}/{info.filename}")
    return ImportFile(path, info.filename, info.file_size, _mark_inside(info), opening, info.header_offset)


def _opening(file: BinaryIO, name: str) -> bytes:
    """How it begins when it is unpacked, or how it goes on after damage; a clear word when that is nothing we know."""
    with suppress(Broken):
        stream = Unpacking(file)
        for _ in range(_TRIES):
            if (found := _known(stream)) is not None:
                return found
            if not stream.resume():
                break
    raise DamagedInput(f"{name}: neither {_FORMATS.replace(' or ', ' nor ')}")


def _known(stream: Unpacking) -> bytes | None:
    with suppress(Broken):
        stream.skip_blank()
        first = stream.peek(max(map(len, _OPENINGS)))
        begins = next((opening for opening in _OPENINGS if first.startswith(opening)), None)
        sample = b"" if begins or stream.packed else stream.peek(_SAMPLE)
        return begins or next((opening for opening in _OPENINGS if b"\n" + opening in sample), None)
    return None


def _mark(file: BinaryIO, size: int) -> bytes:
    """Two samples and the size: reading all of a terabyte to know it again would take hours."""
    told = sha256(size.to_bytes(8, "big"))
    for start in (0, max(size - _SAMPLE, 0)):
        file.seek(start)
        told.update(file.read(_SAMPLE))
    return told.digest()


def _mark_inside(info: ZipInfo) -> bytes:
    return sha256(f"{info.file_size} {info.CRC} {info.filename}".encode("utf-8", "surrogateescape")).digest()
