"""Answers share one budget of memory: what is over waits, ordinary pages never do, and all of them come in the end."""

from __future__ import annotations

import asyncio

from fetch_hostile import Talk, answer, fetching, run, serving

from gossamer.fetch.memory_budget import Held
from gossamer.model import Capture, Visit

LARGE = 300_000
MOST, VISITS = 400_000, 20
PIECE = 1 << 16
"""More than libcurl hands over at once."""
PAGES = [Visit(f"http://site.test/{number}") for number in range(4)]


class Counted(Held):
    """Remembers the most that it held."""

    most = 0

    def grow(self, visit: Visit, octets: int) -> None:
        super().grow(visit, octets)
        self.most = max(self.most, self.octets)


async def large_or_small(talk: Talk) -> bool:
    await talk.send(answer(b"x" * (LARGE if b"large" in talk.head else 5_000)))
    return True


def test_many_large_answers_at_once_stay_within_the_budget_and_all_come() -> None:
    async def main() -> tuple[list[Capture], int]:
        held = Counted(MOST, VISITS)
        async with serving(large_or_small) as server, fetching(held=held) as fetcher:
            kept = []

            async def visit(number: int) -> None:
                capture = await fetcher(Visit(server.url(f"/large/{number}")))
                await asyncio.sleep(0)  # it is read
                held.free(capture.visit)
                kept.append(capture)

            await asyncio.gather(*(visit(number) for number in range(VISITS)))
            assert held.octets == 0
            return kept, held.most

    kept, most = run(main())
    assert [(len(each.body), each.failure) for each in kept] == [(LARGE, None)] * VISITS
    assert most <= MOST + LARGE + PIECE


def test_a_small_answer_comes_while_large_ones_wait() -> None:
    async def main() -> Capture:
        held = Held(MOST, VISITS)
        async with serving(large_or_small) as server, fetching(held=held) as fetcher:
            first = await fetcher(Visit(server.url("/large/1")))  # nobody keeps it
            waiting = [asyncio.ensure_future(fetcher(Visit(server.url(f"/large/{number}")))) for number in (2, 3, 4)]
            small = await fetcher(Visit(server.url("/small")))
            assert not all(each.done() for each in waiting)
            held.free(first.visit)
            for each in asyncio.as_completed(waiting):
                held.free((await each).visit)
            return small

    assert len(run(main()).body) == 5_000


def test_the_oldest_may_always_grow() -> None:
    held, (oldest, next_one) = Held(1_000, 1), PAGES[:2]
    held.begin(oldest)
    held.begin(next_one)
    held.grow(oldest, 50_000)
    assert (held.room(oldest, 10**9), held.room(next_one, 501), held.room(next_one, 500)) == (True, False, True)
    held.end(oldest)
    held.free(oldest)
    assert held.room(next_one, 10**9)


def test_what_is_kept_makes_room_and_whoever_waits_hears_of_it() -> None:
    held, (first, oldest, waiting) = Held(1_000, 1), PAGES[:3]
    for each in (first, oldest, waiting):
        held.begin(each)
    held.grow(first, 1_000)
    held.end(first)
    heard: list[bool] = []
    held.wake = lambda: heard.append(held.room(waiting, 1_000))
    assert not held.room(waiting, 1_000)
    held.free(first)
    assert heard == [True]
    assert held.octets == 0


def test_an_answer_that_waits_for_room_is_not_too_slow() -> None:
    async def main() -> Capture:
        held = Held(MOST, VISITS)
        clock = Hurried()
        async with serving(large_or_small) as server, fetching(held=held, clock=clock) as fetcher:
            first = await fetcher(Visit(server.url("/large/1")))
            second = asyncio.ensure_future(fetcher(Visit(server.url("/large/2"))))
            while not second.done() and clock.seconds < 1_000:
                clock.seconds += 5.0
                await asyncio.sleep(0.001)
                if clock.seconds > 500:
                    held.free(first.visit)
            return await second

    assert run(main()).failure is None


class Hurried:
    """A clock that goes as it is told."""

    seconds = 1.0

    def wall(self) -> float:
        return self.seconds

    def steady(self) -> float:
        return self.seconds


def test_half_of_the_budget_is_shared_out_among_the_visits() -> None:
    held, (_, second) = Held(1_000, 5), PAGES[:2]
    for each in PAGES[:2]:
        held.begin(each)
    held.grow(PAGES[0], 600)  # its share of 100, and all that is common
    assert (held.room(second, 100), held.room(second, 101)) == (True, False)
    held.grow(second, 60)
    assert (held.room(second, 40), held.room(second, 41)) == (True, False)


def test_what_is_beyond_a_share_is_counted_once() -> None:
    held, (_, second) = Held(1_000, 5), PAGES[:2]
    for each in PAGES[:2]:
        held.begin(each)
    held.grow(second, 400)  # 300 of the common 500
    assert (held.room(second, 200), held.room(second, 201)) == (True, False)
    held.grow(second, 200)
    assert held.room(second, 0)
    assert not held.room(second, 1)
    held.free(second)
    held.begin(second)
    assert (held.room(second, 600), held.room(second, 601)) == (True, False)


def test_one_that_is_given_up_is_no_longer_the_oldest() -> None:
    held, (oldest, second) = Held(1_000, 1), PAGES[:2]
    held.begin(oldest)
    held.begin(second)
    assert not held.room(second, 1_001)
    held.free(oldest)
    assert held.room(second, 10**9)


def test_one_that_is_asked_for_again_begins_anew_as_the_youngest() -> None:
    held, (first, second) = Held(1_000, 1), PAGES[:2]
    held.begin(first)
    held.begin(second)
    held.grow(first, 700)
    held.begin(first)
    assert held.octets == 0
    assert (held.room(second, 10**9), held.room(first, 1_001), held.room(first, 1_000)) == (True, False, True)


def test_nobody_is_woken_for_nothing() -> None:
    held, (first, second) = Held(1_000, 1), PAGES[:2]
    heard: list[str] = []
    held.wake = lambda: heard.append("woken")
    held.begin(first)
    held.grow(first, 500)
    held.free(first)
    held.end(second)
    assert heard == []
    held.begin(second)
    held.end(second)
    assert heard == ["woken"]


def test_without_a_budget_there_is_room_for_everybody() -> None:
    held = Held()
    for each in PAGES:
        held.begin(each)
        held.grow(each, 10**12)
        assert held.room(each, 10**12)


def test_answers_that_are_not_kept_yet_do_not_come_one_upon_the_other() -> None:
    held = Held(1_000, 10)
    for page in PAGES:
        held.begin(page)
    held.grow(PAGES[0], 5_000)
    held.end(PAGES[0])
    assert not held.room(PAGES[1], 5_000)  # though it is the oldest now
    assert held.room(PAGES[1], 50)
    held.free(PAGES[0])
    assert held.room(PAGES[1], 5_000)
