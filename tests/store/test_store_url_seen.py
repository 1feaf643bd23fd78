"""Fingerprints in sorted runs: the last mark of each is found, whatever was merged, killed or lost in between."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.errors import StorageError
from gossamer.runs import sorted as runs
from gossamer.runs.growing import Shape
from gossamer.store.table.table import Table
from gossamer.store.url_seen import ABSENT, FAMILIES, SEEN, Sieve

SMALL = Shape(generation=4, fan=2, at_once=6)
LARGEST = 2**64 - 1


class Killed(BaseException):
    """The process is no more."""


@contextmanager
def opened(folder: Path, shape: Shape = SMALL) -> Iterator[tuple[Table, Sieve]]:
    """What a process finds that starts now; what it does not commit is gone with it."""
    with Table.open(folder / "table", FAMILIES, writable=True) as table:
        sieve = Sieve(table, folder / "seen", shape)
        if sieve.fault:
            sieve.restart()
        yield table, sieve


def commit(table: Table, sieve: Sieve) -> None:
    sieve.prepare()
    table.commit()


def put(sieve: Sieve, marks: dict[int, int]) -> None:
    for each, mark in marks.items():
        sieve.put(each, mark)


def held(sieve: Sieve, prints: list[int]) -> dict[int, int]:
    return {each: mark for each, mark in zip(prints, sieve.marks(prints), strict=True) if mark != ABSENT}


def listed_files(sieve: Sieve) -> set[str]:
    return {f"{run.number:08}.{part}" for run in sieve._runs.now for part in ("keys", "marks")}


# ------------------------------------------------------------------ the answer

PRINTS = st.one_of(
    st.integers(0, 40),
    st.integers(0, 40).map(lambda low: 0xABCDEF01 << 32 | low),
    st.integers(LARGEST - 5, LARGEST),
)
STEP = st.one_of(
    st.dictionaries(PRINTS, st.integers(0, 255), max_size=25),
    st.sampled_from(["commit", "commit", "commit", "prepare", "kill"]),
)
SHAPE = st.builds(Shape, st.integers(1, 12), st.integers(2, 4), st.integers(1, 30))


@settings(max_examples=60)
@given(st.lists(STEP, max_size=40), SHAPE)
def test_any_stream_of_marks_reads_like_a_dictionary(steps: list[dict[int, int] | str], shape: Shape) -> None:
    now: dict[int, int] = {}
    lasting: dict[int, int] = {}
    asked = [*range(41), *(0xABCDEF01 << 32 | low for low in range(41)), *range(LARGEST - 5, LARGEST + 1)]
    with tempfile.TemporaryDirectory() as folder:
        rest = iter(steps)
        killed = True
        while killed:
            killed = False
            with opened(Path(folder), shape) as (table, sieve):
                now = dict(lasting)
                for step in rest:
                    if isinstance(step, dict):
                        put(sieve, step)
                        now |= step
                    elif step == "commit":
                        commit(table, sieve)
                        lasting = dict(now)
                    elif step == "prepare":
                        sieve.prepare()
                    else:
                        killed = True
                        break
                    assert held(sieve, asked) == now


def test_an_empty_sieve_knows_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as (_, sieve):
        assert sieve.marks([]) == []
        assert sieve.marks([0, 1, LARGEST]) == [ABSENT] * 3


@pytest.mark.parametrize("generation", [100, 2], ids=["rows of commits", "runs"])
def test_a_sieve_that_is_opened_again_and_again_forgets_nothing(tmp_path: Path, generation: int) -> None:
    """The rows and files of a new life never take the names of those that are there."""
    for life in range(9):
        with opened(tmp_path, Shape(generation, fan=9, at_once=64)) as (table, sieve):
            assert held(sieve, list(range(40))) == dict.fromkeys(range(2 * life), 1)
            for fresh in range(2 * life, 2 * life + 2):
                sieve.put(fresh, 1)
                commit(table, sieve)


def test_rows_of_commits_that_went_into_a_run_do_not_come_back_with_their_old_marks(tmp_path: Path) -> None:
    with opened(tmp_path) as (table, sieve):
        put(sieve, {1: 10, 2: 10})
        commit(table, sieve)
        put(sieve, {1: 20, 3: 20, 4: 20})
        commit(table, sieve)
        assert sieve.runs == 1
    with opened(tmp_path) as (table, sieve):
        assert held(sieve, [1, 2, 3, 4]) == {1: 20, 2: 10, 3: 20, 4: 20}
        assert [key for key, _ in table.scan(SEEN)] == [b"runs"]


# ------------------------------------------------------------------- its shape


def test_a_million_keys_lie_in_few_runs_and_little_is_in_memory(tmp_path: Path) -> None:
    shape = Shape(generation=1 << 13, fan=4, at_once=12_500)
    rng, known = random.Random(3), []
    with opened(tmp_path, shape) as (table, sieve):
        for number in range(1_600):
            fresh = [rng.getrandbits(64) for _ in range(625)]
            batch = fresh + rng.sample(known, 20) if known else fresh
            marks = sieve.marks(batch)
            assert marks[:625] == [ABSENT] * 625
            assert marks[625:] == [each & 0x7F for each in batch[625:]]
            put(sieve, {each: each & 0x7F for each in fresh})
            known = [*known[-20_000:], *rng.sample(fresh, 50)]
            sieve.prepare()
            if number % 50 == 0:
                table.commit()
            assert sieve.runs <= 16
            assert len(sieve._young) < shape.generation
        assert sieve.runs <= 3 * 4
        assert sum(len(run.keys) for run in sieve._runs.now) + len(sieve._young) == 1_000_000


def test_no_call_merges_more_than_a_slice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    slices = runs._slices

    def watched(*args: Any) -> Iterator[Any]:
        for spans in slices(*args):
            written.append(sum(span.stop - span.start for span in spans))
            yield spans

    monkeypatch.setattr(runs, "_slices", watched)
    with opened(tmp_path, Shape(generation=100, fan=4, at_once=40)) as (_, sieve):
        for number in range(200):
            before = len(written)
            put(sieve, {random.Random(number * 31 + each).getrandbits(64): 1 for each in range(10)})
            sieve.prepare()
            assert len(written) <= before + 1
            assert sum(written[before:]) <= 40
    assert sum(written) > 2_000


def test_equal_keys_are_folded_when_runs_are_merged(tmp_path: Path) -> None:
    with opened(tmp_path) as (table, sieve):
        for mark in range(40):
            put(sieve, dict.fromkeys(range(4), mark))
            commit(table, sieve)
            assert sieve.marks([0, 1, 2, 3]) == [mark] * 4
        assert max(len(run.keys) for run in sieve._runs.now) == 4


# ---------------------------------------------------------------------- kills

CHANGES_THE_DISK = [(os, "fdatasync"), (os, "fsync"), (os, "rename"), (os, "unlink"), (Table, "commit")]
ASKED = list(range(64))


def workload(table: Table, sieve: Sieve, lasting: dict[int, int]) -> None:
    """Runs are written, merged and removed; `lasting` is told what each commit has made so."""
    for number in range(6):
        marks = {(number * 37 + each * 11) % 64: number for each in range(5)}
        put(sieve, marks)
        commit(table, sieve)
        lasting |= marks


class Death:
    """Comes before one call that changes the disk, which is after the call before it."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.moment = -1
        self.last = ""
        for owner, name in CHANGES_THE_DISK:
            patch.setattr(owner, name, self._before(getattr(owner, name), name))

    def _before(self, call: Callable[..., object], name: str) -> Callable[..., object]:
        def wrapped(*args: object, **named: object) -> object:
            self.moment -= 1
            if self.moment == -1:
                self.last = name
                raise Killed
            return call(*args, **named)

        return wrapped


