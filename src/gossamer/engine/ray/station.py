"""A node's part of a crew: its workers are processes there, as on a single machine, and Ray carries what leaves it.

The supervisor asks it again and again what is new (`told`). That long poll is three things: the news, the sign of life,
and the lease. A reply that the supervisor confirms with its next question proves that it heard of us after we sent it.
So for LEASE seconds from that moment nobody else is given a place that is here; the supervisor waits longer than that
from the reply that it heard last (see `Leasing`). Both count seconds of their own steady clock, and no clocks are
compared. A station that is frozen and comes back finds its lease over; its workers do nothing that others could notice.
"""

from __future__ import annotations

import asyncio
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from gossamer.engine.local import Crew, Outfit, Part
from gossamer.engine.protocols import SUPERVISOR, Attend, Reports
from gossamer.engine.ray.calls import Ended, call
from gossamer.engine.ray.outbound import Outbound
from gossamer.engine.wire import Kind, frame, split

GATHER = 0.02
"""Seconds that news wait for more of them."""
BEATS = 5
"""Replies in the time of a lease, when there is no news."""
ABANDONED = 3
"""Leases after which a station that nobody asks ends."""


class Leasing(NamedTuple):
    """How long a place is surely somebody's, and when it is surely nobody's any more."""

    lease: float = 10.0
    """Seconds from the reply that was confirmed last."""

    @property
    def takeover(self) -> float:
        """Seconds from the reply that was heard last to a successor. A quarter more than the lease: clocks that run
        that differently are broken."""
        return self.lease * 1.25


@dataclass(frozen=True, slots=True)
class Kit:
    """What every station is given at first."""

    workers: int
    attend: Attend
    """Begins on each node what is beside the workers there, and says what they do."""
    preload: Sequence[str] = ()
    leasing: Leasing = Leasing()  # noqa: RUF009  # a frozen value


@dataclass(frozen=True, slots=True)
class Routes:
    """Which station has which worker, and how it is called. Stations that are not among them are not heard.

    Ray does not promise that calls come in order, so they are numbered.
    """

    number: int
    where: tuple[int, ...]
    stations: Mapping[int, Any]


class Farewell(NamedTuple):
    """What is told at the end: the last news, and how many calls were made to others, with how many bytes."""

    news: bytes
    calls: int
    bytes: int


