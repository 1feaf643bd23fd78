"""When a shard keeps a checkpoint, who hears of it, and what is done while the store is slow or away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.collection.crawl import checkpoints
from gossamer.collection.crawl.checkpoints import Checkpoints, Kept
from gossamer.collection.folder import Folder
from gossamer.errors import Damaged, StoreAway
from gossamer.testing.clock import VirtualClock

EVERY = 60.0


class Store:
    """A life whose store is away for so many tries."""

    def __init__(self, away: int = 0) -> None:
        self.away = away
        self.tries: list[float] = []
        self.clock = VirtualClock()
        self.kept = 10
        self.ends: list[bool] = []
        self.head = SimpleNamespace(sequence=10, claim=None)

    def is_behind(self, sequence: int) -> bool:
        return sequence > self.kept

    def publish(self, snapshot: Any, *, at_rest: bool) -> Any:
        self.tries.append(self.clock.steady())
        if len(self.tries) <= self.away:
            raise StoreAway("no answer")
        self.kept = snapshot.sequence
        self.ends.append(at_rest)
        return SimpleNamespace(octets=1_000, seconds=0.5)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Store], Checkpoints]:
    async def at_once(work: Callable[[], Any]) -> Any:
        return work()

    @contextmanager
    def snapshot(_: Path, table: Any, __: Any) -> Iterator[Any]:
        yield SimpleNamespace(sequence=table.sequence, marks={"marks": 1})

    monkeypatch.setattr(checkpoints, "_in_thread", at_once)
    monkeypatch.setattr(checkpoints, "taken", snapshot)
    return lambda store: Checkpoints(store, Folder(tmp_path), 0, EVERY, store.clock)  # type: ignore[arg-type]


def table(sequence: int) -> Any:
    return SimpleNamespace(sequence=sequence)


def peers(*, unpublished: bool = True) -> Any:
    told: list[Any] = []
    return SimpleNamespace(unpublished=unpublished, published=told.append, told=told)


def busy() -> bool:
    return False


def idle() -> bool:
    return True


def test_what_the_store_does_not_have_is_published_first_and_told(made: Callable[[Store], Checkpoints]) -> None:
    store, told = Store(), []
    kept = made(store)
    kept.told = told.append
    store.clock.run(kept.first(table(10)))
    assert (store.tries, told) == ([], [])
    store.clock.run(kept.first(table(11)))
    assert (len(store.tries), told, store.ends) == (1, [Kept(1_000, 0.5)], [False])
    store.clock.run(kept.last(table(12)))
    assert (store.kept, store.ends) == (12, [False, True])


def test_a_shard_that_is_older_than_what_it_has_published_is_not_worked_on(
    made: Callable[[Store], Checkpoints],
) -> None:
    store = Store()
    with pytest.raises(Damaged, match="older than what it has published"):
        store.clock.run(made(store).first(table(9)))


def test_while_the_store_is_away_it_is_tried_ever_more_seldom_and_nothing_is_fetched(
    made: Callable[[Store], Checkpoints],
) -> None:
    store = Store(away=9)
    kept = made(store)
    seen: list[str] = []
    kept.told = lambda _: seen.append(kept.held_up)
    began = store.clock.steady()
    publish = store.publish

    def watched(snapshot: Any, *, at_rest: bool) -> Any:
        seen.append(kept.held_up)
        return publish(snapshot, at_rest=at_rest)

    store.publish = watched  # type: ignore[method-assign]  # looked at
    store.clock.run(kept.first(table(11)))
    waits = [after - before for before, after in zip(store.tries, store.tries[1:], strict=False)]
    assert waits == pytest.approx([0.5, 1, 2, 4, 8, 16, 30, 30, 30])
    assert store.tries[0] == began
    assert seen[0] == seen[-1] == kept.held_up == ""
    assert all("cannot be written to (no answer)" in each for each in seen[1:-1])


def test_who_waits_for_the_end_does_not_wait_for_a_store_that_is_away(made: Callable[[Store], Checkpoints]) -> None:
    store, others = Store(away=1), peers()
    kept = made(store)
    kept.stop()
    store.clock.run(kept._publish(table(11), others))
    assert (len(store.tries), store.kept, others.told) == (1, 10, [])


def test_others_hear_what_waited_for_a_checkpoint_when_it_is_kept(made: Callable[[Store], Checkpoints]) -> None:
    store, others = Store(), peers()
    store.clock.run(made(store)._publish(table(11), others))
    assert others.told == [{"marks": 1}]


def test_a_store_that_keeps_up_holds_nothing_up_and_one_that_is_four_intervals_late_does(
    made: Callable[[Store], Checkpoints],
) -> None:
    store = Store()
    kept = made(store)
    store.clock.advance(4 * EVERY)
    assert kept.held_up == ""
    store.clock.advance(0.5)
    assert "the store is slow" in kept.held_up
    assert not kept._is_due(table(10), None, busy), "all is kept"
    assert kept.held_up == ""


@pytest.mark.parametrize(
    ("after", "others", "at_rest", "due"),
    [
        (EVERY - 0.1, None, idle, False),
        (EVERY, None, busy, True),
        (EVERY, peers(unpublished=False), busy, True),
        (EVERY - 0.1, peers(unpublished=False), idle, False),
        (0.24, peers(), idle, False),
        (0.25, peers(), idle, True),
        (0.25, peers(), busy, True),  # at first: all that has passed since the beginning has passed since the last
    ],
)
def test_one_is_due_each_interval_and_soon_when_others_wait(
    after: float,
    others: Any,
    at_rest: Callable[[], bool],
    due: bool,
    made: Callable[[Store], Checkpoints],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = Store()
    kept = made(store)
    monkeypatch.setattr(checkpoints, "SOON", 0.25)
    store.clock.advance(after)
    assert kept._is_due(table(11), others, at_rest) == due
    assert not kept._is_due(table(10), others, at_rest), "all is kept"


@pytest.mark.parametrize(("before", "due"), [(10, True), (12, False)])
def test_one_for_others_is_no_sooner_than_twice_as_long_as_the_last_took_and_at_work_after_half_of_all_time(
    before: float, due: bool, made: Callable[[Store], Checkpoints]
) -> None:
    store = Store()
    kept = made(store)
    publish = store.publish

    def slow(snapshot: Any, *, at_rest: bool) -> Any:
        store.clock.advance(5)
        return publish(snapshot, at_rest=at_rest)

    store.publish = slow  # type: ignore[method-assign]  # takes its time
    store.clock.advance(before)
    store.clock.run(kept._publish(table(11), None))
    store.clock.advance(4.5)
    assert not kept._is_due(table(12), peers(), idle), "9.5 seconds since one was begun that took 5"
    store.clock.advance(0.5)
    assert kept._is_due(table(12), peers(), idle)
    assert kept._is_due(table(12), peers(), busy) == due
