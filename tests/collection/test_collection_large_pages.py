"""Large pages are read and kept in a lane of their own, so that nobody else waits for them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gossamer import convert
from gossamer.collection.crawl import page_reader
from gossamer.collection.crawl.large_pages import HERE, HOSTS_KNOWN, LATELY, RESTS, Lane
from gossamer.convert.sandboxed import FILES, LINKS, PAGES
from gossamer.convert.source import Source
from gossamer.model import Capture, Page, Visit
from gossamer.testing import VirtualClock
from gossamer.testing.clock import run, running_clock


def test_pages_that_cost_much_take_a_sixth_of_the_time_beside_others() -> None:
    async def main() -> float:
        clock = running_clock()
        lane = Lane(clock.steady)
        began = clock.steady()
        for _ in range(10):
            lane.served()
            await lane.enter("heavy.example")
            await asyncio.sleep(1.0)
            lane.leave("heavy.example", 1.0)
        return clock.steady() - began

    assert run(main()) == pytest.approx(10 * 1.0 + 9 * RESTS * 1.0)


def test_nobody_rests_when_nobody_else_is_there() -> None:
    async def main() -> float:
        clock = running_clock()
        lane = Lane(clock.steady)
        await asyncio.sleep(LATELY)
        began = clock.steady()
        for _ in range(10):
            await lane.enter("heavy.example")
            lane.leave("heavy.example", 1.0)
        return clock.steady() - began

    assert run(main()) == 0.0


def test_the_host_that_has_cost_least_comes_first() -> None:
    order = list[str]()

    async def visit(lane: Lane, host: str, seconds: float) -> None:
        await lane.enter(host)
        order.append(host)
        await asyncio.sleep(0)
        lane.leave(host, seconds)

    async def main() -> None:
        lane = Lane(running_clock().steady)
        await visit(lane, "heavy.example", 5.0)
        others = [visit(lane, "heavy.example", 5.0) for _ in range(3)]
        await asyncio.gather(*others, visit(lane, "good.example", 0.1))

    run(main())
    assert order == ["heavy.example"] * 2 + ["good.example"] + ["heavy.example"] * 2


def test_each_that_leaves_lets_one_in_and_nobody_comes_between() -> None:
    clock = VirtualClock()
    order: list[str] = []

    async def main() -> None:
        lane = Lane(clock.steady)

        async def enter(host: str) -> None:
            await lane.enter(host)
            order.append(host)

        await enter("a")
        waiting = [asyncio.ensure_future(enter(host)) for host in ("b", "c")]
        await asyncio.sleep(0)
        lane.leave("a", 0.0)
        late = asyncio.ensure_future(enter("late"))  # before the one that was let in has begun
        for wanted in (["a", "b"], ["a", "b", "c"], ["a", "b", "c", "late"]):
            for _ in range(5):
                await asyncio.sleep(0)
            assert order == wanted
            lane.leave(wanted[-1], 0.0)
        await asyncio.gather(late, *waiting)

    clock.run(main())


def test_a_crawl_that_stops_does_not_rest() -> None:
    async def main() -> float:
        clock = running_clock()
        lane = Lane(clock.steady)
        lane.served()
        await lane.enter("heavy.example")
        lane.leave("heavy.example", 100.0)
        lane.hurry()
        before = clock.steady()
        await lane.enter("heavy.example")
        return clock.steady() - before

    assert run(main()) == 0.0


def test_the_lane_remembers_a_bounded_number_of_hosts() -> None:
    lane = Lane(lambda: 0.0)
    for number in range(HOSTS_KNOWN + 10):
        lane.leave(f"host{number}.example", 1.0)
    assert len(lane._cost) == HOSTS_KNOWN


PARTS = "<p>The river runs through a town with <a href='/there?a=%d'>a bridge</a> of stone and a market on Sundays.</p>"
LARGE = (
    "<title>Large</title><meta name=robots content=nofollow>" + "".join(PARTS % at for at in range(4_000))
).encode()
FIELDS = (
    ("content-type", "text/html; charset=utf-8"),
    ("link", "</first>; rel=canonical"),
    ("x-robots-tag", "noarchive"),
)


def large(content: str | None = "learned") -> Source:
    capture = Capture(Visit("http://site.test/"), 0.0, 0.0, 200, FIELDS, wire=LARGE, body=LARGE)
    source = convert.begin(capture, "Gossamer", content=content, here=HERE)
    assert isinstance(source, Source)
    return source


@pytest.mark.parametrize(("content", "preload"), [("learned", FILES), ("learned", PAGES), (None, LINKS)])
def test_a_large_page_says_the_same_wherever_it_is_read(content: str | None, preload: tuple[str, ...]) -> None:
    assert len(LARGE) > HERE
    capture = Capture(Visit("http://site.test/"), 0.0, 0.0, 200, FIELDS, wire=LARGE, body=LARGE)
    here = convert.begin(capture, "Gossamer", content=content)
    source = large(content)
    assert isinstance(here, Page)
    apart = convert.Apart(preload=preload)
    try:
        assert convert.finish(source, apart.now(source)) == here
    finally:
        apart.close()
    assert (here.canonical, here.nofollow, here.noarchive) == ("http://site.test/first", True, True)


def test_a_process_for_large_pages_loads_nothing_that_only_files_need() -> None:
    loaded = "import sys, {}; print(*(name in sys.modules for name in ('numpy', 'gossamer.convert.files.pdf.pdf')))"
    reader = "gossamer.convert.sandboxed_reader"

    def said(*modules: str) -> list[str]:
        asked = [sys.executable, "-c", loaded.format(", ".join((reader, *modules)))]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()

    assert [said(*LINKS), said(*PAGES), said(*FILES)] == [["False"] * 2, ["True", "False"], ["True"] * 2]


def test_what_needs_more_memory_than_most_is_read_again_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convert.sandboxed, "LITTLE", 1 << 16)
    entered = list[bool]()

    @contextmanager
    def alone() -> Iterator[None]:
        entered.append(True)
        yield

    source = large()
    apart = convert.Apart(alone=alone)
    try:
        assert len(convert.finish(source, apart.now(source)).links) > 4_000
        assert len(convert.finish(source, asyncio.run(apart.soon(source))).links) > 4_000
    finally:
        apart.close()
    assert entered == [True, True]


def test_one_process_over_all_may_be_alone(tmp_path: Path) -> None:
    order = list[str]()

    def second() -> None:
        with page_reader._alone_in(tmp_path):
            order.append("second")

    with page_reader._alone_in(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_a_small_page_is_read_here() -> None:
    capture = Capture(Visit("http://site.test/"), 0.0, 0.0, 200, FIELDS, wire=b"<p>x", body=b"<p>x")
    assert isinstance(convert.begin(capture, "Gossamer", here=HERE), Page)
