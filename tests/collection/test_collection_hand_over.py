"""What shards of an import hand each other: no more than a window at once, and nothing of a life that is over."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import msgspec
import pytest

from gossamer.collection.imports import hand_over
from gossamer.collection.imports.hand_over import Ask, HandOver, Has, Laid, Over, Took
from gossamer.store.foreign.exchanges import Kept
from gossamer.store.warc.warc import Place, Record
from gossamer.testing import run

encode = msgspec.msgpack.encode


class Pipe(SimpleNamespace):
    """The middle one of three shards."""

    me, count = 1, 3

    def __init__(self) -> None:
        self.sent: list[tuple[int, bytes]] = []

    def owner(self, url: str) -> int:
        return 0

    def hand(self, to: int, message: bytes) -> None:
        self.sent.append((to, message))


@pytest.fixture
def pipe() -> Pipe:
    return Pipe()


def test_how_far_the_others_are_is_asked_until_all_have_said_so(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_over, "AGAIN", 5.0)

    async def main() -> None:
        over = HandOver(pipe)
        task = asyncio.create_task(over.far())
        await asyncio.sleep(1)
        assert sorted(pipe.sent) == [(0, encode(Ask())), (2, encode(Ask()))]
        assert over.decoded(0, encode(Has([(7, False)]))) is None
        await asyncio.sleep(1)
        over.decoded(0, encode(Has([(8, True)])))
        pipe.sent.clear()
        await asyncio.sleep(6)
        assert pipe.sent
        assert {to for to, _ in pipe.sent} == {2}, "only who has not said so"
        over.decoded(2, encode(Has([])))
        assert await task == {0: [(7, False)], 2: []}, "the first answer counts"

    run(main())


def test_no_more_is_under_way_than_the_window_and_an_end_takes_no_room(
    pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = Laid(0, Kept(Record(Place("a.warc", 0, 1, "x"), "metadata", (), b"words"), 0, None))
    monkeypatch.setattr(hand_over, "WINDOW", 2 * len(encode(item)))

    async def main() -> None:
        over = HandOver(pipe)
        for _ in range(1_000):
            await over.give(0, Over(0, lacking=False))
        await over.give(0, item)
        await over.give(0, item)
        third = asyncio.create_task(over.give(0, item))
        await over.give(2, item)  # another one has its own window
        await asyncio.sleep(1)
        assert not third.done()
        over.decoded(0, encode(Took(1)))
        await asyncio.sleep(1)
        assert third.done()

    run(main())


def test_what_is_handed_by_somebody_who_did_not_ask_is_of_a_life_that_is_over(pipe: Pipe) -> None:
    async def main() -> None:
        over = HandOver(pipe)
        assert over.decoded(0, encode(Over(3, lacking=True))) is None
        assert over.decoded(0, encode(Ask())) == Ask()
        assert over.decoded(0, encode(Over(3, lacking=True))) == Over(3, lacking=True)
        assert over.decoded(2, encode(Over(3, lacking=True))) is None

    asyncio.run(main())


def test_a_shard_that_was_started_anew_is_asked_again_and_has_its_window_free(pipe: Pipe) -> None:
    async def main() -> None:
        over = HandOver(pipe)
        over.decoded(0, encode(Has([(7, False)])))
        over.decoded(2, encode(Has([])))
        over.forget(0)
        assert pipe.sent == [(0, encode(Ask()))]
        task = asyncio.create_task(over.far())
        await asyncio.sleep(0)
        over.decoded(0, encode(Has([(9, False)])))
        assert (await task)[0] == [(9, False)]
        pipe.sent.clear()
        over.forget(1)
        assert pipe.sent == [], "nobody asks himself"

    asyncio.run(main())


def test_whoever_began_anew_has_its_whole_window_again(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_over, "WINDOW", 1)
    item = Laid(0, Kept(Record(Place("a.warc", 0, 1, "x"), "metadata", (), b"words"), 0, None))

    async def main() -> None:
        over = HandOver(pipe)
        await over.give(0, item)
        second = asyncio.create_task(over.give(0, item))
        await asyncio.sleep(1)
        assert not second.done()
        over.forget(0)
        await asyncio.sleep(1)
        assert second.done()

    run(main())
