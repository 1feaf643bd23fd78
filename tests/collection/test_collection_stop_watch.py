"""A crawl hears that it is to stop, and knows when its shards may have heard of something too late."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gossamer.collection.crawl.stop_watch import LATELY, StopWatch
from gossamer.collection.lock import CRAWL, exclusive
from gossamer.collection.steering import LOOK, Steering
from gossamer.errors import GossamerError
from gossamer.testing.clock import VirtualClock


def test_what_is_said_at_the_end_is_late_for_a_while_and_what_was_said_before_is_not(tmp_path: Path) -> None:
    clock = VirtualClock()
    watch = StopWatch(tmp_path, clock)
    assert not watch.is_late(), "nobody has said anything"
    Steering(tmp_path).tell(paused=True)
    assert watch.is_late()
    clock.advance(LATELY - LOOK)
    assert watch.is_late()
    clock.advance(LOOK)
    assert not watch.is_late()


def test_the_crawl_that_is_named_stops_at_the_next_look_and_no_other_does(tmp_path: Path) -> None:
    clock = VirtualClock()

    async def main() -> None:
        with exclusive(tmp_path, CRAWL):
            steering, stop = Steering(tmp_path), asyncio.Event()
            watch = StopWatch(tmp_path, clock)
            async with watch.set(stop):
                steering.tell(stop="another")
                await asyncio.sleep(3 * LOOK)
                assert not stop.is_set()
                steering.tell(stop=steering.require_crawl())
                await asyncio.sleep(1.5 * LOOK)
                assert stop.is_set()
                assert watch.has_stopped, "and not somebody who waits for the end, as after an interrupt"

    clock.run(main())


def test_a_crawl_whose_folder_was_moved_away_stops(tmp_path: Path) -> None:
    clock = VirtualClock()
    (tmp_path / "web").mkdir()

    async def main() -> None:
        stop = asyncio.Event()
        async with StopWatch(tmp_path / "web", clock).set(stop):
            await asyncio.sleep(3 * LOOK)
            assert not stop.is_set()
            (tmp_path / "web").rename(tmp_path / "moved")
            await asyncio.sleep(1.5 * LOOK)
            assert stop.is_set()

    with pytest.raises(GossamerError), exclusive(tmp_path / "web", CRAWL):
        clock.run(main())
    assert not (tmp_path / "web").exists()
