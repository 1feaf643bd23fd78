"""The virtual clock: time passes when nobody waits for it, in the right order, and never hangs."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from gossamer.testing import Deadlock, VirtualClock, run, running_clock


def test_a_thousand_sleeps_of_an_hour_take_no_time() -> None:
    clock = VirtualClock()
    wall, steady = clock.wall(), clock.steady()

    async def sleep_on() -> None:
        for _ in range(1000):
            await asyncio.sleep(3600)

    real = time.monotonic()
    clock.run(sleep_on())
    assert clock.wall() - wall == clock.steady() - steady == 3_600_000
    assert time.monotonic() - real < 60  # six weeks would be longer


def test_sleepers_wake_in_the_order_of_their_time() -> None:
    async def wake_all() -> list[tuple[float, int]]:
        woken: list[tuple[float, int]] = []
        began = running_clock().steady()

        async def sleeper(hours: int) -> None:
            await asyncio.sleep(hours * 3600)
            woken.append((running_clock().steady() - began, hours))

        await asyncio.gather(*(sleeper(hours * 7 % 100) for hours in range(100)))
        return woken

    assert run(wake_all()) == [(hours * 3600, hours) for hours in range(100)]


def test_timeouts_and_call_later_are_virtual_too() -> None:
    async def wait() -> list[str]:
        seen: list[str] = []
        asyncio.get_running_loop().call_later(5, seen.append, "five")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3600):
                await asyncio.Event().wait()
        return seen

    assert run(wait()) == ["five"]


def test_a_wait_of_many_days_is_one_wait() -> None:
    clock = VirtualClock(start=0.0)
    clock.run(asyncio.sleep(30 * 86_400))
    assert clock.wall() == 30 * 86_400


@pytest.mark.parametrize("days", [193, 400, 3_650])
def test_a_timer_is_due_after_any_number_of_days(days: int) -> None:
    """Where the clock has come so far that a nanosecond is nothing to it."""
    clock = VirtualClock()
    clock.advance(days * 86_400 + 0.3)

    async def sleep_on() -> None:
        for _ in range(20):
            await asyncio.sleep(86_400.1)

    clock.run(asyncio.wait_for(sleep_on(), 30 * 86_400))


def test_the_clock_goes_on_from_run_to_run() -> None:
    clock = VirtualClock(start=1_000_000.0)
    for _ in range(2):
        clock.run(asyncio.sleep(60))
    assert clock.wall() == 1_000_120.0


@pytest.mark.parametrize("seconds", [86_400.0, -86_400.0])
def test_a_jump_moves_the_wall_and_not_the_steady_clock(seconds: float) -> None:
    async def jump() -> tuple[float, float]:
        clock = running_clock()
        wall, steady = clock.wall(), clock.steady()
        clock.jump(seconds)
        await asyncio.sleep(10)
        return clock.wall() - wall, clock.steady() - steady

    assert run(jump()) == (seconds + 10, 10)


def test_time_does_not_pass_backwards() -> None:
    with pytest.raises(ValueError, match="use jump"):
        VirtualClock().advance(-1)


def test_a_deadlock_is_an_error_that_names_the_task() -> None:
    async def wait_for_ever() -> None:
        asyncio.current_task().set_name("waiter")  # type: ignore[union-attr]  # there is one: this
        await asyncio.Event().wait()

    with pytest.raises(Deadlock, match=r"nothing will ever happen.*waiter"):
        run(wait_for_ever())


def test_a_deadlock_still_lets_the_tasks_clean_up() -> None:
    cleaned: list[bool] = []

    async def wait_for_ever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append(True)

    with pytest.raises(Deadlock):
        run(wait_for_ever())
    assert cleaned == [True]


def test_time_stands_still_while_a_thread_works() -> None:
    async def work() -> tuple[str, float]:
        began = running_clock().steady()
        release = threading.Event()

        def in_thread() -> str:
            release.wait()
            return "done"

        timer = asyncio.create_task(asyncio.sleep(1))
        job = asyncio.create_task(asyncio.to_thread(in_thread))
        await asyncio.sleep(0)
        threading.Timer(0.02, release.set).start()
        done = await job
        passed = running_clock().steady() - began
        await timer
        return done, passed

    assert run(work()) == ("done", 0.0)


def test_a_thread_that_fails_is_no_deadlock() -> None:
    async def work() -> None:
        await asyncio.get_running_loop().run_in_executor(None, int, "x")

    with pytest.raises(ValueError, match="invalid literal"):
        run(work())


def test_the_running_clock_needs_a_virtual_loop() -> None:
    async def ask() -> None:
        running_clock()

    with pytest.raises(RuntimeError, match="real time"):
        asyncio.run(ask())
