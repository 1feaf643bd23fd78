"""How are all shards crawled? One here, several in processes: who is in charge of them, and when is it over?"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer import files
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.news import fetches_of, repeat
from gossamer.collection.crawl.outside import REAL, Outside
from gossamer.collection.crawl.restarts import live
from gossamer.collection.crawl.running import stoppable
from gossamer.collection.crawl.session import Session
from gossamer.collection.crawl.shard import (
    FETCHED,
    GRANT,
    HELLO,
    IMPORTED,
    KEPT,
    PAGES,
    PROGRESS,
    STOP,
    WARNED,
    Job,
    asked_now,
    begin_checkpoints,
    imported_of,
    plan_now,
    progress_of,
    work,
)
from gossamer.collection.crawl.wiring import preload
from gossamer.collection.folder import Folder
from gossamer.collection.imports.import_source import Imported
from gossamer.collection.lock import keeping
from gossamer.collection.progress import Fetched, Progress, together
from gossamer.collection.steering import OrdersWatch, wanted
from gossamer.engine import Crew, Outfit, termination
from gossamer.engine.protocols import Reports, Supervisor
from gossamer.frontier.answer.poison_pages import READING, Watch
from gossamer.frontier.polite.granted_pages import PageBank
from gossamer.frontier.polite.ip_leases import IpLeases
from gossamer.plan import Plan
from gossamer.printable import log
from gossamer.store.table.opening import made
from gossamer.store.table.table import Table

if TYPE_CHECKING:
    from gossamer.collection.crawl.cluster_notes import ClusterNotes

LOOK = 5.0
"""Seconds between looks at what the shards are reading."""
STUCK = 12
"""Looks at the same page until its shard is taken to hang: a minute. The costliest page takes a second or two."""


async def crawl_all(
    job: Job,
    lock: int,
    report: Callable[[Progress], None],
    stop: asyncio.Event | None,
    outside: Outside = REAL,
    *,
    apart: bool = False,
) -> None:
    """Crawl all shards. One that is alone gets a process of its own only if it is wanted `apart`."""
    if job.plan.is_local and job.plan.shards == 1 and (outside.is_handed_in or outside.on_page or not apart):
        await crawl_here(job, report, stop, outside)
    else:
        if not job.plan.is_local:
            from gossamer.collection.crawl.cluster import publish_first

            await publish_first(Folder(job.path), job.plan)
        await CrawlSupervisor(job, lock, report, told=outside.told or (lambda one: None)).run(stop)


async def crawl_here(
    job: Job, report: Callable[[Progress], None], stop: asyncio.Event | None, outside: Outside
) -> None:
    """The only shard, in this process."""
    folder = Folder(job.path)
    checkpoints = await begin_checkpoints(job, 0)

    async def life(table: Table) -> None:
        watch = OrdersWatch(job.path) if job.heeds else None
        world = replace(outside, watch=watch, fresh_until=job.fresh_until, checkpoints=checkpoints)
        if checkpoints:
            await checkpoints.first(table)
        session = Session(folder.shard(0), plan_now(job), table, world, collection=job.path)
        await stoppable(session.run(asked_now(job), report), session.stop, stop)
        if checkpoints:
            await checkpoints.last(table)

    await live(folder.table(0), life)


async def take_in(path: Path, plan: Plan, lock: int) -> None:
    """What a killed crawl left: by a crawl that may fetch nothing, and is over as soon as it is open."""
    stop = asyncio.Event()
    stop.set()
    await crawl_all(Job(path, plan.changed(pages=1)), lock, lambda _: None, stop)


class CrawlSupervisor:
    """Runs all shards of a crawl."""

    def __init__(
        self,
        job: Job,
        lock: int,
        report: Callable[[Progress], None],
        imported: Callable[[int, Imported], None] = lambda index, look: None,
        told: Callable[[Fetched], None] = lambda one: None,
    ) -> None:
        """`lock` is the descriptor that no other crawl may get while any process of this one lives."""
        self._imported, self._told = imported, told
        shards = job.plan.shards
        self._folder = Folder(job.path)
        self._plan = job.plan
        self._report = report
        self._quiet = termination.Quiet(shards)
        self._progress: list[Progress | None] = [None] * shards
        self._stopping = False
        self._bank = PageBank(job.plan.pages, shards)
        self._leases: IpLeases | None = None
        self._reading: Watch | None = None
        self._notes: ClusterNotes | None = None
        self._crew = self._here(job, lock) if job.plan.is_local else self._on_cluster(job)

    def _on_cluster(self, job: Job) -> Supervisor:
        """On each node somebody else does what is done here for the shards of this machine."""
        from gossamer.collection.crawl import cluster
        from gossamer.collection.crawl.cluster_notes import ClusterNotes

        crew = cluster.crew(job, Reports(self._heard, self._died, self._failed))
        self._notes = ClusterNotes(job.path, crew, job.plan.shards)
        return crew

    def _here(self, job: Job, lock: int) -> Supervisor:
        shards, gate = job.plan.shards, self._folder.leases
        for index in range(0 if job.plan.store else shards):  # who asks for the status meanwhile finds all of them
            made(Folder(job.path).table(index), FAMILIES)
        IpLeases.create(gate, shards)
        self._leases = IpLeases(gate, 0, delay=job.plan.ip_delay)
        self._reading = Watch([Folder(job.path).shard(index) / READING for index in range(shards)], STUCK)
        return Crew(
            keeping(partial(work, job), job.path),
            shards,
            Reports(self._heard, self._died, self._failed),
            outfit=Outfit(preload=preload(job.plan), keep=(lock,)),
        )

    async def run(self, stop: asyncio.Event | None) -> None:
        """Until every shard has ended."""
        loop = asyncio.get_running_loop()
        watchers = [loop.create_task(self._look_after())]
        if self._notes is not None:
            watchers.append(loop.create_task(self._notes.run(self._progress)))
        if stop:
            watchers.append(loop.create_task(self._watch(stop)))
        try:
            await self._crew.run()
        finally:
            for watcher in watchers:
                watcher.cancel()
            if self._notes is not None:
                self._notes.write(self._progress)
            if self._reading is not None:
                self._reading.close()
            if self._leases is not None:
                self._leases.close()
                files.remove(self._folder.leases)
        if not self._plan.is_local:
            from gossamer.collection.stored import refresh  # with what reads a store

            await asyncio.to_thread(refresh, self._folder, self._plan)

    async def _look_after(self) -> None:
        """As long as it runs: those who hang here are ended, and nodes hear what is wanted of them."""
        if self._reading is not None:
            await look_after(self._crew, self._reading, len(self._progress))
        else:
            from gossamer.collection.crawl import cluster

            await cluster.pass_on(self._folder, self._crew)

    async def _watch(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._stop()

    def _stop(self) -> None:
        self._stopping = True
        self._crew.send_all(STOP)

    def _heard(self, index: int, message: bytes) -> None:
        match message[:1]:
            case bytes(mark) if mark == HELLO:
                if self._stopping:
                    self._crew.send(index, STOP)
            case bytes(mark) if mark == PROGRESS:
                self._progress[index] = progress_of(message)
                if (now := together(self._progress)) is not None:
                    self._report(now)
            case bytes(mark) if mark == KEPT:
                if self._notes is not None:
                    self._notes.kept(index, message[1:])
            case bytes(mark) if mark == IMPORTED:
                self._imported(index, imported_of(message))
            case bytes(mark) if mark == FETCHED:
                for each in fetches_of(message[1:]):
                    self._told(each)
            case bytes(mark) if mark == WARNED:
                repeat(message[1:])
            case bytes(mark) if mark == PAGES:
                self._bank.limit = wanted(self._folder.path, self._plan).pages
                for to, answer in self._bank.told(index, message[1:]):
                    self._crew.send(to, GRANT + answer)
            case _:
                self._order(self._quiet.told(index, termination.decode_word(message[1:])))

    def _died(self, index: int, words: str) -> None:
        log.warning("shard %d %s; it is started again and goes on from its last commit", index, words)
        if self._leases is not None:
            self._leases.free(index, time.monotonic())
        if self._notes is not None:
            self._notes.happened(index, words)
        self._bank.died(index)
        self._order(self._quiet.died(index))

    def _failed(self, index: int, error: Exception) -> None:
        if self._leases is not None:
            self._leases.free(index, time.monotonic())
            self._leases.leave(index)
        self._stop()

    def _order(self, order: termination.Order | None) -> None:
        if order is not None:
            self._crew.send_all(termination.encode(order))


async def look_after(crew: Supervisor, reading: Watch, shards: int) -> None:
    """End every shard that hangs in a page; it is started again and suspects that page."""
    while True:
        await asyncio.sleep(LOOK)
        for index in range(shards):
            if (url := reading.stuck(index)) is not None:
                log.warning("shard %d hangs: it has been reading %s for %.0f s", index, url, STUCK * LOOK)
                crew.kill(index)
