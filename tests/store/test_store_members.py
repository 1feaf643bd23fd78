"""A gzip member is given back whole or not at all."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import pytest

from gossamer.store.members import LEVEL, members, packed, packed_around, unpacked

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
