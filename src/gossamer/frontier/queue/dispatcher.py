"""Visits to workers: each worker waits until one is due for it, or until all is over."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from math import inf

from gossamer.model import Visit


class Dispatcher:
    """A queue of waiting workers and one timer for all of them."""

    def __init__(self, take: Callable[[], Visit | None], pause: Callable[[], float | None]) -> None:
        """`take` gives what is due now; `pause` the seconds until it is worth asking again, None when never."""
        self._take = take
        self._pause = pause
        self._waiters: deque[asyncio.Future[Visit | None]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def next(self) -> Visit | None:
        """The next visit for this worker; None when there will be no more."""
        waiter: asyncio.Future[Visit | None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        if len(self._waiters) == 1:  # where others wait, nothing is due: whatever changes that dispatches by itself
            self.dispatch()
        return await waiter

    def dispatch(self) -> None:
        """Something has changed: see who can go."""
        while self._waiters and (visit := self._take()) is not None:
            self._send(visit)
        if self._waiters:
            self._wait()

    def close(self) -> None:
        """Nobody will ask again."""
        if self._timer is not None:
            self._timer.cancel()

    def _wait(self) -> None:
        self.close()
        seconds = self._pause()
        if seconds is None:
            while self._waiters:
                self._send(None)
        elif seconds != inf:
            self._timer = asyncio.get_running_loop().call_later(max(seconds, 0.001), self.dispatch)

    def _send(self, visit: Visit | None) -> None:
        waiter = self._waiters.popleft()
        if not waiter.done():
            waiter.set_result(visit)
