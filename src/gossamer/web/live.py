"""How does the crawl go, every second? One look for all who watch, sent to each as server-sent events.

Nobody looks when nobody watches. What is sent are the words that the page shows, by the names of their places, and
only those that have changed. When the server ends, each is told so with the last figures, and their stream ends: a
server waits for open answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TypeAlias

from gossamer import printable
from gossamer.errors import GossamerError

EVERY = 1.0
"""Seconds between two looks."""
WATCHERS_MOST = 100
QUIET_MOST = 15.0
"""Seconds after which something is sent, to notice who has gone."""
LAST_MOST = 2.0
"""Seconds that the last look may take."""
ENDED = "ended"
"""The place of what is said at the end."""

Words: TypeAlias = Mapping[str, str]
"""What stands where."""


class Pulse:
    """Looks once for all who watch."""

    def __init__(self, look: Callable[[], Awaitable[Words]], last_look: Callable[[], Awaitable[Words]]) -> None:
        self._look, self._last_look = look, last_look
        self._watchers: set[asyncio.Queue[Words]] = set()
        self._task: asyncio.Task[None] | None = None
        self._last: Words = {}
        self._is_ending = False
        self._farewell: Words | None = None

    @property
    def is_full(self) -> bool:
        """Do as many watch as can be served?"""
        return len(self._watchers) >= WATCHERS_MOST

    async def events(self) -> AsyncIterator[bytes]:
        """What a watcher is sent, until they go."""
        queue: asyncio.Queue[Words] = asyncio.Queue(maxsize=1)
        self._watchers.add(queue)
        if self._farewell is not None:
            queue.put_nowait(self._farewell)
        elif self._task is None and not self._is_ending:
            self._task = asyncio.create_task(self._beat())
        sent: Words = {}
        try:
            yield b"retry: 2000\n\n"
            while True:
                try:
                    words = await asyncio.wait_for(queue.get(), QUIET_MOST)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                news = {place: text for place, text in words.items() if sent.get(place) != text}
                sent = words
                if words is self._farewell:
                    yield b"event: end\n" + _data(news)
                    return
                if news:
                    yield _data(news)
        finally:
            self._watchers.discard(queue)
            if not self._watchers:
                self._rest()

    async def end(self, words: str) -> None:
        """Tell all who watch that nothing more comes, and why, with the last figures."""
        self._is_ending = True
        self._rest()
        if self._watchers:
            with suppress(GossamerError, TimeoutError):
                self._last = await asyncio.wait_for(self._last_look(), LAST_MOST)
        self._farewell = {**self._last, ENDED: words}
        self._send(self._farewell)

    def _rest(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _beat(self) -> None:
        while True:
            with suppress(GossamerError):  # busy, or being made again: the next look may see it
                self._last = await self._look()
                self._send(self._last)
            await asyncio.sleep(EVERY)

    def _send(self, words: Words) -> None:
        for queue in self._watchers:
            if queue.full():
                queue.get_nowait()  # who is slow sees the newest
            queue.put_nowait(words)


def _data(words: Words) -> bytes:
    return b"data: " + printable.json(words).encode() + b"\n\n"
