"""One writer at a time; a collection whose writer was killed can be had again, as soon as its shards are gone."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, LOCK_UN, flock
from pathlib import Path
from types import SimpleNamespace

import pytest

from gossamer.collection import lock as locks
from gossamer.collection.lock import CRAWL, exclusive
from gossamer.errors import Locked, StorageError

SUPERVISOR = """
import os, sys
from pathlib import Path
from gossamer.collection.lock import CRAWL, exclusive

with exclusive(Path(sys.argv[1])) as lock:
    if os.fork() == 0:  # a shard has a copy of the lock
        print("born", flush=True)
        sys.stdin.read()
        os._exit(0)
    sys.stdin.read()
"""


def test_who_comes_after_a_kill_waits_for_the_orphans_though_nobody_has_buried_the_dead(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"born\n"
    with pytest.raises(Locked, match=f"process {holder.pid}"), exclusive(tmp_path):
        pass
    holder.kill()  # and not waited for: it stays a zombie
    next_one = subprocess.Popen([sys.executable, "-c", WAITING, str(tmp_path)], stdout=subprocess.PIPE)
    assert next_one.stdout is not None
    assert next_one.stdout.readline() == b"waiting\n"
    holder.stdin.close()
    assert next_one.stdout.read() == b"mine\n"
    assert next_one.wait(120) == 0
    holder.wait()
    for stream in (holder.stdout, next_one.stdout):
        stream.close()


def test_who_only_looks_keeps_nobody_from_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with exclusive(tmp_path):
        pass  # signed by this process, which lives
    with (tmp_path / locks.FILE).open() as looking:
        flock(looking, LOCK_SH)
        monkeypatch.setattr(locks.time, "sleep", lambda _: flock(looking, LOCK_UN))
        with exclusive(tmp_path):
            pass


def test_who_reads_for_long_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "GLANCE", 0.0)
    (tmp_path / locks.FILE).touch()
    with (tmp_path / locks.FILE).open() as reading:
        flock(reading, LOCK_SH)
        with pytest.raises(Locked), exclusive(tmp_path):
            pass


WAITING = """
import sys
from pathlib import Path
from gossamer.collection.lock import CRAWL, exclusive

print("waiting", flush=True)
with exclusive(Path(sys.argv[1])):
    print("mine", flush=True)
"""


def signed(folder: Path, pid: int, **more: object) -> Path:
    """A lock that somebody of this machine has signed."""
    path = folder / "lock"
    path.write_bytes(json.dumps({"pid": pid, "host": socket.gethostname(), "since": 1.0} | more).encode())
    return path


NOBODY = 2**22 + 5
"""A number that no process has."""


class Time(SimpleNamespace):
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        super().__init__(now=1_000.0, slept=0, time=time.time, strftime=time.strftime, localtime=time.localtime)

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept += 1
        self.now += 7.0


def test_a_holder_that_lives_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Time()
    monkeypatch.setattr(locks, "time", clock)
    with signed(tmp_path, os.getpid()).open("r+b") as file:
        flock(file, LOCK_EX | LOCK_NB)
        with pytest.raises(Locked, match=f"process {os.getpid()}"), exclusive(tmp_path):
            pass
    assert clock.slept == 0


def test_orphans_that_do_not_end_are_waited_for_half_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Time()
    monkeypatch.setattr(locks, "time", clock)
    with signed(tmp_path, NOBODY).open("r+b") as file:
        flock(file, LOCK_EX | LOCK_NB)
        with pytest.raises(Locked, match=f"process {NOBODY}"), exclusive(tmp_path):
            pass
    assert clock.slept == 5  # seven seconds each


def test_a_process_lives_until_it_is_a_zombie_and_elsewhere_nobody_knows() -> None:
    here = socket.gethostname()
    assert locks._lives(locks._Mark(os.getpid(), here))
    assert not locks._lives(locks._Mark(NOBODY, here))
    assert locks._lives(locks._Mark(NOBODY, "elsewhere"))
    dead = os.fork()
    if dead == 0:
        os._exit(0)
    os.waitid(os.P_PID, dead, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has waited for it yet
    assert not locks._lives(locks._Mark(dead, here))
    os.waitpid(dead, 0)


def test_who_reads_undisturbed_writes_nothing_and_reads_beside_others(tmp_path: Path) -> None:
    for _ in range(2):
        with locks.undisturbed(tmp_path):
            assert not list(tmp_path.iterdir()), "one that nobody has written to yet has no lock"
    before = signed(tmp_path, NOBODY).read_bytes()
    with locks.undisturbed(tmp_path), locks.undisturbed(tmp_path):
        assert locks.holder(tmp_path) is None
    assert (tmp_path / "lock").read_bytes() == before


def test_who_writes_and_who_reads_undisturbed_keep_each_other_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "GLANCE", 0.0)
    with exclusive(tmp_path), pytest.raises(Locked, match=f"process {os.getpid()}"), locks.undisturbed(tmp_path):
        pass
    with (
        locks.undisturbed(tmp_path),
        pytest.raises(Locked, match="in use by another process; wait for it to end"),  # the last who signed is gone
        exclusive(tmp_path),
    ):
        pass


def test_who_reads_after_a_kill_waits_for_the_orphans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with signed(tmp_path, NOBODY).open("r+b") as file:
        flock(file, LOCK_EX | LOCK_NB)
        monkeypatch.setattr(locks.time, "sleep", lambda _: flock(file, LOCK_UN))
        with locks.undisturbed(tmp_path):
            pass


def test_a_date_before_all_dates_is_told_as_the_first(tmp_path: Path) -> None:
    first = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(0))
    with signed(tmp_path, os.getpid(), since=-1e18).open("rb") as file:
        flock(file, LOCK_EX)
        with pytest.raises(Locked, match=f"since {first};"), exclusive(tmp_path):
            pass


def test_others_may_read_the_lock_and_not_write_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with exclusive(tmp_path):
            assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(before)


def test_no_descriptor_is_left_open_whatever_comes_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with exclusive(tmp_path):
        assert locks.holder(tmp_path) is not None
    assert locks.holder(tmp_path) is None
    with locks.undisturbed(tmp_path):
        pass
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_lock_that_cannot_be_read_is_told_and_hides_no_holder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> int:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(locks.files, "descriptor", broken)
    with pytest.raises(StorageError, match="lock: the disk fails"), locks.undisturbed(tmp_path):
        pass
    assert locks.holder(tmp_path) is None


def test_whoever_meets_a_crawl_is_told_how_to_look_at_it_and_end_it(tmp_path: Path) -> None:
    with (
        exclusive(tmp_path, CRAWL),
        pytest.raises(Locked, match="`gossamer stop DIR` ends it"),
    ):
        exclusive(tmp_path).__enter__()
    with exclusive(tmp_path), pytest.raises(Locked, match="; wait for it to end"):
        exclusive(tmp_path).__enter__()
