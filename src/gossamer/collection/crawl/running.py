"""How does a crawl run to its end, and how does an interrupt end it in good order?

An interrupt does not come in the middle of anything: the loop hears of it between two steps, the work ends, all locks
and processes are released, and then `KeyboardInterrupt` is raised as usual. A second one, after a step has had time to
end, is raised at once, which is as safe as a kill.

What is in flight at an interrupt may finish for a moment (`Stopping`); then it is dropped. Neither loses anything.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, nullcontext, suppress
from types import FrameType
from typing import Any, Generic, TypeAlias, TypeVar

FINISH = 2.5
"""Seconds that what is in flight has; with those to end the processes a crawl is gone within five."""


class Stopping:
    """How the work of a task is ended from outside. It belongs to the loop that it is made on."""

    def __init__(self, finish: float = FINISH) -> None:
        self.stop = asyncio.Event()
        """Set: nothing new is begun."""
        self.asked = False
        """Whether anybody has asked for it here: the event may also be set by others."""
        self._finish = finish
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()

    def ask(self) -> None:
        """Once: finish what is in flight, for a while. Once more: drop it now."""
        if self.asked:
            self._drop()
        else:
            self.asked = True
            self.stop.set()
            self._loop.call_later(self._finish, self._drop)

    def _drop(self) -> None:
        if self._task is not None and not self._task.done():
            self._task.cancel()


T = TypeVar("T")
Work: TypeAlias = Callable[[asyncio.Event], Coroutine[Any, Any, T]]
"""Something to do, that begins nothing new once the event is set."""


def run(work: Work[T], *, finish: float = FINISH) -> T:
    """Run to the end, also from a notebook, whose own loop is running already. `finish` as in `Stopping`."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        return _in_thread(work, finish)
    run = _Run(work, finish)
    with run.hearing() if _is_default() else nullcontext(), asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(run.begin())
    return run.result()


def _in_thread(work: Work[T], finish: float) -> T:
    """The crawl goes on in a thread. Whatever interrupts the wait for it ends it first."""
    run, ended, interruption = _Run(work, finish), threading.Event(), None

    def live() -> None:
        try:
            asyncio.run(run.begin())
        finally:
            ended.set()

    thread = threading.Thread(target=live, name="gossamer-crawl")
    thread.start()
    while not ended.is_set():
        try:
            ended.wait()  # not `join`, which takes a thread for ended when it is interrupted (Python 3.11)
        except BaseException as error:
            interruption = interruption or error
            run.interrupt()
    thread.join()
    if interruption is not None:
        raise interruption
    return run.result()


class Listeners:
    """What a program wants called meanwhile. An error that one raises is no mistake of ours, and nothing to begin the
    crawl anew for: it ends the crawl as one Ctrl-C does, and is raised when that has ended."""

    def __init__(self, stop: asyncio.Event) -> None:
        self._stop = stop
        self._error: Exception | None = None

    def kept(self, listener: Callable[[T], None]) -> Callable[[T], None]:
        """The same, until one has failed."""

        def call(news: T) -> None:
            if self._error is not None:
                return
            try:
                listener(news)
            except Exception as error:
                self._error = error
                self._stop.set()

        return call

    def require_none_failed(self) -> None:
        if self._error is not None:
            raise self._error


async def stoppable(work: Coroutine[Any, Any, None], end: Callable[[], None], stop: asyncio.Event | None) -> None:
    """Run some work until it ends; when `stop` is set, `end` is called, and what is in flight is done."""

    async def watch(event: asyncio.Event) -> None:
        await event.wait()
        end()

    watcher = asyncio.get_running_loop().create_task(watch(stop)) if stop else None
    try:
        await work
    except KeyboardInterrupt:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            # A worker has raised it out of the loop already, and we are cancelled for that. Once more would break off
            # the end of the loop, and of everything else that runs on it.
            raise asyncio.CancelledError from None
        raise
    finally:
        if watcher is not None:
            watcher.cancel()


@contextmanager
def garbage_at_ease() -> Iterator[None]:
    """Collect cycles seldom. A page is thousands of short-lived objects without cycles; looking for some costs 15 %.

    What the program has, and may have frozen, stays as it is: with these limits nobody comes to look at it.
    """
    before = gc.get_threshold()
    gc.set_threshold(20_000, 50, 1_000)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Run(Generic[T]):
    """One piece of work, and how it ended."""

    def __init__(self, work: Work[T], finish: float) -> None:
        self._work = work
        self._finish = finish
        self._results: list[T] = []
        self._error: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: Stopping | None = None
        self._early = self._heard = 0
        self._lock = threading.RLock()  # a signal may come while we hold it

    @contextmanager
    def hearing(self) -> Iterator[None]:
        """Interrupts go to this run while it lasts. Set before the loop looks for a handler, and put back after it."""
        before = signal.signal(signal.SIGINT, self._hear)
        try:
            yield
        finally:
            if signal.getsignal(signal.SIGINT) == self._hear:  # nobody has taken over meanwhile
                signal.signal(signal.SIGINT, before)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        """In the middle of anything. The loop hears of the first, and of the second if that means something else."""
        self._heard += 1
        if self._heard > (2 if self._finish else 1):
            raise KeyboardInterrupt
        self.interrupt()

    async def begin(self) -> None:
        """Work on the loop of the caller."""
        with self._lock:
            self._loop, self._stopping = asyncio.get_running_loop(), Stopping(self._finish)
            for _ in range(self._early):
                self._stopping.ask()
        try:
            self._results.append(await self._work(self._stopping.stop))
        except (Exception, asyncio.CancelledError) as error:
            self._error = error

    def interrupt(self) -> None:
        """From another thread, or in the middle of anything."""
        with self._lock, suppress(RuntimeError):  # its loop is closed: it has just ended
            if self._loop is None or self._stopping is None:
                self._early += 1
            else:
                self._loop.call_soon_threadsafe(self._stopping.ask)

    def result(self) -> T:
        """What came of it. Where somebody has interrupted, nobody waits for a result."""
        if self._heard or (self._stopping is not None and self._stopping.asked):
            raise KeyboardInterrupt
        if self._error is not None:
            raise self._error
        return self._results[0]


def _is_default() -> bool:
    """Is it ours to hear interrupts? Another thread gets none, and a program that handles them itself is left alone."""
    main = threading.current_thread() is threading.main_thread()
    return main and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it is installed: half the cost of the standard loop."""
    with suppress(ImportError):
        import uvloop

        return uvloop.new_event_loop
    return None
