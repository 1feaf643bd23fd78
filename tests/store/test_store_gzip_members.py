"""A gzip member is given back whole or not at all."""

from __future__ import annotations

import dataclasses
import os
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest

from gossamer.fetch import Limits
from gossamer.plan import Plan
from gossamer.store.warc import gzip_members as room
from gossamer.store.warc.gzip_members import LEVEL, RECORD_MOST, members, packed, packed_around, unpacked

TEXT = b"WARC/1.1\r\nWARC-Type: response\r\n\r\n" + b"the same words again and again " * 40
DENSE = os.urandom(3000)


@pytest.mark.parametrize("level", range(1, 10))
def test_any_level_is_gzip(level: int) -> None:
    assert zlib.decompress(packed([TEXT], level), 31) == TEXT


def test_the_level_we_pack_with_is_quick_and_still_near_the_size_of_gzip() -> None:
    """Which of the quick levels makes smaller members depends on the processor: that is no promise."""
    page = Path(__file__).read_bytes() * 3
    slow = len(packed([page], 6))
    assert slow <= len(packed([page], LEVEL)) <= 1.35 * len(zlib.compress(page, 6, 31))
    assert slow <= 1.1 * len(zlib.compress(page, 6, 31))


@pytest.mark.parametrize("size", [0, 1, 65_534, 65_535, 65_536, 131_070, 131_071, 300_000])
def test_what_is_compressed_already_is_laid_down_as_it_is(size: int) -> None:
    dense = os.urandom(size)
    member = packed_around(TEXT, dense, b"end")
    assert zlib.decompress(member, 31) == TEXT + dense + b"end"
    assert dense[:60_000] in member
    assert len(member) < size + len(TEXT) / 3 + 5 * (size // 65_535 + 3) + 30


@pytest.mark.parametrize("member", [packed([TEXT], 1), packed_around(TEXT, DENSE, b"")], ids=["packed", "around"])
def test_a_member_that_was_cut_is_none(member: bytes) -> None:
    assert unpacked([member]) is not None
    assert [end for end in range(len(member)) if unpacked([member[:end]]) is not None] == []


def test_a_flipped_bit_is_noticed() -> None:
    member = packed([TEXT], 1)
    for at in range(10, len(member)):
        flipped = member[:at] + bytes([member[at] ^ 4]) + member[at + 1 :]
        assert unpacked([flipped]) is None, at


def test_the_length_is_that_of_the_member_alone() -> None:
    member = packed([TEXT], 1)
    whole = member + b"more"
    assert unpacked([member, b"more"]) == (TEXT, len(member))
    assert unpacked([whole[at : at + 1] for at in range(len(whole))]) == (TEXT, len(member))


def test_members_follow_each_other(tmp_path: Path) -> None:
    parts = [packed([TEXT], 1), packed_around(TEXT, os.urandom(200_000), b"end"), packed([TEXT * 3], 3)]
    path = tmp_path / "file"
    path.write_bytes(b"".join(parts))
    found = list(members(path))
    assert [member.length for member in found] == [len(part) for part in parts]
    assert [member.data for member in found] == [zlib.decompress(part, 31) for part in parts]
    assert list(members(path, found[1].offset)) == found[1:]
    assert list(members(path, path.stat().st_size)) == []
    assert list(members(path, path.stat().st_size + 100)) == []


def test_a_damaged_stretch_is_passed_over(tmp_path: Path) -> None:
    page = zlib.compress(b"<p>a page that came compressed", 9, 31)
    parts = [packed([TEXT], 1), packed_around(TEXT, page, b"end"), packed([TEXT], 1)]
    damaged = parts[1][:-6] + b"\0" + parts[1][-5:]
    path = tmp_path / "file"
    path.write_bytes(parts[0] + damaged + parts[2])
    assert [member.offset for member in members(path)] == [0, len(parts[0]) + len(parts[1])]


@pytest.mark.parametrize("gap", [1, 2, 3, 32_767, 32_768, 32_769, 70_000])
def test_the_next_member_is_found_wherever_it_begins(tmp_path: Path, gap: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\x1f" * gap + packed([TEXT], 1))
    assert [member.offset for member in members(path)] == [gap]


# --------------------------------------------------------------------- made to harm


def bomb(megabytes: int) -> bytes:
    deflate = zlib.compressobj(1, zlib.DEFLATED, 31)
    parts = [deflate.compress(TEXT), *(deflate.compress(bytes(1 << 20)) for _ in range(megabytes)), deflate.flush()]
    return b"".join(parts)


def test_a_bomb_is_no_member_and_takes_no_more_room_than_a_record(tmp_path: Path) -> None:
    data, good = bomb(450), packed([TEXT], 1)
    path = tmp_path / "file"
    path.write_bytes(good + data + good)
    tracemalloc.start()
    try:
        assert unpacked([data]) is None
        assert [member.offset for member in members(path)] == [0, len(good) + len(data)]
        assert tracemalloc.get_traced_memory()[1] < 1.5 * RECORD_MOST
    finally:
        tracemalloc.stop()


def test_a_record_may_be_as_long_as_any_plan_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    most = {spec.name: spec.metadata["most"] for spec in dataclasses.fields(Plan) if spec.name.endswith("_bytes")}
    limits = Limits()
    framed = max(most["document_bytes"], limits.sitemap) + limits.framing + 2 * limits.head_bytes
    assert framed <= RECORD_MOST
    assert 5 * max(most["html_bytes"], most["text_bytes"]) <= RECORD_MOST  # all of it `&amp;`
    monkeypatch.setattr(room, "RECORD_MOST", len(TEXT))
    assert unpacked([packed([TEXT], 1)]) is not None
    monkeypatch.setattr(room, "RECORD_MOST", len(TEXT) - 1)
    assert unpacked([packed([TEXT], 1)]) is None


class Read:
    """Bytes that were read, and unpacked; too many end the test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
        self.count, self._most = 0, most
        self._pread, self._inflating = os.pread, room.inflating
        monkeypatch.setattr(os, "pread", self.pread)
        monkeypatch.setattr(room, "inflating", lambda: Counted(self, self._inflating()))

    def pread(self, file: int, length: int, offset: int) -> bytes:
        return self.counted(self._pread(file, length, offset))

    def counted(self, data: bytes) -> bytes:
        self.count += len(data)
        assert self.count <= self._most
        return data


class Counted:
    def __init__(self, read: Read, inflate: Any) -> None:
        self._read, self._inflate = read, inflate

    def decompress(self, *args: Any) -> bytes:
        return self._read.counted(self._inflate.decompress(*args))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inflate, name)


def test_holes_of_a_file_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, good = tmp_path / "file", packed([TEXT], 1)
    path.write_bytes(good)
    with path.open("r+b") as file:
        file.truncate(1 << 40)
        file.seek(1 << 39)
        file.write(good)
        file.flush()
        if not hasattr(os, "SEEK_DATA") or os.lseek(file.fileno(), 1 << 20, os.SEEK_DATA) < 1 << 38:
            pytest.skip("this file system does not say where holes are")
    Read(monkeypatch, 1 << 20)
    assert [member.offset for member in members(path)] == [0, 1 << 39]


@pytest.mark.parametrize("tells", [True, False], ids=["holes that show", "holes that do not"])
def test_zeros_without_end_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tells: bool) -> None:
    path, good = tmp_path / "file", packed([TEXT], 1)
    path.write_bytes(good)
    os.truncate(path, 1 << 40)
    if not tells:
        monkeypatch.delattr(os, "SEEK_DATA", raising=False)
    monkeypatch.setattr(room, "DAMAGE_MOST", 4 << 20, raising=False)
    Read(monkeypatch, 5 << 20)
    assert [member.offset for member in members(path)] == [0]


def test_what_must_be_unbroken_ends_at_the_first_byte_that_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, good = tmp_path / "file", packed([TEXT], 1)
    path.write_bytes(good + b"\0" * (1 << 20) + good)
    Read(monkeypatch, 200 << 10)
    assert [member.offset for member in members(path, unbroken=True)] == [0]
    assert [member.offset for member in members(path, end=1)] == [0]
    assert list(members(path, end=0)) == []


def test_members_that_fail_late_are_not_unpacked_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them is cheap to write, and dear to find out about."""
    path, late, good = tmp_path / "file", bomb(4)[:-8] + bytes(8), packed([TEXT], 1)
    path.write_bytes(good + late * 100 + good)
    monkeypatch.setattr(room, "DAMAGE_MOST", 20 << 20, raising=False)
    Read(monkeypatch, 30 << 20)
    assert [member.offset for member in members(path)] == [0]


def test_pages_in_a_damaged_record_that_are_members_are_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, good = zlib.compress(bytes(1 << 20), 9, 31), packed([TEXT], 1)
    path = tmp_path / "file"
    path.write_bytes(b"x" + page * 100 + good)
    Read(monkeypatch, 10 << 20)
    assert [member.offset for member in members(path)] == [1 + 100 * len(page)]
