"""Threads for what blocks: as many as are needed up to a number, and nobody waits for them in the end."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import CancelledError

import pytest

from gossamer.fetch.threads import DaemonThreads


def test_work_is_done_in_turn_by_as_many_threads_as_there_may_be() -> None:
    threads = DaemonThreads(2, "test")
    both = threading.Barrier(2, timeout=30)
    done = [threads.submit(both.wait) for _ in range(6)]  # each waits for another: there must be two
    assert sorted(future.result(30) for future in done) == [0, 0, 0, 1, 1, 1]
    failed = threads.submit(int, "no number")
    assert isinstance(failed.exception(30), ValueError)


def test_the_end_waits_for_nothing_and_begins_nothing() -> None:
    threads, release, begun = DaemonThreads(1, "test"), threading.Event(), threading.Event()

    def hang() -> bool:
        begun.set()
        return release.wait(60)

    async def main() -> None:
        asyncio.get_running_loop().run_in_executor(threads, hang)
        assert await asyncio.to_thread(begun.wait, 30)

    asyncio.run(main())
    later = threads.submit(int)
    threads.shutdown()
    with pytest.raises(CancelledError):
        later.result(30)
    with pytest.raises(RuntimeError, match="shutdown"):
        threads.submit(int)
    assert not release.is_set(), "it hangs as before, and the loop and the threads are closed"
    assert all(each.daemon for each in threading.enumerate() if each.name == "test")
    release.set()
