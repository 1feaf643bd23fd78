"""Threads for work that waits: for a server, a share, a name. Nobody waits for them in the end.

Those of the standard library are joined when a loop closes or the program ends, so one server that drips would keep a
command from ending; and the pool that a loop has by itself is small, and common to all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from threading import Lock, Thread
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class DaemonThreads(Executor):
    """Each is made when there is work for it, and ends when there is none."""

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._lock = Lock()
        self._running = 0
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._closed = False

    def submit(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Do it in a thread, as soon as there is one."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("no more work is taken after shutdown")
            if self._running < self._most:
                Thread(target=self._live, name=self._name, daemon=True).start()
                self._running += 1
            self._waiting.append((future, partial(work, *args, **kwargs)))
        return future

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = True) -> None:
        """Begin nothing more. What is under way ends by itself, or with the program."""
        with self._lock:
            self._closed = True
            waiting = [future for future, _ in self._waiting]
            self._waiting.clear()
        for future in waiting:
            future.cancel()

    def _live(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    return
                future, work = self._waiting.popleft()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work())
                except BaseException as error:  # whoever waits for it is told
                    future.set_exception(error)
            del future, work
