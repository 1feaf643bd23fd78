"""One shard as a process: it crawls its sites, and hears of the others and of whoever is in charge.

One that is alone has no others. It is a process all the same where a crash in compiled code must not end the command.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import requests
from gossamer.collection.crawl.news import Batches, passing_warnings
from gossamer.collection.crawl.outside import Outside
from gossamer.collection.crawl.recover import PassedOver
from gossamer.collection.crawl.requests import CrawlRequest
from gossamer.collection.crawl.session import Session
from gossamer.collection.folder import Folder
from gossamer.collection.imports.import_files import ImportFile
from gossamer.collection.imports.import_source import Imported
from gossamer.collection.progress import Progress
from gossamer.collection.sites import site_of
from gossamer.collection.steering import OrdersWatch, wanted
from gossamer.engine import SUPERVISOR, WorkerLink, termination
from gossamer.fetch.logins import NONE, Logins
from gossamer.frontier.polite.granted_pages import GrantedPages
from gossamer.frontier.polite.ip_leases import IpLeases
from gossamer.frontier.polite.lent_ips import LentIps
from gossamer.frontier.queue.rank import Order
from gossamer.frontier.shards.peers import FILES, LENT, Peers
from gossamer.model import SystemClock
from gossamer.plan import Plan
from gossamer.store.table.table import Table

if TYPE_CHECKING:
    from gossamer.collection.crawl.checkpoints import Checkpoints

HELLO, PROGRESS, IMPORTED, QUIET, FETCHED, WARNED, PAGES, KEPT = b"h", b"p", b"i", b"q", b"f", b"w", b"g", b"k"
"""What a shard tells: it is here; how it goes; how an import goes; whether it has anything to do; what it has fetched;
what it warns of; how many pages it has and wants, where a bank counts them; that a checkpoint is kept, on a cluster."""
STOP, GRANT = b"s", b"g"
"""What it is told, besides the orders of `termination`: finish what is in flight, then end; what the bank answers."""

_imported = msgspec.msgpack.Decoder(Imported).decode
_progress = msgspec.msgpack.Decoder(Progress).decode


@dataclass(frozen=True)
class Job:
    """What every shard of a crawl is asked to do."""

    path: Path
    plan: Plan
    heeds: bool = False
    """It does what is asked for besides going on, also what is wanted of it meanwhile: see `steering`."""
    order: Order | None = None
    imported_files: tuple[ImportFile, ...] = ()
    """Files to be imported; then nothing is fetched."""
    began: float | None = None
    """Steady time when it began, which is the same for all processes, also for one that is started again."""
    fresh_until: float | None = None
    """Steady time until which pages are visited again when they are due; None: each is visited once."""
    tells: bool = False
    """Every fetch is told."""
    logins: Logins = NONE
    """They come to a shard by its pipe, and stand in no file and no command line."""


def plan_now(job: Job) -> Plan:
    """The plan that a shard begins with: somebody may have changed it since the crawl began."""
    return wanted(job.path, job.plan) if job.heeds else job.plan


def asked_now(job: Job) -> Sequence[CrawlRequest]:
    """What it is asked for besides going on, likewise."""
    return requests.pending(job.path) if job.heeds else ()


async def work(job: Job, link: WorkerLink) -> None:
    """Crawl the sites of this shard until all shards are done."""
    with passing_warnings(lambda words: link.tell(WARNED + words)):
        while not await _one_life(job, link):
            link.well()  # one capture fewer to be taken in: go on after it


async def _one_life(job: Job, link: WorkerLink) -> bool:
    """Did it come to its end? It did not when a capture was passed over."""
    watch = OrdersWatch(job.path) if job.heeds else None
    job = replace(job, plan=plan_now(job))
    checkpoints = await begin_checkpoints(job, link.index, link.term or None)
    if checkpoints and link.leased_until < inf:
        checkpoints.told = lambda kept: link.tell(KEPT + msgspec.msgpack.encode(kept))
    try:
        with Table.open(Folder(job.path).table(link.index), FAMILIES, writable=True) as table:
            if checkpoints:
                await checkpoints.first(table)
            peers = _peers(job, link, table) if job.plan.shards > 1 or link.leased_until < inf else None
            try:
                await _live(job, link, table, peers, watch, checkpoints)
            except asyncio.CancelledError:  # it goes on elsewhere, or another time
                if checkpoints:
                    checkpoints.stop()
                    await checkpoints.last(table)
                raise
            if checkpoints:
                await checkpoints.last(table)
    except PassedOver:
        return False
    return True


async def begin_checkpoints(job: Job, index: int, term: int | None = None) -> Checkpoints | None:
    """Where a shard is kept besides this disk: it is claimed, and restored if it has to be. None without a store.

    `term` is that of whoever sends shards to machines; without one each start is a new one.
    """
    if not job.plan.store:
        return None
    from gossamer.collection.crawl.checkpoints import Checkpoints  # with what reads the index, and a store

    return await Checkpoints.begin(job.plan, Folder(job.path), index, SystemClock(), term=term)


def _peers(job: Job, link: WorkerLink, table: Table) -> Peers:
    politeness = job.plan.as_politeness()
    delay, at_once = politeness.ip_delay, politeness.per_host
    gate = IpLeases(Folder(job.path).leases, link.index, delay=delay, at_once=at_once)
    leases: IpLeases | LentIps = gate
    if link.leased_until < inf:  # others are on other machines
        send, steady, pages = partial(_send_of_address, link), SystemClock().steady, GrantedPages(partial(_ask, link))
        leases = LentIps(gate, link.index, link.count, send, steady, pages, delay=delay, at_once=at_once)
    return Peers(table, Telling(link), site_of(job.plan), leases, publishes=bool(job.plan.store))


def _ask(link: WorkerLink, message: bytes) -> None:
    link.tell(PAGES + message)


def _send_of_address(link: WorkerLink, to: int, message: bytes) -> None:
    link.send(to, LENT + message)


async def _live(
    job: Job,
    link: WorkerLink,
    table: Table,
    peers: Peers | None,
    watch: OrdersWatch | None,
    checkpoints: Checkpoints | None,
) -> None:
    fetches = Batches(lambda batch: link.tell(FETCHED + batch))
    told = fetches.add if job.tells else None
    outside = Outside(
        SystemClock(),
        order=job.order,
        logins=job.logins,
        told=told,
        began=job.began,
        fresh_until=job.fresh_until,
        watch=watch,
        checkpoints=checkpoints,
    )
    folder, files = Folder(job.path), job.imported_files
    session = Session(folder.shard(link.index), job.plan, table, outside, peers, files, job.path)
    if peers is None:
        session.follow(link.well)
    hearing = Hearing(session, peers, asyncio.current_task())
    report = _reporting_import(link, session) if job.imported_files else _reporting(link, fetches)
    try:
        await session.run(asked_now(job), report, ready=lambda: hearing.begin(link))
    finally:
        fetches.flush()
    if job.imported_files:
        link.tell(IMPORTED + msgspec.msgpack.encode(session.imported()))


class Telling:
    """A link whose words to the supervisor are about quiet."""

    def __init__(self, link: WorkerLink) -> None:
        self.index, self.count = link.index, link.count
        self.send, self.well, self.listen = link.send, link.well, link.listen
        self._link = link
        self.term = link.term

    @property
    def leased_until(self) -> float:
        """As the link says."""
        return self._link.leased_until

    def tell(self, message: bytes) -> None:
        """To the supervisor."""
        self._link.tell(QUIET + message)


class Hearing:
    """What comes, and who does something about it."""

    def __init__(self, session: Session, peers: Peers | None, task: asyncio.Task[None] | None) -> None:
        self._session = session
        self._peers = peers
        self._task = task

    def begin(self, link: WorkerLink) -> None:
        """The shard is ready to hear."""
        link.listen(self.heard, self._session.reborn, self._orphaned)
        link.tell(HELLO)

    def _orphaned(self) -> None:
        """Whoever was in charge is gone, and the next one waits for the lock that we hold: commit and end."""
        if self._task is not None:
            self._task.cancel()

    def heard(self, source: int, message: bytes) -> None:
        """From another shard, or from the supervisor."""
        if message == STOP and source == SUPERVISOR:
            self._session.stop()
        elif self._peers is None:
            pass  # it is over when it has nothing to do, and nobody has to agree
        elif source != SUPERVISOR and message[:1] == FILES:
            self._session.heard_of_files(source, message[1:])
        elif source != SUPERVISOR:
            self._peers.heard(source, message)
        elif message[:1] == GRANT:
            self._peers.granted(message[1:])
            self._session.frontier.go_on()
        else:
            self._peers.order(termination.decode_order(message), idle=self._session.frontier.idle)
            self._session.frontier.go_on()


def _reporting(link: WorkerLink, fetches: Batches) -> Callable[[Progress], None]:
    def report(progress: Progress) -> None:
        fetches.flush()
        link.tell(PROGRESS + msgspec.msgpack.encode(progress))

    return report


def _reporting_import(link: WorkerLink, session: Session) -> Callable[[Progress], None]:
    return lambda _: link.tell(IMPORTED + msgspec.msgpack.encode(session.imported()))


def imported_of(message: bytes) -> Imported:
    """What a shard told of how its import goes."""
    return _imported(message[1:])


def progress_of(message: bytes) -> Progress:
    """What a shard told of how it goes."""
    return _progress(message[1:])
