"""The supervisor of workers on many nodes: it hands out places, hears of all stations, and names successors.

A place has a term. It is given to another station with a higher one, and only when the lease of the station that had it
is surely over: `takeover` seconds after the last reply that was heard of it, whatever Ray says of its actor. A station
that was given up is asked nothing more, nobody is told of it, and what it says is not heard.
"""

from __future__ import annotations

import asyncio
import pickle
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Any

from gossamer.engine.deaths import WorkerLost
from gossamer.engine.local import GRACE
from gossamer.engine.orders import refuse_in_worker
from gossamer.engine.owner import Owned
from gossamer.engine.protocols import SUPERVISOR, Reports
from gossamer.engine.ray import calls
from gossamer.engine.ray.calls import Ended, Node, Unreachable, call
from gossamer.engine.ray.node_status import CrewStanding, StationStanding
from gossamer.engine.ray.outbound import PATIENCE, RETRY, Outbound
from gossamer.engine.ray.station import Kit, Routes, Station
from gossamer.engine.wire import Kind, frame, payload, split
from gossamer.errors import GossamerError
from gossamer.printable import log

LOOK = 2.0
"""Seconds between looks for nodes that have joined."""
OPENING = 90.0
"""Seconds that a station may take to begin: a busy node has to load all of it first."""
SHUN = 60.0
"""Seconds for which a node that did not answer is left alone."""
NOBODY = 60.0
"""Seconds to wait for a node when none is left."""


class Seat:
    """A station, as the supervisor sees it."""

    def __init__(self, number: int, node: Node, actor: Any) -> None:
        self.number = number
        self.node = node
        self.actor = actor
        self.heard = time.monotonic()
        """When its last reply came."""
        self.ways = Outbound(partial(call, actor, "take", SUPERVISOR))
        self.follower: asyncio.Task[None] | None = None

    def give_up(self) -> None:
        """Ask it nothing more."""
        self.ways.close()
        if self.follower is not None:
            self.follower.cancel()
        calls.end(self.actor)


