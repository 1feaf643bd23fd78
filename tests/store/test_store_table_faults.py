"""How a table is opened, what it promises to RocksDB's limits, and how each of its faults is told."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rocksdict import DbClosedError, Rdict, WriteOptions

from gossamer.errors import Damaged, Locked, StorageError
from gossamer.store.table import faults, opening
from gossamer.store.table.opening import LOOKS_MOST
from gossamer.store.table.row_cache import LARGEST
from gossamer.store.table.soundness import damage
from gossamer.store.table.table import Table

FAMILIES = ["pages", "queue"]


@pytest.fixture
def table(path: Path) -> Iterator[Table]:
    with Table.open(path, FAMILIES, writable=True) as opened:
        yield opened


def filled(path: Path) -> None:
    with Table.open(path, FAMILIES, writable=True) as table:
        table.put("pages", b"a", b"1")
        table.put("queue", b"b", b"2")
        table.commit()


# ------------------------------------------------------------------------------ limits


def test_memory_open_files_and_logs_of_a_table_are_bounded(table: Table, path: Path) -> None:
    """As RocksDB writes it down itself."""
    told = {line.strip() for line in max(path.glob("OPTIONS-*")).read_text().splitlines()}
    assert {
        "max_open_files=256",
        "write_buffer_size=8388608",
        "max_write_buffer_number=2",
        "db_write_buffer_size=33554432",
        "max_total_wal_size=33554432",
        "bytes_per_sync=1048576",
        "max_background_jobs=2",
        "keep_log_file_num=1",
        "max_log_file_size=1048576",
        "stats_dump_period_sec=0",
        "stats_persist_period_sec=0",
    } <= told
    log = (path / "LOG").read_text()
    assert "capacity : 67108864" in log


def test_files_are_packed_filtered_and_indexed_in_small_parts(table: Table, path: Path) -> None:
    told = {line.strip() for line in max(path.glob("OPTIONS-*")).read_text().splitlines()}
    assert {
        "compression=kLZ4Compression",
        "block_size=8192",
        "filter_policy=bloomfilter",
        "index_type=kTwoLevelIndexSearch",
        "partition_filters=true",
        "cache_index_and_filter_blocks=true",
        "pin_top_level_index_and_filter=true",
        "memtable_whole_key_filtering=true",
        "memtable_prefix_bloom_size_ratio=0.050000",
    } <= told
    deletions = "{{id=CompactOnDeletionCollector;deletion_trigger=128;deletion_ratio=0.500000;window_size=256;}}"
    assert f"table_properties_collectors={deletions}" in told


def test_a_commit_is_synced(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    real = table._database

    class Watched:
        def write(self, batch: Any, options: WriteOptions) -> None:
            asked.append(options.sync)
            real.write(batch, options)

    with monkeypatch.context() as patch:
        patch.setattr(table, "_database", Watched())
        table.commit()  # nothing has changed, and nothing is written
        assert (asked, table.commits) == ([], 0)
        table.put("pages", b"a", b"1")
        table.commit()
    assert (asked, table.commits) == ([True], 1)
    table.put("pages", b"b", b"1")
    table.commit()
    assert table.commits == 2


def test_changes_that_are_dropped_were_never_made(table: Table) -> None:
    table.put("pages", b"a", b"1")
    table.commit()
    table.put("pages", b"a", b"2")
    table.delete("queue", b"x")
    table.drop_changes()
    assert (table.pending, table.get("pages", b"a"), list(table.scan("pages"))) == (0, b"1", [(b"a", b"1")])


def test_a_row_that_is_read_again_is_not_asked_for_again(table: Table) -> None:
    for key, value in ((b"a", b"1"), (b"large", bytes(LARGEST + 1))):
        table.put("pages", key, value)
    table.commit()
    assert table.get("pages", b"a") == b"1"
    assert table.get("pages", b"none") is None
    assert len(table.get("pages", b"large") or b"") == LARGEST + 1
    table.put("pages", b"a", b"2")
    table.commit()
    table.close()
    assert (table.get("pages", b"a"), table.get("pages", b"none")) == (b"2", None)
    with pytest.raises(StorageError):
        table.get("pages", b"large")


def test_a_table_tells_its_families(path: Path, table: Table) -> None:
    assert table.families == frozenset(FAMILIES)
    with Table.open(path, ["pages", "later"], writable=False) as reader:
        assert reader.families == frozenset(["pages"])


# ------------------------------------------------------------------------------ faults


@pytest.mark.parametrize(
    ("words", "kind", "told"),
    [
        ("IO error: While lock file: /x/LOCK: Resource temporarily unavailable", Locked, "another process"),
        ("IO error: lock hold by current process, acquire time 1: /x/LOCK", Locked, "another process"),
        ("IO error: lock hold by somebody", Locked, "another process"),
        ("IO error: No space left on device: While appending", StorageError, "the disk is full"),
        ("IO error: File too large: While appending", StorageError, "the disk is full"),
        ("IO error: Disk quota exceeded: While appending", StorageError, "the disk is full"),
        ("Corruption: block checksum mismatch", Damaged, "--repair"),
        ("Invalid argument: column families not opened", Damaged, "--repair"),
        ("IO error: No such file or directory: While open a file", Damaged, "--repair"),
        ("IO error: Input/output error", StorageError, "the disk fails; see what the system's log"),
        ("IO error: While open a file for random read: /x/1.sst: Too many open files", StorageError, "ulimit -n 4096"),
        ("IO error: While mmap: /x/1.sst: Cannot allocate memory", StorageError, "out of memory"),
        ("IO error: something else", StorageError, "cannot be used: IO error"),
    ],
)
def test_what_rocksdb_says_is_told_as_what_to_do(words: str, kind: type[Exception], told: str) -> None:
    error = faults.as_storage_error(Exception(words), Path("/a/table"))
    assert type(error) is kind
    assert told in str(error)
    assert str(error).startswith("/a/table: ")


def test_a_table_that_was_closed_says_so() -> None:
    closed = DbClosedError("closed")
    assert faults.as_storage_error(closed, Path("/a")) is closed


@pytest.mark.parametrize(
    "ask",
    [
        lambda table: table.get("pages", b"x"),
        lambda table: table.get_many("pages", [b"x"]),
        lambda table: table.read_ahead("pages", [b"x"]),
        lambda table: table.scan("pages"),
        lambda table: table.stored("pages"),
        lambda table: table.firsts("pages", [b"x"]),
    ],
)
def test_every_question_to_a_table_that_fails_is_one_of_our_errors(path: Path, ask: Callable[[Table], Any]) -> None:
    table = Table.open(path, FAMILIES, writable=True)
    table.close()
    with pytest.raises(StorageError, match=str(path)):
        ask(table)


def test_a_commit_that_fails_keeps_its_changes(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, batch: Any, options: WriteOptions) -> None:
            raise Exception("IO error: No space left on device")  # as rocksdict raises them

    table.put("pages", b"a", b"1")
    with monkeypatch.context() as patch:
        patch.setattr(table, "_database", Full())
        with pytest.raises(StorageError, match="disk is full"):
            table.commit()
    assert (table.pending, table.commits) == (1, 0)
    table.commit()
    assert (table.pending, table.commits) == (0, 1)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("gossamer.files.make_folder", refused)
    with pytest.raises(StorageError, match="Permission denied"):
        Table.open(tmp_path / "table", FAMILIES, writable=True)


def test_a_table_that_may_not_be_read_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)

    def refused(*_: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("gossamer.files.read", refused)
    with pytest.raises(StorageError, match="check its owner and mode"):
        Table.open(path, FAMILIES, writable=False)


# ------------------------------------------------------------------------ looking again


class Watched:
    """RocksDB, which a writer overtakes right after a reader has opened the table, so many times."""

    def __init__(self, path: Path, times: int) -> None:
        self.path, self.left, self.opened = path, times, 0

    def __call__(self, *arguments: Any) -> Rdict:
        found = Rdict(*arguments)
        if not os.path.samefile(arguments[0], self.path):  # it has another name for it
            self.opened += 1
            if self.left:
                self.left -= 1
                Table.open(self.path, FAMILIES, writable=True).close()
        return found

    def list_cf(self, path: str) -> list[str]:
        return Rdict.list_cf(path)


@pytest.mark.parametrize("times", [0, 1, 3])
def test_a_reader_that_was_overtaken_after_it_opened_opens_again(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    filled(path)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    watched = Watched(path, times)
    monkeypatch.setattr(opening, "Rdict", watched)
    with Table.open(path, FAMILIES, writable=False) as reader:
        assert watched.opened == times + 1
        assert len(os.listdir(scratch)) == 1
        assert reader.get("pages", b"a") == b"1"
    assert os.listdir(scratch) == []


def test_the_last_look_counts_though_a_writer_goes_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    monkeypatch.setattr(opening, "LOOKS_MOST", 3)
    watched = Watched(path, 99)
    monkeypatch.setattr(opening, "Rdict", watched)
    with Table.open(path, FAMILIES, writable=False) as reader:
        assert (watched.opened, reader.get("pages", b"a")) == (3, b"1")
    assert LOOKS_MOST == 20


def test_a_reader_that_is_always_overtaken_gives_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    looks: list[int] = []

    def lost(*_: object, **__: object) -> Table:
        looks.append(1)
        Table.open(path, FAMILIES, writable=True).close()
        raise Damaged("gone")

    monkeypatch.setattr(opening, "LOOKS_MOST", 3)
    monkeypatch.setattr(opening, "_look", lost)
    with pytest.raises(Damaged, match="gone"):
        Table.open(path, FAMILIES, writable=False)
    assert len(looks) == 3


# ------------------------------------------------------------------------------ damage


def test_a_file_that_is_missing_is_damage_to_whoever_is_alone(path: Path) -> None:
    filled(path)
    Table.open(path, FAMILIES, writable=True).close()  # what the log had is in a sorted file now
    with Table.open_alone(path, FAMILIES) as table:
        names = table.files()
        assert {family: list(table.stored(family)) for family in FAMILIES} == {
            "pages": [(b"a", b"1")],
            "queue": [(b"b", b"2")],
        }
    assert sorted(names) == sorted(file.name for file in path.glob("*.sst"))
    before = sorted(os.listdir(path))
    assert damage(path, FAMILIES) is None
    assert sorted(os.listdir(path)) == before
    next(path.glob("*.sst")).unlink()
    assert damage(path, FAMILIES)


def test_whoever_is_alone_reads_the_log_of_a_killed_writer(path: Path) -> None:
    filled(path)
    with Table.open_alone(path, FAMILIES) as table:
        assert table.get("pages", b"a") == b"1"


def test_what_is_wrong_is_named(path: Path) -> None:
    filled(path)
    Table.open(path, FAMILIES, writable=True).close()
    read: list[tuple[str, bytes, bytes]] = []
    assert damage(path, FAMILIES, lambda *row: read.append(row)) is None
    assert sorted(read) == [("pages", b"a", b"1"), ("queue", b"b", b"2")]

    def odd(family: str, key: bytes, value: bytes) -> None:
        raise Damaged(f"{family} says nothing")

    assert "says nothing" in str(damage(path, FAMILIES, odd))
    [manifest] = path.glob("MANIFEST-*")
    data = manifest.read_bytes()
    manifest.write_bytes(data + b"torn")
    assert damage(path, FAMILIES) == f"{manifest.name}: is cut short"
    manifest.write_bytes(data)
    sorted_file = next(path.glob("*.sst"))
    spoilt = bytearray(sorted_file.read_bytes())
    spoilt[3] ^= 1
    sorted_file.write_bytes(spoilt)
    assert sorted_file.name in str(damage(path, FAMILIES))
    assert "no table" in str(damage(path.with_name("never"), FAMILIES))
