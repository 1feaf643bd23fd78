"""How does a visit go, by a protocol that is none of HTTP? The same clocks and the same budget of bytes hold for it.

Protocols tell how far they are, from whatever thread: when they connect, when that is done, and what comes. Of one that
tells nothing, only the whole time counts. Time is what the server had: a visit that waits for a thread, or for room for
its answer, or for us, is not late.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from gossamer.fetch.limits import Limits
from gossamer.fetch.memory_budget import Held
from gossamer.fetch.pace import Pace
from gossamer.fetch.threads import DaemonThreads
from gossamer.model import Clock, Failure, Fault, SystemClock, Visit

T = TypeVar("T")

THREADS_MOST = 256
"""For visits at once whose protocol blocks; the others wait."""
GRANTED = 1 << 16
"""Bytes that room is asked for at once."""
LOOK_AGAIN = 0.1
"""Seconds after which it is asked again whether there is room."""


class GivenUp(Exception):
    """A visit that took too long."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure


@dataclass(frozen=True)
class Means:
    """What all visits share."""

    limits: Limits = field(default_factory=Limits)
    clock: Clock = field(default_factory=SystemClock)
    held: Held = field(default_factory=Held)
    threads: Executor = field(default_factory=lambda: DaemonThreads(THREADS_MOST, "gossamer-protocol"))


class Course:
    """Of one visit."""

    def __init__(self, means: Means | None = None, visit: Visit | None = None) -> None:
        self._means = means or Means()
        self._visit = visit or Visit("")
        limits = self._means.limits
        self._limits = limits
        self._pace = Pace(limits)
        times = (limits.connect, limits.first_byte, limits.idle, limits.total, limits.slow_seconds)
        self._interval = min(1.0, min(times) / 4)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connects = self._stands = False
        self._progress = 0
        self._used = self._granted = 0
        self._queued = self._waits = self._ended = False
        """It has no thread yet; there is no room for what came; nobody wants it any more."""

    # ------------------------------------------------------- what protocols tell

    def connecting(self) -> None:
        """A connection is being made."""
        self._connects = True

    def connected(self) -> None:
        """It stands."""
        self._stands = True

    def came(self, octets: int) -> None:
        """So much has come."""
        self._progress += octets

    async def room(self, octets: int) -> None:
        """Wait until there is room for so many bytes more."""
        self._used += octets
        if self._used <= self._granted:
            return
        held, more = self._means.held, max(self._used - self._granted, GRANTED)
        if not self._granted:  # not before, for others wait for the oldest, and one without a thread waits itself
            held.begin(self._visit)
        while not (self._ended or held.room(self._visit, more)):
            self._waits = True
            await asyncio.sleep(LOOK_AGAIN)
        self._waits = False
        if self._ended:
            raise ConnectionAbortedError("nobody waits for it any more")
        held.grow(self._visit, more)
        self._granted += more

    def wait_for_room(self, octets: int) -> None:
        """The same, in a thread."""
        if self._used + octets <= self._granted or self._loop is None:
            self._used += octets
            return
        asyncio.run_coroutine_threadsafe(self.room(octets), self._loop).result()

    async def aside(self, work: Callable[[], T]) -> T:
        """Do what blocks in a thread. Its time begins with the thread."""
        self._loop = asyncio.get_running_loop()
        self._queued = True

        def begin() -> T:
            self._queued = False
            return work()

        return await self._loop.run_in_executor(self._means.threads, begin)

    # ------------------------------------------------------------- who looks on

    async def over(self, work: Coroutine[Any, Any, T]) -> T:
        """What comes of it; GivenUp when that takes too long."""
        task = asyncio.get_running_loop().create_task(work)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody may be left to ask for it
        clock = self._means.clock
        began = before = clock.steady()
        lag = 0.0
        try:
            while not (await asyncio.wait({task}, timeout=self._interval))[0]:
                now = clock.steady()
                lag += max(now - before - self._interval, 0.0)
                if self._queued or self._waits:
                    began += self._interval
                    self._pace.rest(self._interval)
                before = now
                if failure := self._late(now - lag, began):
                    raise GivenUp(failure)
            return task.result()
        finally:
            self._ended = True
            task.cancel()
            self._means.held.end(self._visit)

    def _late(self, now: float, began: float) -> Failure | None:
        if self._queued or self._waits:
            return None
        if now - began >= self._limits.total:
            return Failure(Fault.TIMEOUT, f"no whole answer within {self._limits.total:g} s")
        if self._stands or self._progress:
            return self._pace.look(self._progress, now)
        return self._pace.connecting(now) if self._connects else None
