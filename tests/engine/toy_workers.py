"""Workers for the tests of the engine: top-level functions, so that another process can load them."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from gossamer.engine import Seat
from gossamer.engine import seat as seats
from gossamer.errors import GossamerError, StorageError
from gossamer.frontier.entries import META
from gossamer.frontier.suspects import Suspects
from gossamer.store.table import Table

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


async def finish(seat: Seat) -> None:
    """Nothing to do."""


async def wait_for_stop(seat: Seat) -> None:
    stopped = Until()
    seat.listen(stopped.on(STOP), deaf, deaf)
    seat.tell(b"ready")
    await stopped.wait()


async def ping_pong(seat: Seat, balls: int) -> None:
    """Worker 0 serves; each returns the other's number plus one, and tells the last one it would have sent."""
    done = Until()
    last = -1

    def heard(source: int, message: bytes) -> None:
        nonlocal last
        assert (source, int(message)) == (1 - seat.index, last + 1)
        play(last + 2)

    def play(ball: int) -> None:
        nonlocal last
        last = ball
        if ball < balls:
            seat.send(1 - seat.index, b"%d" % ball)
        if ball + 1 >= balls:
            done.came()

    seat.listen(heard, deaf, deaf)
    if seat.index == 0:
        play(0)
    await done.wait()
    seat.tell(b"%d" % last)


async def stream(seat: Seat, count: int) -> None:
    """Worker 0 sends numbers to worker 1, which tells the last one if none was missing or out of order."""
    done = Until()
    hoped = iter(range(count))

    def heard(source: int, message: bytes) -> None:
        assert (source, int(message)) == (0, next(hoped))
        if int(message) == count - 1:
            seat.tell(message)
            done.came()

    seat.listen(heard, deaf, deaf)
    if seat.index == 0:
        for number in range(count):
            seat.send(1, b"%d" % number)
    else:
        await done.wait()


def large_message(number: int) -> bytes:
    return random.Random(number).randbytes(LARGE + number)


async def exchange_large(seat: Seat, count: int) -> None:
    """Each sends large messages to every other, and tells the digest of all it got from each."""
    done = Until()
    digests = {other: hashlib.sha256() for other in range(seat.count) if other != seat.index}
    left = count * len(digests)

    def heard(source: int, message: bytes) -> None:
        nonlocal left
        digests[source].update(message)
        left -= 1
        if not left:
            done.came()

    seat.listen(heard, deaf, deaf)
    for number in range(count):
        for other in digests:
            seat.send(other, large_message(number))
    await done.wait()
    for digest in digests.values():
        seat.tell(digest.hexdigest().encode())


def lives(folder: Path) -> int:
    """How often it was called in this folder, over all processes."""
    with (folder / "lives").open("a+b") as file:
        file.write(b"|")
        file.flush()
        return os.fstat(file.fileno()).st_size


async def die_young(seat: Seat, folder: Path, times: int, *, say_well: bool = False) -> None:
    """Worker 0 kills itself in its first lives; all tell whom they heard was reborn, until worker 0 lives on."""
    grown = Until()

    def heard(source: int, message: bytes) -> None:
        seat.tell(b"heard %d" % source)
        grown.came()

    seat.listen(heard, lambda other: seat.tell(b"reborn %d" % other), deaf)
    if seat.index == 0:
        if say_well:
            seat.well()
            await _sent()
        if lives(folder) <= times:
            os.kill(os.getpid(), signal.SIGKILL)
        for other in range(1, seat.count):
            seat.send(other, b"grown")
    else:
        await grown.wait()


async def report_rebirths(seat: Seat, folder: Path) -> None:
    """Worker 0 kills itself once, then tells whom it hears was reborn; the others wait until it knows all of them."""
    known = Until()
    reborn: list[int] = []

    def hear_reborn(other: int) -> None:
        reborn.append(other)
        if len(reborn) == seat.count - 1:
            known.came()

    seat.listen(known.on(b"known"), hear_reborn if seat.index == 0 else deaf, deaf)
    if seat.index == 0 and lives(folder) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    await known.wait()
    for other in reborn:
        seat.tell(b"reborn %d" % other)
        seat.send(other, b"known")