def killed_at(folder: Path, moment: int) -> tuple[str, dict[int, int]]:
    """Before which call the process died, if it did, and what it had committed by then."""
    lasting: dict[int, int] = {}
    with pytest.MonkeyPatch.context() as patch, suppress(Killed):
        death = Death(patch)
        with opened(folder) as (table, sieve):
            death.moment = moment
            workload(table, sieve, lasting)
    return death.last, lasting


def test_a_kill_before_or_after_any_change_of_the_disk_leaves_what_was_committed(tmp_path: Path) -> None:
    died_before = set()
    for moment in count():
        folder = tmp_path / str(moment)
        call, lasting = killed_at(folder, moment)
        if not call:
            break
        died_before.add(call)
        with opened(folder) as (table, sieve):
            assert held(sieve, ASKED) == lasting, (moment, call)
            assert {path.name for path in (folder / "seen").iterdir()} == listed_files(sieve), (moment, call)
            put(sieve, {63: 9})
            commit(table, sieve)
            assert held(sieve, ASKED) == lasting | {63: 9}, (moment, call)
    assert died_before == {name for _, name in CHANGES_THE_DISK}


def test_old_runs_stay_until_a_commit_has_left_them_out(tmp_path: Path) -> None:
    with opened(tmp_path, Shape(generation=1, fan=2, at_once=100)) as (table, sieve):
        for each in range(2):
            put(sieve, {each: 1})
            commit(table, sieve)
        old = listed_files(sieve)
        sieve.prepare()
        assert sieve.runs == 1
        sieve.prepare()
        there = {path.name for path in (tmp_path / "seen").iterdir()}
        assert old <= there
        table.commit()
        sieve.prepare()
        assert {path.name for path in (tmp_path / "seen").iterdir()} == listed_files(sieve)


