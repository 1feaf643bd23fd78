"""What came of each fetch, and what does a shard warn of? Passed on to whoever runs the crawl, where that is wanted.

A shard that is a process of its own gathers what it fetches and sends it in batches, with its reports of progress.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident

import msgspec

from gossamer.collection.crawl.outside import Fetch
from gossamer.collection.progress import Fetched
from gossamer.fetch.redirects import location
from gossamer.lazy import pattern
from gossamer.model import Capture, Visit
from gossamer.printable import log

BATCH = 200
"""Fetches that are sent at once, at most."""
_NAMED = pattern(r"(?<=[/\\]{2})[^/\\?#]*@")
"""The name and the password before a host. They are kept of no address, nor told."""


_fetches = msgspec.msgpack.Decoder(list[Fetched]).decode
_warning = msgspec.msgpack.Decoder(tuple[int, str]).decode


def fetched(capture: Capture) -> Fetched:
    """What there is to say of a capture."""
    visit = capture.visit
    reason = str(capture.failure or "") or (f"cut: {capture.truncated}" if capture.truncated else "")
    if 300 <= capture.status < 400 and not reason:
        reason = f"to {_NAMED.sub('', target)}" if (target := location(capture)) else ""
    came = len(capture.wire)
    return Fetched(visit.url, visit.kind, visit.method, capture.status, came, capture.began, capture.seconds, reason)


def telling(fetch: Fetch, told: Callable[[Fetched], None]) -> Fetch:
    """The same fetch, and somebody hears of it."""

    async def fetch_and_tell(visit: Visit) -> Capture:
        capture = await fetch(visit)
        told(fetched(capture))
        return capture

    return fetch_and_tell


class Batches:
    """What was fetched and not sent yet."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._waiting: list[Fetched] = []

    def add(self, one: Fetched) -> None:
        """It goes with the next batch."""
        self._waiting.append(one)
        if len(self._waiting) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Send it now."""
        if self._waiting:
            self._send(msgspec.msgpack.encode(self._waiting))
            self._waiting.clear()


def fetches_of(message: bytes) -> list[Fetched]:
    """What a shard has sent."""
    return _fetches(message)


@contextmanager
def passing_warnings(send: Callable[[bytes], None]) -> Iterator[None]:
    """What is logged here is logged by whoever is in charge, who knows where it is wanted."""
    passing = _Passing(send)
    log.addHandler(passing)
    try:
        yield
    finally:
        log.removeHandler(passing)


def repeat(message: bytes) -> None:
    """Log what a shard has warned of."""
    level, words = _warning(message)
    log.log(level, "%s", words)


class _Passing(logging.Handler):
    def __init__(self, send: Callable[[bytes], None]) -> None:
        super().__init__(logging.WARNING)
        self._send, self._loop, self._here = send, asyncio.get_running_loop(), get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        """From whichever thread: only that of the loop may send."""
        words = msgspec.msgpack.encode((record.levelno, record.getMessage()))
        if get_ident() == self._here:
            self._send(words)  # now: what is wrong may end the process
        else:
            self._loop.call_soon_threadsafe(self._send, words)
