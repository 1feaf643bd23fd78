"""Workers for the tests of the engine: top-level functions, so that another process can load them."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import random
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from gossamer.engine import Work, WorkerLink
from gossamer.engine import worker_link as seats
from gossamer.errors import GossamerError, StorageError
from gossamer.frontier.answer.poison_pages import PoisonPages
from gossamer.frontier.entries import META
from gossamer.store.table.table import Table

STOP = b"stop"
LARGE = 1 << 20


def deaf(*_: object) -> None:
    """For news that a worker does not care about."""


class Until:
    """A moment that a callback brings about."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self.came = self._event.set
        self.wait = self._event.wait

    def on(self, wanted: bytes) -> Callable[[int, bytes], None]:
        """Hear messages until that one comes."""
        return lambda _, message: self.came() if message == wanted else None


async def finish(link: WorkerLink) -> None:
    """Nothing to do."""


async def wait_for_stop(link: WorkerLink) -> None:
    stopped = Until()
    link.listen(stopped.on(STOP), deaf, deaf)
    link.tell(b"ready")
    await stopped.wait()


async def ping_pong(link: WorkerLink, balls: int) -> None:
    """Worker 0 serves; each returns the other's number plus one, and tells the last one it would have sent."""
    done = Until()
    last = -1

    def heard(source: int, message: bytes) -> None:
        nonlocal last
        assert (source, int(message)) == (1 - link.index, last + 1)
        play(last + 2)

    def play(ball: int) -> None:
        nonlocal last
        last = ball
        if ball < balls:
            link.send(1 - link.index, b"%d" % ball)
        if ball + 1 >= balls:
            done.came()

    link.listen(heard, deaf, deaf)
    if link.index == 0:
        play(0)
    await done.wait()
    link.tell(b"%d" % last)


async def stream(link: WorkerLink, count: int) -> None:
    """Worker 0 sends numbers to worker 1, which tells the last one if none was missing or out of order."""
    done = Until()
    hoped = iter(range(count))

    def heard(source: int, message: bytes) -> None:
        assert (source, int(message)) == (0, next(hoped))
        if int(message) == count - 1:
            link.tell(message)
            done.came()

    link.listen(heard, deaf, deaf)
    if link.index == 0:
        for number in range(count):
            link.send(1, b"%d" % number)
    else:
        await done.wait()


def large_message(number: int) -> bytes:
    return random.Random(number).randbytes(LARGE + number)


async def exchange_large(link: WorkerLink, count: int) -> None:
    """Each sends large messages to every other, and tells the digest of all it got from each."""
    done = Until()
    digests = {other: hashlib.sha256() for other in range(link.count) if other != link.index}
    left = count * len(digests)

    def heard(source: int, message: bytes) -> None:
        nonlocal left
        digests[source].update(message)
        left -= 1
        if not left:
            done.came()

    link.listen(heard, deaf, deaf)
    for number in range(count):
        for other in digests:
            link.send(other, large_message(number))
    await done.wait()
    for digest in digests.values():
        link.tell(digest.hexdigest().encode())


def lives(folder: Path) -> int:
    """How often it was called in this folder, over all processes."""
    with (folder / "lives").open("a+b") as file:
        file.write(b"|")
        file.flush()
        return os.fstat(file.fileno()).st_size


async def die_young(link: WorkerLink, folder: Path, times: int, *, say_well: bool = False) -> None:
    """Worker 0 kills itself in its first lives; all tell whom they heard was reborn, until worker 0 lives on."""
    grown = Until()

    def heard(source: int, message: bytes) -> None:
        link.tell(b"heard %d" % source)
        grown.came()

    link.listen(heard, lambda other: link.tell(b"reborn %d" % other), deaf)
    if link.index == 0:
        if say_well:
            link.well()
            await _sent()
        if lives(folder) <= times:
            os.kill(os.getpid(), signal.SIGKILL)
        for other in range(1, link.count):
            link.send(other, b"grown")
    else:
        await grown.wait()


async def report_rebirths(link: WorkerLink, folder: Path) -> None:
    """Worker 0 kills itself once, then tells whom it hears was reborn; the others wait until it knows all of them."""
    known = Until()
    reborn: list[int] = []

    def hear_reborn(other: int) -> None:
        reborn.append(other)
        if len(reborn) == link.count - 1:
            known.came()

    link.listen(known.on(b"known"), hear_reborn if link.index == 0 else deaf, deaf)
    if link.index == 0 and lives(folder) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    await known.wait()
    for other in reborn:
        link.tell(b"reborn %d" % other)
        link.send(other, b"known")


