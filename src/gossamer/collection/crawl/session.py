"""One crawl: the parts put together, the loop run, everything closed in order."""

from __future__ import annotations

import asyncio
import fcntl
import gc
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from gossamer import convert, files
from gossamer.collection.crawl import imprint
from gossamer.collection.crawl.eta import UNKNOWN, Rate, eta, resting
from gossamer.collection.crawl.lane import HERE, Lane
from gossamer.collection.crawl.recover import PassedOver, Recovery, is_about_it
from gossamer.collection.crawl.requests import CrawlRequest, undone
from gossamer.collection.crawl.rereading import take_up
from gossamer.collection.crawl.wiring import route_of, rules_of, site_of
from gossamer.collection.derive.underived import Underived
from gossamer.collection.imports.import_files import ImportFile
from gossamer.collection.imports.import_filter import IMPORTS, ImportFilter
from gossamer.collection.imports.import_source import WORKERS, Imported, ImportSource
from gossamer.collection.status import Progress, note
from gossamer.convert.source import Source
from gossamer.crawl import crawl
from gossamer.dedupe.digest import Copies
from gossamer.dedupe.families import BLOCKS
from gossamer.dedupe.families import FAMILIES as DEDUPE_FAMILIES
from gossamer.errors import Damaged, GossamerError, StorageError, shortage
from gossamer.fetch import Fetcher, Guard, Resolver, Threads
from gossamer.fetch.held import Held
from gossamer.fetch.stored import decoded
from gossamer.frontier import Frontier
from gossamer.frontier.answer.poison_pages import DEADLY, READING, PoisonPages
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import FAMILIES as FRONTIER_FAMILIES
from gossamer.frontier.entries import META, Entry
from gossamer.frontier.queue.rank import Order
from gossamer.frontier.rules import Outward
from gossamer.frontier.shards.peers import Peers
from gossamer.model import URL, Answer, Capture, Clock, Page, SystemClock, Visit
from gossamer.plan import Plan
from gossamer.shown import log
from gossamer.store.archive import FAMILIES as STORE_FAMILIES
from gossamer.store.archive import Archive
from gossamer.store.commits import Commits
from gossamer.store.disk import Disk, Look
from gossamer.store.table.table import Table
from gossamer.store.warc.records import Info
from gossamer.store.warc.replay import Replayed, captures
from gossamer.urls import keys

if TYPE_CHECKING:
    from gossamer.collection.derive.derived import Derived
    from gossamer.dedupe.blocks import Blocks

_Error = TypeVar("_Error", bound=Exception)
Fetch: TypeAlias = Callable[[Visit], Awaitable[Capture]]

FAMILIES = (*FRONTIER_FAMILIES, *STORE_FAMILIES, *DEDUPE_FAMILIES, IMPORTS)
REPORT_EVERY = 0.5
ADDRESSES = 4
"""Addresses of a host that are tried before a visit has failed."""
BATCH = 500
"""Captures that are taken in again for each commit."""
READERS = 1
"""Processes in which files are read, besides that for large pages. Each may take some memory, and so in each shard."""
DERIVING = (
    "gossamer.collection.derive.derived",
    "gossamer.convert.html.article",
    "gossamer.convert.html.metadata",
    "gossamer.dedupe.blocks",
)
"""What is loaded with the first page of which something is made."""
FRONT_PER_WORKER = 3
"""Mercator's figure: back queues for each worker."""


@dataclass(frozen=True, slots=True)
class Outside:
    """What a test or a user may put in the place of the real network, clock and disk, and of the plan's order."""

    clock: Clock
    fetch: Fetch | None = None
    order: Order | None = None
    room: Look | None = None
    """How much room there is on the disk."""


