"""When is a checkpoint of a shard kept in the store? Every minute, when others wait for it, and at the end.

The snapshot is made between two commits, in the turn of the crawl: it is a matter of links to files. What is new then
travels in a thread. What the others are to hear waits for that (`exchange`). While the store is away, nothing is
fetched: it might only have to be fetched again.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple, TypeVar

from gossamer.collection.crawl.snapshot import taken
from gossamer.collection.folder import Folder
from gossamer.depot.depot import Depot
from gossamer.depot.parts import Snapshot
from gossamer.depot.shard_claim import Life
from gossamer.errors import Damaged, StoreAway
from gossamer.files import is_folder
from gossamer.frontier.shards.peers import Peers
from gossamer.model import Clock
from gossamer.plan import Plan
from gossamer.printable import log, span
from gossamer.store.table.table import Table

T = TypeVar("T")
LOOK = 0.1
"""Seconds between looks at whether one is due."""
SOON = 0.2
"""Seconds between two that are made because others wait; or twice as long as the last one took."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds until the store is tried again; twice as long each time."""
LATE = 4
"""Intervals without a checkpoint after which the store is too slow, and fetching waits; half a minute at least."""
LATE_LEAST = 30.0


class Kept(NamedTuple):
    """One that was kept."""

    bytes: int
    """That went to the store."""
    seconds: float


class Checkpoints:
    """Of one shard, while one process works on it."""

    def __init__(self, life: Life, folder: Folder, index: int, every: float, clock: Clock) -> None:
        """By `begin`."""
        self._life = life
        self._shard = folder.shard(index)
        self._every = every
        self._clock = clock
        self._began = self._last = clock.steady()
        self._took = 0.0
        self._away = ""
        self._stopping = False
        self.told: Callable[[Kept], None] = lambda kept: None
        """Who hears of each that is kept."""

    @classmethod
    async def begin(
        cls, plan: Plan, folder: Folder, index: int, clock: Clock, *, term: int | None = None
    ) -> Checkpoints:
        """Claim a shard, and restore it if it has to be. Whoever opens its table does so after this."""
        depot, shard = Depot(plan.store), folder.shard(index)

        def claimed() -> Life:
            return Life.begin(depot, index, shard, is_here=is_folder(folder.table(index)), term=term)

        waits = _waits()
        while True:
            try:
                return cls(await _in_thread(claimed), folder, index, plan.checkpoint_seconds, clock)
            except StoreAway as error:
                wait = next(waits)
                log.warning("shard %d: %s; tried again in %s", index, error, span(wait))
                await asyncio.sleep(wait)

    @property
    def held_up(self) -> str:
        """Why nothing is to be fetched now; nothing when something may be."""
        if self._away:
            return f"the store cannot be written to ({self._away}); goes on by itself as soon as it can"
        late = self._clock.steady() - self._last
        if late > max(LATE * self._every, LATE_LEAST):
            return f"the store is slow: the last checkpoint was begun {span(late)} ago; goes on when it is kept"
        return ""

    async def first(self, table: Table) -> None:
        """Before anything else: others may hear only of what is in the store, and this disk may be ahead of it."""
        if table.sequence < self._life.head.sequence:
            raise Damaged(
                f"{self._shard}: is older than what it has published itself; was it copied back from a backup? Move it"
                " away, and it is restored from the store"
            )
        if self._life.is_behind(table.sequence):
            await self._publish(table, None)

    async def run(self, table: Table, peers: Peers | None, idle: Callable[[], bool]) -> None:
        """As long as the crawl runs. Fenced when somebody else has the shard."""
        while True:
            await asyncio.sleep(LOOK)
            if self._is_due(table, peers, idle):
                await self._publish(table, peers)

    async def last(self, table: Table) -> None:
        """The crawl has ended, and all is committed."""
        await self._publish(table, None, at_rest=True)

    def stop(self) -> None:
        """Somebody waits for the end: a store that is away is not waited for, and the next crawl begins with this."""
        self._stopping = True

    def _is_due(self, table: Table, peers: Peers | None, idle: Callable[[], bool]) -> bool:
        now = self._clock.steady()
        since = now - self._last
        if not self._life.is_behind(table.sequence):
            self._last = now  # all is kept
            return False
        if since >= self._every or peers is None:
            return since >= self._every
        may_be = peers.unpublished and since >= max(SOON, 2 * self._took)
        # at first sooner than later: until then other shards may have no site at all
        return may_be and (idle() or since >= (now - self._began) / 2)

    async def _publish(self, table: Table, peers: Peers | None, *, at_rest: bool = False) -> None:
        began = self._clock.steady()
        with taken(self._shard, table, self._life.head.claim) as snapshot:
            if not await self._is_kept(snapshot, at_rest=at_rest):
                return
        self._last, self._took = began, self._clock.steady() - began
        if peers:
            peers.published(snapshot.marks)

    async def _is_kept(self, snapshot: Snapshot, *, at_rest: bool) -> bool:
        """It is, sooner or later, unless somebody waits for the end."""
        waits = _waits()
        while True:
            try:
                published = await _in_thread(lambda: self._life.publish(snapshot, at_rest=at_rest))
            except StoreAway as error:
                if not self._away:
                    log.warning("%s; nothing is fetched until it is back", error)
                self._away = str(error)
                if self._stopping:
                    log.warning("%s: is ahead of the store; the next crawl publishes it first", self._shard)
                    return False
                await asyncio.sleep(next(waits))
            else:
                if self._away:
                    log.warning("the store is back")
                self._away = ""
                self.told(Kept(published.octets, published.seconds))
                return True


def _waits() -> Iterator[float]:
    """Seconds until the store is tried again."""
    wait = FIRST_WAIT
    while True:
        yield wait
        wait = min(2 * wait, LONGEST_WAIT)


async def _in_thread(work: Callable[[], T]) -> T:
    """One that nobody waits for at the end of the process: a store may take minutes to say that it is away."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def tell(result: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]  # there is one where there is no error

    def live() -> None:
        result, fault = None, None
        try:
            result = work()
        except BaseException as error:
            fault = error
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(tell, result, fault)

    threading.Thread(target=live, name="gossamer-checkpoint", daemon=True).start()
    return await done
