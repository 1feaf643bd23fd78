"""One bit of a sorted file is another one: that is seen, wherever it is."""

from __future__ import annotations

import os
import random
import shutil
import struct
import tracemalloc
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from gossamer.errors import Damaged
from gossamer.store.table import sorted_files
from gossamer.store.table.opening import LIST_BYTES
from gossamer.store.table.soundness import damage
from gossamer.store.table.table import Table

FAMILIES = ("a", "b")
BLOCK = 32 << 10
ROWS = 30_000
"""So many that indexes are packed, and have several parts."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path, chance = tmp_path_factory.mktemp("sorted") / "table", random.Random(1)
    with Table.open(path, FAMILIES, writable=True) as table:
        for number in range(ROWS):
            table.put("a", f"example,www)/a/path/that/is/rather/long/{number:09}".encode(), chance.randbytes(40))
        table.put("b", b"one", b"row")
        table.commit()
    return path


def test_sound_files_are_sound(table: Path) -> None:
    assert damage(table, FAMILIES) is None
    sizes = [path.stat().st_size for path in table.glob("*.sst")]
    assert min(sizes) < 2_000
    assert max(sizes) > 1_000_000


def test_every_block_is_looked_at(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[tuple[int, int]] = []
    real = sorted_files._at

    def at(file: BinaryIO, offset: int, length: int) -> bytes:
        met.append((offset, length))
        return real(file, offset, length)

    monkeypatch.setattr(sorted_files, "_at", at)
    for path in table.glob("*.sst"):
        met.clear()
        assert sorted_files.damage(path) is None
        end = 0
        for offset, length in sorted(met):
            assert offset == end
            end += length
        assert end == path.stat().st_size


def test_any_bit_may_flip(table: Path, tmp_path: Path) -> None:
    chance = random.Random(2)
    for path in table.glob("*.sst"):
        data, copy = path.read_bytes(), tmp_path / path.name
        for _ in range(100):
            spoilt = bytearray(data)
            spoilt[chance.randrange(len(data) - 53)] ^= 1 << chance.randrange(8)
            copy.write_bytes(spoilt)
            assert sorted_files.damage(copy)


def test_a_file_that_is_cut_is_damaged(table: Path, tmp_path: Path) -> None:
    for path in table.glob("*.sst"):
        for left in (0, 10, path.stat().st_size // 2, path.stat().st_size - 1):
            (tmp_path / path.name).write_bytes(path.read_bytes()[:left])
            assert sorted_files.damage(tmp_path / path.name)


def test_a_list_of_files_that_is_cut_within_a_record_is_damaged(table: Path, tmp_path: Path) -> None:
    [manifest] = table.glob("MANIFEST-*")
    data, copy = manifest.read_bytes(), tmp_path / manifest.name
    copy.write_bytes(data)
    assert not sorted_files.is_torn(copy)
    seen = 0
    for left in range(len(data)):
        copy.write_bytes(data[:left])
        seen += sorted_files.is_torn(copy)
    assert seen > 0.9 * len(data)  # all but those cuts that fall between two records


def test_a_long_list_of_files_is_read_over_its_blocks(tmp_path: Path) -> None:
    path, chance = tmp_path / "list", random.Random(3)
    for _ in range(50):
        data = b""
        for length in chance.choices(range(40_000), k=chance.randrange(1, 8)):
            data += record(len(data), length)
        path.write_bytes(data)
        assert not sorted_files.is_torn(path)
        path.write_bytes(data[:-1])
        assert sorted_files.is_torn(path)


def record(at: int, length: int) -> bytes:
    """As RocksDB writes it: in parts that do not reach over the end of a block."""
    out, first = b"", True
    while True:
        left = BLOCK - (at + len(out)) % BLOCK
        if left < 7:
            out, left = out + bytes(left), BLOCK
        part = min(length, left - 7)
        length -= part
        kind = {(True, True): 1, (True, False): 2, (False, False): 3, (False, True): 4}[first, not length]
        out += struct.pack("<IHB", 0, part, kind) + bytes(part)
        first = False
        if not length:
            return out


def test_a_list_of_files_without_end_is_damage_of_which_nothing_is_read(table: Path, tmp_path: Path) -> None:
    copy = tmp_path / "table"
    shutil.copytree(table, copy)
    [manifest] = copy.glob("MANIFEST-*")
    os.truncate(manifest, 900 << 20)
    tracemalloc.start()
    try:
        assert damage(copy, FAMILIES) == f"{manifest.name}: is larger than any list of files that we write"
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


def test_a_list_of_files_ends_where_nothing_is_written(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [manifest] = table.glob("MANIFEST-*")
    path, steps = tmp_path / "list", Steps()
    path.write_bytes(manifest.read_bytes())
    monkeypatch.setattr(sorted_files, "_RECORD", steps)
    assert not sorted_files.is_torn(path)
    whole, steps.count = steps.count, 0
    os.truncate(path, 8 << 20)
    assert sorted_files.is_torn(path)
    assert steps.count == whole + 1


class Steps(struct.Struct):
    """The head of a record, and how many were read."""

    def __new__(cls) -> Steps:
        return super().__new__(cls, "<IHB")

    def __init__(self) -> None:
        super().__init__("<IHB")
        self.count = 0

    def unpack_from(self, *args: Any, **named: Any) -> tuple[Any, ...]:
        self.count += 1
        return super().unpack_from(*args, **named)


def test_rocksdb_begins_another_list_long_before_one_is_too_long() -> None:
    assert 2 * LIST_BYTES <= sorted_files.LIST_MOST


@pytest.mark.parametrize("back", [b"\1\0", b"\0\0", b"\2\0"], ids=["bomb", "nowhere", "before the beginning"])
def test_a_part_of_an_index_unpacks_to_a_few_megabytes_at_the_most(back: bytes) -> None:
    data = b"\0" + b"\x1fa" + back + b"\xff" * 100_000 + b"\0"
    tracemalloc.start()
    try:
        with pytest.raises(sorted_files._Broken):
            sorted_files._unpacked(data)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_a_block_is_no_longer_than_the_file_and_than_any_block(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a few bytes")
    with path.open("rb") as file:
        for length in (1 << 40, 1 << 80):
            with pytest.raises(sorted_files._Broken, match="too short"):
                sorted_files._at(file, 0, length)
        os.truncate(path, 1 << 41)
        with pytest.raises(sorted_files._Broken, match="more than any block"):
            sorted_files._at(file, 0, 1 << 40)


def test_the_same_block_is_not_read_over_and_over(table: Path) -> None:
    path = max(table.glob("*.sst"), key=lambda each: each.stat().st_size)
    size = path.stat().st_size
    with path.open("rb") as file:
        base = sorted_files._FOOTER.unpack(sorted_files._at(file, size - 53, 53))[3]
        blocks = sorted_files._Blocks(file, base, 100)
        with pytest.raises(sorted_files._Broken, match="more than fit"):
            blocks.check(sorted_files._Handle(0, 96))


def made(path: Path, value: bytes, beside: int = 0) -> Path:
    """A table with one large row among others, and the file that it is in."""
    with Table.open(path, FAMILIES, writable=True) as table:
        for number in range(beside):
            table.put("b", f"{number:09}".encode(), random.Random(number).randbytes(64))
        table.put("b", b"large", value)
        table.commit()
    return path


@pytest.mark.parametrize("beside", [0, 20_000])
def test_a_row_that_unpacks_to_more_than_any_of_ours_is_damage_unread(tmp_path: Path, beside: int) -> None:
    """A hundred megabytes of zeros are less than one on the disk, and take two hundred to read."""
    path = made(tmp_path / "table", bytes(100 << 20), beside)
    assert sum(each.stat().st_size for each in path.glob("*.sst")) < 4 << 20
    for writable in (True, False):
        with pytest.raises(Damaged, match=r"no row of ours is so large; `gossamer verify DIR --repair`"):
            Table.open(path, FAMILIES, writable=writable)
    with pytest.raises(Damaged):
        Table.open_alone(path, FAMILIES)
    assert "no row of ours is so large" in str(damage(path, FAMILIES))


def test_a_file_that_lies_about_its_rows_is_seen_by_the_check_of_all_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path / "table", bytes(100 << 20))
    monkeypatch.setattr(sorted_files, "_told", lambda properties, name: 0)
    Table.open_alone(path, FAMILIES).close()
    assert "no row of ours is so large" in str(damage(path, FAMILIES))


def test_rows_as_large_as_ours_may_be_are_rows(tmp_path: Path) -> None:
    path = made(tmp_path / "table", bytes(sorted_files.ROW_MOST), 20_000)
    assert damage(path, FAMILIES) is None
    with Table.open(path, FAMILIES, writable=False) as table:
        assert table.get("b", b"large") == bytes(sorted_files.ROW_MOST)


def test_only_files_in_which_a_block_must_be_large_are_looked_through(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    monkeypatch.setattr(sorted_files._Blocks, "check_below", lambda *_, **__: looks.append(1))
    assert not any(map(sorted_files.swollen, table.glob("*.sst")))
    assert looks == []
    for each in made(tmp_path / "table", bytes(100 << 20)).glob("*.sst"):
        sorted_files.swollen(each)
    assert looks == [1]