REAL = Outside(SystemClock())


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
    ) -> None:
        """With `imported_files` nothing is fetched: what comes is imported from them."""
        self.plan = plan
        self._imports = bool(imported_files)
        self._peers = peers
        imprint.agree(table, peers.me if peers else 0, plan)
        self._poison_pages = PoisonPages(shard / READING, table)
        alone = partial(_alone_in, shard.parent)
        self._apart = convert.Apart(plan.as_cell(), workers=READERS, alone=alone)
        self._pages = convert.Apart(plan.as_cell(), alone=alone)
        self._lane = Lane(outside.clock.steady)
        self._held = Held(plan.memory / max(plan.shards, 1), 2 * plan.workers)
        self._agent = plan.as_identity().product
        self._clock = outside.clock
        self._table = table
        self._disk = Disk(shard, plan.as_marks(), outside.room)
        self._commits = Commits(table, self._clock)
        self._guard = Guard(plan.allow_addresses)
        self._resolver = Resolver(self._clock, Threads() if plan.names == "system" else None)
        self._fetch = outside.fetch or self._real_fetch()
        resolve = None if outside.fetch or plan.proxy or imported_files else self._addresses
        self.archive = Archive(table, shard, partial(decoded, limits=plan.as_limits()))
        self._derived = _deriving(plan)(shard, table, self.archive, site_of(plan))
        self.frontier = Frontier(
            table,
            rules_of(plan, self._agent, outside.order, imports=self._imports),
            self._clock,
            seen=shard / "seen",
            outward=Outward(resolve, copied=self._copied, again=self._listed, disguised=self._derived.forget),
            peers=peers,
        )
        limits = plan.as_limits()
        import_filter = ImportFilter(table, self.archive, limits, self._is_mine, self._clock)
        most = limits.document + limits.framing
        self._import_source = ImportSource(imported_files, table, import_filter, self.frontier, most, self._is_mine)
        self._source = self._import_source if self._imports else self.frontier
        self._commits.join(self._watch_disk)  # first, for going on after a pause changes rows
        self._blocks = blocks_of(table) if plan.build else None
        if self._blocks:
            self._commits.join(self._blocks.save)
        self._commits.join(lambda: self._derived.mark(self.frontier.ledger))
        self._commits.join(self.archive.prepare)
        self._commits.join(self._derived.prepare)
        self._commits.join(self.frontier.prepare)
        self._commits.join(self._import_source.prepare)
        self._commits.join(lambda: note(table, self.progress()))
        self._commits.follow(self._derived.committed)
        if peers:
            peers.attach(self.frontier)
            self._commits.join(peers.prepare)
            self._commits.follow(peers.committed)
            self.follow(peers.well)
        self._copies = Copies(self.archive.first_url)
        self._tasks: asyncio.TaskGroup | None = None
        self._rereading: set[asyncio.Task[None]] = set()
        self._one_list = asyncio.Lock()  # they may be large
        self._told = self._sums()
        self._rate = Rate()
        self._began = self._clock.steady()
        self._seconds_before = self.frontier.ledger.counts.seconds

    async def run(
        self,
        asked: Sequence[CrawlRequest],
        report: Callable[[Progress], None],
        *,
        ready: Callable[[], None] = lambda: None,
    ) -> None:
        """Crawl until nothing is due. `ready` is called when all that was there before has been taken in."""
        try:
            with _garbage_at_ease():
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
            self._start(asked)
            ready()
            try:
                async with asyncio.TaskGroup() as group:
                    self._tasks = group
                    ticker = group.create_task(self._tick(report))
                    await crawl(
                        self,
                        self._import_source.fetch if self._imports else self._fetch,
                        self._convert,
                        self._mark,
                        self._keep,
                        # half of them for visits that drip along
                        workers=WORKERS if self._imports else 2 * self.plan.workers,
                    )
                    for task in (ticker, *self._rereading):
                        task.cancel()
            finally:
                if isinstance(self._fetch, Fetcher):
                    await self._fetch.close()
            report(self.progress())

    def due(self) -> AsyncIterator[Visit]:
        """What the loop is to do next."""
        return self._source.due()

    def done(self, *answers: Answer) -> None:
        """Take back what was kept. In between nothing is committed: a page is in the books as a whole or not at all."""
        with self._commits.whole():
            self._source.done(*answers)
        self._commits.end(len(answers))
        self._commit_when_due()

    def stop(self) -> None:
        """Finish what is in flight, then end."""
        self._lane.hurry()
        self._import_source.stop()
        self.frontier.stop()

    def progress(self) -> Progress:
        """One look at how it goes."""
        self.frontier.sift()
        counts = self.frontier.ledger.counts
        waking, short = self.frontier.next_waking(), self._disk.shortage
        seconds = self._clock.steady() - self._began
        wanted = min(counts.queued, self.plan.pages - counts.pages) if self.plan.pages else counts.queued
        idle = self.frontier.out == 0 and self.frontier.hosts_waiting == 0 and waking != inf
        rate = self._rate.at(seconds, counts.done + counts.failed)
        if self.frontier.network_gone:
            left = UNKNOWN
        elif idle:
            left = resting(wanted, waking, self._clock.wall() + waking)
        else:
            left = eta(wanted, rate, self.frontier.longest)
        return Progress(
            pages=counts.pages,
            failed=counts.failed,
            queued=counts.queued,
            out=self.frontier.out,
            waiting=self.frontier.hosts_waiting,
            bytes=counts.bytes,
            seconds=seconds,
            limit=self.plan.pages,
            idle_seconds=waking if idle else 0.0,
            network_gone=self.frontier.network_gone,
            disk_free=short.free if short else 0,
            disk_wanted=short.wanted if short else 0,
            left=left.seconds,
            basis=left.basis,
        )

    def imported(self) -> Imported:
        """One look at how an import goes."""
        return self._import_source.look(self._clock.steady() - self._began)

    def _is_mine(self, url: str) -> bool:
        return self._peers is None or self._peers.owner(url) == self._peers.me

    def remake(self, removed: Mapping[URL, Entry], date: Callable[[float], None]) -> int:
        """The table was lost: take in all captures of the archive but those `removed`. How many there were.

        `date` sets the clock to the moment of each.
        """
        with self._closing():
            self._begin_again(removed)
            archive, later, taken = self.archive, [], 0
            for each in captures(archive.folder, archive.committed()):
                if each.response.url in removed:
                    continue
                date(each.response.began)
                try:
                    self._take_safely(each)
                except Damaged:
                    later.append(each)  # what it points to may be in a later file
                archive.reached(*each.end)
                taken += 1
                if taken % BATCH == 0:
                    self._commits.now()
            for each in later:
                with suppress(Damaged):  # the check of the archive names it
                    self._take_safely(each)
        return taken

    def _begin_again(self, removed: Mapping[URL, Entry]) -> None:
        me = self._peers.me if self._peers else None
        imprint.leave(self._table, me or 0, self.plan)
        if self.plan.build:
            self.archive.texts.open(
                info_of(self.plan), self._clock, prefix=prefix_of(me), max_bytes=self.plan.warc_bytes
            )
        self.frontier.restore(removed)
        self.frontier.add(Found(seed) for seed in self.plan.seeds if self._is_mine(seed))
        self._commits.now()

    def _take_safely(self, replayed: Replayed) -> None:
        try:
            self._take(replayed, replayed.capture(self.archive))
        except (GossamerError, OSError, MemoryError):
            raise
        except Exception as error:
            # Our own mistake, but one odd capture must not keep all others away: it stays in the archive without a row.
            place, record = replayed.response.place, replayed.response
            log.warning("%s at %d cannot be taken in, which is a bug: %r", place.file, place.offset, error)
            self.archive.passed.note(record.url or "", record.began, f"kept, but could not be taken in: {error!r:.300}")

    def _take(self, replayed: Replayed, capture: Capture) -> None:
        page = self._mark(self._read(capture))
        self._kept(capture, page, self.archive.register_again(replayed.response, capture, page))
        self.frontier.done_before(Answer(capture.visit, capture, page))

    def _start(self, asked: Sequence[CrawlRequest]) -> None:
        imprint.require_finished(self._table, self._peers.me if self._peers else 0)
        imprint.leave(self._table, self._peers.me if self._peers else 0, self.plan)
        self._commits.now()
        self._derived.catch_up()
        with self._commits.held():
            prefix = prefix_of(self._peers.me if self._peers else None)
            if self.plan.build:
                self.archive.texts.open(info_of(self.plan), self._clock, prefix=prefix, max_bytes=self.plan.warc_bytes)
            recovery = Recovery(self._table, self.archive, self.frontier, self._read, self._mark, self._kept)
            recovery.roll_forward()
            self.archive.open(info_of(self.plan), self._clock, prefix=prefix, max_bytes=self.plan.warc_bytes)
            if self._scope_changed():
                self.frontier.reconsider()
            self._ask_for(asked)
        self._read_again()
        if self._peers:
            self._peers.leases.begin(self._peers.me, self.frontier.ledger.counts.pages)
            self._peers.greet()
        self.frontier.open()

    def _read_again(self) -> None:
        """Pages that were kept and not read. A mistake with one of them is made once."""
        url = ""
        try:
            for each in take_up(self.archive, self.frontier, self._read, self._derive):
                url = each
                self._commits.when_due()
        except Exception as error:
            if not is_about_it(error):
                raise
            log.warning("%s: could not be taken in, which is a bug: %r", url, error)
            self._table.drop_changes()
            self.archive.unread.give_up(url, repr(error))
            self._table.commit()
            raise PassedOver(url) from error

    def _ask_for(self, asked: Sequence[CrawlRequest]) -> None:
        """Seeds that no commit knows yet, whichever crawl was to add them; then each request, once."""
        if not self._imports:
            self.frontier.add(Found(seed) for seed in self.plan.seeds if self._is_mine(seed))
        for request in undone(asked, (self._table.get(META, b"errand") or b"").decode(errors="replace")):
            self.frontier.retry(seed for seed in request.seeds if self._is_mine(seed))
            if request.revisit:
                self.frontier.revisit()
            self._table.put(META, b"errand", request.mark.encode())

    def _scope_changed(self) -> bool:
        now = repr(self.plan.as_scope()).encode()
        before = self._table.get(META, b"scope")
        self._table.put(META, b"scope", now)
        return before is not None and before != now

    @contextmanager
    def _closing(self) -> Iterator[None]:
        """A crawl that ends or is stopped commits what it has; one that breaks is rolled forward the next time.

        An interrupt that comes as an exception breaks it: nobody knows what it came in the middle of.
        """
        try:
            yield
        except asyncio.CancelledError:
            self._finish()
            raise
        else:
            self._finish()
        finally:
            self.frontier.close()
            self.archive.close()
            self._derived.close()
            self._resolver.close()
            self._poison_pages.close()
            self._apart.close()
            self._pages.close()
            self._import_source.close()

    def _finish(self) -> None:
        self.frontier.settle()
        self._account()
        self._commits.now()
        if not self._commits.broken:
            self._derived.finish()

    def _account(self) -> None:
        self.frontier.ledger.counts.seconds = self._seconds_before + self._clock.steady() - self._began

    async def _tick(self, report: Callable[[Progress], None]) -> None:
        while True:
            await asyncio.sleep(REPORT_EVERY)
            with self._commits.whole():
                now = self._look()
            self._rate.note(now.seconds, self.frontier.ledger.counts.done + self.frontier.ledger.counts.failed)
            report(now)

    def _look(self) -> Progress:
        self._account()
        self._watch_disk()
        self._commit_when_due()
        self.frontier.go_on()
        return self.progress()

    def _watch_disk(self) -> None:
        self._disk.check()
        self.frontier.hold(self._disk.shortage is not None)

    def _commit_when_due(self) -> None:
        """About once a second; sooner when this shard has nothing to do and others wait for what it found."""
        if self._peers and self._peers.waiting and not self.frontier.out:
            self._commits.soon()
        else:
            self._commits.when_due()

    def _sums(self) -> tuple[int, ...]:
        counts = self.frontier.ledger.counts
        return counts.queued, counts.done, counts.failed, counts.excluded, counts.bytes

    def follow(self, well: Callable[[], None]) -> None:
        """Say after a commit that it came further: a shard that dies again and again is given up unless it did."""

        def tell() -> None:
            if self._told != (now := self._sums()):
                self._told = now
                well()

        self._commits.follow(tell)

    def _mark(self, page: Page) -> Page:
        """With what it is a copy of. A mistake in that costs only the mark."""
        try:
            return self._copies.mark(page)
        except Exception as error:
            if not is_about_it(error):
                raise
            log.warning("%s: it is not known whether it is a copy, which is a bug: %r", page.url, error)
            return page

    def _keep(self, capture: Capture, page: Page) -> None:
        self._commits.begin()
        began = self._clock.steady()
        with self._commits.whole():
            self._kept(capture, *self._append(capture, page))
        self._held.free(capture.visit)
        if self._is_large(capture):
            self._lane.leave(keys.host(capture.visit.url), self._clock.steady() - began)
        else:
            self._lane.served()

    def _append(self, capture: Capture, page: Page) -> tuple[Page, bool]:
        """The page as it was stored, and whether it says something new: should that fail, nothing was stored."""
        try:
            return page, self.archive.append(capture, page)
        except Exception as error:
            if not is_about_it(error):
                raise
            unread = _mistaken(capture, error)
        try:
            return unread, self.archive.append(capture, unread)
        except Exception as error:
            if not is_about_it(error):
                raise
            self.archive.passed.note(capture.visit.url, capture.began, f"could not be stored: {error!r:.300}")
            return unread, False

    def _kept(self, capture: Capture, page: Page, changed: bool) -> None:
        """The archive has it: what follows from that."""
        if changed:
            self._derive(capture, page)
        if not page.unread:
            self._poison_pages.forgive(capture.visit.url)
        self._import_source.kept(capture)

    def _derive(self, capture: Capture, page: Page) -> None:
        """What is made of a page is compiled code too, and sees what strangers wrote."""
        with self._poison_pages.reading(capture.visit.url):
            self._derived.keep(capture, page)

    def _copied(self, url: str, digest: str, of: str) -> bool:
        """What another shard knew: the page is a copy."""
        marked = self.archive.mark_copy(url, digest, of)
        if marked:
            self._derived.fold(url, of)
        return marked

    async def _convert(self, capture: Capture) -> Page:
        begun = self._begin(capture, here=HERE)
        if isinstance(begun, Page) or begun.page:
            await self._turn(capture)
            if isinstance(begun, Page):
                return begun
            return self._finished(capture, begun, await self._pages.soon(begun))
        page = self._finished(capture, begun, await self._apart.soon(begun))
        await self._turn(capture)  # after it was read, for a file may take a minute
        return page

    async def _turn(self, capture: Capture) -> None:
        if self._is_large(capture):
            await self._lane.enter(keys.host(capture.visit.url))

    def _is_large(self, capture: Capture) -> bool:
        return len(capture.body) > HERE and not self._imports

    def _listed(self, url: str, then: Callable[[Page | None], None]) -> None:
        """What a sitemap says that was fetched before, when it was read; others are served meanwhile."""
        assert self._tasks is not None, "lists are read on while a crawl runs"
        reading = self._tasks.create_task(self._read_list(url, then))
        self._rereading.add(reading)
        reading.add_done_callback(self._rereading.discard)

    async def _read_list(self, url: str, then: Callable[[Page | None], None]) -> None:
        async with self._one_list:
            page = await self._list(url)
        with self._commits.whole():
            then(page)
            self.frontier.go_on()

    async def _list(self, url: str) -> Page | None:
        version = self.archive.versions.current(url)
        try:
            if version is None:
                return None
            capture = self.archive.capture(url, version)
            begun = self._begin(capture, here=HERE)
            self._poison_pages.forgive(url)
            return begun if isinstance(begun, Page) else self._finished(capture, begun, await self._pages.soon(begun))
        except Damaged as error:
            log.warning("%s: the rest of it cannot be read: %s", url, error)
            return None

    def _read(self, capture: Capture) -> Page:
        """The same for who cannot wait, at the start."""
        begun = self._begin(capture)
        return begun if isinstance(begun, Page) else self._finished(capture, begun, self._apart.now(begun))

    def _begin(self, capture: Capture, *, here: float = inf) -> Page | Source:
        url = capture.visit.url
        if self._poison_pages.quarantined(url):
            return convert.unread(capture, DEADLY)
        try:
            with self._poison_pages.reading(url):
                content, template = (self.plan.content, self._blocks.met(url)) if self._blocks else (None, None)
                return convert.begin(capture, self._agent, content=content, template=template, here=here)
        except Exception as error:
            return _mistaken(capture, error)

    def _finished(self, capture: Capture, source: Source, page: Page) -> Page:
        try:
            return convert.finish(source, page)
        except Exception as error:
            return _mistaken(capture, error)

    async def _addresses(self, host: str) -> tuple[tuple[str, ...], float]:
        try:
            answer = await self._resolver.resolve(host.strip("[]"))
        except StorageError:
            return (), 0.0  # this machine lacks something, which the visit itself will meet and tell
        seconds = min(answer.expires - self._clock.steady(), 3_600.0)
        return answer.addresses[:ADDRESSES], seconds

    def _real_fetch(self) -> Fetch:
        return Fetcher(
            limits=self.plan.as_limits(),
            identity=self.plan.as_identity(),
            guard=self._guard,
            resolver=self._resolver,
            clock=self._clock,
            route=route_of(self.plan),
            turn=lambda visit: self.frontier.address(visit),
            held=self._held,
        )


