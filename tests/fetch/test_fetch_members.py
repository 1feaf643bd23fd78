"""An archive that says of itself what it likes costs what is read of it, and no more."""

from __future__ import annotations

import asyncio
import bz2
import gzip
import io
import lzma
import os
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.fetch import Limits
from gossamer.fetch.local.archive import ArchivePlace
from gossamer.fetch.local.ignoring import Ignoring
from gossamer.fetch.local.opening import NotPlain
from gossamer.fetch.local.reading import FileFetcher
from gossamer.model import SystemClock, Visit
from gossamer.urls import paths
from gossamer.urls.scope import Scope

LOCAL, CENTRAL = struct.Struct("<4sHHHHHIIIHH"), struct.Struct("<4sHHHHHHIIIHHHHHII")
END_64, LOCATOR_64, END = struct.Struct("<4sQHHIIQQQQ"), struct.Struct("<4sIQI"), struct.Struct("<4sHHHHIIH")
NAME, ALL = b"owl.txt", 0xFFFFFFFF
WORDS = b"An owl hears what it cannot see."


def head(packed: int) -> bytes:
    return LOCAL.pack(b"PK\3\4", 20, 0, 0, 0, 0, 0, min(packed, ALL), min(packed, ALL), len(NAME), 0) + NAME


def stored(path: Path, packed: int) -> None:
    """One member, as long as it is said to be: words, and then a hole."""
    end = len(head(packed)) + packed
    wide = struct.pack("<HHQQQ", 1, 24, packed, packed, 0)
    listed = CENTRAL.pack(b"PK\1\2", 45, 45, 0, 0, 0, 0x5000, 0, ALL, ALL, len(NAME), len(wide), 0, 0, 0, 0, ALL)
    listed += NAME + wide
    with path.open("wb") as file:
        file.write(head(packed) + WORDS)
        file.seek(end)
        file.write(listed + END_64.pack(b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, len(listed), end))
        file.write(LOCATOR_64.pack(b"PK\6\7", 0, end + len(listed), 1) + END.pack(b"PK\5\6", 0, 0, 1, 1, ALL, ALL, 0))


def cut(path: Path, packed: int) -> None:
    """The same member, no directory, and a hole behind it."""
    path.write_bytes(head(len(WORDS)) + WORDS)
    os.truncate(path, packed)


