"""What happened becomes durable about once a second, as a whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_samples import StillClock

from gossamer.store.commits import BREATH, CHANGES, INTERVAL, Commits, Step
from gossamer.store.table.table import Table

ROWS = "rows"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path / "table", [ROWS], writable=True) as table:
        yield table


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def commits(table: Table, clock: StillClock) -> Commits:
    return Commits(table, clock)


def changed(table: Table) -> None:
    table.put(ROWS, b"row", b"")


def test_a_commit_is_due_a_second_after_the_last(table: Table, clock: StillClock, commits: Commits) -> None:
    made = []
    for quarters in range(1, 13):
        clock.now += INTERVAL / 4
        changed(table)
        commits.when_due()
        if table.commits > len(made):
            made.append(quarters)
    assert (INTERVAL, made) == (1.0, [4, 8, 12])


def test_a_commit_is_due_when_much_has_changed(table: Table, commits: Commits) -> None:
    for number in range(CHANGES - 1):
        table.put(ROWS, number.to_bytes(4, "big"), b"")
    commits.when_due()
    assert table.commits == 0
    table.put(ROWS, b"the last", b"")
    commits.when_due()
    assert (table.commits, table.pending) == (1, 0)


def test_what_is_held_is_committed_as_one_at_its_end(table: Table, clock: StillClock, commits: Commits) -> None:
    with commits.held():
        changed(table)
        clock.now += 10 * INTERVAL
        commits.when_due()
        commits.soon()
        assert table.commits == 0
    assert table.commits == 1
    clock.now += INTERVAL
    changed(table)
    commits.when_due()
    assert table.commits == 2


def test_what_is_held_and_fails_is_not_committed(table: Table, clock: StillClock, commits: Commits) -> None:
    changed(table)
    with pytest.raises(KeyError), commits.held():
        raise KeyError
    assert table.commits == 0
    clock.now += INTERVAL
    commits.when_due()
    assert table.commits == 1


def test_who_waits_gets_a_commit_at_once_but_not_at_every_moment(
    table: Table, clock: StillClock, commits: Commits
) -> None:
    for seconds, made in ((0.5, 0), (1, 1), (0, 1), (1.5, 2)):
        clock.now += seconds * BREATH
        changed(table)
        commits.soon()
        assert table.commits == made
    assert BREATH < INTERVAL / 10


def test_steps_are_taken_in_order_before_the_commit_and_after_it(table: Table, clock: StillClock) -> None:
    order: list[str] = []
    changed(table)

    def noted(word: str) -> None:
        order.append(f"{word} {table.commits}")

    before = (Step("1", lambda: noted("first before")), Step("-", None), Step("2", lambda: noted("second before")))
    after = (Step("3", lambda: noted("first after")), Step("4", lambda: noted("second after")))
    Commits(table, clock, before, after).now()
    assert order == ["first before 0", "second before 0", "first after 1", "second after 1"]


def test_what_was_done_by_half_is_never_committed(table: Table, clock: StillClock, commits: Commits) -> None:
    table.put(ROWS, b"half", b"")
    with pytest.raises(KeyboardInterrupt), commits.whole():
        raise KeyboardInterrupt
    assert commits.broken
    clock.now += 10 * INTERVAL
    commits.when_due()
    commits.soon()
    commits.now()
    assert table.commits == 0


def test_what_was_done_as_a_whole_is_committed(table: Table, commits: Commits) -> None:
    with commits.whole():
        table.put(ROWS, b"whole", b"")
    commits.now()
    assert (commits.broken, table.commits) == (False, 1)


def test_nothing_is_committed_between_two_halves(table: Table, commits: Commits) -> None:
    commits.begin()
    commits.begin()
    changed(table)
    commits.now()
    commits.end(1)
    commits.now()
    assert table.commits == 0
    commits.end(1)
    commits.now()
    assert table.commits == 1


def test_after_a_step_that_failed_nothing_more_is_committed(table: Table, clock: StillClock) -> None:
    faults, followed = [OSError(5, "Input/output error")], list[int]()

    def fails() -> None:
        if faults:
            raise faults.pop()

    commits = Commits(table, clock, [Step("fail once", fails)], [Step("follow", lambda: followed.append(1))])
    changed(table)
    with pytest.raises(OSError, match="Input/output"):
        commits.now()
    assert (commits.broken, table.commits, followed) == (True, 0, [])
    commits.now()
    assert table.commits == 0


def test_the_first_commit_is_due_a_second_after_the_start(table: Table, clock: StillClock, commits: Commits) -> None:
    changed(table)
    clock.now += INTERVAL - 0.01
    commits.when_due()
    assert table.commits == 0
    clock.now += 0.02
    commits.when_due()
    assert table.commits == 1