async def stoppable(work: Coroutine[Any, Any, None], session: Session, stop: asyncio.Event | None) -> None:
    """Run a session until it ends, or until `stop` is set and what is in flight is done."""

    async def watch(event: asyncio.Event) -> None:
        await event.wait()
        session.stop()

    watcher = asyncio.get_running_loop().create_task(watch(stop)) if stop else None
    try:
        await work
    except KeyboardInterrupt:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            # A worker has raised it out of the loop already, and we are cancelled for that. Once more would break off
            # the end of the loop, and of everything else that runs on it.
            raise asyncio.CancelledError from None
        raise
    finally:
        if watcher is not None:
            watcher.cancel()


def preload(plan: Plan) -> tuple[str, ...]:
    """The modules that a shard of a crawl needs, for who loads them once for all shards."""
    return ("gossamer.collection.crawl.shard", *(DERIVING if plan.build else ()))


def _deriving(plan: Plan) -> type[Derived | Underived]:
    """What a crawl makes of its pages, loaded only by a crawl that makes anything."""
    if not plan.build:
        return Underived
    from gossamer.collection.derive.derived import Derived

    return Derived


def info_of(plan: Plan) -> Info:
    """Who made the files of the archive."""
    identity = plan.as_identity()
    return Info(f"{identity.product}/{identity.version}", agent=identity.agent, operator=identity.contact or None)