@pytest.mark.parametrize("made", [stored, cut])
def test_a_member_of_terabytes_costs_what_is_read_of_it(
    made: Callable[[Path, int], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, left, really = tmp_path / "a.zip", [8 << 20], os.pread

    def pread(handle: int, size: int, offset: int) -> bytes:
        left[0] -= size
        assert left[0] > 0, "reads on and on"
        return really(handle, size, offset)

    made(path, 3 << 40)
    monkeypatch.setattr(os, "pread", pread)
    root = b"zip://" + os.fsencode(path)
    place = ArchivePlace(root)
    try:
        list(place.files(root, Ignoring((root,)), lambda _, __: None))
        assert place.read(root + b"/" + NAME, 1 << 20).startswith(WORDS)
    finally:
        place.close()


def told(root: bytes) -> tuple[dict[bytes, bytes], list[str]]:
    """What stands in the members of an archive, by their names, and why not all are known."""
    place, problems = ArchivePlace(root), list[str]()
    try:
        found = [path for path, _ in place.files(root, Ignoring((root,)), lambda _, why: problems.append(str(why)))]
        return {path[len(root) + 1 :]: place.read(path, 1 << 20) for path in found}, problems
    finally:
        place.close()


def tarred(**members: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, octets in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(octets)
            archive.addfile(member, io.BytesIO(octets))
    return file.getvalue()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_tar_file_is_read_however_it_is_packed(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path, root = tmp_path / "a.tar", b"tar://" + os.fsencode(tmp_path / "a.tar")
    path.write_bytes(pack(tarred(owl=WORDS, wren=b"Small.")))
    assert told(root) == ({b"owl": WORDS, b"wren": b"Small."}, [])
    path.write_bytes(pack(tarred(owl=WORDS, wren=b"Small.")[:1_540]))
    assert told(root) == ({b"owl": WORDS}, ["is cut short"])
    path.write_bytes(pack(b"no archive"))
    assert told(root) == ({}, ["not a TAR archive"])


def test_a_tar_file_of_terabytes_costs_what_the_disk_has_of_it(tmp_path: Path) -> None:
    path, root = tmp_path / "a.tar", b"tar://" + os.fsencode(tmp_path / "a.tar")
    whole = bytearray(tarred(owl=WORDS))
    whole[124:136], whole[148:156] = b"\x80" + (3 << 40).to_bytes(11, "big"), b" " * 8
    whole[148:156] = b"%06o\0 " % sum(whole[:512])
    path.write_bytes(whole[:1_024])
    os.truncate(path, (3 << 40) + 1_024)
    members, problems = told(root)
    assert (members[b"owl"][:40].rstrip(b"\0"), problems) == (WORDS, [])


def test_a_sparse_member_of_a_tar_file_is_not_read(tmp_path: Path) -> None:
    whole = bytearray(tarred(owl=WORDS))
    whole[156:157], whole[148:156] = b"S", b" " * 8
    whole[148:156] = b"%06o\0 " % sum(whole[:512])
    (tmp_path / "a.tar").write_bytes(whole)
    with pytest.raises(NotPlain, match="sparse"):
        told(b"tar://" + os.fsencode(tmp_path / "a.tar"))


def zipped(path: Path, name: bytes = NAME, method: int = 0, size: int = len(WORDS)) -> bytes:
    """The root of an archive of one member, which says of itself what it is told to say."""
    local = LOCAL.pack(b"PK\3\4", 20, 0, method, 0, 0, 0, len(WORDS), size, len(name), 0) + name + WORDS
    listed = CENTRAL.pack(b"PK\1\2", 45, 45, 0, method, 0, 0x5000, 0, len(WORDS), size, len(name), 0, 0, 0, 0, 0, 0)
    listed += name
    path.write_bytes(local + listed + END.pack(b"PK\5\6", 0, 0, 1, 1, len(listed), len(local), 0))
    return b"zip://" + os.fsencode(path)


def test_a_member_whose_name_is_longer_than_any_path_is_left_out(tmp_path: Path) -> None:
    assert told(zipped(tmp_path / "a.zip", b"x" * 4_096))[0].keys() == {b"x" * 4_096}
    assert told(zipped(tmp_path / "a.zip", b"x" * 60_000))[0] == {}


@pytest.mark.parametrize(("method", "why"), [(99, "packed by method 99"), (8, "'owl.txt' is damaged")])
def test_a_member_that_cannot_be_unpacked_says_why(method: int, why: str, tmp_path: Path) -> None:
    with pytest.raises(NotPlain, match=why):
        told(zipped(tmp_path / "a.zip", method=method))


@pytest.mark.parametrize("scheme", [b"zip", b"tar"])
def test_what_is_written_to_while_it_is_read_is_no_file_of_it(scheme: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    root = zipped(path)
    if scheme == b"tar":
        path.write_bytes(tarred(**{NAME.decode(): WORDS}))
        root = b"tar" + root[3:]
    place = ArchivePlace(root)
    try:
        assert [path for path, _ in place.files(root, Ignoring((root,)), lambda _, __: None)] == [root + b"/" + NAME]
        path.write_bytes(b"something else")
        with pytest.raises(OSError, match="has changed meanwhile"):
            place.read(root + b"/" + NAME, 1 << 20)
    finally:
        place.close()


def test_the_heads_of_a_cut_archive_are_found_without_reading_it_over_and_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, left, really = tmp_path / "a.zip", [8 << 20], os.pread

    def pread(handle: int, size: int, offset: int) -> bytes:
        octets = really(handle, size, offset)
        left[0] -= len(octets)
        assert left[0] > 0, "reads on and on"
        return octets

    path.write_bytes((head(len(WORDS)) + WORDS) * 20_000)
    monkeypatch.setattr(os, "pread", pread)
    monkeypatch.setattr("gossamer.fetch.local.archive.SEARCHED_FIRST", 64)
    assert told(b"zip://" + os.fsencode(path))[0] == {NAME: WORDS}


def test_links_and_devices_of_a_zip_file_are_no_files(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    kinds = {"file": stat.S_IFREG, "nothing said": 0, "link": stat.S_IFLNK, "pipe": stat.S_IFIFO, "disk": stat.S_IFBLK}
    with zipfile.ZipFile(path, "w") as archive:
        for name, kind in kinds.items():
            member = zipfile.ZipInfo(name)
            member.create_system, member.external_attr = 3, (kind | 0o644) << 16
            archive.writestr(member, b"/etc/passwd")
    found, _ = told(b"zip://" + os.fsencode(path))
    assert [name.rpartition(b"/")[2] for name in found] == [b"file", b"nothing said"]


def test_a_member_that_is_longer_than_its_archive_says_is_as_long_as_it_is(tmp_path: Path) -> None:
    root = zipped(tmp_path / "a.zip", size=3)
    scope = Scope("folders", frozenset({paths.address_of(root)}), max_length=16_384)
    place = ArchivePlace(root)
    fetcher = FileFetcher(scope, (root,), Ignoring((root,)), Limits(), SystemClock(), {root: place})
    try:
        said = asyncio.run(fetcher(Visit(paths.address_of(root + b"/" + NAME))))
    finally:
        fetcher.close()
        place.close()
    assert (said.body, dict(said.headers)["content-length"], said.truncated) == (WORDS, str(len(WORDS)), None)
