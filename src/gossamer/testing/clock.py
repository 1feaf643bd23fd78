"""Virtual time: hours of waiting pass in milliseconds, in the order they would have passed.

An event loop asks its selector to wait until the next timer is due. Ours moves the clock there instead
of waiting, so `asyncio.sleep`, `call_later` and timeouts work unchanged. Trio's test clock has the same
idea; here it needs nothing but the public selector argument of asyncio's own loop.

Threads are real, so their work takes real time. While work given to `run_in_executor` or
`asyncio.to_thread` is out, the clock stands still until it is back (for `PATIENCE` real seconds, in case
the thread itself waits for a timer). Real sockets are not waited for: that is why the made web has a
face without them.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar, TypeVarTuple

from gossamer.errors import GossamerError

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

START = 1767225600.0
"""Thursday, 1 January 2026, 00:00 UTC: where a virtual wall clock begins unless told otherwise."""

UPTIME = 86_400.0
"""Where the steady clock begins: like a machine's, not at zero, so that 0.0 is never a moment in use."""

RESOLUTION = 1e-7
"""Seconds by which a timer may be early. asyncio takes a nanosecond, which is lost where it is added to more than 194
days: a timer would never be due then. This is enough for seventeen years."""

PATIENCE = 10.0
"""Real seconds for which the clock stands still for a thread before timers go on."""


class Deadlock(GossamerError):
    """Every task waits and no timer is set: on a real clock this would hang for ever."""


class VirtualClock:
    """A `model.Clock` that moves only when its loop has nothing else to do, or when told to jump."""

    def __init__(self, start: float = START) -> None:
        self._steady = UPTIME
        self._date_of_zero = start - UPTIME

    def wall(self) -> float:
        return self._date_of_zero + self._steady

    def steady(self) -> float:
        return self._steady

    def jump(self, seconds: float) -> None:
        """Set the wall clock forward or back, as an administrator would. The steady clock does not notice."""
        self._date_of_zero += seconds

    def advance(self, seconds: float) -> None:
        """Let time pass on both clocks."""
        if seconds < 0:
            raise ValueError(f"time does not pass backwards ({seconds} s); use jump for the wall clock")
        self._steady += seconds

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end in virtual time. A second call goes on where the clock stands."""
        with asyncio.Runner(loop_factory=lambda: _VirtualLoop(self)) as runner:
            return runner.run(work)


def run(work: Coroutine[Any, Any, T], *, start: float = START) -> T:
    """Run a coroutine in virtual time on a clock of its own; `running_clock` finds it from inside."""
    return VirtualClock(start).run(work)


def running_clock() -> VirtualClock:
    """The clock of the virtual loop that is running now."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, _VirtualLoop):
        raise RuntimeError("this loop runs on real time; start it with gossamer.testing.run")
    return loop.clock


class _VirtualLoop(asyncio.SelectorEventLoop):
    """asyncio's loop on the time of a clock, which also knows how much work is out in threads."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.threads_out = 0
        super().__init__(_Skipping(self))
        self._clock_resolution = RESOLUTION

    def time(self) -> float:
        return self.clock.steady()

    def run_in_executor(self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts) -> asyncio.Future[T]:
        future = super().run_in_executor(executor, func, *args)
        self.threads_out += 1
        future.add_done_callback(self._thread_is_back)
        return future

    def _thread_is_back(self, _: asyncio.Future[Any]) -> None:
        self.threads_out -= 1

    async def shutdown_default_executor(self, *args: Any) -> None:
        self.threads_out += 1  # it joins the executor in a thread that run_in_executor does not know
        try:
            await super().shutdown_default_executor(*args)
        finally:
            self.threads_out -= 1

    def describe_deadlock(self) -> str:
        waiting = ", ".join(sorted(task.get_name() for task in asyncio.all_tasks(self))) or "none"
        return (
            "nothing is ready and no timer is set, so nothing will ever happen "
            f"(virtual time does not wait for sockets); waiting tasks: {waiting}"
        )


class _Skipping(selectors.DefaultSelector):
    """A selector that moves the clock where another would wait."""

    def __init__(self, loop: _VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if self._loop.threads_out:
            ready = super().select(PATIENCE)
        if not ready:
            self._skip(timeout)
        return ready

    def _skip(self, timeout: float | None) -> None:
        if timeout is not None:
            self._loop.clock.advance(max(timeout, 0.0))
        elif not self._loop.threads_out:
            raise Deadlock(self._loop.describe_deadlock())
