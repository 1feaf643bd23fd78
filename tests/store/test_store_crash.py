"""A kill, a power cut or a full disk: what was whole is found again, and nothing is half there."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from store_samples import INFO, StillClock, capture

from gossamer.errors import StorageError
from gossamer.store.table.table import Table
from gossamer.store.warc.reader import cut, records, whole_captures
from gossamer.store.warc.warc import payload_digest, warc_files
from gossamer.store.warc.writer import Writer

HERE = Path(__file__).parent


def write(folder: Path, *urls: str) -> Path:
    to = Writer(folder, INFO, StillClock())
    for url in urls:
        one = capture(url, url.encode() * 20, coding="gzip" if "gzip" in url else None)
        to.capture(one, payload_digest(one.wire))
    to.close()
    return warc_files(folder)[0]


def found(path: Path, start: int = 0) -> list[str | None]:
    return [group.response.url for group in whole_captures(path, start)]


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """A disk that is full for real, as far as this process can tell."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_wherever_a_file_is_cut_the_whole_captures_are_found(tmp_path: Path) -> None:
    path = write(tmp_path, "http://a.example/1", "http://a.example/gzip", "http://a.example/3")
    ends = [group.end for group in whole_captures(path)]
    urls = found(path)
    data = path.read_bytes()
    for length in range(ends[0], len(data) + 1):
        path.write_bytes(data[:length])
        whole = sum(end <= length for end in ends)
        assert found(path) == urls[:whole], length
        assert found(path, ends[0]) == urls[1:whole], length


@pytest.mark.parametrize(
    "tail",
    [
        b"\0" * 5000,
        b"\xff",
        b"\x1f\x8b\x08" * 2000,
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
        b"WARC/1.1\r\n",
        os.urandom(9000),
    ],
    ids=["zeros", "one byte", "magic", "an empty member", "text", "noise"],
)
def test_a_tail_of_garbage_is_no_capture(tmp_path: Path, tail: bytes) -> None:
    path = write(tmp_path, "http://a.example/1")
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(tail)
    (group,) = whole_captures(path)
    assert group.end == size
    assert len(list(records(path))) == 4
    cut(path, group.end)
    assert path.stat().st_size == size