def blocks_of(table: Table) -> Blocks:
    """Which blocks of which host are template, as its rows remember it."""
    from gossamer.dedupe.blocks import Blocks  # with NumPy, which a crawl that only collects does without

    return Blocks(partial(table.get, BLOCKS), partial(table.put, BLOCKS))


def prefix_of(shard: int | None) -> str:
    """How the names of the files of a shard begin; one that is alone has no number."""
    return "gossamer" if shard is None else f"gossamer-{shard:02}"


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Over all processes one at a time: the lock is on the folder itself, and goes with the process that has it."""
    handle = files.folder_descriptor(folder)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _mistaken(capture: Capture, error: Exception) -> Page:
    """Our own mistake, but one odd page must not end a crawl of millions: it is kept, and the mistake is told.

    What the machine lacks would be missing for the next page too.
    """
    if lack := shortage(error):
        raise lack from error
    log.warning("%s could not be read, which is a bug: %r", capture.visit.url, error)
    return convert.unread(capture, repr(error))


def _first(group: BaseExceptionGroup[_Error]) -> _Error:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error


@contextmanager
def _garbage_at_ease() -> Iterator[None]:
    """Collect cycles seldom. A page is thousands of short-lived objects without cycles; looking for some costs 15 %."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(20_000, 50, 1_000)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
