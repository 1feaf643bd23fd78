"""What those who watch a crawl are sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gossamer.errors import StorageError
from gossamer.web import live as module
from gossamer.web.live import Pulse, Words


async def next_news(events: AsyncIterator[bytes]) -> dict[str, str]:
    async for event in events:
        if event.startswith(b"data: "):
            return dict(json.loads(event.removeprefix(b"data: ")))
    raise AssertionError("it ended")


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EVERY", 0.001)


def test_only_what_has_changed_is_sent() -> None:
    looks = iter([{"pages": "1", "state": "runs"}, {"pages": "1", "state": "runs"}, {"pages": "2", "state": "runs"}])
    last = {"pages": "3", "state": "done"}

    async def look() -> Words:
        return next(looks, last)

    async def watch() -> list[dict[str, str]]:
        events = Pulse(look, look).events()
        found = [await next_news(events) for _ in range(3)]
        await events.aclose()  # type: ignore[attr-defined]  # it is a generator
        return found

    first, second, third = asyncio.run(watch())
    assert first == {"pages": "1", "state": "runs"}
    assert second == {"pages": "2"}
    assert third == {"pages": "3", "state": "done"}


def test_nobody_looks_when_nobody_watches_and_all_share_one_look() -> None:
    looks = 0

    async def look() -> Words:
        nonlocal looks
        looks += 1
        return {"n": str(looks)}

    async def watch() -> tuple[int, int]:
        pulse = Pulse(look, look)
        watchers = [pulse.events() for _ in range(20)]
        for each in watchers:
            await next_news(each)
        for each in watchers:
            await each.aclose()  # type: ignore[attr-defined]  # it is a generator
        then = looks
        await asyncio.sleep(0.05)
        return then, looks

    then, later = asyncio.run(watch())
    assert later == then
    assert then < 200


def test_a_look_that_fails_does_not_end_it() -> None:
    fails = iter([True, False])

    async def look() -> Words:
        if next(fails, False):
            raise StorageError("busy")
        return {"pages": "1"}

    async def watch() -> dict[str, str]:
        return await next_news(Pulse(look, look).events())

    assert asyncio.run(watch()) == {"pages": "1"}


def test_it_is_full_while_as_many_watch_as_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WATCHERS_MOST", 1)

    async def look() -> Words:
        return {}

    async def watch() -> None:
        pulse = Pulse(look, look)
        first = pulse.events()
        assert not pulse.is_full
        await anext(first)
        assert pulse.is_full
        await first.aclose()  # type: ignore[attr-defined]  # it is a generator
        assert not pulse.is_full

    asyncio.run(watch())


def test_all_hear_of_the_end_with_the_last_figures_and_are_let_go() -> None:
    async def look() -> Words:
        return {"pages": "1", "state": "runs"}

    async def last_look() -> Words:
        return {"pages": "2", "state": "runs"}

    async def watch() -> list[list[bytes]]:
        pulse = Pulse(look, last_look)
        watchers = [pulse.events() for _ in range(2)]
        for each in watchers:
            await next_news(each)
        await pulse.end("over")
        late = pulse.events()
        return [[event async for event in each if event.startswith(b"event:")] for each in (*watchers, late)]

    ended = b'event: end\ndata: {"pages": "2", "ended": "over"}\n\n'
    whole = b'event: end\ndata: {"pages": "2", "state": "runs", "ended": "over"}\n\n'
    assert asyncio.run(watch()) == [[ended], [ended], [whole]]


def test_a_last_look_that_fails_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LAST_MOST", 0.01)

    async def look() -> Words:
        return {"pages": "1"}

    async def hangs() -> Words:
        await asyncio.Event().wait()
        return {}

    async def watch() -> list[bytes]:
        pulse = Pulse(look, hangs)
        events = pulse.events()
        await next_news(events)
        await pulse.end("over")
        return [event async for event in events]

    assert asyncio.run(watch()) == [b'event: end\ndata: {"ended": "over"}\n\n']


def test_the_words_cannot_end_an_event(collection: Path) -> None:
    async def look() -> Words:
        return {"basis": "a\n\ndata: {}\r\n\x85 b"}

    async def watch() -> bytes:
        events = Pulse(look, look).events()
        return [await anext(events) for _ in range(2)][1]

    event = asyncio.run(watch())
    assert event.count(b"\n") == 2
    assert event.endswith(b"\n\n")
