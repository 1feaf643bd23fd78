"""One shard as a process: it crawls its sites, and hears of the others and of whoever is in charge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from gossamer.collection.errands import Errand
from gossamer.collection.folder import Folder
from gossamer.collection.incoming import Imported
from gossamer.collection.meaning import site_of
from gossamer.collection.parcels import Parcel
from gossamer.collection.recover import PassedOver
from gossamer.collection.session import FAMILIES, Outside, Session
from gossamer.collection.status import Progress
from gossamer.engine import SUPERVISOR, Seat, quiet
from gossamer.frontier.gate import Gate
from gossamer.frontier.peers import Peers
from gossamer.frontier.rank import Order
from gossamer.model import SystemClock
from gossamer.plan import Plan
from gossamer.store.table import Table

HELLO, PROGRESS, IMPORTED, QUIET = b"h", b"p", b"i", b"q"
"""What a shard tells: it is here; how it goes; how an import goes; whether it has anything to do."""
STOP = b"s"
"""What it is told, besides the orders of `quiet`: finish what is in flight, then end."""

_imported = msgspec.msgpack.Decoder(Imported).decode
_progress = msgspec.msgpack.Decoder(Progress).decode


@dataclass(frozen=True)
class Job:
    """What every shard of a crawl is asked to do."""

    path: Path
    plan: Plan
    errands: tuple[Errand, ...] = ()
    order: Order | None = None
    parcels: tuple[Parcel, ...] = ()
    """Files to be imported; then nothing is fetched."""


async def work(job: Job, seat: Seat) -> None:
    """Crawl the sites of this shard until all shards are done."""
    folder, politeness = Folder(job.path), job.plan.as_politeness()
    gate = Gate(folder.gate, seat.index, delay=politeness.ip_delay, at_once=politeness.per_host)
    while True:
        try:
            with Table.open(folder.table(seat.index), FAMILIES, writable=True) as table:
                await _live(job, seat, table, Peers(table, Telling(seat), site_of(job.plan), gate))
                return
        except PassedOver:
            seat.well()  # one capture fewer to be taken in: go on after it


async def _live(job: Job, seat: Seat, table: Table, peers: Peers) -> None:
    outside = Outside(SystemClock(), order=job.order)
    session = Session(Folder(job.path).shard(seat.index), job.plan, table, outside, peers, job.parcels)
    hearing = Hearing(session, peers, asyncio.current_task())
    report = _reporting_import(seat, session) if job.parcels else _reporting(seat)
    await session.run(job.errands, report, ready=lambda: hearing.begin(seat))
    if job.parcels:
        seat.tell(IMPORTED + msgspec.msgpack.encode(session.imported()))


class Telling:
    """A seat whose words to the supervisor are about quiet."""

    def __init__(self, seat: Seat) -> None:
        self.index, self.count = seat.index, seat.count
        self.send, self.well, self.listen = seat.send, seat.well, seat.listen
        self._seat = seat

    def tell(self, message: bytes) -> None:
        """To the supervisor."""
        self._seat.tell(QUIET + message)


class Hearing:
    """What comes, and who does something about it."""

    def __init__(self, session: Session, peers: Peers, task: asyncio.Task[None] | None) -> None:
        self._session = session
        self._peers = peers
        self._task = task

    def begin(self, seat: Seat) -> None:
        """The shard is ready to hear."""
        seat.listen(self.heard, self._peers.reborn, self._orphaned)
        seat.tell(HELLO)

    def _orphaned(self) -> None:
        """Whoever was in charge is gone, and the next one waits for the lock that we hold: commit and end."""
        if self._task is not None:
            self._task.cancel()

    def heard(self, source: int, message: bytes) -> None:
        """From another shard, or from the supervisor."""
        if source != SUPERVISOR:
            self._peers.heard(source, message)
        elif message == STOP:
            self._session.stop()
        else:
            self._peers.order(quiet.decode_order(message), idle=self._session.frontier.idle)
            self._session.frontier.go_on()


def _reporting(seat: Seat) -> Callable[[Progress], None]:
    return lambda progress: seat.tell(PROGRESS + msgspec.msgpack.encode(progress))


def _reporting_import(seat: Seat, session: Session) -> Callable[[Progress], None]:
    return lambda _: seat.tell(IMPORTED + msgspec.msgpack.encode(session.imported()))


def imported_of(message: bytes) -> Imported:
    """What a shard told of how its import goes."""
    return _imported(message[1:])


def progress_of(message: bytes) -> Progress:
    """What a shard told of how it goes."""
    return _progress(message[1:])
