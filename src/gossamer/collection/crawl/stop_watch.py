"""Does anybody want this crawl to stop? The process that is in charge looks at the file of `steering` now and then.

It also ends in good order when its directory was moved away, or another one to its place: whoever looks there next
would be told nothing of a crawl that works elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from gossamer.collection.steering import LOOK, OrdersWatch
from gossamer.files import anchors
from gossamer.model import Clock

LATELY = 2 * LOOK


class StopWatch:
    """Waits for somebody who wants this crawl to stop, in the process that is in charge."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._watch, self._clock = OrdersWatch(folder), clock
        self._me = self._watch.steering.crawl()
        self._heard = -LATELY
        self.has_stopped = False
        """It was this that set the event, and nobody waits for the end as after an interrupt."""

    @asynccontextmanager
    async def set(self, stop: asyncio.Event) -> AsyncIterator[None]:
        """While this lasts, the event is set when somebody does, or has moved the directory."""
        task = asyncio.get_running_loop().create_task(self._wait(stop))
        try:
            yield
        finally:
            task.cancel()

    async def _wait(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            await asyncio.sleep(LOOK)
            if self._look() == self._me or not anchors.is_in_place(self._watch.steering.folder):
                self.has_stopped = True
                stop.set()

    def _look(self) -> str | None:
        orders = self._watch.news()
        if orders is None:
            return None
        self._heard = self._clock.steady()
        return orders.stop

    def is_late(self) -> bool:
        """Was something said so late that the shards may not have heard it before they ended?"""
        self._look()
        return self._clock.steady() - self._heard < LATELY
