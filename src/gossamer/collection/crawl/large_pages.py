"""Who may hold up the loop? Large pages one after another, each host in its turn, and no more than a sixth of the time.

A page of five megabytes is read in a process of its own, but to keep it (pack it, mark its copies, put it into the
index) takes some tenths of a second in which nobody else is served. A few dozen hosts that send nothing else would take
all the time there is. So such pages wait in a lane. One is kept at a time, that of the host that has cost least so far,
and then the lane rests for five times as long as keeping it took, if there are others to be served.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from itertools import count

HERE = 256 << 10
"""Bytes of a page that is read and kept as it comes: some ten milliseconds."""
LINKS_HERE = 2 << 20
"""The same for one whose main content is not looked for, when it is its turn: some ten milliseconds too. To another
process and back it costs as much again, and the first one that goes there starts that process: a quarter of a second.
"""
RESTS = 5
"""Times as long as the last page took: others get five sixths."""
LATELY = 10.0
"""Seconds. Whoever was not served for so long does not mind."""
HOSTS_KNOWN = 10_000


class Lane:
    """Pages that cost much, by host. `enter` waits for the turn, `leave` ends it; every one that entered leaves."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._busy = False
        self._free_from = 0.0
        self._light = 0.0
        """When somebody else was served last."""
        self._cost: dict[str, float] = {}
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = count()
        self._rests = RESTS

    async def enter(self, host: str) -> None:
        """Wait for the turn of this host."""
        if self._busy:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiting, (self._cost.get(host, 0.0), next(self._order), turn))
            await turn
        self._busy = True
        rest = self._free_from - self._now()
        if rest > 0 and self._now() - self._light < LATELY:
            await asyncio.sleep(rest)

    def leave(self, host: str, seconds: float) -> None:
        """It is kept, which took so long."""
        self._cost[host] = self._cost.pop(host, 0.0) + seconds
        if len(self._cost) > HOSTS_KNOWN:
            del self._cost[next(iter(self._cost))]
        self._free_from = self._now() + self._rests * seconds
        self._busy = False
        while self._waiting and not self._busy:
            turn = heapq.heappop(self._waiting)[2]
            if not turn.done():
                self._busy = True
                turn.set_result(None)

    def hurry(self) -> None:
        """Nobody else comes any more."""
        self._rests, self._free_from = 0, 0.0

    def served(self) -> None:
        """Somebody else was."""
        self._light = self._now()
