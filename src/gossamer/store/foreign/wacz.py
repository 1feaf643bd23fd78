"""WACZ 1.1.1: an archive in one ZIP file that replay tools read by ranges, without unpacking it.

    archive/*.warc.gz       the WARC files, stored as they are
    indexes/index.cdx.gz    CDXJ in gzip members of so many lines, and index.idx, which says where each begins
    pages/pages.jsonl       the pages that a reader is offered, with their words, which it searches
    datapackage.json        all of these with their digests, and datapackage-digest.json, which has its own

https://specs.webrecorder.net/wacz/1.1.1/. The length of an entry is known before it is written: readers by ranges, such
as ReplayWeb.page, take an entry whose line in the directory has no ZIP64 field for one whose header has none either.
"""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from gossamer import printable
from gossamer.store.cdxj import write_sorted
from gossamer.store.repair.completeness import pieces
from gossamer.store.warc.gzip_members import packed

VERSION = "1.1.1"
BLOCK = 1_024
"""Lines of the index in a gzip member."""
_LEVEL = 6
_CHUNK = 1 << 20
_PAGES = {"format": "json-pages-1.0", "id": "pages", "title": "All pages", "hasText": True}


@dataclass(frozen=True, slots=True)
class About:
    """What is said of the whole."""

    title: str
    software: str
    created: float
    main_url: str | None = None
    """The page that is shown first."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A page that a reader is offered."""

    id: str
    url: str
    began: float
    title: str
    text: str
    """All of its words."""


def write(
    out: BinaryIO, warcs: Sequence[tuple[Path, int]], lines: Iterable[str], pages: Iterable[Listed], about: About
) -> int:
    """Write it all; `warcs` are files with as many of their bytes as count, `lines` are CDXJ. Gives the pages."""
    with ZipFile(out, "w", ZIP_STORED, allowZip64=True) as file:
        wacz = _Writer(file, about)
        for path, length in warcs:
            wacz.copy(path, length)
        wacz.index(lines)
        count = wacz.list(pages)
        wacz.describe()
    return count


class _Writer:
    def __init__(self, file: ZipFile, about: About) -> None:
        self._file = file
        self._about = about
        self._date = time.gmtime(about.created)[:6]
        self._resources: list[dict[str, object]] = []

    def copy(self, path: Path, length: int) -> None:
        self._put(f"archive/{path.name}", ZIP_STORED, length, pieces(path, length, _CHUNK))

    def index(self, lines: Iterable[str]) -> None:
        """Sorted, packed in blocks, and the small index of the blocks."""
        starts = [f"!meta 0 {json.dumps({'format': 'cdxj-gzip-1.0', 'filename': 'index.cdx.gz'})}\n"]
        with TemporaryFile() as merged, self._entry("indexes/index.cdx.gz") as out:
            write_sorted(lines, merged)
            merged.seek(0)
            while block := list(islice(merged, BLOCK)):
                member = packed(block, _LEVEL)
                first = block[0].partition(b" {")[0].decode()
                told = {"offset": out.tell(), "length": len(member), "digest": _sha256(member)}
                starts.append(f"{first} {json.dumps(told)}\n")
                out.write(member)
        with self._entry("indexes/index.idx", ZIP_DEFLATED) as out:
            for line in starts:
                out.write(line.encode())

    def list(self, pages: Iterable[Listed]) -> int:
        count = 0
        with self._entry("pages/pages.jsonl", ZIP_DEFLATED) as out:
            out.write(_json_line(_PAGES))
            for count, page in enumerate(pages, 1):  # noqa: B007  # how many there were
                out.write(_json_line(_told(page)))
        return count

    def describe(self) -> None:
        about = self._about
        package = {
            "profile": "data-package",
            "resources": self._resources,
            "title": about.title,
            "created": _date(about.created),
            "wacz_version": VERSION,
            "software": about.software,
        }
        if about.main_url:
            package["mainPageUrl"] = about.main_url
        data = json.dumps(package, indent=2).encode()
        digest = json.dumps({"path": "datapackage.json", "hash": _sha256(data)}, indent=2).encode()
        self._file.writestr(self._info("datapackage.json", ZIP_DEFLATED), data)
        self._file.writestr(self._info("datapackage-digest.json", ZIP_DEFLATED), digest)

    @contextmanager
    def _entry(self, name: str, method: int = ZIP_STORED) -> Iterator[IO[bytes]]:
        """Kept aside until its length is known."""
        with TemporaryFile() as kept:
            yield kept
            length = kept.tell()
            kept.seek(0)
            self._put(name, method, length, iter(lambda: kept.read(_CHUNK), b""))

    def _put(self, name: str, method: int, length: int, data: Iterable[bytes]) -> None:
        digest = sha256()
        large = length > zipfile.ZIP64_LIMIT
        with self._file.open(self._info(name, method), "w", force_zip64=large) as out:
            for piece in data:
                out.write(piece)
                digest.update(piece)
        hashed = f"sha256:{digest.hexdigest()}"
        told = {"name": name.rpartition("/")[2].lower(), "path": name, "hash": hashed, "bytes": length}
        self._resources.append(told)

    def _info(self, name: str, method: int) -> ZipInfo:
        info = ZipInfo(name, self._date)
        info.compress_type = method
        return info


def _sha256(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"


def _told(page: Listed) -> dict[str, object]:
    return {"id": page.id, "url": page.url, "ts": _date(page.began), "title": page.title, "text": page.text}


def _json_line(told: dict[str, object]) -> bytes:
    return printable.json(told).encode() + b"\n"


def _date(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