async def _sent() -> None:
    """What was written in this turn of the loop leaves before the next but one."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)


async def fail(link: WorkerLink) -> None:
    """Worker 0 meets an error of ours; the others wait to be stopped."""
    if link.index == 0:
        raise StorageError("the disk is full; buy another")
    await wait_for_stop(link)


async def lack(link: WorkerLink, number: int) -> None:
    """The machine lacks something, and nobody has said so in words of ours."""
    raise OSError(number, os.strerror(number), "/far/file")


class Unpicklable(GossamerError):
    """An error that a pickle cannot make again."""

    def __init__(self, place: str, cure: str) -> None:
        super().__init__(f"{place} is broken; {cure}")


async def fail_strangely(link: WorkerLink) -> None:
    raise Unpicklable("the table", "repair it")


async def raise_once(link: WorkerLink, folder: Path) -> None:
    if lives(folder) == 1:
        raise ValueError("boom")


async def raise_always(link: WorkerLink) -> None:
    if link.index == 0:
        raise ExceptionGroup("of a group of tasks", [ValueError("boom")])


async def raise_when_told(link: WorkerLink, folder: Path) -> None:
    """The mistake is in a callback, not in the coroutine."""
    if lives(folder) > 1:
        return
    link.listen(_raise, deaf, deaf)
    link.tell(b"ready")
    await asyncio.Event().wait()


def _raise(source: int, message: bytes) -> None:
    raise LookupError(f"no idea what {message!r} is")


async def exit_always(link: WorkerLink) -> None:
    if link.index == 0:
        os._exit(7)
    await wait_for_stop(link)


async def ignore_interrupts(link: WorkerLink) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(os.getpid(), number)
    link.tell(b"alive")


async def name_loaded_modules(link: WorkerLink, names: tuple[str, ...]) -> None:
    """Tells which of these modules it was born with."""
    link.tell(" ".join(name for name in names if name in sys.modules).encode())


async def clean_up_when_cancelled(link: WorkerLink) -> None:
    link.tell(b"ready")
    try:
        await asyncio.Event().wait()
    finally:
        link.tell(b"clean")


async def ignore_cancellation(link: WorkerLink) -> None:
    link.tell(b"ready")
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            link.tell(b"ignored")


async def kill_the_parent(link: WorkerLink, folder: Path) -> None:
    """Worker 0 kills the process it was forked from, once."""
    stopped = Until()
    link.listen(stopped.on(STOP), deaf, deaf)
    if link.index == 0 and lives(folder) == 1:
        os.kill(os.getppid(), signal.SIGKILL)
    elif link.index == 0:
        link.tell(b"reborn")
    await stopped.wait()


async def listen_late(link: WorkerLink, count: int, folder: Path) -> None:
    """Listens only when the supervisor has sent everything; tells the messages as they come."""
    done = Until()
    link.tell(b"ready")
    while not (folder / "sent").exists():  # noqa: ASYNC110  # the sign is a file, which has no event
        await asyncio.sleep(0)

    def heard(source: int, message: bytes) -> None:
        link.tell(message)
        if int(message) == count - 1:
            done.came()

    link.listen(heard, deaf, deaf)
    await done.wait()


async def end_as_orphan(link: WorkerLink, folder: Path) -> None:
    """Notes whether the lock is still held when the supervisor is gone, and ends."""
    alone = Until()
    link.listen(deaf, deaf, alone.came)
    link.tell(b"ready")
    await alone.wait()
    with (folder / "lock").open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            (folder / f"held-{link.index}").touch()


async def hang_as_orphan(link: WorkerLink) -> None:
    """Does not care that the supervisor is gone."""
    seats.ORPHAN_SECONDS = 0.2
    link.listen(deaf, deaf, deaf)
    link.tell(b"ready")
    await asyncio.Event().wait()


async def hang_in_a_page(link: WorkerLink, folder: Path) -> None:
    """Worker 0 begins to read a page and never ends, until the page is left alone; it tells what it knows of it."""
    if link.index != 0:
        return
    with Table.open(folder / "table", [META], writable=True) as table:
        suspects = PoisonPages(folder / "0", table)
        table.commit()
        quarantined = suspects.quarantined("http://a.example/endless")
        link.tell(f"{suspects.died_on()} {quarantined}".encode())
        if quarantined:
            return
        with suspects.reading("http://a.example/endless"):
            await _sent()
            while True:
                pass


class Unattended:
    """An `Attendant` of workers that share nothing."""

    keep: Sequence[int] = ()

    def __init__(self, work: Work, number: int, kill: Callable[[int], None]) -> None:
        self.work = work

    def adopt(self, index: int) -> None:
        """Nothing is to be made."""

    def gone(self, index: int) -> None:
        """Nothing was shared."""

    def heard(self, message: bytes) -> None:
        """Nobody minds."""

    def close(self) -> None:
        """Nothing is left."""
