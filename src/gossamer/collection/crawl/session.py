"""One crawl of one shard: how are its parts put together, how does it run, and how does it end?

What is done before the first visit is in `start`, what is done with a capture in `stages`, what a commit does in
`commit_order`, how it goes in `progress`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from gossamer.collection.crawl import on_demand, requests, shard_identity
from gossamer.collection.crawl.commit_order import CommitOrder
from gossamer.collection.crawl.gauge import Gauge
from gossamer.collection.crawl.network import Network
from gossamer.collection.crawl.news import telling
from gossamer.collection.crawl.outside import REAL, Fetch, Outside
from gossamer.collection.crawl.page_ranks import PageRanks
from gossamer.collection.crawl.page_reader import PageReader
from gossamer.collection.crawl.replaying import Replay
from gossamer.collection.crawl.requests import CrawlRequest
from gossamer.collection.crawl.requisites import guarded
from gossamer.collection.crawl.rereading import Lists
from gossamer.collection.crawl.running import garbage_at_ease
from gossamer.collection.crawl.stages import Keeper, Stages, fold_copy
from gossamer.collection.crawl.start import Start
from gossamer.collection.crawl.wiring import ShardPlan, blocks_of, deriving, rules_of, signing_out, watch_rules_of
from gossamer.collection.imports.hand_over import Alone
from gossamer.collection.imports.import_files import ImportFile
from gossamer.collection.imports.import_filter import ImportFilter
from gossamer.collection.imports.import_source import WORKERS, Imported, ImportSource
from gossamer.collection.progress import Progress
from gossamer.collection.seed_list import SeedList
from gossamer.collection.signal.pings import PingWatch
from gossamer.collection.sites import site_of
from gossamer.collection.steering import Orders, wanted
from gossamer.crawl_loop import crawl
from gossamer.errors import GossamerError, shortage
from gossamer.fetch.body import decoded
from gossamer.fetch.memory_budget import Held
from gossamer.frontier import Frontier
from gossamer.frontier.entries import Entry
from gossamer.frontier.rules import Outward, Resolve, Rules
from gossamer.frontier.shards.peers import Peers
from gossamer.model import URL, Answer, Visit
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.disk import Disk
from gossamer.store.table.table import Table
from gossamer.store.warc.gzip_members import BODY_MOST
from gossamer.urls.schemes import scheme_of

if TYPE_CHECKING:
    from gossamer.collection.crawl.rendering import Rendering

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
        self._collection = collection or shard.parent.parent
        self._topic = on_demand.topic_judge(plan, self._collection, table)
        self._disk = Disk(shard, plan.as_marks(), outside.room)
        self._blocks = blocks_of(table) if plan.build else None
        on_page = on_demand.page_function(plan, table, collection, outside.on_page)
        on_topic = on_demand.topic_field(self._topic, table)
        self._reader = PageReader(shard, plan, table, self._blocks, (on_page, on_topic))
        held = Held(plan.memory / max(plan.shards, 1), 2 * plan.workers)
        self._folders = on_demand.folders_of(plan, collection, clock)
        leased_until = partial(getattr, peers, "leased_until") if peers else lambda: inf
        self._network = Network(
            plan, clock, held, lambda visit: self.frontier.address(visit), outside.logins, leased_until
        )
        only_news = outside.fresh_until is not None
        self.archive = Archive(table, shard, partial(decoded, limits=plan.as_limits()), only_news=only_news)
        self._derived = deriving(plan)(shard, table, self.archive, site_of(plan))
        self.frontier = self._make_frontier(shard / "seen")
        self._import_source = self._import_from(imported_files)
        self._fetch = self._fetching()
        self._source = self._import_source if self._imports else self.frontier
        self._gauge = Gauge(plan, self.frontier, self._disk, clock, started=outside.began)
        self._keeper = Keeper(self.archive, self._derived, self._reader.poison_pages, self._import_source.kept)
        self._order = self._commit_order()
        self._commits = self._order.commits
        renders = plan.render != "never" and not (self._imports or self._folders or outside.heads)
        self._rendering = self._render(held) if renders else None
        self._unwalked = True
        """The folders of the plan, if it has any."""
        self._stages = Stages(
            self._reader, self._keeper, self._commits, held, clock, take_turns=not (self._imports or self._folders)
        )
        self._lists = Lists(self.archive, self._reader, self._commits, self.frontier)
        if peers:
            peers.attach(self.frontier)

    def _rules(self) -> Rules:
        """What the frontier goes by."""
        plan, outside = self.plan, self._outside
        until = (outside.began or 0.0) + plan.time if plan.time else inf
        product, imports = plan.as_identity().product, self._imports
        if outside.fresh_until is not None:
            until = min(until, outside.fresh_until)
        rules = rules_of(plan, product, outside.order, imports=imports, heads=outside.heads, until=until)
        watch = watch_rules_of(plan) if outside.fresh_until is not None else None
        return replace(
            rules, scope=self._mine.scope(), watch=watch, topic=self._topic, signs_out=signing_out(self._logins)
        )

    def _make_frontier(self, seen: Path) -> Frontier:
        outside, network = self._outside, self._network
        asks_nobody = outside.fetch or self.plan.proxy or self._imports or self._folders
        outward = Outward(
            None if asks_nobody else network.addresses,
            copied=partial(fold_copy, self.archive, self._derived),
            again=lambda url, then: self._lists.read_on(url, then),
            earlier=self.archive.page_at,
            learned=partial(on_demand.note_learned, self._table),
            rank=PageRanks(self._collection),
        )
        return Frontier(self._table, self._rules(), self._clock, seen=seen, outward=outward, peers=self._peers)

    def _fetching(self) -> Fetch:
        """Where what is due comes from: files of an import, folders, the network, or who stands in for that."""
        plan, outside = self.plan, self._outside
        if self._imports:
            fetch: Fetch = self._import_source.fetch
        else:
            fetch = self._folders.fetch if self._folders else outside.fetch or self._network.fetch
            if any(map(scheme_of, plan.seeds)):
                fetch = self._network.speak(plan, fetch)
        if plan.keeps_requisites() and (addresses := self._opened()):
            fetch = guarded(fetch, addresses, self._clock)
        return telling(fetch, outside.told) if outside.told else fetch

    def _render(self, held: Held) -> Rendering:
        """Loaded where pages are rendered. From then on what is fetched is, too."""
        from gossamer.collection.crawl.rendering import Rendering, keeping

        kept = keeping(self._keeper, self._commits, held)
        addresses, signs_out = self._opened(), signing_out(self._logins)
        rendering = Rendering(self.plan, self._table, self._fetch, self.frontier.errands, kept, addresses, signs_out)
        self._fetch = rendering.fetch
        return rendering

    def _opened(self) -> Resolve | None:
        """Where a host is, where private addresses were opened; None where nobody has to ask."""
        direct = self.plan.allow_addresses and not (self.plan.proxy or self._outside.fetch or self._imports)
        return self._network.addresses if direct else None

    def _import_from(self, imported_files: Sequence[ImportFile]) -> ImportSource:
        limits = self.plan.as_limits()
        import_filter = ImportFilter(self._table, self.archive, limits, self._mine.owns, self._clock)
        most = max(limits.document, BODY_MOST) + limits.framing
        return ImportSource(imported_files, self._table, import_filter, self.frontier, most, self._peers or Alone())

    def _commit_order(self) -> CommitOrder:
        return CommitOrder(
            table=self._table,
            clock=self._clock,
            archive=self.archive,
            derived=self._derived,
            frontier=self.frontier,
            import_source=self._import_source,
            gauge=self._gauge,
            blocks=self._blocks,
            peers=self._peers,
            watch_disk=self._watch_disk,
            is_watch=self._outside.fresh_until is not None,
            well=self._peers.well if self._peers else None,
        )

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
                self._pause(self._watch.steering.orders())
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
        self._pause(orders)
        folder = self._watch.steering.folder
        self._change(wanted(folder, self.plan))
        self._start().take_up(requests.pending(folder))
        return True

    def _hear_pings(self) -> None:
        """What others say has changed since the last look."""
        told = self._pings.news() if self._pings else ()
        if mine := [each for each in told if self._mine.owns(each[0])]:
            self.frontier.pinged(mine)

    def _pause(self, orders: Orders) -> None:
        self._gauge.paused = orders.paused
        self._hold()

    def _change(self, plan: Plan) -> None:
        """Go by another plan from now on."""
        if plan != self.plan:
            self.plan = self._gauge.plan = plan
            self._mine = replace(self._mine, plan=plan)
        self.frontier.change(self._rules())

    def _look(self) -> Progress:
        self._gauge.account()
        self._watch_disk()
        self._order.when_due()
        if self._peers:
            self._peers.tidy()
            self._gauge.unsent, self._gauge.lag = self._peers.unsent, self._peers.lag(self._clock.steady())
        self.frontier.go_on()
        return self.progress()

    def _watch_disk(self) -> None:
        self._disk.check()
        self._hold()

    def _hold(self) -> None:
        paused = self._gauge.paused
        self._gauge.store_away = self._checkpoints.held_up if self._checkpoints else ""
        waits = self._disk.shortage is not None or bool(self._gauge.store_away)
        self.frontier.hold(paused or waits, paused=paused)

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
