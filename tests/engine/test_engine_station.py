"""A station without Ray: what its lease counts from, that no news is lost, and that frames come once and in order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from functools import partial
from typing import Any

import pytest
import toy_workers

from gossamer.engine.protocols import SUPERVISOR
from gossamer.engine.ray import outbound, station
from gossamer.engine.ray.calls import Ended, Unreachable
from gossamer.engine.ray.outbound import Outbound
from gossamer.engine.ray.station import Kit, Leasing, Routes, Station
from gossamer.engine.wire import Kind, frame, payload, split

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own, when it is loaded
LEASE = 5.0


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


async def begun(lease: float = LEASE) -> Station:
    made = Station()
    await made.begin(7, Kit(2, partial(toy_workers.Unattended, toy_workers.wait_for_stop), leasing=Leasing(lease)))
    return made


def news_of(blob: bytes) -> list[tuple[int, int, bytes]]:
    return [(kind, source, payload(whole)) for kind, source, _, whole in split(blob)]


def test_a_lease_counts_from_the_reply_that_the_supervisor_has_confirmed() -> None:
    async def test() -> None:
        here = await begun()
        here._tell(Kind.MESSAGE, 0, b"news")
        before = time.monotonic()
        number, _ = await here.told(0)
        sent = time.monotonic()
        assert here._leased_until < before, "nobody knows that the reply was received"
        here._tell(Kind.MESSAGE, 0, b"more")
        await asyncio.sleep(0.1)
        await here.told(number)
        assert before + LEASE <= here._leased_until <= sent + LEASE, "and not from when it was confirmed"
        await here.close()

    run(test())


def test_a_reply_that_got_lost_is_given_again_and_its_lease_not() -> None:
    async def test() -> None:
        here = await begun()
        here._tell(Kind.MESSAGE, 1, b"once")
        number, blob = await here.told(0)
        leased_until = here._leased_until
        assert await here.told(0) == (number, blob)
        assert here._leased_until == leased_until
        assert news_of(blob) == [(Kind.MESSAGE, 1, b"once")]
        here._tell(Kind.FINISHED, 1)
        assert news_of((await here.told(number))[1]) == [(Kind.FINISHED, 1, b"")]
        await here.close()

    run(test())


def test_a_question_that_was_asked_again_takes_no_news_with_it() -> None:
    async def test() -> None:
        here = await begun()
        first = asyncio.ensure_future(here.told(0))
        await asyncio.sleep(0)
        second = asyncio.ensure_future(here.told(0))
        await asyncio.sleep(0)
        here._tell(Kind.MESSAGE, 0, b"for the second")
        assert await first == (0, b"")
        number, blob = await second
        assert (number, news_of(blob)) == (1, [(Kind.MESSAGE, 0, b"for the second")])
        await here.close()

    run(test())


def test_frames_are_taken_once_and_only_from_stations_on_the_list() -> None:
    async def test() -> None:
        here = await begun()
        came: list[bytes] = []
        here._crew.deliver = lambda target, whole: came.append(bytes(whole))  # type: ignore[method-assign]  # a spy
        blob = frame(Kind.MESSAGE, 1, 0, b"hello")
        assert not await here.take(8, 1, blob)
        await here.connect(Routes(1, (7, 8), {7: None, 8: None}))
        assert await here.take(8, 1, blob)
        assert await here.take(8, 1, blob), "it was a call that is made again"
        assert await here.take(SUPERVISOR, 1, blob)
        assert came == [blob, blob]
        await here.connect(Routes(2, (7, 9), {7: None, 8: None, 9: None}))
        assert await here.take(8, 2, blob)
        assert len(came) == 2, "the worker that said it is elsewhere now"
        await here.connect(Routes(3, (7, 9), {7: None, 9: None}))
        assert not await here.take(8, 3, blob), "it was given up"
        await here.close()

    run(test())


def test_routes_that_come_late_do_not_replace_newer_ones() -> None:
    async def test() -> None:
        here = await begun()
        await here.connect(Routes(2, (7, 9), {7: None, 9: None}))
        await here.connect(Routes(1, (7, 8), {7: None, 8: None}))
        assert here._routes.where == (7, 9)
        assert await here.take(9, 1, b"")
        assert not await here.take(8, 1, b"")
        await here.close()

    run(test())


def test_what_a_worker_shared_is_free_before_anybody_hears_that_it_goes_on_elsewhere() -> None:
    async def test() -> None:
        here = await begun()
        gone: list[int] = []
        told_before: list[bool] = []

        def note(index: int) -> None:
            gone.append(index)
            told_before.append(Kind.FINISHED in {kind for kind, *_ in news_of(b"".join(here._news))})

        here._attendant.gone = note  # type: ignore[method-assign]  # a spy
        await here.adopt({0: 1, 1: 1})
        number = 0
        while (Kind.MESSAGE, 0, b"ready") not in news_of((reply := await here.told(number))[1]):
            number = reply[0]
        await here.release(0)
        number = reply[0]
        while (Kind.FINISHED, 0, b"") not in news_of((reply := await here.told(number))[1]):
            number = reply[0]
        assert (gone, told_before) == ([0], [False])
        await here.close()

    run(test())


def test_a_worker_that_is_handed_over_twice_keeps_what_it_shares() -> None:
    """Its first answer was lost."""

    async def test() -> None:
        here = await begun()
        adopted: list[int] = []
        here._attendant.adopt = adopted.append  # type: ignore[method-assign]  # a spy
        for _ in range(2):
            await here.adopt({0: 1})
        assert adopted == [0]
        await here.close()

    run(test())


def test_a_station_that_nobody_asks_any_more_ends_its_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(station, "ABANDONED", 0.01)

    async def test() -> None:
        here = await begun(lease=1.0)
        await here.adopt({0: 1})
        async with asyncio.timeout(120):
            await here._watch
        assert here._run.done()
        with pytest.raises(Ended):  # a supervisor that was asleep does not take its workers for done
            await here.told(0)

    run(test())


def test_calls_that_nobody_answers_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbound, "RETRY", 0.01)
    monkeypatch.setattr(outbound, "PATIENCE", 0.05)
    calls: list[tuple[int, bytes]] = []

    async def take(number: int, blob: bytes) -> bool:
        calls.append((number, blob))
        if len(calls) == 1:
            await asyncio.Event().wait()
        return True

    async def test() -> None:
        way = Outbound(take)
        way.send(b"a")
        await way.flushed()

    run(test())
    assert calls == [(1, b"a"), (1, b"a")]


def test_calls_that_fail_are_made_again_with_the_same_number_and_the_rest_gathers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outbound, "RETRY", 0.01)
    calls: list[tuple[int, bytes]] = []

    async def take(number: int, blob: bytes) -> bool:
        calls.append((number, blob))
        if len(calls) == 1:
            raise Unreachable("cut")
        return len(calls) > 2

    async def test() -> None:
        way = Outbound(take)
        way.send(b"a")
        await asyncio.sleep(0)
        for each in (b"b", b"c"):
            way.send(each)
        await way.flushed()
        assert (way.calls, way.bytes) == (2, 3)

    run(test())
    assert calls == [(1, b"a"), (1, b"a"), (1, b"a"), (2, b"bc")]
