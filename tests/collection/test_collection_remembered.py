"""What was found by looking at everything is looked for again when it may have changed, and not before."""

from __future__ import annotations

import pytest

from gossamer.collection.ask import remembered
from gossamer.collection.ask.remembered import PATIENCE, REMEMBERED, Remembered

STATE, LATER, MOVED = "place:1", "place:2", "elsewhere:1"


class Looking:
    """Finds a number one higher each time, and takes a while."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_000.0
        self.times = 0
        monkeypatch.setattr(remembered.time, "monotonic", lambda: self.now)

    def __call__(self) -> int:
        self.now += 2
        self.times += 1
        return self.times


@pytest.fixture
def find(monkeypatch: pytest.MonkeyPatch) -> Looking:
    return Looking(monkeypatch)


def test_in_the_same_state_it_is_looked_for_once(find: Looking) -> None:
    kept: Remembered[int] = Remembered()
    assert [kept.get("a", STATE, find), kept.get("b", STATE, find)] == [1, 2]
    find.now += 1_000_000
    assert [kept.get("a", STATE, find), kept.get("b", STATE, find)] == [1, 2]


def test_while_a_crawl_goes_on_it_holds_for_twenty_times_as_long_as_it_took(find: Looking) -> None:
    kept: Remembered[int] = Remembered()
    kept.get("a", STATE, find)
    find.now += 2 * PATIENCE
    assert kept.get("a", LATER, find) == 1
    find.now += 0.5
    assert kept.get("a", LATER, find) == 2
    assert kept.get("a", LATER, find) == 2
    assert PATIENCE == 20


def test_nothing_of_it_holds_for_another_collection_at_its_place(find: Looking) -> None:
    kept: Remembered[int] = Remembered()
    kept.get("a", STATE, find)
    assert kept.get("a", MOVED, find) == 2


@pytest.mark.parametrize("most", [REMEMBERED, 2])
def test_the_filters_that_were_looked_for_last_are_remembered(most: int, find: Looking) -> None:
    kept: Remembered[int] = Remembered(most)
    for each in range(most):
        kept.get(each, STATE, find)
    kept.get(0, MOVED, find)  # found again: it is the youngest now
    kept.get("one more", MOVED, find)
    before = find.times
    kept.get(0, MOVED, find)
    assert find.times == before
    kept.get(1, STATE, find)
    assert find.times == before + 1
