"""A disk that is nearly full: the crawl waits, says so, and goes on when there is room."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.collection import Outside, Progress
from gossamer.errors import StorageError
from gossamer.plan import Plan
from gossamer.store.disk import Disk, Marks, Room, Shortage
from gossamer.testing import MadeWeb, VirtualClock, WebSpec

SPEC = WebSpec(seed=4, hosts=5, pages=30, latency=(0.1, 0.4))
SIZE = 100 << 30
MARK = 5 << 30
"""What the defaults make of a disk of this size."""
TICK = 0.5


class Crawl:
    """A made web, and a disk whose free bytes are a function of the seconds since the crawl began."""

    def __init__(self, folder: Path, free: Callable[[float], int]) -> None:
        self.clock = VirtualClock()
        self.began = self.clock.steady()
        self.web = MadeWeb(SPEC, clock=self.clock)
        self.collection = gossamer.open(folder)
        self.looks: list[Progress] = []
        self.free = free

    def seconds(self) -> float:
        return self.clock.steady() - self.began

    def room(self, folder: Path) -> Room:
        return Room(self.free(self.seconds()), SIZE)

    def __call__(self, **more: Any) -> gossamer.Status:
        outside = Outside(self.clock, self.web.fetch, room=self.room)
        asked = {"scope": "any", "outside": outside, "report": self.looks.append, **more}
        with self.collection:
            return self.clock.run(self.collection.crawl_async(self.web.seed, **asked))

    def pages(self) -> dict[str, str]:
        with self.collection:
            assert self.collection.verify().problems == []
            return {page.url: page.text for page in self.collection.pages()}

    def begun(self, start: float, end: float) -> int:
        """Requests that began within these seconds of the crawl."""
        return sum(start < entry.began - self.began < end for entry in self.web.log.entries)


def low(start: float, end: float) -> Callable[[float], int]:
    return lambda seconds: MARK - 1 if start <= seconds < end else SIZE


def test_a_crawl_waits_for_room_and_then_ends_as_if_there_had_always_been_some(tmp_path: Path) -> None:
    calm, full = Crawl(tmp_path / "calm", lambda _: SIZE), Crawl(tmp_path / "full", low(20, 400))
    calm()
    full()
    assert full.pages() == calm.pages()
    assert set(full.pages()) == full.web.reachable()
    assert full.begun(0, 20) > 20
    assert full.begun(20 + TICK, 400) == 0
    assert max(full.web.log.counts().values()) == 1


def test_while_it_waits_it_says_what_for(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, low(20, 100))
    crawl()
    told = {(look.disk_free, look.disk_wanted) for look in crawl.looks}
    assert told == {(0, 0), (MARK - 1, int(1.1 * MARK))}
    waiting = [look for look in crawl.looks if look.disk_wanted and look.seconds > 30]
    assert {look.out for look in waiting} == {0}
    assert {look.queued > 0 for look in waiting} == {True}
    assert {look.left for look in waiting} == {None}, "nobody knows when there is room"


def test_a_crawl_that_begins_on_a_full_disk_waits_longer_than_its_patience(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, low(0, 500))
    crawl(patience=0)
    assert crawl.begun(-1, 500) == 0
    assert set(crawl.pages()) == crawl.web.reachable()


def test_a_disk_that_fills_up_again_and_again_costs_only_time(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, lambda seconds: MARK - 1 if int(seconds / 7) % 2 else SIZE)
    crawl()
    assert set(crawl.pages()) == crawl.web.reachable()
    assert max(crawl.web.log.counts().values()) == 1
    for number in range(SPEC.hosts):
        assert min(crawl.web.log.gaps(crawl.web.host(number))) >= 1.0 - 1e-6


def test_a_wait_for_room_can_be_stopped(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, low(20, 1e9))
    stop = asyncio.Event()

    def report(look: Progress) -> None:
        if look.seconds > 300:
            stop.set()

    assert crawl(stop=stop, report=report).queued > 0
    assert crawl.seconds() < 302


def test_a_crawl_that_has_all_it_wants_does_not_wait_for_room(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, low(20, 1e9))
    crawl(pages=10)
    assert len(crawl.pages()) == 10


def test_a_disk_that_fills_up_further_ends_the_wait_with_an_error(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, lambda seconds: SIZE if seconds < 20 else MARK - 1 if seconds < 60 else 1 << 20)
    with pytest.raises(StorageError, match=r"only 1 MiB free .* stops at 512 MiB"):
        crawl()
    assert crawl.seconds() < 62
    crawl.free = lambda _: SIZE
    crawl()
    assert set(crawl.pages()) == crawl.web.reachable()
    assert max(crawl.web.log.counts().values()) == 1


def test_it_goes_on_only_when_a_tenth_more_is_free() -> None:
    free = iter([1_001, 999, 1_050, 1_099, 1_100, 1_001, 999])
    disk = Disk(Path(), Marks(pause=1_000), lambda _: Room(next(free), 10**6))
    found = []
    for _ in range(7):
        disk.check()
        found.append(disk.shortage)
    low = [Shortage(each, 1_100) for each in (999, 1_050, 1_099)]
    assert found == [None, *low, None, None, Shortage(999, 1_100)]


@pytest.mark.parametrize(("size", "mark"), [(10 << 30, 2 << 30), (100 << 30, 5 << 30)])
def test_the_larger_of_two_gibibytes_and_a_twentieth_is_the_mark(size: int, mark: int) -> None:
    for free, short in ((mark, False), (mark - 1, True)):
        disk = Disk(Path(), Plan().as_marks(), lambda _, free=free: Room(free, size))  # type: ignore[misc]  # a default binds it
        disk.check()
        assert bool(disk.shortage) is short


def test_marks_of_zero_never_pause() -> None:
    disk = Disk(Path(), Plan(disk_pause=0, disk_pause_share=0, disk_stop=0).as_marks(), lambda _: Room(0, 1))
    disk.check()
    assert disk.shortage is None
