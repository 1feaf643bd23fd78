"""Other protocols than HTTP have the same clocks and the same budget: no server is late by our fault, or in peace."""

from __future__ import annotations

import asyncio
import threading

import pytest

from gossamer import testing
from gossamer.fetch import Limits
from gossamer.fetch.memory_budget import Held
from gossamer.fetch.protocols.asking import Ask
from gossamer.fetch.protocols.deadlines import GRANTED, Course, GivenUp, Means
from gossamer.fetch.protocols.incoming import Incoming
from gossamer.fetch.threads import DaemonThreads
from gossamer.model import Fault, Visit
from gossamer.testing.clock import running_clock

VISIT = Visit("ftp://site.test/")


async def dripping(course: Course) -> None:
    course.connecting()
    course.connected()
    while True:
        course.came(10)
        await asyncio.sleep(1)


async def silent(course: Course) -> None:
    course.came(10)
    await asyncio.sleep(1_000)


async def connecting(course: Course) -> None:
    course.connecting()
    await asyncio.sleep(1_000)


async def telling_nothing(course: Course) -> None:
    await asyncio.sleep(1_000)


async def stopping(course: Course) -> None:
    """A body begins, piece by piece, and comes no further."""
    incoming = Incoming(Ask("", "", 0, "", "/", 1.0, 1_000_000, course=course))
    for _ in range(25):  # longer than any answer may take to begin
        incoming.add(bytes(1_000))
        await asyncio.sleep(1)
    await asyncio.sleep(1_000)


@pytest.mark.parametrize(
    ("work", "seconds", "words"),
    [
        (stopping, 44, "nothing more came for 20 s"),
        (dripping, 30, "under 500 bytes a second for 30 s"),
        (silent, 20, "nothing more came for 20 s"),
        (connecting, 10, "no connection within 10 s"),
        (telling_nothing, 120, "no whole answer within 120 s"),
    ],
)
def test_the_clocks_are_those_of_http(work: object, seconds: float, words: str) -> None:
    async def main() -> None:
        clock = running_clock()
        began, course = clock.steady(), Course(Means(clock=clock), VISIT)
        with pytest.raises(GivenUp, match=words):
            await course.over(work(course))  # type: ignore[operator]  # one of those above
        assert seconds <= clock.steady() - began <= seconds + 3

    testing.run(main())


def test_the_time_of_a_visit_begins_with_its_thread_and_a_thread_that_hangs_holds_no_end() -> None:
    release, threads = threading.Event(), DaemonThreads(1, "test")
    means = Means(limits=Limits(total=0.2), threads=threads)

    async def main() -> str:
        first, second = Course(means, VISIT), Course(means, VISIT)
        hung = asyncio.create_task(first.over(first.aside(lambda: release.wait(60))))
        with pytest.raises(GivenUp, match=r"within 0\.2 s"):
            await asyncio.wait_for(asyncio.shield(hung), 30)
        waiting = asyncio.create_task(second.over(second.aside(lambda: "good")))
        assert await asyncio.wait({waiting}, timeout=0.5) == (set(), {waiting})
        release.set()
        return await waiting

    assert asyncio.run(main()) == "good"


def test_an_answer_that_waits_for_room_is_not_late() -> None:
    async def main() -> None:
        clock, other, held = running_clock(), Visit("ftp://other.test/"), Held(4 * GRANTED, 1)
        held.begin(other)
        held.grow(other, 4 * GRANTED)
        course = Course(Means(clock=clock, held=held), VISIT)

        async def work() -> str:
            for _ in range(4):
                await course.room(GRANTED)
                course.came(GRANTED)
            return "whole"

        visit = asyncio.create_task(course.over(work()))
        await asyncio.sleep(500)
        assert not visit.done()
        held.free(other)
        assert await visit == "whole"
        assert held.octets == 4 * GRANTED

    testing.run(main())


def test_nobody_gets_room_for_what_was_given_up() -> None:
    async def main() -> None:
        course = Course(Means(clock=running_clock()), VISIT)
        with pytest.raises(GivenUp) as given_up:
            await course.over(silent(course))
        assert given_up.value.failure.fault is Fault.TIMEOUT
        with pytest.raises(ConnectionAbortedError):
            await course.room(1)

    testing.run(main())
