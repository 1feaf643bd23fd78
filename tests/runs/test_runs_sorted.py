"""Sorted runs, of keys with marks or with numbers behind them: whatever is merged, every key is found again."""

from __future__ import annotations

import os
import random
import re
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gossamer.errors import Damaged
from gossamer.runs import Form
from gossamer.runs import sorted as sorted_runs
from gossamer.runs.growing import Runs, Shape
from gossamer.runs.sorted import Keys, Merge, Run, in_memory, look_up, marked, write

NAME = re.compile(r"[0-9]{8,}\.(?:keys|marks)(?:\.partial)?")
MARKED = Form(NAME, (".keys", ".marks"), block=8, fenced=False)
FENCED = Form(NAME, (".keys",), block=8, fenced=True)
SIZES = [1, 7, 8, 9, 24, 31]
LARGEST = 2**64 - 1
ABSENT = -1


def numbers(keys: list[int]) -> Keys:
    return np.array(keys, np.uint64)


def fenced(keys: list[int], behind: list[int]) -> Run:
    return in_memory(FENCED, numbers(sorted(keys)), behind=numbers(behind))


def merged(merge: Merge) -> Run:
    while (run := merge.advance()) is None:
        pass
    return run


# ------------------------------------------------------------------------ search


@pytest.mark.parametrize("size", SIZES)
def test_every_key_of_a_run_is_found_with_its_mark_and_no_other(tmp_path: Path, size: int) -> None:
    rng = random.Random(size)
    marks = {rng.getrandbits(64) | 1: rng.randrange(256) for _ in range(size)}
    run = write(tmp_path, 1, marked(MARKED, marks))
    assert look_up([run], list(marks), ABSENT) == list(marks.values())
    beside = [each ^ 1 for each in marks] + [0, LARGEST - 1]
    assert look_up([run], beside, ABSENT) == [ABSENT] * len(beside)


@pytest.mark.parametrize("size", [0, *SIZES])
def test_the_keys_before_any_number_are_counted(tmp_path: Path, size: int) -> None:
    rng = random.Random(size)
    keys = sorted(rng.sample(range(2, 90), size))
    wanted = [*range(92), LARGEST]
    for run in (fenced(keys, [1, 2]), write(tmp_path, 1, fenced(keys, [1, 2]))):
        assert run.places(numbers(wanted)).tolist() == [bisect_left(keys, each) for each in wanted]
        assert run.behind.tolist() == [1, 2]


# ------------------------------------------------------------------------ merging


@pytest.mark.parametrize("at_once", [1, 5, 64, 10_000])
def test_of_equal_keys_the_newest_mark_stays(tmp_path: Path, at_once: int) -> None:
    rng, expected, runs = random.Random(at_once), {}, []
    for number in range(1, 5):
        marks = {rng.randrange(120): number for _ in range(50)} | ({LARGEST: number} if number < 3 else {})
        runs.append(write(tmp_path, number, marked(MARKED, marks)))
        expected |= marks
    run = merged(Merge(tmp_path, 5, runs, at_once=at_once))
    assert dict(zip(run.keys.tolist(), run.marks.tolist(), strict=True)) == expected
    assert run.keys.tolist() == sorted(expected)
    assert (run.number, run.level) == (5, 1)


@pytest.mark.parametrize("at_once", [1, 5, 64, 10_000])
def test_what_is_to_be_left_out_is_and_what_stands_behind_the_keys_stays_in_order(tmp_path: Path, at_once: int) -> None:
    keys = random.Random(at_once).sample(range(1_000), 200)
    runs = [write(tmp_path, each, fenced(keys[each * 50 : each * 50 + 50], [each])) for each in range(4)]
    run = merged(Merge(tmp_path, 9, runs, at_once=at_once, stays=lambda keys: keys % 3 > 0))
    assert run.keys.tolist() == sorted(each for each in keys if each % 3)
    assert run.behind.tolist() == [0, 1, 2, 3]
    assert run.fences.tolist() == run.keys[::8].tolist()


