"""One crawl of one shard: how does it run, and how does it end?

How its parts are put together is in `assembly`, what is done before the first visit in `start`, what is done with a
capture in `stages`, what a commit does in `commit_order`, how it goes in `gauge`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TypeVar

from gossamer.collection.crawl import requests, shard_identity
from gossamer.collection.crawl.assembly import assemble
from gossamer.collection.crawl.outside import REAL, Outside
from gossamer.collection.crawl.replaying import Replay
from gossamer.collection.crawl.requests import CrawlRequest
from gossamer.collection.crawl.running import garbage_at_ease
from gossamer.collection.crawl.start import Start
from gossamer.collection.crawl.wiring import ShardPlan
from gossamer.collection.imports.import_files import ImportFile
from gossamer.collection.imports.import_source import WORKERS, Imported
from gossamer.collection.progress import Progress
from gossamer.collection.seed_list import SeedList
from gossamer.collection.signal.pings import PingWatch
from gossamer.collection.steering import wanted
from gossamer.crawl_loop import crawl
from gossamer.errors import GossamerError, shortage
from gossamer.frontier.entries import Entry
from gossamer.frontier.shards.peers import Peers
from gossamer.model import URL, Answer, Visit
from gossamer.plan import Plan
from gossamer.store.table.table import Table

_Error = TypeVar("_Error", bound=Exception)

REPORT_EVERY = 0.5


class Session:
    """Holds the parts of a crawl while it runs."""

    def __init__(
        self,
        shard: Path,
        plan: Plan,
        table: Table,
        outside: Outside = REAL,
        peers: Peers | None = None,
        imported_files: Sequence[ImportFile] = (),
        collection: Path | None = None,
    ) -> None:
        """With `imported_files` nothing is fetched: what comes is imported from them.

        `collection` is the directory of the whole, whose list of seeds it goes by.
        """
        self.plan = plan
        self._peers = peers
        self._imports = bool(imported_files)
        self._clock = clock = outside.clock
        self._logins = outside.logins
        self._outside = replace(outside, began=clock.steady() if outside.began is None else outside.began)
        self._watch = outside.watch
        self._checkpoints = outside.checkpoints
        self._pings = PingWatch(outside.watch.steering.folder) if outside.watch else None
        self._table = table
        self._mine = mine = ShardPlan(plan, peers, SeedList(collection) if collection else None)
        shard_identity.agree(table, mine.number, plan)
        parts = assemble(shard, collection, mine, table, self._outside, imported_files)
        self.archive = parts.archive
        self.frontier = parts.frontier
        self._rules = parts.rules
        self._reader = parts.reader
        self._network = parts.network
        self._derived = parts.derived
        self._import_source = parts.import_source
        self._folders = parts.folders
        self._rendering = parts.rendering
        self._fetch = parts.fetch
        self._gauge = parts.gauge
        self._hold = parts.hold
        self._keeper = parts.keeper
        self._order = parts.order
        self._commits = parts.order.commits
        self._stages = parts.stages
        self._lists = parts.lists
        self._source = self._import_source if self._imports else self.frontier
        self._unwalked = True
        """The folders of the plan, if it has any."""

    # ------------------------------------------------------------- how it runs

    async def run(
        self,
        asked: Sequence[CrawlRequest],
        report: Callable[[Progress], None],
        *,
        ready: Callable[[], None] = lambda: None,
    ) -> None:
        """Crawl until nothing is due. `ready` is called when all that was there before has been taken in."""
        try:
            with garbage_at_ease():
                await self._crawl(asked, report, ready)
        except* GossamerError as group:
            raise _first(group) from None
        except* OSError as group:
            error = _first(group)
            raise shortage(error) or error from error

    async def _crawl(
        self, asked: Sequence[CrawlRequest], report: Callable[[Progress], None], ready: Callable[[], None]
    ) -> None:
        with self._closing():
            start = self._start()
            start.begin(asked, fetches=not self._imports)
            if self._watch:
                self._hold.pause(self._watch.steering.orders().paused)
            await self._take_in_list(start, report)
            ready()
            try:
                async with asyncio.TaskGroup() as group:
                    self._lists.open(group)
                    ticker = group.create_task(self._tick(report))
                    keeper = group.create_task(self._keep_checkpoints())
                    await crawl(
                        self,
                        self._fetch,
                        self._stages.convert,
                        self._stages.mark,
                        self._stages.keep,
                        # half of them for visits that drip along
                        workers=WORKERS if self._imports else 2 * self.plan.workers,
                    )
                    ticker.cancel()
                    keeper.cancel()
                    self._lists.cancel()
            finally:
                if self._rendering:
                    await self._rendering.close()
                await self._network.hang_up()
            report(self.progress())

    async def _keep_checkpoints(self) -> None:
        if self._checkpoints:
            await self._checkpoints.run(self._table, self._peers, lambda: self.frontier.idle)

    async def _take_in_list(self, start: Start, report: Callable[[Progress], None]) -> None:
        """A million seeds take minutes: one may see how it goes, and stop it."""
        for _ in () if self._imports else chain(start.go_on_with_list(), self._walk()):
            report(self.progress())
            await asyncio.sleep(0)
            if self.frontier.is_stopping:
                return

    def _walk(self) -> Iterator[None]:
        """What has become of the files of this machine. It is done once: what comes after is told to a later run."""
        folders, self._unwalked = self._folders if self._unwalked else None, False
        return folders.take_in(self.frontier, self._commits, self._outside.changed) if folders else iter(())

    def _start(self) -> Start:
        return Start(
            table=self._table,
            mine=self._mine,
            archive=self.archive,
            frontier=self.frontier,
            derived=self._derived,
            reader=self._reader,
            keeper=self._keeper,
            commits=self._commits,
            clock=self._clock,
            logins=self._logins,
            watches=self._outside.fresh_until is not None,
        )

    def due(self) -> AsyncIterator[Visit]:
        """What the loop is to do next."""
        return self._source.due()

    def done(self, *answers: Answer) -> None:
        """Take back what was kept. In between nothing is committed: a page is in the books as a whole or not at all."""
        with self._commits.whole():
            self._keeper.correct(self._source.done(*answers))
        self._commits.end(len(answers))
        self._order.when_due()

    def stop(self) -> None:
        """Finish what is in flight, then end."""
        if self._checkpoints:
            self._checkpoints.stop()
        self._stages.hurry()
        self._import_source.stop()
        self.frontier.stop()

    def progress(self) -> Progress:
        """One look at how it goes."""
        return self._gauge.look()

    def heard_of_files(self, source: int, message: bytes) -> None:
        """Another shard has read something that is to be imported here, or wants to know."""
        self._import_source.heard(source, message)

    def reborn(self, shard: int) -> None:
        """Another shard was started anew."""
        if self._peers:
            self._peers.reborn(shard)
        if self._imports:
            self._import_source.reborn(shard)

    def imported(self) -> Imported:
        """One look at how an import goes."""
        return self._import_source.look(self._gauge.seconds)

    async def _tick(self, report: Callable[[Progress], None]) -> None:
        while True:
            await self._rest()
            with self._commits.whole():
                heard = self._heed()
                self._hear_pings()
                now = self._look()
            self._gauge.note(now.seconds)
            report(now)
            if heard:
                await self._take_in_list(self._start(), report)

    async def _rest(self) -> None:
        """Until the next look. Meanwhile a new scope is held against what is known: as long as a slice of that takes,
        all else has its turn before the next."""
        loop = asyncio.get_running_loop()
        until = loop.time() + REPORT_EVERY
        while self.frontier.is_reconsidering and (began := loop.time()) < until:
            with self._commits.whole():
                self.frontier.reconsider()
            self._order.when_due()
            await asyncio.sleep(loop.time() - began)
        await asyncio.sleep(max(until - loop.time(), 0.0))

    def _heed(self) -> bool:
        """Do what is wanted since the last look. Whether there was anything."""
        if self._watch is None or (orders := self._watch.news()) is None:
            return False
        self._hold.pause(orders.paused)
        folder = self._watch.steering.folder
        self._change(wanted(folder, self.plan))
        self._start().take_up(requests.pending(folder))
        return True

    def _hear_pings(self) -> None:
        """What others say has changed since the last look."""
        told = self._pings.news() if self._pings else ()
        if mine := [each for each in told if self._mine.owns(each[0])]:
            self.frontier.pinged(mine)

    def _change(self, plan: Plan) -> None:
        """Go by another plan from now on."""
        if plan != self.plan:
            self.plan = self._gauge.plan = plan
            self._mine = replace(self._mine, plan=plan)
        self.frontier.change(self._rules(self._mine))

    def _look(self) -> Progress:
        self._gauge.account()
        self._hold.watch_disk()
        self._order.when_due()
        if self._peers:
            self._peers.tidy()
            self._gauge.unsent, self._gauge.lag = self._peers.unsent, self._peers.lag(self._clock.steady())
        self.frontier.go_on()
        return self.progress()

    def follow(self, well: Callable[[], None]) -> None:
        """Say so to whoever watches a shard that has no peers."""
        self._order.well = well

    # ------------------------------------------------------------- how it ends

    def remake(self, removed: Mapping[URL, Entry], date: Callable[[float], None]) -> int:
        """The table was lost: take in all captures of the archive but those `removed`. How many there were.

        `date` sets the clock to the moment of each.
        """
        with self._closing():
            return self._replay().run(removed, date)

    def _replay(self) -> Replay:
        return Replay(
            table=self._table,
            mine=self._mine,
            archive=self.archive,
            frontier=self.frontier,
            reader=self._reader,
            keeper=self._keeper,
            commits=self._commits,
            clock=self._clock,
        )

    @contextmanager
    def _closing(self) -> Iterator[None]:
        """A crawl that ends or is stopped commits what it has; one that breaks is rolled forward the next time.

        An interrupt that comes as an exception breaks it: nobody knows what it came in the middle of.
        """
        try:
            yield
        except asyncio.CancelledError:
            self._finish(hurried=True)
            raise
        else:
            self._finish(hurried=self.frontier.is_stopping)
        finally:
            self.close()

    def _finish(self, *, hurried: bool) -> None:
        self.frontier.settle()
        self._gauge.account()
        self._commits.now()
        if not self._commits.broken:
            self._derived.finish(hurried=hurried)

    def close(self) -> None:
        """Every part, whatever became of the crawl."""
        self.frontier.close()
        self.archive.close()
        self._derived.close()
        self._network.close()
        self._reader.close()
        self._import_source.close()
        if self._folders:
            self._folders.close()


def _first(group: BaseExceptionGroup[_Error]) -> _Error:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error
