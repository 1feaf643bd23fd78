"""Somebody has had enough: what is in flight may finish for a moment, then it is dropped. Neither loses anything."""

from __future__ import annotations

import asyncio

FINISH = 2.5
"""Seconds that what is in flight has; with those to end the processes a crawl is gone within five."""


class Stopping:
    """How the work of a task is ended from outside. It belongs to the loop that it is made on."""

    def __init__(self, finish: float = FINISH) -> None:
        self.stop = asyncio.Event()
        """Set: nothing new is begun."""
        self._finish = finish
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()

    @property
    def asked(self) -> bool:
        """Whether anybody has asked for it."""
        return self.stop.is_set()

    def ask(self) -> None:
        """Once: finish what is in flight, for a while. Once more: drop it now."""
        if self.asked:
            self._drop()
        else:
            self.stop.set()
            self._loop.call_later(self._finish, self._drop)

    def _drop(self) -> None:
        if self._task is not None and not self._task.done():
            self._task.cancel()