def test_a_merge_that_is_given_up_leaves_no_file(tmp_path: Path) -> None:
    runs = [write(tmp_path, number, marked(MARKED, {number: 1, number + 9: 2})) for number in (1, 2)]
    before = sorted(os.listdir(tmp_path))
    merge = Merge(tmp_path, 3, runs, at_once=2)
    assert merge.advance() is None
    assert sorted(os.listdir(tmp_path)) != before
    merge.drop()
    assert sorted(os.listdir(tmp_path)) == before


# ------------------------------------------------------------------------- damage


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 8)


def lengthen(path: Path) -> None:
    with path.open("ab") as file:
        file.write(bytes(8))


def turn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[::-1])


@pytest.mark.parametrize("harm", [Path.unlink, cut, lengthen, turn])
@pytest.mark.parametrize("form", [MARKED, FENCED], ids=["marked", "fenced"])
def test_a_run_that_is_not_whole_is_damaged(tmp_path: Path, form: Form, harm: Callable[[Path], None]) -> None:
    marks = dict.fromkeys(range(1, 41), 7)
    run = marked(form, marks) if form is MARKED else fenced(list(marks), [3])
    behind = len(write(tmp_path, 7, run).behind)
    assert Run.open(tmp_path, form, 7, 0, 40, behind).keys.tolist() == list(marks)
    for count in (-1, 0, 39, 41):
        with pytest.raises(Damaged, match="00000007"):
            Run.open(tmp_path, form, 7, 0, count, behind)
    harm(tmp_path / "00000007.keys")
    with pytest.raises(Damaged, match="00000007"):
        Run.open(tmp_path, form, 7, 0, 40, behind)


# ------------------------------------------------------------------------- growth


class Table:
    """Counts commits."""

    commits = 0


def test_a_run_that_no_commit_ever_listed_goes_at_once_when_it_is_merged(tmp_path: Path) -> None:
    table = Table()
    runs = Runs(tmp_path, MARKED, Shape(generation=1, fan=2, at_once=100), table)

    def begun(several: list[Run]) -> Merge:
        return Merge(tmp_path, runs.number(), several, at_once=100)

    runs.add(write(tmp_path, runs.number(), marked(MARKED, {1: 1})))
    table.commits += 1
    runs.add(write(tmp_path, runs.number(), marked(MARKED, {2: 2})))
    assert runs.merge(begun) is None  # its one slice
    assert runs.merge(begun) is not None
    runs.sweep()
    assert {path.stem for path in tmp_path.iterdir()} == {"00000001", "00000003"}
    table.commits += 1
    runs.sweep()
    assert {path.stem for path in tmp_path.iterdir()} == {"00000003"}


def test_a_merge_that_fails_is_begun_again_from_its_first_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    runs = Runs(tmp_path, MARKED, Shape(generation=1, fan=2, at_once=4), Table())

    def begun(several: list[Run]) -> Merge:
        return Merge(tmp_path, runs.number(), several, at_once=4)

    for start in (0, 1):
        marks = dict.fromkeys(range(start, 20, 2), start)
        runs.add(write(tmp_path, runs.number(), marked(MARKED, marks)))
    for _ in range(2):
        assert runs.merge(begun) is None
    with monkeypatch.context() as patched:
        patched.setattr(sorted_runs, "_append", full)
        with pytest.raises(OSError, match="No space"):
            runs.merge(begun)
    assert not list(tmp_path.glob("*.partial"))
    while runs.merge(begun) is None:
        pass
    (run,) = runs.now
    assert run.keys.tolist() == list(range(20))


def test_files_that_no_list_names_are_cleared_and_strange_ones_left(tmp_path: Path) -> None:
    runs = Runs(tmp_path, MARKED, Shape(generation=1), Table())
    runs.add(write(tmp_path, runs.number(), marked(MARKED, {1: 1})))
    kept = {*os.listdir(tmp_path), "notes.txt"}
    for name in ("00000009.keys", "00000001.keys.partial", "00000010.marks.partial", "notes.txt"):
        (tmp_path / name).touch()
    runs.clear_folder()
    assert set(os.listdir(tmp_path)) == kept
