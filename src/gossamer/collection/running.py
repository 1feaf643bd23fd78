"""Run a crawl to its end from wherever somebody asks for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


def run(crawl: Coroutine[Any, Any, T]) -> T:
    """Run to the end, also from a notebook, whose own loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with asyncio.Runner(loop_factory=fast_loop()) as runner:
            return runner.run(crawl)
    return _run_in_thread(crawl)


def _run_in_thread(crawl: Coroutine[Any, Any, T]) -> T:
    results: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(asyncio.run(crawl))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work, name="gossamer-crawl")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it is installed: half the cost of the standard loop."""
    with suppress(ImportError):
        import uvloop

        return uvloop.new_event_loop
    return None
