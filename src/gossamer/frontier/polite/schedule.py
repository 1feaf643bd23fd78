"""When may an origin be visited? It waits in one place at a time: for its host, its address, its name, or on disk.

- ready: its time on the host and on the address is known; see `workbench`.
- its host is busy: it waits at the host and is placed again when the host is free.
- its name is being resolved: without an address nobody knows how polite to be.
- its host is paused or its robots.txt unreachable: it sleeps on disk, and a crawl need not wait for it.
- its next address is rounds away (see `budget`): it waits on disk until the front gets thin, nearest first.

Only the first three are in memory. What waits on disk comes back in batches, when nothing that is here is due.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from math import inf
from typing import Any, NamedTuple

from gossamer.frontier.polite.host_delays import Dates, Host, Politeness
from gossamer.frontier.polite.ip_leases import IpLeases
from gossamer.frontier.polite.lent_ips import LentIps
from gossamer.frontier.polite.workbench import Group, Ready
from gossamer.frontier.queue.back_queues import Origin
from gossamer.frontier.queue.waiting_origins import WaitingOrigins
from gossamer.frontier.rules import Resolve, Rules
from gossamer.model import Clock

BATCH = 64
"""Origins that come in from the disk together."""
AWAY = 1 << 31
"""Rounds, more than there ever are."""
CROWD = 20
"""At most so many times the front is in memory, however long everyone there has to rest."""
LOOKUPS = 256
"""Names that are looked up before more origins come in; a slow one no longer counts."""
LOOKUP_KEPT = 1.0
"""Seconds for which an answer holds at least, so that who was looked up gets a turn."""
LEASE_LOOK = 0.25
"""Seconds from one look at a lease that is over to the next."""
SLOW_LOOKUP = 2.0
"""Seconds after which a look-up is slow."""


class Waiting(NamedTuple):
    """The origins that wait on disk."""

    waiting_origins: WaitingOrigins
    dates: Dates
    """What the clock means there."""


class Schedule:
    """Hands out the origin that is due first."""

    def __init__(
        self,
        rules: Rules,
        clock: Clock,
        waiting: Waiting,
        wake: Callable[[], None],
        resolve: Resolve | None = None,
        leases: IpLeases | LentIps | None = None,
        leased_until: Callable[[], float] = lambda: inf,
    ) -> None:
        """`leases` is where IP addresses are asked for that other processes visit too. Nobody gets a turn when it is
        later than `leased_until`: another machine may have been given this shard."""
        self._leased_until = leased_until
        self._politeness = rules.politeness
        self._clock = clock
        self._waiting_origins, self._dates = waiting
        self._resolve = resolve
        self._wake = wake
        self._leases = leases if rules.politeness.per_address is not None else None
        best = rules.topic is not None
        self._ready = Ready(delay=rules.politeness.ip_delay, at_once=rules.politeness.per_address, best=best)
        self._front = rules.front
        self._horizon = 0
        self._out = 0
        self._resolving: dict[asyncio.Task[None], float] = {}
        """Look-ups, the oldest first, and when they began."""
        self._slow: set[asyncio.Task[None]] = set()
        self._looked_for: set[str] = set()
        """Hosts that are looked up for a visit out of turn."""
        self._in_line: dict[str, deque[Origin]] = {}
        """Origins whose turn it was while their host had all the visits it may have, by its name."""

    @property
    def resolving(self) -> int:
        """Names being looked up."""
        return len(self._resolving) + len(self._slow)

    @property
    def _busy(self) -> bool:
        """Enough names are being looked up. A few hundred slow ones must not keep all others on the disk."""
        before = self._clock.steady() - SLOW_LOOKUP
        while self._resolving and next(iter(self._resolving.values())) <= before:
            task = next(iter(self._resolving))
            del self._resolving[task]
            self._slow.add(task)
        return len(self._resolving) >= LOOKUPS

    @property
    def waiting(self) -> int:
        """Origins that have something to fetch and wait for their time."""
        return self._ready.origins + self._waiting_origins.waiting

    @property
    def thin(self) -> bool:
        """Clearly fewer origins are here than the front asks for, and some wait on disk."""
        return self._waiting_origins.waiting > 0 and self._present < self._front - self._front // 8

    @property
    def _present(self) -> int:
        return self._ready.origins + self._out + self.resolving

    def change(self, politeness: Politeness) -> None:
        """Other gaps from now on, after those of the hosts have changed."""
        self._politeness = politeness
        if self._leases is not None:
            self._leases.change(delay=politeness.ip_delay, at_once=politeness.per_host)
        self._ready.change(delay=politeness.ip_delay, at_once=politeness.per_address)

    def place(self, origin: Origin) -> None:
        """It has something to fetch: put it where it waits."""
        if origin.placed:
            return
        host, now = origin.host, self._clock.steady()
        pause = max(host.paused, origin.closed_until)
        if pause > now:
            origin.at_work = False
            self._waiting_origins.sleep(origin.name, self._dates.date(pause))
        elif (distance := origin.distance) > self._horizon:
            origin.at_work = False
            self._waiting_origins.wait(origin.name, distance)
        else:
            origin.placed = True
            if not origin.at_work:
                origin.at_work = True
                self._waiting_origins.work(origin.name)
            if self._resolve is None or host.address_until > now:
                self._ready.put(origin, host.name if self._resolve is None else host.address, host.next)
            else:
                self._look_up(self._find(origin))

    def put_away(self, origin: Origin) -> None:
        """It has nothing but new pages, and there is no room for any: behind all others, until there is."""
        origin.at_work = False
        self._waiting_origins.wait(origin.name, AWAY)

    def pop(self, put_off: Callable[[Origin], None]) -> tuple[Origin, Group] | None:
        """The origin whose turn it is. Give the group back with `release`. `put_off` hears of those that must wait."""
        now = self._clock.steady()
        while now < self._leased_until() and (popped := self._ready.pop(now)):
            origin, group = popped
            host = origin.host
            if host.out >= self._politeness.per_host:
                self._in_line.setdefault(host.name, deque()).append(origin)
            elif self._is_stale(host, group, now):
                origin.placed = False
                self.place(origin)
            elif max(host.next, host.paused, origin.closed_until) > now or origin.distance > self._horizon:
                origin.placed = False
                self.place(origin)
                put_off(origin)
            elif self._leases is not None and _is_taken(self._leases, group, now):
                self._ready.put(origin, group.address, group.next)
            else:
                origin.placed = False
                self._out += 1
                return origin, group
            self._ready.release(group, now, visited=False)
        return None

    def take(self, origin: Origin) -> Group | None:
        """This origin out of its turn, if it is ready and its host and address have rested."""
        now, host = self._clock.steady(), origin.host
        address = host.name if self._resolve is None else host.address
        rests = max(host.next, host.paused, origin.closed_until) > now or host.out >= self._politeness.per_host
        if rests or not origin.placed or now >= self._leased_until():
            return None
        if self._resolve is not None and host.address_until <= now:
            return None
        group = self._ready.take(origin, address, now)
        if group is not None and self._leases is not None and _is_taken(self._leases, group, now):
            self._ready.put(origin, group.address, group.next)
            self._ready.release(group, now, visited=False)
            return None
        if group is not None:
            origin.placed = False
            self._out += 1
        return group

    def _is_stale(self, host: Host, group: Group, now: float) -> bool:
        """It waited here for an address that it no longer has, or that nobody has looked up for too long."""
        return self._resolve is not None and (group.address != host.address or host.address_until <= now)

    def near(self) -> list[str]:
        """Names of origins that may come in from the disk now; none when enough are here."""
        roused = list(self._waiting_origins.roused(self._dates.date(self._clock.steady())))
        if roused or self._busy or self._present >= CROWD * self._front:
            return roused
        return self._waiting_origins.take(BATCH, self._horizon)

    def farther(self, *, new: bool = True) -> list[str]:
        """None of them is near any more: if the front is not full, the horizon moves as far as it takes.

        Those that were put away come back when there is room for `new` pages, each to where it belongs.
        """
        nearest = (
            self._waiting_origins.nearest()
            if self._present - len(self._slow) < self._front and not self._busy
            else None
        )
        if nearest is None or (nearest >= AWAY and not new):
            return []
        if nearest < AWAY:
            self._horizon = max(self._horizon, nearest)
        return self._waiting_origins.take(BATCH, max(self._horizon, nearest))

    def free_from(self, host: Host) -> float:
        """Steady time when a host may be visited out of turn: as polite as any other visit, and not while it is looked
        up. A pause for its failures does not count, for they may be ours."""
        if host.out >= self._politeness.per_host or host.name in self._looked_for:
            return inf
        asked = host.paused if host.throttled else 0.0
        return max(host.next, asked, self._ready.free_from(host.address))

    def is_found(self, host: Host) -> bool:
        """Is it known where a host can be visited out of turn? If not, it is looked up, and then all are woken."""
        if self._resolve is None or host.address_until > self._clock.steady():
            return True
        if host.name not in self._looked_for:
            self._looked_for.add(host.name)
            self._look_up(self._find_aside(host))
        return False

    def aside(self, host: Host) -> Group | None:
        """Visit a host out of turn, unless another process is there. Give the group back with `release`."""
        now = self._clock.steady()
        if now >= self._leased_until():
            return None
        group = self._ready.hold(host.address)
        if self._leases is not None and _is_taken(self._leases, group, now):
            self._ready.release(group, now, visited=False)
            return None
        self._out += 1
        return group

    def release(self, host: Host, group: Group, *, visited: bool) -> None:
        """The address and the host are free again."""
        self._out -= 1
        now = self._clock.steady()
        if self._leases is not None:
            self._leases.give(group.address, now, visited=visited)
        self._ready.release(group, now, visited=visited)
        line = self._in_line.get(host.name)
        if line and host.out < self._politeness.per_host:
            origin = line.popleft()
            if not line:
                del self._in_line[host.name]
            origin.placed = False
            self.place(origin)

    def next_turn(self) -> float:
        """Steady time of the next turn that politeness alone holds up, and the lease."""
        turn, now = self._ready.next_time(), self._clock.steady()
        return turn if now < self._leased_until() else max(turn, now + LEASE_LOOK)

    def next_waking(self) -> float:
        """Steady time when the next pause ends."""
        return self._dates.steady(self._waiting_origins.next_waking)

    def close(self) -> None:
        """Nobody will ask again."""
        for task in (*self._resolving, *self._slow):
            task.cancel()

    def _look_up(self, finding: Coroutine[Any, Any, None]) -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(finding)
        self._resolving[task] = self._clock.steady()
        task.add_done_callback(self._found)
        if len(self._resolving) == LOOKUPS:
            loop.call_later(SLOW_LOOKUP, self._wake)  # they may be slow by then, and let others in

    async def _find(self, origin: Origin) -> None:
        await self._find_host(origin.host)
        self._ready.put(origin, origin.host.address, origin.host.next)

    async def _find_aside(self, host: Host) -> None:
        try:
            await self._find_host(host)
        finally:
            self._looked_for.discard(host.name)

    async def _find_host(self, host: Host) -> None:
        assert self._resolve is not None
        addresses, seconds = await self._resolve(host.name)
        host.found(addresses)
        host.address_until = self._clock.steady() + max(seconds, LOOKUP_KEPT)

    def _found(self, task: asyncio.Task[None]) -> None:
        self._resolving.pop(task, None)
        self._slow.discard(task)
        if not task.cancelled():
            task.result()
            self._wake()


def _is_taken(leases: IpLeases | LentIps, group: Group, now: float) -> bool:
    """Another process visits the address, or did so a moment ago."""
    again = leases.take(group.address, now)
    group.next = max(group.next, again)
    return again > 0.0
