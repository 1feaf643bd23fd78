"""Work is run to its end from wherever somebody asks for it, and an interrupt waits for the end of a step."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable

import pytest

from gossamer.collection.crawl import running
from gossamer.collection.crawl.running import run


async def _seven(stop: asyncio.Event) -> int:
    assert not stop.is_set()
    return 7


async def _broken(stop: asyncio.Event) -> int:
    raise ValueError("broken")


async def _cancelled(stop: asyncio.Event) -> int:
    raise asyncio.CancelledError


async def _interrupted(stop: asyncio.Event) -> int:
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.wait_for(stop.wait(), 60)
    return 7


def test_work_gives_its_result_or_its_error() -> None:
    assert run(_seven) == 7
    with pytest.raises(ValueError, match="broken"):
        run(_broken)
    with pytest.raises(asyncio.CancelledError):
        run(_cancelled)


def test_the_same_from_within_a_loop_that_is_running() -> None:
    async def notebook() -> None:
        before = threading.active_count()
        assert run(_seven) == 7
        with pytest.raises(ValueError, match="broken"):
            run(_broken)
        assert threading.active_count() == before

    asyncio.run(notebook())


def test_who_interrupts_is_heard_by_the_work_and_told_when_it_has_ended() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run(_interrupted)
    assert signal.getsignal(signal.SIGINT) is before is signal.default_int_handler
    assert run(_seven) == 7  # the next hears nothing of it


def test_a_handler_that_was_set_meanwhile_stays() -> None:
    mine: Callable[..., None] = lambda *_: None  # noqa: E731  # one line for a handler

    async def takes_over(stop: asyncio.Event) -> int:
        signal.signal(signal.SIGINT, mine)
        return 7

    try:
        assert run(takes_over) == 7
        assert signal.getsignal(signal.SIGINT) is mine
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def test_a_program_that_hears_interrupts_itself_is_left_alone() -> None:
    heard: list[int] = []
    mine: Callable[..., None] = lambda number, _: heard.append(number)  # noqa: E731  # likewise

    async def interrupted(stop: asyncio.Event) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(3):
            await asyncio.sleep(0)
        return 7 if not stop.is_set() else 0

    signal.signal(signal.SIGINT, mine)
    try:
        assert run(interrupted) == 7
        assert signal.getsignal(signal.SIGINT) is mine
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    assert heard == [signal.SIGINT]


def test_another_thread_hears_no_interrupts_and_runs_all_the_same() -> None:
    results: list[int] = []
    thread = threading.Thread(target=lambda: results.append(run(_seven)))
    thread.start()
    thread.join()
    assert results == [7]


@pytest.mark.parametrize(("finish", "most"), [(2.5, 2), (0.0, 1)])
def test_who_asks_once_more_than_means_anything_is_not_kept_waiting(finish: float, most: int) -> None:
    asked = running._Run(_seven, finish)
    for _ in range(most):
        asked._hear(signal.SIGINT, None)
    with pytest.raises(KeyboardInterrupt):
        asked._hear(signal.SIGINT, None)


def test_an_interrupt_before_the_work_has_begun_is_not_lost() -> None:
    stops: list[bool] = []

    async def noting(stop: asyncio.Event) -> int:
        stops.append(stop.is_set())
        return 7

    once = running._Run(noting, 60.0)
    once.interrupt()
    asyncio.run(once.begin())
    assert stops == [True]
    with pytest.raises(KeyboardInterrupt):
        once.result()


def test_two_interrupts_before_the_work_has_begun_drop_it() -> None:
    ended: list[str] = []

    async def waiting(stop: asyncio.Event) -> int:
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            ended.append("dropped")
            raise
        return 7

    for times, how in ((1, []), (2, ["dropped"])):
        ended.clear()
        asked = running._Run(waiting if times == 2 else _late, 60.0)
        for _ in range(times):
            asked.interrupt()
        asyncio.run(asked.begin())
        assert ended == how


async def _late(stop: asyncio.Event) -> int:
    await asyncio.sleep(0)
    return 7


def test_an_interrupt_after_the_end_changes_nothing() -> None:
    ended = running._Run(_seven, 60.0)
    asyncio.run(ended.begin())
    ended.interrupt()  # its loop is closed
    assert ended.result() == 7


def test_uvloop_is_used_where_it_is_installed() -> None:
    uvloop = pytest.importorskip("uvloop")
    assert running.fast_loop() is uvloop.new_event_loop
