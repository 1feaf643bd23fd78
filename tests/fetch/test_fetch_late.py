"""What we notice late was not late: the time of an answer is the server's, whatever we were busy with."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fetch_hostile import answer, fetching, run

from gossamer.fetch import Limits
from gossamer.fetch.times import times
from gossamer.model import Capture, Fault, Visit

QUICK = Limits(first_byte=0.4, idle=0.4)


class Answered(threading.Event):
    """Set when the server has done with the request."""

    port = 0


@contextmanager
def in_a_thread(data: bytes) -> Iterator[Answered]:
    """A server that goes on while our loop is busy: it answers one request and closes."""
    done = Answered()

    def serve() -> None:
        line, _ = listener.accept()
        with line:
            line.recv(65_536)
            asked.set()
            line.sendall(data)
        done.set()

    asked = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        done.port = listener.getsockname()[1]
        thread = threading.Thread(target=serve)
        thread.start()
        yield done
        thread.join()


def fetched_while_busy(data: bytes, busy: float, loop: str) -> tuple[Capture, float]:
    """The answer, and how long it took until we had it. From the request on the loop is busy until it is overdue."""

    async def main() -> tuple[Capture, float]:
        with in_a_thread(data) as answered:
            async with fetching(QUICK) as fetcher:
                began = time.monotonic()
                coming = asyncio.ensure_future(fetcher(Visit(f"http://site.test:{answered.port}/")))
                while not fetcher.asked:  # noqa: ASYNC110  # libcurl's callbacks cannot set an event of ours
                    await asyncio.sleep(0)
                answered.wait(30)
                until = time.monotonic() + busy
                while time.monotonic() < until:
                    pass  # some other page is read
                return await coming, time.monotonic() - began

    return run(main(), loop)


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_a_host_that_closes_at_once_is_not_blamed_for_our_delay(loop: str) -> None:
    capture, _ = fetched_while_busy(b"", 1.0, loop)
    assert capture.failure is not None
    assert capture.failure.fault is Fault.RESET


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_an_answer_took_as_long_as_its_server_did(loop: str) -> None:
    busy = 0.5
    capture, passed = fetched_while_busy(answer(b"hello"), busy, loop)
    assert (capture.body, capture.failure) == (b"hello", None)
    assert passed - capture.seconds > 0.9 * busy


def test_the_kernel_says_when_bytes_came() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as ours:
        line, _ = listener.accept()
        with line:
            line.sendall(b"hello")
            assert ours.recv(5) == b"hello"
            came, sent = times(ours.fileno(), new=True)
    assert came <= time.monotonic()
    assert sent is None
    assert times(-1, new=False).came <= time.monotonic()