def test_a_full_disk_is_told_and_harms_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    lasting: dict[int, int] = {}
    with opened(tmp_path) as (table, sieve):
        workload(table, sieve, lasting)
        put(sieve, dict.fromkeys(range(30), 99))
        with monkeypatch.context() as patch:
            patch.setattr(os, "fdatasync", full)
            for _ in range(3):
                with pytest.raises(StorageError, match="disk is full"):
                    sieve.prepare()
        assert held(sieve, ASKED) == lasting | dict.fromkeys(range(30), 99)
        workload(table, sieve, lasting)
        assert held(sieve, ASKED) == dict.fromkeys(range(30), 99) | lasting


# --------------------------------------------------------------------- damage


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def lengthen(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\0" * 8)


def lose_a_page(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\0" * 4096)


@pytest.mark.parametrize(
    ("part", "harm"),
    [
        ("keys", Path.unlink),
        ("marks", Path.unlink),
        ("keys", cut),
        ("marks", cut),
        ("keys", lengthen),
        ("keys", lose_a_page),
    ],
)
def test_lost_or_damaged_files_are_noticed(tmp_path: Path, part: str, harm: Callable[[Path], None]) -> None:
    shape = Shape(generation=2_000)
    with opened(tmp_path, shape) as (table, sieve):
        put(sieve, {random.Random(each).getrandbits(64): 1 for each in range(2_000)})
        commit(table, sieve)
    (path,) = (tmp_path / "seen").glob(f"*.{part}")
    harm(path)
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        sieve = Sieve(table, tmp_path / "seen", shape)
        assert path.stem in sieve.fault
        sieve.restart()
        assert sieve.fault == ""
        put(sieve, {1: 1})
        commit(table, sieve)
    with opened(tmp_path, shape) as (_, sieve):
        assert sieve.marks([1, 2]) == [1, ABSENT]
        assert list((tmp_path / "seen").iterdir()) == []


def test_a_table_without_a_list_of_runs_is_noticed(tmp_path: Path) -> None:
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        assert Sieve(table, tmp_path / "seen").fault
        table.put(SEEN, b"runs", b"\x90")
        assert not Sieve(table, tmp_path / "seen").fault
