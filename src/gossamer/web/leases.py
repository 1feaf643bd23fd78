"""Who may ask the collection now? A few at once, each with a reader of their own that follows the commits.

A reader sees one moment and answers one question at a time. So there are as many readers as questions may be answered
at once. Each is lent to one question; before that it is opened again, if somebody has committed since and it is older
than a moment. Whoever finds none free waits for a while, and is then told to come again: a crawl beside the server
keeps its share of the machine whatever is asked here.

Another directory may be moved to the place of the collection while the server runs. Who asks next is answered from
that one: to see whether it is the same costs nothing, so it is looked at before every question.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import TypeVar

from gossamer.collection import Collection
from gossamer.collection.folder import settled
from gossamer.collection.lock import FILE as LOCK
from gossamer.errors import GossamerError
from gossamer.files.stamps import stamp
from gossamer.printable import log

AT_ONCE = 4
"""Questions that are answered at the same time."""
WAIT = 3.0
"""Seconds that a question waits for its turn."""
LIMIT = 10.0
"""Seconds that an answer may take."""
FRESH = 1.0
"""Seconds that a reader is as good as new: a crawl commits about once a second."""
SHARE = 25
"""Opening a reader may take one in so many seconds of its life, in CPU: on a busy machine it waits for most of it."""
EXPORTS_AT_ONCE = 2
"""Each has a reader of its own, so that questions are answered meanwhile."""

T = TypeVar("T")


class Busy(GossamerError):
    """Too many ask at once, or an answer takes too long."""


class _Reader:
    """One reader, and what it has seen."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.collection = Collection(path)
        self.state = ""
        """Tells the state that it sees from all others."""
        self._good_until = 0.0
        self._changes = 0

    def follow(self, changes: int) -> None:
        """See what was committed since, if it is time to look, or somebody has changed something from here."""
        if time.monotonic() < self._good_until and changes == self._changes:
            return
        self._changes = changes
        began = time.thread_time()
        state = _state(self._path)
        if state != self.state:
            self.collection.close()
            self.collection, self.state = Collection(self._path), state
            with suppress(GossamerError):  # it is told to who asks for something
                self.collection.status()
        spent = time.thread_time() - began
        self._good_until = time.monotonic() + max(FRESH, spent * SHARE)


class Leases:
    """The readers of one collection."""

    def __init__(self, path: Path, at_once: int = AT_ONCE, wait: float = WAIT, limit: float = LIMIT) -> None:
        self.path = path
        self._wait, self._limit = wait, limit
        self._changes = 0
        self._place = place(path)
        self._looking = Lock()
        self._free = [_Reader(path) for _ in range(at_once)]
        self._turns = asyncio.Semaphore(at_once)
        self._threads = ThreadPoolExecutor(at_once, "gossamer-web")

    async def ask(self, question: Callable[[Collection], T], limit: float | None = None) -> T:
        """What the collection answers. `Busy` when it takes too long; the answer is then thrown away."""
        return await self.ask_at(lambda web, state: question(web), limit)

    async def ask_at(self, question: Callable[[Collection, str], T], limit: float | None = None) -> T:
        """The same for who has to know which state of the collection the answer is of."""
        try:
            await asyncio.wait_for(self._turns.acquire(), self._wait)
        except TimeoutError:
            raise Busy("too many questions at once; ask again in a moment") from None
        answer = asyncio.get_running_loop().run_in_executor(self._threads, self._answer, question)
        answer.add_done_callback(self._returned)
        try:
            return await asyncio.wait_for(asyncio.shield(answer), limit or self._limit)
        except TimeoutError:
            raise Busy(f"the answer takes longer than {limit or self._limit:g} s; ask for less") from None

    def _answer(self, question: Callable[[Collection, str], T]) -> T:
        with self._lent() as reader:
            return question(reader.collection, reader.state)

    @contextmanager
    def _lent(self) -> Iterator[_Reader]:
        reader = self._free.pop()
        try:
            self._look()
            reader.follow(self._changes)
            yield reader
        finally:
            self._free.append(reader)

    def _look(self) -> None:
        """Is it still the same directory?"""
        with self._looking:
            found = place(self.path)
            if found == self._place:
                return
            self._place = found
            self.changed()
        log.warning("%s: %s", self.path, "is another directory now, and answers from it" if found else "is gone")

    def changed(self) -> None:
        """Something was changed from here: whoever asks from now on sees it."""
        self._changes += 1

    def _returned(self, answer: asyncio.Future[T]) -> None:
        self._turns.release()
        if not answer.cancelled():
            answer.exception()  # nobody may be left to hear of it

    def close(self) -> None:
        """Give back what is held open, when the last answer is given."""
        self._threads.shutdown(cancel_futures=True)
        for reader in self._free:
            reader.collection.close()


class Exports:
    """How many are under way; they take long, and each has a thread to itself.

    The threads are kept: each one that a process has ever had keeps memory of its own.
    """

    def __init__(self, at_once: int = EXPORTS_AT_ONCE) -> None:
        self._free = [ThreadPoolExecutor(1, "gossamer-export") for _ in range(at_once)]

    def begin(self) -> ThreadPoolExecutor:
        """A thread for one more, if there is room."""
        try:
            return self._free.pop()
        except IndexError:
            raise Busy("as many exports as may be are under way; ask again when one has ended") from None

    def end(self, thread: ThreadPoolExecutor) -> None:
        """One less."""
        self._free.append(thread)


def place(path: Path) -> str:
    """Tells one directory from another that was moved to its place; nothing where there is none."""
    try:
        about = path.stat()
    except OSError:
        return ""
    return f"{about.st_dev:x}-{about.st_ino:x}"


def _state(path: Path) -> str:
    """Tells one state of a collection from the next, and begins with its place; nothing for one that cannot be looked
    at now."""
    try:
        return f"{place(path)}:{stamp(settled(path), (LOCK,))}"
    except (OSError, GossamerError):
        return ""