def test_nothing_past_a_damaged_capture_is_replayed(tmp_path: Path) -> None:
    path = write(tmp_path, "http://a.example/1", "http://a.example/2", "http://a.example/3")
    second = list(whole_captures(path))[1].request.place
    data = bytearray(path.read_bytes())
    data[second.offset + second.length // 2] ^= 0xFF
    path.write_bytes(data)
    assert found(path) == ["http://a.example/1"]
    assert len(list(records(path))) == 9


def test_a_capture_that_lost_a_record_is_not_whole(tmp_path: Path) -> None:
    path = write(tmp_path, "http://a.example/1", "http://a.example/2")
    request = next(whole_captures(path)).request
    assert request is not None
    lost = request.place
    data = path.read_bytes()
    path.write_bytes(data[: lost.offset] + data[lost.offset + lost.length :])
    assert found(path) == []


def test_a_file_with_half_of_its_first_record_holds_nothing(tmp_path: Path) -> None:
    path = write(tmp_path)
    data = path.read_bytes()
    for length in range(len(data) + 1):
        path.write_bytes(data[:length])
        assert found(path) == []


def test_after_the_cut_a_writer_goes_on(tmp_path: Path) -> None:
    path = write(tmp_path, "http://a.example/1", "http://a.example/2")
    first = next(whole_captures(path))
    cut(path, path.stat().st_size - 10)
    cut(path, first.end)
    write(tmp_path, "http://a.example/3")
    assert found(path) == ["http://a.example/1", "http://a.example/3"]


ENDLESS_WRITER = """
import sys
from pathlib import Path
from store_samples import INFO, StillClock, capture
from gossamer.store.warc.warc import payload_digest
from gossamer.store.warc.writer import Writer
to = Writer(Path(sys.argv[1]), INFO, StillClock(), max_bytes=20_000)
number = 0
while True:
    one = capture(f"http://a.example/{number}", b"words " * number)
    to.capture(one, payload_digest(one.wire))
    print(number, flush=True)
    number += 1
"""


@pytest.mark.parametrize("lines", [1, 7, 100])
def test_what_was_written_survives_a_kill(tmp_path: Path, lines: int) -> None:
    said = killed_after(lines, ENDLESS_WRITER, tmp_path)
    urls = [url for path in warc_files(tmp_path) for url in found(path)]
    assert len(urls) >= len(said)
    assert urls == [f"http://a.example/{number}" for number in range(len(urls))]


ENDLESS_TABLE = """
import sys
from pathlib import Path
from gossamer.store.table.table import Table
table = Table.open(Path(sys.argv[1]) / "table", ["pages", "queue"], writable=True)
number = 0
while True:
    table.put("pages", b"last", b"%d" % number)
    for row in range(50):
        table.put("queue", b"%d" % row, b"%d" % number)
    table.commit()
    print(number, flush=True)
    number += 1
"""


@pytest.mark.parametrize("lines", [1, 20, 200])
def test_a_kill_loses_no_commit_and_splits_none(tmp_path: Path, lines: int) -> None:
    said = killed_after(lines, ENDLESS_TABLE, tmp_path)
    with Table.open(tmp_path / "table", ["pages", "queue"], writable=True) as table:
        last = table.get("pages", b"last")
        assert last is not None
        assert int(last) >= int(said[-1])
        assert {value for _, value in table.scan("queue")} == {last}


def killed_after(lines: int, program: str, folder: Path) -> list[str]:
    """Run a program until it has said so many lines, kill it, and return all that it said."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    command = [sys.executable, "-c", program, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(lines)]
        process.send_signal(signal.SIGKILL)
        said += process.stdout.readlines()
    return [line for line in said if line.endswith("\n")]


class SmallWrites:
    """Writes that take a few bytes at a time, and none at all after so many calls."""

    def __init__(self, size: int, calls: int | None = None) -> None:
        self.size = size
        self.calls = calls
        self.pwrite = os.pwrite

    def one(self, file: int, data: bytes, at: int) -> int:
        if self.calls == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.calls = None if self.calls is None else self.calls - 1
        return self.pwrite(file, data[: self.size], at)

    def many(self, file: int, parts: list[bytes], at: int) -> int:
        return self.one(file, b"".join(parts), at)

    def install(self, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(os, "pwrite", self.one)
        patch.setattr(os, "pwritev", self.many)


@pytest.mark.parametrize("calls", range(5))
def test_a_write_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    to = Writer(tmp_path, INFO, StillClock())
    one = capture()
    to.capture(one, payload_digest(one.wire))
    (path,) = warc_files(tmp_path)
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        SmallWrites(100, calls).install(patch)
        with pytest.raises(StorageError, match="disk is full"):
            to.capture(one, payload_digest(one.wire))
    assert path.read_bytes() == before
    to.capture(one, payload_digest(one.wire))
    to.close()
    assert len(found(path)) == 2


def test_a_disk_that_is_full_from_the_start_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        SmallWrites(100, 0).install(patch)
        with pytest.raises(StorageError, match="disk is full"):
            Writer(tmp_path, INFO, StillClock())
    assert write(tmp_path, "http://a.example/1").stat().st_size > 0


def test_a_disk_that_fills_up_between_two_files_leaves_both_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = Writer(tmp_path, INFO, StillClock(), max_bytes=500)
    one = capture()
    to.capture(one, payload_digest(one.wire))
    with monkeypatch.context() as patch:
        SmallWrites(100, 2).install(patch)
        for _ in range(2):
            with pytest.raises(StorageError, match="disk is full"):
                to.capture(one, payload_digest(one.wire))
    to.capture(one, payload_digest(one.wire))
    to.close()
    assert [[each.type for each in records(path)] for path in warc_files(tmp_path)] == [
        ["warcinfo", "response", "request", "metadata"]
    ] * 2


def test_a_write_in_many_parts_is_still_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SmallWrites(7).install(monkeypatch)
    path = write(tmp_path, "http://a.example/1", "http://a.example/2")
    assert found(path) == ["http://a.example/1", "http://a.example/2"]


def test_a_full_disk_stops_the_archive_at_a_whole_capture(tmp_path: Path) -> None:
    to = Writer(tmp_path, INFO, StillClock())
    one = capture(wire=os.urandom(5000))
    for _ in range(5):
        to.capture(one, payload_digest(one.wire))
    (path,) = warc_files(tmp_path)
    kept = path.stat().st_size
    with files_no_larger_than(kept + 3000), pytest.raises(StorageError, match="disk is full"):
        to.capture(one, payload_digest(one.wire))
    assert path.stat().st_size == kept
    to.capture(one, payload_digest(one.wire))
    to.close()
    assert len(found(path)) == 6


def test_an_error_at_sync_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    to = Writer(tmp_path, INFO, StillClock())

    def broken(file: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", broken)
        with pytest.raises(StorageError, match="Input/output error"):
            to.sync()


def test_a_full_disk_commits_nothing_of_a_batch(tmp_path: Path) -> None:
    table = Table.open(tmp_path / "table", ["pages", "hosts"], writable=True)
    table.put("pages", b"before", b"kept")
    table.commit()
    table.put("hosts", b"small", b"1")
    for number in range(40):
        table.put("pages", b"%d" % number, os.urandom(5000))
    with files_no_larger_than(60_000), pytest.raises(StorageError, match="disk is full"):
        table.commit()
    assert table.pending == 41
    table.close()
    with Table.open(tmp_path / "table", ["pages", "hosts"], writable=True) as table:
        assert list(table.scan("pages")) == [(b"before", b"kept")]
        assert table.get("hosts", b"small") is None
