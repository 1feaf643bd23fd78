"""Frames to one station: what gathers while a call is under way goes with the next.

A call costs the same whatever it carries, so few are made: one at a time, and none sooner than a moment after the last.
Calls are numbered. One that failed, or that nobody answers, is made again with the same number, and a station passes
over what it has: so frames come in order and once while both live, also over a link that breaks now and then. When the
station is given up, so is this, and what was under way is lost; the workers hear of it as `reborn`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from gossamer.engine.ray.calls import Unreachable

PACE = 0.005
"""Seconds from one call to the next."""
RETRY = 0.2
"""Seconds from a call that failed to the next try."""
PATIENCE = 10.0
"""Seconds until a call that nobody answers is made again. Most that fail say so at once."""
MOST = 4 << 20
"""Bytes of one call, if there are several frames."""

Take: TypeAlias = Callable[[int, bytes], Awaitable[bool]]
"""Hand numbered frames over. False: it does not know us yet, or no longer."""


class Outbound:
    """One way to one station."""

    def __init__(self, take: Take) -> None:
        self._take = take
        self._gathered: list[bytes | memoryview] = []
        self._number = 0
        self._pump: asyncio.Task[None] | None = None
        self.calls = self.bytes = 0

    def send(self, whole: bytes | memoryview) -> None:
        """A frame, or several."""
        self._gathered.append(whole)
        if self._pump is None:
            self._pump = asyncio.get_running_loop().create_task(self._run())

    async def flushed(self) -> None:
        """All that was sent is there."""
        if self._pump is not None:
            await self._pump

    def close(self) -> None:
        """Give it up."""
        if self._pump is not None:
            self._pump.cancel()

    async def _run(self) -> None:
        try:
            while self._gathered:
                await self._hand_over(self._next())
                await asyncio.sleep(PACE)
        finally:
            self._pump = None

    async def _hand_over(self, blob: bytes) -> None:
        self._number += 1
        while not await self._is_taken(blob):  # noqa: ASYNC110  # another process has no event
            await asyncio.sleep(RETRY)
        self.calls += 1
        self.bytes += len(blob)

    async def _is_taken(self, blob: bytes) -> bool:
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._take(self._number, blob)
        except (Unreachable, TimeoutError):
            return False

    def _next(self) -> bytes:
        size = count = 0
        for whole in self._gathered:
            size += len(whole)
            if count and size > MOST:
                break
            count += 1
        now, self._gathered = self._gathered[:count], self._gathered[count:]
        return b"".join(now)
