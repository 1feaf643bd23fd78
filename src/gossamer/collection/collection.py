"""A collection: every verb of the command line as a method. The only place that knows all parts.

What a crawl needs is loaded with this module, and each other verb loads its own part (see `reading`).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.collection import trust
from gossamer.collection.ask.reading import Reading, as_seed
from gossamer.collection.crawl import requests
from gossamer.collection.crawl.open_files import make_room
from gossamer.collection.crawl.restarts import live
from gossamer.collection.crawl.running import run
from gossamer.collection.crawl.session import REAL, Outside, Session, stoppable
from gossamer.collection.crawl.shard import Job
from gossamer.collection.crawl.supervisor import CrawlSupervisor
from gossamer.collection.crawl.wiring import check, site_of
from gossamer.collection.lock import exclusive, undisturbed
from gossamer.collection.status import Progress, Status
from gossamer.errors import NotFound, NothingFetched, StorageError, UsageError
from gossamer.model import SystemClock
from gossamer.store.table.table import Table

if TYPE_CHECKING:
    from gossamer.collection.derive import build as builds
    from gossamer.collection.derive.build import Built
    from gossamer.collection.derive.graphs import Graph
    from gossamer.collection.imports.import_source import Imported
    from gossamer.collection.maintain.removal import Removal
    from gossamer.collection.maintain.repair import Repaired
    from gossamer.store.repair.verify import Checked


def open(path: str | Path) -> Collection:
    """The collection in a directory. It is made by the first `crawl`."""
    return Collection(Path(path))


class Collection(Reading):
    """A part of the web that its user owns."""

    def crawl(self, *seeds: str, report: Callable[[Progress], None] | None = None, **settings: Any) -> Status:
        """Crawl until nothing is due. Without seeds, go on where it stopped. Settings are those of the plan."""
        return run(lambda stop: self.crawl_async(*seeds, report=report, **{"stop": stop, **settings}))

    async def crawl_async(
        self,
        *seeds: str,
        report: Callable[[Progress], None] | None = None,
        revisit: bool = False,
        stop: asyncio.Event | None = None,
        outside: Outside = REAL,
        trust_plan: bool = False,
        apart: bool = False,
        **settings: Any,
    ) -> Status:
        """The same from within an asyncio program. Setting `stop` ends it as one Ctrl-C does.

        `trust_plan` says that a collection may open what its plan says, though this user has not made it. `apart` gives
        also the only shard a process of its own, as several always have: a page that crashes it crashes nothing else. A
        fetch function or a clock that was handed in stays in this one.
        """
        new = [as_seed(seed) for seed in seeds]
        plan = self._folder.load_plan()
        trust.require(self._folder, plan, settings, trusted=trust_plan)
        plan = plan.changed(seeds=tuple(dict.fromkeys((*plan.seeds, *new))), **settings)
        if not plan.seeds:
            raise UsageError(
                f"{self.path}: no seed; name an address to start from, as in `crawl DIR https://example.org/`"
            )
        check(plan)
        make_room(plan.workers)
        plan = plan.changed(shards=self._shards(plan.shards, settings.get("shards"), outside))
        self._folder.create()
        self.close()
        with exclusive(self.path) as lock:
            trust.remember(self._folder)
            self._folder.save_plan(plan)
            self._folder.make_shards(plan.shards)
            job = Job(self.path, plan, requests.ask(self.path, new, revisit=revisit), outside.order)
            if plan.shards == 1 and (_is_handed_in(outside) or not apart):
                await self._crawl_here(job, outside, report or (lambda _: None), stop)
            else:
                await CrawlSupervisor(job, lock, report or (lambda _: None)).run(stop)
            requests.settle(self.path)
            if plan.build:
                self._link_up()
        status = self.status()
        if not status.pages and not (stop and stop.is_set()):
            raise NothingFetched("; ".join(f"{seed}: {self._reason(seed)}" for seed in plan.seeds[:3]))
        return status

    def unconfirmed(self, **settings: Any) -> Mapping[str, str]:
        """What the plan opens of the network though this user has not made it: what `trust_plan` would agree to."""
        return trust.unconfirmed(self._folder, self.plan, settings)

    def import_files(
        self, *paths: str | Path, report: Callable[[Imported], None] | None = None, **settings: Any
    ) -> Imported:
        """Take in the captures of WARC, ARC, WACZ and TREC Web files, each once. Settings are those of the plan."""
        return run(lambda stop: self.import_async(*paths, report=report, **{"stop": stop, **settings}))

    async def import_async(
        self,
        *paths: str | Path,
        report: Callable[[Imported], None] | None = None,
        stop: asyncio.Event | None = None,
        **settings: Any,
    ) -> Imported:
        """The same from within an asyncio program. Setting `stop` ends it as one Ctrl-C does."""
        from gossamer.collection.imports import importing
        from gossamer.collection.imports.import_files import sort

        found, plan = sort(paths), self._folder.load_plan().changed(**settings)
        check(plan)
        make_room(workers=1)
        plan = plan.changed(shards=self._shards(plan.shards, settings.get("shards"), REAL))
        self._folder.create()
        self.close()
        with exclusive(self.path) as lock:
            if not self._folder.exists():
                trust.remember(self._folder)
            self._folder.save_plan(plan)
            self._folder.make_shards(plan.shards)
            job = Job(self.path, plan, imported_files=found.imported_files)
            done = await importing.run(job, lock, report or (lambda _: None), stop)
            if plan.build:
                self._link_up()
        return replace(done, problems=(*found.problems, *done.problems))

    def _link_up(self) -> Graph:
        """Make the graph of what is there now: which pages are copies, ranks, and what pages are called by others."""
        from gossamer.collection.ask.searching import searcher
        from gossamer.collection.derive import copies as copying
        from gossamer.collection.derive import copy_marks, graphs

        copies = copying.found(self._readers())
        wrong = copy_marks.wrong(self._readers(), copies.groups)
        self.close()
        copy_marks.put_right(self._folder, self.plan, wrong)
        readers = self._readers()
        language = searcher(self._folder, readers, None).languages[0]
        try:
            graph, _ = graphs.make(self._folder, readers.tables, language, copies)
        except OSError as error:
            raise StorageError(
                f"{error.filename or self._folder.graph}: {error.strerror};"
                f" `gossamer build {self.path}` makes the graph again"
            ) from error
        self.close()
        return graph

    async def _crawl_here(
        self, job: Job, outside: Outside, report: Callable[[Progress], None], stop: asyncio.Event | None
    ) -> None:
        """One shard needs no process of its own."""

        async def life(table: Table) -> None:
            session = Session(self._folder.shard(0), job.plan, table, outside)
            await stoppable(session.run(job.asked, report), session, stop)

        await live(self._folder.table(0), life)

    def _shards(self, planned: int, asked: int | None, outside: Outside) -> int:
        """How many there are is decided by the first crawl, for a site stays where its rows are."""
        here = _is_handed_in(outside)
        made = self._made()
        if asked and made and asked != made:
            raise UsageError(f"{self.path}: was made with {made} shards, and that is fixed; leave the option out")
        if here and (made or asked or 1) != 1:
            raise UsageError(f"{self.path}: a fetch function or clock of your own needs a collection of one shard")
        return made or planned or (1 if here else len(os.sched_getaffinity(0)))

    def _made(self) -> int:
        """How many there are; 0 before the first crawl."""
        if not self._folder.exists():
            return 0
        plan = self._folder.load_plan()
        self._folder.require_all(plan)
        return plan.shards or 1

    def _reason(self, seed: str) -> str:
        try:
            return self.why(seed).reason
        except NotFound:
            return "never met; a rule of the plan turns it into another address"

    def build(self, *, convert: bool = False, report: Callable[[Built], None] | None = None) -> Built:
        """Make what is derived where it is missing; with `convert`, read all pages again with the code of today."""
        from gossamer.collection.derive import build as builds

        job = builds.Job(self.path, self.plan, convert)
        return run(lambda _: self._build(job, report or (lambda _: None)), finish=0)

    async def _build(self, job: builds.Job, report: Callable[[Built], None]) -> Built:
        from gossamer.collection.derive import build as builds

        self._folder.require()
        self._made()
        make_room(workers=1)
        self.close()
        with exclusive(self.path) as lock:
            built = await builds.build(job, lock, report)
            self._link_up()
        return built

    def verify(self) -> Checked:
        """Read everything and compare. No crawl may be running."""
        self._folder.require()
        self.close()
        with undisturbed(self.path):
            return self._verified()

    def _verified(self) -> Checked:
        from gossamer.collection.derive import graphs, indexer, near_copies
        from gossamer.collection.maintain.clearing import in_the_way
        from gossamer.collection.maintain.soundness import damage
        from gossamer.collection.maintain.writable_shard import is_removed
        from gossamer.frontier.audit import audit
        from gossamer.store.repair.verify import Checked, verify_archive

        checked = Checked(problems=list(in_the_way(self._folder)))
        damaged = [*filter(None, (damage(self._folder.table(index)) for index in range(self.plan.shards or 1)))]
        checked.problems += damaged
        if damaged:
            return checked  # what hangs on them would say nothing new
        for index, shard_reader in enumerate(self._readers().all):
            checked.add(verify_archive(shard_reader.archive, partial(is_removed, shard_reader.table)))
            checked.problems += audit(shard_reader.table)
            checked.problems += indexer.check(self._folder.shard(index), shard_reader.table, shard_reader.archive)
            checked.problems += near_copies.check(shard_reader.table, shard_reader.archive, site_of(self.plan))
        checked.problems += graphs.check(self._folder)
        return checked

    def repair(self) -> Repaired:
        """Save what is whole, say what is lost, make again what is derived. No crawl may be running."""
        return run(lambda _: self._repair(), finish=0)

    async def _repair(self) -> Repaired:
        from gossamer.collection.derive import graphs
        from gossamer.collection.maintain.clearing import clear, in_the_way
        from gossamer.collection.maintain.remake import remake
        from gossamer.collection.maintain.repair import Repaired, repair
        from gossamer.collection.maintain.replan import replan
        from gossamer.collection.maintain.writable_shard import opened

        self._folder.require()
        self.close()
        freed = tuple(clear(self._folder))
        with exclusive(self.path) as lock:
            wrong, aside = replan(self._folder)
            wrong += (f"{path.name}: was no file or folder of a collection, where one should be" for path in freed)
            wrong += in_the_way(self._folder)
            wrong += graphs.check(self._folder)
            plan = self.plan
            remade = remake(self._folder, plan)
            wrong += remade.problems
            put_aside = (*freed, *filter(None, (aside, *remade.aside)))
            done = Repaired(problems=tuple(wrong), aside=put_aside, gone=tuple(remade.gone))
            for index in range(plan.shards or 1):
                with opened(self._folder, plan, index) as bench:
                    done += repair(bench)
            await self._rebuilt(lock)
            left = self._verified().problems
            self.close()
        return replace(done, left=tuple(left))

    def removable(self, pattern: str) -> Removal:
        """What `remove` would take out."""
        from gossamer.collection.maintain import removal

        return removal.chosen(self._readers(), pattern)

    def remove(self, pattern: str, *, archive: bool = False) -> Removal:
        """Take pages out for good: an address, or all that a pattern is in. `archive` takes out their records too."""
        return run(lambda _: self._remove(pattern, archive), finish=0)

    async def _remove(self, pattern: str, archive: bool) -> Removal:
        from gossamer.collection.maintain import removal
        from gossamer.collection.maintain.writable_shard import opened

        self._folder.require()
        self._made()
        self.close()
        plan = self.plan
        with exclusive(self.path) as lock:
            if any(shard_reader.archive.uncommitted_bytes() for shard_reader in self._readers().all):
                await self._take_in(lock)
            chosen = self.removable(pattern)
            self.close()
            for index in range(plan.shards or 1):
                with opened(self._folder, plan, index) as bench:
                    removal.remove(bench, set(chosen.urls), archive=archive)
            await self._rebuilt(lock)
        return chosen

    async def _take_in(self, lock: int) -> None:
        """What a killed crawl left: by a crawl that may fetch nothing, and is over as soon as it is open."""
        self.close()
        stop = asyncio.Event()
        stop.set()
        job = Job(self.path, self.plan.changed(pages=1))
        if job.plan.shards == 1:
            await self._crawl_here(job, REAL, lambda _: None, stop)
        else:
            await CrawlSupervisor(job, lock, lambda _: None).run(stop)

    async def _rebuilt(self, lock: int) -> None:
        """Make what is missing of all that is derived."""
        from gossamer.collection.derive import build as builds

        await builds.build(builds.Job(self.path, self.plan, False), lock, lambda _: None)
        self._link_up()


def _is_handed_in(outside: Outside) -> bool:
    """Whether it has a fetch function or a clock that no other process knows."""
    return outside.fetch is not None or not isinstance(outside.clock, SystemClock)
