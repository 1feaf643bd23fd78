"""A WACZ file is read by ranges: what its directory says of an entry is what stands before the entry."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pytest

from gossamer.store.foreign import wacz

LOCAL = struct.Struct("<4s5H3L2H")
CENTRAL = struct.Struct("<4s6H3L5H2L")
ZIP64 = 1


class Header(NamedTuple):
    """What is said of an entry, in either place."""

    name: bytes
    flags: int
    method: int
    has_zip64: bool


class Pipe(io.RawIOBase):
    """Takes what is written, and cannot go back."""

    def __init__(self, out: io.BytesIO) -> None:
        self._out = out

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        return self._out.write(data)  # type: ignore[arg-type]  # bytes of any kind


def write(out: BinaryIO, folder: Path) -> None:
    first, second = folder / "a.warc.gz", folder / "b.warc.gz"
    for path in (first, second):
        path.write_bytes(b"x" * 5_000)
    lines = [f"com,example)/{number} 2026 {{}}" for number in range(wacz.BLOCK + 5)]
    pages = [wacz.Listed(str(number), f"http://example.com/{number}", 0.0, "A page", "Words") for number in range(40)]
    assert wacz.write(out, [(first, 4_000), (second, 10)], lines, pages, ABOUT) == 40


ABOUT = wacz.About("title", "software/1", 1_790_000_000.0)


def fields(extra: bytes) -> set[int]:
    found = set()
    while extra:
        kind, size = struct.unpack_from("<HH", extra)
        found.add(kind)
        extra = extra[4 + size :]
    return found


def local(data: bytes, at: int) -> tuple[Header, int]:
    sign, _, flags, method, *_, names, more = LOCAL.unpack_from(data, at)
    assert sign == b"PK\x03\x04"
    start = at + LOCAL.size
    name, extra = data[start : start + names], data[start + names : start + names + more]
    return Header(name, flags, method, ZIP64 in fields(extra)), start + names + more


def directory(data: bytes) -> list[tuple[Header, zipfile.ZipInfo]]:
    """Each line of it, and what Python makes of it."""
    found = []
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        at = file.start_dir  # type: ignore[attr-defined]  # where it begins; not in the types
        for info in file.infolist():
            sign, _, _, flags, method, _, _, _, size, full, names, more, comment, *_ = CENTRAL.unpack_from(data, at)
            assert sign == b"PK\x01\x02"
            start = at + CENTRAL.size
            sizes_elsewhere = 0xFFFFFFFF in (size, full)
            assert (ZIP64 in fields(data[start + names : start + names + more])) >= sizes_elsewhere
            found.append((Header(data[start : start + names], flags, method, sizes_elsewhere), info))
            at = start + names + more + comment
    return found


@pytest.mark.parametrize("limit", [None, 1_000], ids=["small", "as above 2 GiB"])
@pytest.mark.parametrize("seekable", [True, False])
def test_an_entry_says_before_it_what_the_directory_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int | None, seekable: bool
) -> None:
    """ReplayWeb.page looks for an entry of which the directory has no ZIP64 field right behind its name."""
    out = io.BytesIO()
    if limit:
        monkeypatch.setattr(zipfile, "ZIP64_LIMIT", limit)
    write(out if seekable else io.BufferedWriter(Pipe(out)), tmp_path)  # type: ignore[arg-type]  # either is a file
    data, large = out.getvalue(), 0
    for told, info in directory(data):
        header, begins = local(data, info.header_offset)
        assert header == told
        large += header.has_zip64
        entry = data[begins : begins + info.compress_size]
        assert (zlib.decompress(entry, -15) if info.compress_type else entry) == unpacked(data, info)
    assert bool(large) == bool(limit)


def unpacked(data: bytes, info: zipfile.ZipInfo) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return file.read(info)


def test_the_parts_of_a_wacz_file_are_what_its_package_says(tmp_path: Path) -> None:
    out = io.BytesIO()
    write(out, tmp_path)
    with zipfile.ZipFile(out) as file:
        held = {name: file.read(name) for name in file.namelist()}
        dates = {info.date_time for info in file.infolist()}
        methods = {info.filename: info.compress_type for info in file.infolist()}
    package = json.loads(held["datapackage.json"])
    assert (package["title"], package["software"], package["wacz_version"]) == ("title", "software/1", "1.1.1")
    assert (package["profile"], package["created"]) == ("data-package", "2026-09-21T14:13:20Z")
    assert "mainPageUrl" not in package
    assert dates == {(2026, 9, 21, 14, 13, 20)}
    digest = {"path": "datapackage.json", "hash": sha256(held["datapackage.json"])}
    assert json.loads(held["datapackage-digest.json"]) == digest
    described = {each["path"]: each for each in package["resources"]}
    assert described.keys() == held.keys() - {"datapackage.json", "datapackage-digest.json"}
    for path, told in described.items():
        assert told == {
            "name": path.rpartition("/")[2],
            "path": path,
            "hash": sha256(held[path]),
            "bytes": len(held[path]),
        }
    assert (len(held["archive/a.warc.gz"]), len(held["archive/b.warc.gz"])) == (4_000, 10)
    packed = ("indexes/index.idx", "pages/pages.jsonl", "datapackage.json", "datapackage-digest.json")
    assert [methods[name] for name in packed] == [zipfile.ZIP_DEFLATED] * 4
    assert methods["indexes/index.cdx.gz"] == methods["archive/a.warc.gz"] == zipfile.ZIP_STORED


def test_the_small_index_leads_to_the_blocks_of_the_large_one(tmp_path: Path) -> None:
    out = io.BytesIO()
    write(out, tmp_path)
    with zipfile.ZipFile(out) as file:
        index, starts = file.read("indexes/index.cdx.gz"), file.read("indexes/index.idx").decode().splitlines()
    assert starts[0] == '!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}'
    lines, end = [], 0
    for start in starts[1:]:
        key, _, told = start.partition(" {")
        place = json.loads("{" + told)
        block = index[place["offset"] : place["offset"] + place["length"]]
        assert (place["offset"], place["digest"]) == (end, sha256(block))
        found = gzip.decompress(block).decode().splitlines()
        assert found[0].startswith(key)
        lines.append(len(found))
        end += len(block)
    assert lines == [1_024, 5]
    assert end == len(index)


def test_pages_are_offered_with_their_dates_and_the_first_is_named(tmp_path: Path) -> None:
    out, pages = io.BytesIO(), [wacz.Listed("1", "http://example.com/", 86_400.0, "Ein\u0085 Titel", "Wort\nzwei")]
    about = wacz.About("title", "software/1", 1_790_000_000.0, "http://example.com/")
    assert wacz.write(out, [], [], pages, about) == 1
    with zipfile.ZipFile(out) as file:
        head, page = map(json.loads, file.read("pages/pages.jsonl").decode().splitlines())
        package = json.loads(file.read("datapackage.json"))
    assert head == {"format": "json-pages-1.0", "id": "pages", "title": "All pages", "hasText": True}
    told = {"title": "Ein\u0085 Titel", "text": "Wort\nzwei"}
    assert page == {"id": "1", "url": "http://example.com/", "ts": "1970-01-02T00:00:00Z", **told}
    assert package["mainPageUrl"] == "http://example.com/"


def sha256(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