class RayCrew(Owned):
    """A `Supervisor` of workers on the nodes of the cluster that `engine` names.

    `term` is higher than any that a place had before, in another run. `unclean` says that such a run may just have been
    cut off: then nobody is given a place before its leases are over.
    """

    def __init__(self, engine: str, kit: Kit, reports: Reports, *, term: int = 0, unclean: bool = False) -> None:
        self._engine = engine
        self._kit = kit
        self._reports = reports
        self._terms = [term] * kit.workers
        self._begins = time.monotonic() + (kit.leasing.takeover if unclean else 0.0)
        self._where: list[int | None] = [None] * kit.workers
        self._over: set[int] = set()
        self._adopted: set[int] = set()
        self._moving: set[int] = set()
        self._routes = 0
        self._seats: dict[int, Seat] = {}
        self._shunned: dict[str, float] = {}
        """Nodes that did not answer, and until when nothing is tried there."""
        self._going: set[str] = set()
        """Nodes that are being drained."""
        self._born = 0
        self._errors: list[Exception] = []
        self._ending = False
        self._end = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._moves = self._takeovers = self._restarts = 0
        self.calls = self.bytes = 0
        """Calls between stations and to them, and the bytes that they carried, known at the end."""

    async def run(self) -> None:
        """Run all workers until each has ended by itself; then raise the first error that ended one of them."""
        refuse_in_worker()
        calls.connect(self._engine)
        try:
            await self._welcome([node for node in calls.nodes() if not node.going][: len(self._where)])
            if not self._seats:
                raise WorkerLost("the cluster has no node with CPUs that answers; see `ray status`")
            await asyncio.sleep(self._begins - time.monotonic())
            self._place(range(len(self._where)), first=True)
            self._begin(self._look_after())
            self._begin(self._look_for_nodes())
            await self._all_over()
        finally:
            await self._close()
        if self._errors:
            raise self._errors[0]

    def send(self, to: int, message: bytes) -> None:
        """To one worker; lost when it is dead or has ended."""
        seat = self._seats.get(self._where[to] or 0)
        if seat is not None:
            seat.ways.send(frame(Kind.MESSAGE, SUPERVISOR, to, message))

    def send_all(self, message: bytes) -> None:
        """To every worker."""
        for index in range(len(self._where)):
            self.send(index, message)

    def attend(self, message: bytes) -> None:
        """To what is beside the workers of each node."""
        for seat in self._seats.values():
            self._begin(self._try(seat, "attend", message))

    def kill(self, index: int) -> None:
        """End one worker by force; like any that dies, it is started again."""
        seat = self._seats.get(self._where[index] or 0)
        if seat is not None:
            self._begin(self._try(seat, "kill", index))

    def standing(self) -> CrewStanding:
        """Who is where now."""
        now = time.monotonic()
        places: dict[int, list[int]] = {number: [] for number in self._seats}
        for index, number in enumerate(self._where):
            places.get(number or 0, []).append(index)
        stations = (
            StationStanding(
                node.name, node.cores, node.id in self._going, round(now - seat.heard, 1), tuple(places[number])
            )
            for number, seat in self._seats.items()
            for node in (seat.node,)
        )
        return CrewStanding(tuple(stations), tuple(self._terms), self._moves, self._takeovers, self._restarts)

    def terminate(self) -> None:
        """End all workers now. `run` then returns."""
        self._ending = True
        self._end.set()

    # ----------------------------------------------------------------- stations

    async def _welcome(self, nodes: Iterable[Node]) -> list[Seat]:
        """A station on each of these nodes, as far as they answer."""
        found = await asyncio.gather(*map(self._open, nodes))
        new = [seat for seat in found if seat is not None]
        for seat in new:
            self._seats[seat.number] = seat
            seat.heard = time.monotonic()
            seat.follower = self._begin(self._follow(seat))
        return new

    async def _open(self, node: Node) -> Seat | None:
        self._born += 1
        seat = Seat(self._born, node, calls.start(Station, node))
        try:
            async with asyncio.timeout(OPENING):
                await call(seat.actor, "begin", seat.number, self._kit)
        except (Unreachable, TimeoutError) as error:
            words = str(error) or f"it takes more than {OPENING:.0f} s"
            log.warning("node %s: no station can be started there, and it gets no work for now: %s", node.name, words)
            self._shunned[node.id] = time.monotonic() + SHUN
            seat.give_up()
            return None
        return seat

    async def _follow(self, seat: Seat) -> None:
        """Hear what is new there, until it is given up. Each question confirms the reply before."""
        received = 0
        while True:
            try:
                number, blob = await call(seat.actor, "told", received)
            except Ended as error:
                self._lose(seat, f"{error}")
                return
            except Unreachable:
                await asyncio.sleep(RETRY)
                continue
            seat.heard = time.monotonic()
            self.calls += 1
            self.bytes += len(blob)
            if number > received:
                received = number
                self._hear(seat, blob)

    def _hear(self, seat: Seat, news: bytes) -> None:
        for kind, source, _, whole in split(news):
            if self._where[source] == seat.number:
                self._take(kind, source, payload(whole))

    def _take(self, kind: int, index: int, message: bytes) -> None:
        match kind:
            case Kind.MESSAGE:
                self._call(self._reports.heard, index, message)
            case Kind.DIED:
                self._restarts += 1
                self._call(self._reports.died, index, message.decode(errors="replace"))
            case Kind.FAILED:
                error = pickle.loads(message)
                self._errors.append(error)
                self._moving.discard(index)
                self._call(self._reports.failed, index, error)
            case Kind.FINISHED if index in self._moving:
                self._moving.remove(index)
                self._moves += 1
                self._call(self._reports.died, index, "goes on at another node")
                self._place([index])
            case Kind.FINISHED:
                self._over.add(index)
                if len(self._over) == len(self._where):
                    self._end.set()

    async def _look_after(self) -> None:
        """Give up stations that were not heard for too long. Time in which we slept ourselves does not count."""
        pause = self._kit.leasing.takeover / 20
        before = time.monotonic()
        while True:
            await asyncio.sleep(pause)
            now = time.monotonic()
            slept, before = max(now - before - 2 * pause, 0.0), now
            for seat in [*self._seats.values()]:
                seat.heard += slept
                if now - seat.heard > self._kit.leasing.takeover:
                    self._shunned[seat.node.id] = now + SHUN
                    self._lose(seat, f"was not heard of for {self._kit.leasing.takeover:.0f} s and is given up")

    def _lose(self, seat: Seat, words: str) -> None:
        """What it had goes elsewhere, or back there, when nobody else is left."""
        del self._seats[seat.number]
        seat.give_up()
        log.warning("node %s %s", seat.node.name, words)
        lost = [index for index, number in enumerate(self._where) if number == seat.number and index not in self._over]
        self._takeovers += len(lost)
        for index in lost:
            self._where[index] = None
            self._moving.discard(index)
            self._call(self._reports.died, index, f"was on node {seat.node.name}, which is gone")
        if self._seats:
            self._place(lost)
        else:
            self._begin(self._wait_for_any())

    async def _wait_for_any(self) -> None:
        log.warning("no node is left; waiting for one for %.0f s", NOBODY)
        await asyncio.sleep(NOBODY)
        if not self._seats:
            self._errors.append(WorkerLost("no node of the cluster is left; start some, then crawl again to go on"))
            self.terminate()

    async def _look_for_nodes(self) -> None:
        """A node that joins gets its share. There are no more stations than places: they would have nothing to do."""
        while True:
            await asyncio.sleep(LOOK)
            with suppress(Exception):  # the head may be away for a while; what runs goes on
                found = await asyncio.to_thread(calls.nodes)
                self._going = {node.id for node in found if node.going}
                room = max(len(self._where) - len(self._staying()), 0)
                joined = await self._welcome([*filter(self._is_free, found)][:room])
                if joined:
                    self._place([i for i, n in enumerate(self._where) if n is None and i not in self._over])
                self._drain()
                self._balance()

    def _staying(self) -> dict[int, Seat]:
        """Stations on nodes that are not being drained."""
        return {number: seat for number, seat in self._seats.items() if seat.node.id not in self._going}

    def _drain(self) -> None:
        """What is on a node that will go is closed in good order, published, and opened elsewhere."""
        if not self._staying():
            return
        for seat in self._seats.values():
            mine = [i for i, number in enumerate(self._where) if number == seat.number and self._may_move(i)]
            if seat.node.id in self._going and mine:
                log.warning("node %s is drained: %d of its shards go on elsewhere", seat.node.name, len(mine))
                self._moving.update(mine)
                for index in mine:
                    self._begin(self._try(seat, "release", index))

    def _is_free(self, node: Node) -> bool:
        """It has no station, has not just lost one, and stays."""
        taken = {seat.node.id for seat in self._seats.values()}
        return node.id not in taken and not node.going and time.monotonic() >= self._shunned.get(node.id, 0.0)

    # ------------------------------------------------------------------- places

    def _place(self, indices: Iterable[int], *, first: bool = False) -> None:
        """Give each to the station that has the fewest, with a term that nobody had."""
        load = self._load()
        given: dict[int, dict[int, int]] = {}
        for index in indices:
            number = min(load, key=lambda each: (load[each], each))
            load[number] += 1
            self._where[index] = number
            self._terms[index] += not first
            given.setdefault(number, {})[index] = self._terms[index]
            self._adopted.discard(index)
        self._routes += 1
        where, stations = tuple(number or 0 for number in self._where), [*self._seats.values()]
        routes = Routes(self._routes, where, {seat.number: seat.actor for seat in stations})
        self._begin(self._arrange(stations, routes, given))

    async def _arrange(self, stations: list[Seat], routes: Routes, given: dict[int, dict[int, int]]) -> None:
        """All know who is where before anybody begins: an answer to the first word of a worker would be lost on its way
        to where that worker was. A station that does not answer is soon given up."""
        await asyncio.gather(*(self._try(seat, "connect", routes) for seat in stations))
        await asyncio.gather(*(self._adopt(seat, given[seat.number]) for seat in stations if seat.number in given))

    async def _adopt(self, seat: Seat, given: dict[int, int]) -> None:
        if await self._try(seat, "adopt", given):
            self._adopted.update(index for index in given if self._where[index] == seat.number)

    def _balance(self) -> None:
        """Move places from the fullest stations to the emptiest until none has two more than another.

        Nothing is moved while others are on their way: nobody knows yet where they will be.
        """
        load, moving = self._load(), bool(self._moving)
        while load and not moving:
            (most, many), (least, few) = load.most_common()[0], load.most_common()[-1]
            index = next((i for i, n in enumerate(self._where) if n == most and self._may_move(i)), None)
            if many - few < 2 or index is None:
                return
            load[most] -= 1
            load[least] += 1
            self._moving.add(index)
            self._begin(self._try(self._seats[most], "release", index))

    def _load(self) -> Counter[int]:
        """How many places each station has that may have more."""
        stations = self._staying() or self._seats
        load = Counter(dict.fromkeys(stations, 0))
        load.update(number for number in self._where if number in stations)
        return load

    def _may_move(self, index: int) -> bool:
        return index in self._adopted and index not in self._over and index not in self._moving

    # ------------------------------------------------------------------- ending

    async def _all_over(self) -> None:
        try:
            await self._end.wait()
        except asyncio.CancelledError:
            self._ending = True
            raise

    async def _close(self) -> None:
        """The workers may clean up; then the stations end, also those that do not answer."""
        for seat in self._seats.values():
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await seat.ways.flushed()
        await asyncio.gather(*map(self._see_off, self._seats.values()))
        log.info("%d calls with %d bytes between the nodes and the supervisor", self.calls, self.bytes)
        for task in [*self._tasks]:
            task.cancel()

    async def _see_off(self, seat: Seat) -> None:
        with suppress(Unreachable, TimeoutError):
            async with asyncio.timeout(2 * GRACE + self._kit.leasing.takeover):
                farewell = await call(seat.actor, "close")
                self._hear(seat, farewell.news)
                self.calls += farewell.calls + seat.ways.calls
                self.bytes += farewell.bytes + seat.ways.bytes
        seat.give_up()

    # ------------------------------------------------------------------ helpers

    def _begin(self, work: Any) -> asyncio.Task[Any]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._go_wrong(error if isinstance(error, Exception) else GossamerError(str(error)))

    async def _try(self, seat: Seat, method: str, *told: object) -> bool:
        """Call again and again until it is heard, or the station is given up."""
        while seat.number in self._seats:
            try:
                async with asyncio.timeout(PATIENCE):
                    await call(seat.actor, method, *told)
            except (Unreachable, TimeoutError):
                await asyncio.sleep(RETRY)
            else:
                return True
        return False
