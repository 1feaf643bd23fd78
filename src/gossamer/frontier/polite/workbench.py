"""Who is due first? Origins grouped by IP address, the earliest due group first.

BUbiNG's workbench: a group's turn comes when both its address and its earliest origin are due, and an address
that is being visited is out of the heap, so a thousand hosts on one address are as polite as one. A group stands in
the heap under one valid time; older entries for it are recognised by their time and dropped when they surface.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.frontier.queue.back_queues import Origin


LOOKED_AT = 256
"""Groups that are due, of which the best is chosen."""
SWEEP_FROM = 1_000
"""Groups in memory before idle ones are looked for."""


@dataclass(slots=True)
class Group:
    """All origins that one IP address serves."""

    address: str
    next: float = 0.0
    out: int = 0
    scheduled: float = inf
    origins: list[tuple[float, int, Origin]] = field(default_factory=list)


class Ready:
    """A heap of groups, each a heap of origins."""

    def __init__(self, *, delay: float, at_once: int | None, best: bool = False) -> None:
        """With `best`, of those that are due the one whose next address is best has its turn."""
        self.delay = delay
        self._best = best
        self.at_once = inf if at_once is None else at_once
        self._groups: dict[str, Group] = {}
        self._heap: list[tuple[float, int, Group]] = []
        self._order = count()
        self._sweep_at = SWEEP_FROM
        self.origins = 0

    def put(self, origin: Origin, address: str, when: float) -> None:
        """An origin has something to fetch from `when` on."""
        group = self._groups.get(address)
        if group is None:
            group = self._groups[address] = Group(address)
        heapq.heappush(group.origins, (when, next(self._order), origin))
        self.origins += 1
        self._schedule(group)

    def pop(self, now: float) -> tuple[Origin, Group] | None:
        """The origin that is due first; its address counts as visited until `release`."""
        if self._best:
            return self._pop_best(now)
        while self._heap and self._heap[0][0] <= now:
            when, _, group = heapq.heappop(self._heap)
            if when != group.scheduled:
                continue
            group.scheduled = inf
            _, _, origin = heapq.heappop(group.origins)
            self.origins -= 1
            group.out += 1
            self._schedule(group)
            return origin, group
        return None

    def _pop_best(self, now: float) -> tuple[Origin, Group] | None:
        """Of those that are due, as far as they are looked at, the one whose next address is best."""
        due: list[Group] = []
        while self._heap and self._heap[0][0] <= now and len(due) < LOOKED_AT:
            when, _, group = heapq.heappop(self._heap)
            if when == group.scheduled:
                group.scheduled = inf
                due.append(group)
        found = ((each, group) for group in due for each in group.origins if each[0] <= now)
        best = min(found, key=lambda each: (*each[0][2].standing, each[0][1]), default=None)
        if best is not None:
            entry, group = best
            group.origins.remove(entry)
            heapq.heapify(group.origins)
            self.origins -= 1
            group.out += 1
        for each in due:
            self._schedule(each)
        return (best[0][2], best[1]) if best is not None else None

    def take(self, origin: Origin, address: str, now: float) -> Group | None:
        """The group of an origin that is due there, as if it had been the first; None where it is not."""
        group = self._groups.get(address)
        if group is None or group.next > now or group.out >= self.at_once:
            return None
        entry = next((each for each in group.origins if each[2] is origin), None)
        if entry is None:
            return None
        group.origins.remove(entry)
        heapq.heapify(group.origins)
        self.origins -= 1
        group.out += 1
        group.scheduled = inf
        self._schedule(group)
        return group

    def release(self, group: Group, now: float, *, visited: bool) -> None:
        """An address is free again; after a real request it rests."""
        group.out -= 1
        if visited:
            group.next = now + self.delay
        self._schedule(group)
        if len(self._groups) > self._sweep_at:
            self._sweep(now)

    def free_from(self, address: str) -> float:
        """When an address may be visited out of turn; infinity while it is being visited."""
        group = self._groups.get(address)
        if group is None:
            return 0.0
        return group.next if group.out < self.at_once else inf

    def hold(self, address: str) -> Group:
        """Visit an address out of turn; it counts as visited until `release`."""
        group = self._groups.setdefault(address, Group(address))
        group.out += 1
        group.scheduled = inf  # whoever stood there gets a new turn when the address is released
        if group.out < self.at_once:
            self._schedule(group)
        return group

    def change(self, *, delay: float, at_once: int | None) -> None:
        """Other gaps from now on: everybody who waits gets the time that its host has now."""
        for group in self._groups.values():
            group.next += delay - self.delay if group.next else 0.0
            group.origins = [(origin.host.next, number, origin) for _, number, origin in group.origins]
            heapq.heapify(group.origins)
            group.scheduled = inf
        self.delay = delay
        self.at_once = inf if at_once is None else at_once
        self._heap = []
        for group in self._groups.values():
            self._schedule(group)

    def next_time(self) -> float:
        """When the next origin is due; infinity when none waits for a time."""
        while self._heap and self._heap[0][0] != self._heap[0][2].scheduled:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else inf

    def _sweep(self, now: float) -> None:
        """Forget addresses that rest no longer and serve nothing; the cost is spread over as many new ones."""
        busy = {each.address: each for each in self._groups.values() if each.out or each.origins or each.next > now}
        self._groups = busy
        self._sweep_at = max(SWEEP_FROM, 2 * len(busy))

    def _schedule(self, group: Group) -> None:
        if not group.origins or group.out >= self.at_once:
            return
        when = max(group.next, group.origins[0][0])
        if when < group.scheduled:
            group.scheduled = when
            heapq.heappush(self._heap, (when, next(self._order), group))