async def _sent() -> None:
    """What was written in this turn of the loop leaves before the next but one."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)


async def fail(seat: Seat) -> None:
    """Worker 0 meets an error of ours; the others wait to be stopped."""
    if seat.index == 0:
        raise StorageError("the disk is full; buy another")
    await wait_for_stop(seat)


async def lack(seat: Seat, number: int) -> None:
    """The machine lacks something, and nobody has said so in words of ours."""
    raise OSError(number, os.strerror(number), "/far/file")


class Unpicklable(GossamerError):
    """An error that a pickle cannot make again."""

    def __init__(self, place: str, cure: str) -> None:
        super().__init__(f"{place} is broken; {cure}")


async def fail_strangely(seat: Seat) -> None:
    raise Unpicklable("the table", "repair it")


async def raise_once(seat: Seat, folder: Path) -> None:
    if lives(folder) == 1:
        raise ValueError("boom")


async def raise_always(seat: Seat) -> None:
    if seat.index == 0:
        raise ExceptionGroup("of a group of tasks", [ValueError("boom")])


async def raise_when_told(seat: Seat, folder: Path) -> None:
    """The mistake is in a callback, not in the coroutine."""
    if lives(folder) > 1:
        return
    seat.listen(_raise, deaf, deaf)
    seat.tell(b"ready")
    await asyncio.Event().wait()


def _raise(source: int, message: bytes) -> None:
    raise LookupError(f"no idea what {message!r} is")


async def exit_always(seat: Seat) -> None:
    if seat.index == 0:
        os._exit(7)
    await wait_for_stop(seat)


async def ignore_interrupts(seat: Seat) -> None:
    os.kill(os.getpid(), signal.SIGINT)
    seat.tell(b"alive")


async def name_loaded_modules(seat: Seat, names: tuple[str, ...]) -> None:
    """Tells which of these modules it was born with."""
    seat.tell(" ".join(name for name in names if name in sys.modules).encode())


async def clean_up_when_cancelled(seat: Seat) -> None:
    seat.tell(b"ready")
    try:
        await asyncio.Event().wait()
    finally:
        seat.tell(b"clean")


async def ignore_cancellation(seat: Seat) -> None:
    seat.tell(b"ready")
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seat.tell(b"ignored")


async def kill_the_parent(seat: Seat, folder: Path) -> None:
    """Worker 0 kills the process it was forked from, once."""
    stopped = Until()
    seat.listen(stopped.on(STOP), deaf, deaf)
    if seat.index == 0 and lives(folder) == 1:
        os.kill(os.getppid(), signal.SIGKILL)
    elif seat.index == 0:
        seat.tell(b"reborn")
    await stopped.wait()


async def listen_late(seat: Seat, count: int, folder: Path) -> None:
    """Listens only when the supervisor has sent everything; tells the messages as they come."""
    done = Until()
    seat.tell(b"ready")
    while not (folder / "sent").exists():  # noqa: ASYNC110  # the sign is a file, which has no event
        await asyncio.sleep(0)

    def heard(source: int, message: bytes) -> None:
        seat.tell(message)
        if int(message) == count - 1:
            done.came()

    seat.listen(heard, deaf, deaf)
    await done.wait()


async def end_as_orphan(seat: Seat, folder: Path) -> None:
    """Notes whether the lock is still held when the supervisor is gone, and ends."""
    alone = Until()
    seat.listen(deaf, deaf, alone.came)
    seat.tell(b"ready")
    await alone.wait()
    with (folder / "lock").open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            (folder / f"held-{seat.index}").touch()


async def hang_as_orphan(seat: Seat) -> None:
    """Does not care that the supervisor is gone."""
    seats.ORPHAN_SECONDS = 0.2
    seat.listen(deaf, deaf, deaf)
    seat.tell(b"ready")
    await asyncio.Event().wait()


async def hang_in_a_page(seat: Seat, folder: Path) -> None:
    """Worker 0 begins to read a page and never ends, until the page is left alone; it tells what it knows of it."""
    if seat.index != 0:
        return
    with Table.open(folder / "table", [META], writable=True) as table:
        suspects = Suspects(folder / "0", table)
        table.commit()
        quarantined = suspects.quarantined("http://a.example/endless")
        seat.tell(f"{suspects.died_on()} {quarantined}".encode())
        if quarantined:
            return
        with suspects.reading("http://a.example/endless"):
            await _sent()
            while True:
                pass
