"""Near copies are found again among all pages, whatever was merged, changed, killed or lost in between."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.dedupe import Print, print_of
from gossamer.dedupe.column_families import FAMILIES, PRINTS
from gossamer.dedupe.judge import Rule
from gossamer.dedupe.lookup import Lookup, Met, Near
from gossamer.dedupe.simhash_minhash_numpy import BINS
from gossamer.errors import Damaged, StorageError
from gossamer.runs.growing import Shape
from gossamer.store.table.table import Table

SMALL = Shape(generation=4, fan=2, at_once=50)
VOCABULARY = [f"word{number}" for number in range(5_000)]


class Killed(BaseException):
    """The process is no more."""


@contextmanager
def opened(folder: Path, shape: Shape = SMALL, *, writable: bool = True) -> Iterator[tuple[Table, Lookup]]:
    """What a process finds that starts now; what it does not commit is gone with it."""
    with Table.open(folder / "table", FAMILIES, writable=writable) as table:
        yield table, Lookup(table, folder / "prints", shape=shape, writable=writable)


def commit(table: Table, lookup: Lookup) -> None:
    lookup.prepare()
    table.commit()


def text_of(number: int, version: int = 0, length: int = 40) -> str:
    """Version 0 and 1 of a text are near copies, version 2 is another text."""
    words = random.Random(f"{number} {version // 2}").choices(VOCABULARY, k=length)
    return " ".join([*words, "other"] if version % 2 else words)


def page(number: int, version: int = 0, *, copy: str = "") -> Met:
    return Met(f"https://site{number}.test/{copy}", f"site{number}.test", print_of(text_of(number, version)))


def urls(found: list[Near]) -> set[str]:
    return {near.url for near in found}


def files(folder: Path) -> set[str]:
    return {path.name for path in (folder / "prints").iterdir()}


def listed(lookup: Lookup) -> set[str]:
    return {f"{run.number:08}.entries" for run in lookup.tables._runs.now}


# ------------------------------------------------------------------ the answer


def test_a_page_meets_those_that_came_before_it_also_in_its_batch(tmp_path: Path) -> None:
    with opened(tmp_path) as (_, lookup):
        first = page(1)
        found = lookup.meet([first, page(2), page(1, 1, copy="draft"), page(1, copy="copy")])
        assert [urls(each) for each in found] == [set(), set(), {first.url}, {first.url, "https://site1.test/draft"}]
        assert found[3][0] == (first.url, 1.0, 0)
        assert 0.9 < found[2][0].resemblance < 1.0


def test_similar_asks_and_keeps_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as (_, lookup):
        lookup.meet([page(1)])
        for _ in range(2):
            assert [urls(each) for each in lookup.similar([page(1), page(1, copy="copy"), page(2)])] == [
                set(),
                {page(1).url},
                set(),
            ]


def test_pages_that_say_next_to_nothing_are_not_compared(tmp_path: Path) -> None:
    with opened(tmp_path) as (_, lookup):
        short = print_of("You need to enable JavaScript to run this app")
        met = [Met(f"https://site{number}.test/", f"site{number}.test", short) for number in range(3)]
        assert lookup.meet(met) == lookup.similar(met) == [[], [], []]


def test_pages_of_one_site_have_to_be_more_alike_than_pages_of_two(tmp_path: Path) -> None:
    template = text_of(1, length=180)
    one, other = (print_of(f"{template} {text_of(number, length=32)}") for number in (2, 3))
    with opened(tmp_path) as (_, lookup):
        lookup.meet([Met("https://a.test/1", "a.test", one)])
        assert lookup.similar([Met("https://a.test/2", "a.test", other)]) == [[]]
        assert urls(lookup.similar([Met("https://b.test/2", "b.test", other)])[0]) == {"https://a.test/1"}


def test_a_changed_page_is_found_by_what_it_says_now(tmp_path: Path) -> None:
    with opened(tmp_path) as (table, lookup):
        for version in range(0, 30, 2):
            lookup.meet([page(1, version), page(9, version)])
            commit(table, lookup)
        assert lookup.similar([page(1, 0, copy="x"), page(1, 26, copy="x")]) == [[], []]
        assert urls(lookup.similar([page(1, 28, copy="x")])[0]) == {page(1).url}
        assert len(list(table.scan(PRINTS, b"p"))) == 2


def test_entries_of_changed_pages_go_when_runs_are_merged(tmp_path: Path) -> None:
    with opened(tmp_path) as (table, lookup):
        for version in range(0, 400, 2):
            lookup.meet([page(1, version)])
            commit(table, lookup)
        assert sum(len(run.keys) for run in lookup.tables._runs.now) < 20 * 40
        assert len(list(table.scan(PRINTS, b"g"))) < 40


def test_a_page_that_did_not_change_is_entered_once(tmp_path: Path) -> None:
    with opened(tmp_path) as (table, lookup):
        for _ in range(10):
            lookup.meet([page(1)])
            commit(table, lookup)
        assert lookup.tables.end == 1


def test_a_removed_page_is_found_no_more_and_can_come_back(tmp_path: Path) -> None:
    with opened(tmp_path) as (table, lookup):
        lookup.meet([page(1), page(2)])
        lookup.remove(page(1).url)
        lookup.remove("https://unknown.test/")
        commit(table, lookup)
    with opened(tmp_path) as (table, lookup):
        assert lookup.similar([page(1, copy="x")]) == [[]]
        lookup.meet([page(1)])
        for number in range(10, 40):
            lookup.meet([page(number)])
            commit(table, lookup)
        assert urls(lookup.similar([page(1, copy="x")])[0]) == {page(1).url}


# -------------------------------------------------------- against brute force


def flipped(rng: random.Random, simhash: int, bits: int) -> int:
    for bit in rng.sample(range(64), bits):
        simhash ^= 1 << bit
    return simhash


def made_print(rng: random.Random, simhash: int) -> Print:
    """A simhash with a sketch that meets no other."""
    return Print(simhash, rng.randbytes(BINS), rng.randbytes(32), 100)


def test_all_pages_within_three_bits_are_candidates_and_few_others(tmp_path: Path) -> None:
    rng = random.Random(7)
    prints = [rng.getrandbits(64) for _ in range(1_500)]
    prints += [flipped(rng, rng.choice(prints), rng.randrange(6)) for _ in range(1_500)]
    made = [Met(f"https://a.test/{at}", "a.test", made_print(rng, each)) for at, each in enumerate(prints)]
    shape = Shape(generation=300, fan=3, at_once=5_000)
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        lookup = Lookup(table, tmp_path / "prints", rule=Rule(0.0, 0.0), shape=shape)
        for start in range(0, len(made), 70):
            lookup.meet(made[start : start + 70])
            commit(table, lookup)
        assert len(listed(lookup)) > 1
        found = lookup.similar(made)
    near = [{at for at, other in enumerate(prints) if (mine ^ other).bit_count() <= 3} for mine in prints]
    expected = [{made[at].url for at in each} - {page.url} for page, each in zip(made, near, strict=True)]
    assert [{one.url for one in each if one.distance <= 3} for each in found] == expected
    planted = sum(map(len, expected))
    assert planted > 1_000
    assert sum(map(len, found)) < 1.6 * planted


# ------------------------------------------------------- kills, losses, readers

STEP = st.one_of(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 5)), max_size=8),
    st.integers(0, 12),
    st.sampled_from(["commit", "commit", "commit", "prepare", "kill", "lose"]),
)
SHAPE = st.builds(Shape, st.integers(1, 12), st.integers(2, 4), st.integers(1, 200))


@settings(max_examples=30)
@given(st.lists(STEP, max_size=40), SHAPE)
def test_any_stream_of_pages_reads_like_a_dictionary(steps: list[object], shape: Shape) -> None:
    now: dict[int, int] = {}
    lasting: dict[int, int] = {}
    asked = [page(number, version, copy="asked") for number in range(13) for version in (0, 2, 4)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for life in _lives(steps):
            with opened(folder, shape) as (table, lookup):
                now = dict(lasting)
                for step in life:
                    if isinstance(step, list):
                        lookup.meet([page(number, version) for number, version in step])
                        now |= dict(step)
                    elif isinstance(step, int):
                        lookup.remove(page(step).url)
                        now.pop(step, None)
                    else:
                        lookup.prepare()
                        if step == "commit":
                            table.commit()
                            lasting = dict(now)
                expected = [{page(n).url} if now.get(n, -1) // 2 == v else set() for n in range(13) for v in range(3)]
                assert [urls(found) for found in lookup.similar(asked)] == expected


def _lives(steps: list[object]) -> Iterator[list[object]]:
    """What each process does, from one kill to the next."""
    life: list[object] = []
    for step in steps:
        if step == "kill":
            yield life
            life = []
        else:
            life.append(step)
    yield life


def filled(folder: Path, count: int = 50) -> None:
    with opened(folder) as (table, lookup):
        for number in range(count):
            lookup.meet([page(number)])
            commit(table, lookup)
        assert len(listed(lookup)) > 1
        lookup.close()


def all_found(lookup: Lookup, count: int = 50) -> bool:
    found = lookup.similar([page(number, copy="x") for number in range(count)])
    return [urls(each) for each in found] == [{page(number).url} for number in range(count)]


@pytest.mark.parametrize("how", ["removed", "cut", "shuffled", "all removed"])
def test_a_run_that_is_lost_is_made_again_from_the_rows(tmp_path: Path, how: str) -> None:
    filled(tmp_path)
    paths = sorted((tmp_path / "prints").iterdir())
    for path in paths if how == "all removed" else paths[:1]:
        if how == "cut":
            os.truncate(path, path.stat().st_size - 8)
        elif how == "shuffled":
            path.write_bytes(path.read_bytes()[::-1])
        else:
            path.unlink()
    with opened(tmp_path) as (table, lookup):
        assert all_found(lookup)
        commit(table, lookup)
        lookup.close()
        made = listed(lookup)
        assert files(tmp_path) == made
        assert len(made) > 1
    with opened(tmp_path) as (_, lookup):
        assert all_found(lookup)
        assert listed(lookup) == made


@pytest.mark.parametrize("ending", ["entries.partial", "partial"], ids=["ours", "of an older version"])
def test_a_run_is_made_again_beside_what_a_kill_has_left_of_another(tmp_path: Path, ending: str) -> None:
    filled(tmp_path)
    paths = sorted((tmp_path / "prints").iterdir())
    paths[0].unlink()
    (tmp_path / "prints" / f"{int(paths[-1].stem) + 1:08}.{ending}").write_bytes(b"12345678")
    with opened(tmp_path) as (_, lookup):
        assert all_found(lookup)
        assert files(tmp_path) == listed(lookup)


def test_a_reader_changes_nothing_and_needs_no_file(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / "prints" / "99999999.partial").touch()
    before = files(tmp_path)
    with opened(tmp_path, writable=False) as (_, lookup):
        assert all_found(lookup)
    assert files(tmp_path) == before
    for path in (tmp_path / "prints").iterdir():
        path.unlink()
    (tmp_path / "prints").rmdir()
    with opened(tmp_path, writable=False) as (_, lookup):
        assert all_found(lookup)
    assert not (tmp_path / "prints").exists()


def test_files_that_no_commit_lists_are_swept_away(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / "prints" / "99999999.entries").write_bytes(b"12345678")
    with opened(tmp_path) as (_, lookup):
        assert files(tmp_path) == listed(lookup)


def test_old_files_stay_until_a_commit_leaves_them_out(tmp_path: Path) -> None:
    with opened(tmp_path) as (table, lookup):
        for number in range(60):
            lookup.meet([page(number)])
            before = listed(lookup)
            lookup.prepare()
            assert before <= files(tmp_path)
            table.commit()


@pytest.mark.parametrize("call", range(1, 40, 3))
def test_a_kill_at_any_write_loses_nothing_that_was_committed(
    tmp_path: Path, call: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = call

    def dying(real: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*args: object) -> object:
            nonlocal left
            left -= 1
            if left == 0:
                raise Killed
            return real(*args)

        return wrapped

    monkeypatch.setattr(os, "fdatasync", dying(os.fdatasync))
    monkeypatch.setattr(os, "fsync", dying(os.fsync))
    lasting = 0
    with suppress(Killed), opened(tmp_path) as (table, lookup):
        for number in range(50):
            lookup.meet([page(number)])
            commit(table, lookup)
            lasting = number + 1
    monkeypatch.undo()
    assert left <= 0
    with opened(tmp_path) as (table, lookup):
        assert all_found(lookup, lasting)
        lookup.meet([page(number) for number in range(lasting, 50)])
        commit(table, lookup)
        assert all_found(lookup)


def test_a_full_disk_is_told_and_what_was_committed_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path, 15)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with opened(tmp_path) as (table, lookup):
        monkeypatch.setattr(os, "fdatasync", full)
        lookup.meet([page(number) for number in range(15, 30)])
        with pytest.raises(StorageError, match="disk is full"):
            commit(table, lookup)
        monkeypatch.undo()
        commit(table, lookup)
        assert all_found(lookup, 30)


def test_a_merge_that_fails_enters_no_page_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    told = 0
    with opened(tmp_path) as (table, lookup):
        for number in range(30):
            lookup.meet([page(number)])
            with monkeypatch.context() as patched:
                patched.setattr("gossamer.dedupe.print_runs.Merge.advance", full)
                try:
                    commit(table, lookup)
                except StorageError:
                    told += 1
        assert told > 10
        commit(table, lookup)
        assert all(len(set(keys)) == len(keys) == 30 for keys in (lookup.tables.column(table) for table in range(20)))
        assert all_found(lookup, 30)


@pytest.mark.parametrize(
    "rows",
    [
        [(1, 0, 0, -1, 9)],
        [(1, 0, 5, 3, 9)],
        [(1, 0, 5, 8, 9)],
        [(1, 0, 0, 4, 9), (2, 0, 3, 8, 9)],
        [(1, 0, 0, 4, -9)],
        [(-1, 0, 0, 4, 9)],
        [(1, 0, 0, 1 << 62, 9)],
        [(1, 0, 0, 1 << 32, 9)],
    ],
)
def test_a_list_of_files_that_cannot_be_is_damage_with_its_cure(rows: list[tuple[int, ...]], tmp_path: Path) -> None:
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        table.put(PRINTS, b"runs", msgspec.msgpack.encode(rows))
        with pytest.raises(Damaged, match="--repair"):
            Lookup(table, tmp_path / "prints")


def test_more_pages_than_memory_holds_are_damage_and_no_end_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*_: object) -> None:
        raise MemoryError

    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        table.put(PRINTS, b"runs", msgspec.msgpack.encode([(1, 0, 0, 1 << 31, 9)]))
        monkeypatch.setattr("gossamer.dedupe.print_runs.np.zeros", none_left)
        with pytest.raises(Damaged, match="2,147,483,648 pages"):
            Lookup(table, tmp_path / "prints")