class Station:
    """The actor. Its methods are called by the supervisor, `take` by the other stations too."""

    async def begin(self, me: int, kit: Kit) -> None:
        """Before anything else. `me` is a number that no station had before."""
        self._me, self._kit = me, kit
        self._routes = Routes(0, (), {})
        self._lines: dict[int, Outbound] = {}
        self._taken: dict[int, int] = {}
        self._news: list[bytes] = []
        self._is_news = asyncio.Event()
        self._reply, self._number, self._sent, self._polls = b"", 0, 0.0, 0
        self._leased_until = self._asked = time.monotonic()
        self._abandoned = False
        kill: Callable[[int], None] = lambda index: self._crew.kill(index)  # noqa: E731  # there is none yet
        self._attendant = kit.attend(me, kill)
        self._crew = Crew(
            self._attendant.work,
            kit.workers,
            Reports(
                lambda index, message: self._tell(Kind.MESSAGE, index, message),
                self._died,
                lambda index, error: self._tell(Kind.FAILED, index, pickle.dumps(error)),
            ),
            outfit=Outfit(kit.preload, self._attendant.keep),
            part=Part(self._forward, self._left),
        )
        loop = asyncio.get_running_loop()
        self._run = loop.create_task(self._crew.run())
        self._watch = loop.create_task(self._end_when_abandoned())
        await asyncio.sleep(0)  # it runs before it can be ended

    async def connect(self, routes: Routes) -> None:
        """Who is where from now on, unless something newer is known."""
        if routes.number <= self._routes.number:
            return
        self._routes = routes
        for number in self._lines.keys() - routes.stations.keys():
            self._lines.pop(number).close()
        self._taken = {number: self._taken.get(number, 0) for number in (SUPERVISOR, *routes.stations)}

    async def adopt(self, places: Mapping[int, int]) -> None:
        """Workers that begin here now, with their terms."""
        for index, term in places.items():
            if not self._crew.has(index):  # else it was said before, and what the worker shares by now is its own
                self._attendant.adopt(index)
                self._crew.adopt(index, term)

    async def release(self, index: int) -> None:
        """A worker is to go on elsewhere; it is told as FINISHED when it has ended here."""
        self._crew.release(index)

    async def kill(self, index: int) -> None:
        """As `Supervisor.kill`."""
        self._crew.kill(index)

    async def attend(self, message: bytes) -> None:
        """Something for what is beside the workers."""
        self._attendant.heard(message)

    async def take(self, source: int, number: int, blob: bytes) -> bool:
        """Frames for workers that are here; False from a station that is not on the list. What comes late, of a worker
        that is elsewhere by now, is not heard: its successor may have spoken already."""
        if source not in self._taken:
            return source == SUPERVISOR and await self._take_first(number, blob)
        if number > self._taken[source]:
            self._taken[source] = number
            for _, worker, target, whole in split(blob):
                if source == SUPERVISOR or self._routes.where[worker] == source:
                    self._crew.deliver(target, whole)
        return True

    async def _take_first(self, number: int, blob: bytes) -> bool:
        self._taken[SUPERVISOR] = 0
        return await self.take(SUPERVISOR, number, blob)

    async def told(self, received: int) -> tuple[int, bytes]:
        """The next reply, after the one with this number was received: what is new, or nothing for a while."""
        if self._abandoned:
            raise Ended("has ended all that was there, because nobody asked it for too long")
        self._asked = time.monotonic()
        self._polls += 1
        poll = self._polls
        if received < self._number:
            return self._number, self._reply  # it got lost
        self._renew()
        try:
            async with asyncio.timeout(self._kit.leasing.lease / BEATS):
                await self._is_news.wait()
                await asyncio.sleep(GATHER)
        except TimeoutError:
            pass
        if poll != self._polls:
            return received, b""  # somebody asked again, because this one was taken for lost
        self._number += 1
        self._reply, self._sent = b"".join(self._news), time.monotonic()
        self._news.clear()
        self._is_news.clear()
        return self._number, self._reply

    async def close(self) -> Farewell:
        """End all that is here."""
        self._watch.cancel()
        await self._end()
        self._polls += 1  # who still asks gets nothing of it
        lines = self._lines.values()
        return Farewell(b"".join(self._news), sum(line.calls for line in lines), sum(line.bytes for line in lines))

    # ------------------------------------------------------------------- inside

    def _renew(self) -> None:
        """The reply of that moment was received."""
        if self._number:
            self._leased_until = self._sent + self._kit.leasing.lease
            self._crew.lease(self._leased_until)

    def _tell(self, kind: Kind, index: int, message: bytes = b"") -> None:
        self._news.append(frame(kind, index, SUPERVISOR, message))
        self._is_news.set()

    def _died(self, index: int, words: str) -> None:
        self._attendant.gone(index)
        self._tell(Kind.DIED, index, words.encode())

    def _left(self, index: int) -> None:
        self._attendant.gone(index)
        if not self._abandoned:  # its work is not done
            self._tell(Kind.FINISHED, index)

    def _forward(self, target: int, whole: bytes | memoryview) -> None:
        """To the station that has the worker; lost where none has, as with any worker that is dead."""
        number = self._routes.where[target] if self._routes.where else None
        if number is None or number == self._me or number not in self._routes.stations:
            return
        if number not in self._lines:
            self._lines[number] = Outbound(partial(call, self._routes.stations[number], "take", self._me))
        self._lines[number].send(whole)

    async def _end_when_abandoned(self) -> None:
        """The supervisor has given us up, or is gone: nobody needs what is here. One that was asleep hears of it."""
        patience = ABANDONED * self._kit.leasing.takeover
        while time.monotonic() - self._asked < patience:  # noqa: ASYNC110  # nobody says that nobody asks
            await asyncio.sleep(patience / BEATS)
        self._abandoned = True
        await self._end()

    async def _end(self) -> None:
        if not self._run.done():
            self._crew.terminate()
            await asyncio.wait([self._run])
            for line in self._lines.values():
                line.close()
            self._attendant.close()
