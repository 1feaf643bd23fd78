"""Who has had enough asks once, and what is in flight may finish; who asks twice does not wait."""

from __future__ import annotations

import asyncio

import pytest

from gossamer.collection.crawl.running import FINISH, Stopping


def test_nobody_has_asked_until_somebody_asks() -> None:
    async def work() -> None:
        stopping = Stopping()
        assert (stopping.asked, stopping.stop.is_set()) == (False, False)
        stopping.ask()
        assert (stopping.asked, stopping.stop.is_set()) == (True, True)

    asyncio.run(work())


def test_what_is_in_flight_is_dropped_when_its_time_is_over() -> None:
    async def work() -> None:
        stopping = Stopping(0.0)
        stopping.ask()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(5)

    asyncio.run(work())


def test_what_is_in_flight_has_a_while_to_finish(monkeypatch: pytest.MonkeyPatch) -> None:
    granted: list[float] = []

    async def work() -> None:
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "call_later", lambda seconds, _: granted.append(seconds))
        Stopping().ask()
        Stopping(9.0).ask()

    asyncio.run(work())
    assert granted == [FINISH, 9.0]
    assert FINISH == 2.5  # with the end of the processes a crawl is gone within five


def test_who_asks_again_drops_it_at_once() -> None:
    async def work() -> None:
        stopping = Stopping(60.0)
        stopping.ask()
        await asyncio.sleep(0)
        stopping.ask()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(5)

    asyncio.run(work())


def test_work_that_has_ended_is_left_alone() -> None:
    async def work() -> None:
        async def live() -> Stopping:
            return Stopping(60.0)

        task = asyncio.get_running_loop().create_task(live())
        stopping = await task
        stopping.ask()
        stopping.ask()
        assert not task.cancelled()

    asyncio.run(work())


def test_where_there_is_no_task_there_is_nothing_to_drop() -> None:
    async def work() -> None:
        made: asyncio.Future[Stopping] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(lambda: made.set_result(Stopping(0.0)))
        stopping = await made
        stopping.ask()
        stopping.ask()
        assert stopping.asked

    asyncio.run(work())
