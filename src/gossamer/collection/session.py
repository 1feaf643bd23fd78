"""One crawl: the parts put together, the loop run, everything closed in order."""

from __future__ import annotations

import asyncio
import gc
import logging
import mimetypes
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import TypeAlias

from gossamer import convert
from gossamer.collection.recover import roll_forward
from gossamer.collection.status import Progress
from gossamer.crawl import crawl
from gossamer.dedupe import Copies
from gossamer.errors import GossamerError
from gossamer.fetch import Fetcher, Guard, Resolver, Route
from gossamer.fetch.stored import decoded
from gossamer.frontier import Frontier
from gossamer.frontier.discovery import Found
from gossamer.frontier.entries import FAMILIES as FRONTIER_FAMILIES
from gossamer.frontier.entries import META
from gossamer.frontier.rank import ORDERS, Order
from gossamer.frontier.rules import Rules
from gossamer.model import Capture, Clock, Kind, Page, SystemClock, Visit
from gossamer.plan import Plan
from gossamer.store.archive import FAMILIES as STORE_FAMILIES
from gossamer.store.archive import Archive
from gossamer.store.commits import Commits
from gossamer.store.table import Table
from gossamer.store.warcrecords import Info
from gossamer.urls import keys, site
from gossamer.urls import rules as url_rules

Fetch: TypeAlias = Callable[[Visit], Awaitable[Capture]]

FAMILIES = (*FRONTIER_FAMILIES, *STORE_FAMILIES)
REPORT_EVERY = 0.5
FRONT_PER_WORKER = 3
"""Mercator's figure: back queues for each worker."""

log = logging.getLogger("gossamer")


@dataclass(frozen=True, slots=True)
class Outside:
    """What a test or a user may put in the place of the real network, the real clock and the plan's order."""

    clock: Clock
    fetch: Fetch | None = None
    order: Order | None = None


REAL = Outside(SystemClock())


class Session:
    """Holds the parts of a crawl while it runs."""

    def __init__(self, shard: Path, plan: Plan, table: Table, outside: Outside = REAL) -> None:
        self.plan = plan
        self._agent = plan.as_identity().product
        self._clock = outside.clock
        self._table = table
        self._commits = Commits(table, shard, self._clock, disk_stop=plan.disk_stop)
        self._guard = Guard(plan.allow_addresses)
        self._resolver = Resolver(self._clock)
        self._fetch = outside.fetch or self._real_fetch()
        resolve = None if outside.fetch or plan.proxy else self._address
        self.archive = Archive(table, shard, partial(decoded, limits=plan.as_limits()))
        self.frontier = Frontier(
            table, self._rules(outside.order), self._clock, resolve=resolve, committed=self._commits.when_due
        )
        self._commits.join(self.archive.prepare)
        self._commits.join(self.frontier.prepare)
        self._mark = Copies(self.archive.first_url).mark
        self._began = self._clock.steady()
        self._seconds_before = self.frontier.ledger.counts.seconds

    async def run(self, seeds: Sequence[str], report: Callable[[Progress], None], *, revisit: bool = False) -> None:
        """Crawl until nothing is due."""
        try:
            with _garbage_at_ease():
                await self._crawl(seeds, report, revisit)
        except* GossamerError as group:
            raise group.exceptions[0] from None

    async def _crawl(self, seeds: Sequence[str], report: Callable[[Progress], None], revisit: bool) -> None:
        with self._closing():
            self._start(seeds, revisit)
            ticker = asyncio.get_running_loop().create_task(self._tick(report))
            try:
                await crawl(
                    self.frontier,
                    self._fetch,
                    self._convert,
                    self._mark,
                    self.archive.append,
                    workers=self.plan.workers,
                )
            finally:
                ticker.cancel()
                if isinstance(self._fetch, Fetcher):
                    await self._fetch.close()
            report(self.progress())

    def stop(self) -> None:
        """Finish what is in flight, then end."""
        self.frontier.stop()

    def progress(self) -> Progress:
        """One look at how it goes."""
        counts = self.frontier.ledger.counts
        waking = self.frontier.next_waking()
        idle = self.frontier.out == 0 and self.frontier.hosts_waiting == 0 and waking != inf
        return Progress(
            pages=counts.pages,
            failed=counts.failed,
            queued=counts.queued,
            out=self.frontier.out,
            waiting=self.frontier.hosts_waiting,
            bytes=counts.bytes,
            seconds=self._clock.steady() - self._began,
            limit=self.plan.pages,
            idle_seconds=waking if idle else 0.0,
            network_gone=self.frontier.network_gone,
        )

    def _start(self, seeds: Sequence[str], revisit: bool) -> None:
        self._commits.now()
        with self._commits.held():
            roll_forward(self.archive, self.frontier, self._read, self._mark)
            self.archive.open(self._info(), self._clock, max_bytes=self.plan.warc_bytes)
            if self._scope_changed():
                self.frontier.reconsider()
            self.frontier.add(Found(seed) for seed in seeds)
            self.frontier.retry(seeds)
            if revisit:
                self.frontier.revisit()
        self.frontier.open()

    def _scope_changed(self) -> bool:
        now = repr(self.plan.as_scope()).encode()
        before = self._table.get(META, b"scope")
        self._table.put(META, b"scope", now)
        return before is not None and before != now

    @contextmanager
    def _closing(self) -> Iterator[None]:
        """A crawl that ends or is stopped commits what it has; one that breaks is rolled forward the next time."""
        try:
            yield
        except (asyncio.CancelledError, KeyboardInterrupt):
            self._finish()
            raise
        else:
            self._finish()
        finally:
            self.frontier.close()
            self.archive.close()
            self._resolver.close()

    def _finish(self) -> None:
        self.frontier.settle()
        self._account()
        self._commits.now()

    def _account(self) -> None:
        self.frontier.ledger.counts.seconds = self._seconds_before + self._clock.steady() - self._began

    async def _tick(self, report: Callable[[Progress], None]) -> None:
        while True:
            await asyncio.sleep(REPORT_EVERY)
            self._account()
            self._commits.when_due()
            report(self.progress())

    async def _convert(self, capture: Capture) -> Page:
        return self._read(capture)

    def _read(self, capture: Capture) -> Page:
        try:
            return convert.read(capture, self._agent)
        except Exception as error:
            # Our own mistake, but one odd page must not end a crawl of millions: it is kept, and the mistake is told.
            log.warning("%s could not be read, which is a bug: %r", capture.visit.url, error)
            return Page(capture.visit.url, problem=repr(error))

    async def _address(self, host: str) -> tuple[str | None, float]:
        answer = await self._resolver.resolve(host.strip("[]"))
        seconds = min(answer.expires - self._clock.steady(), 3_600.0)
        return (answer.addresses[0] if answer.addresses else None), seconds

    def _info(self) -> Info:
        identity = self.plan.as_identity()
        return Info(f"{identity.product}/{identity.version}", agent=identity.agent, operator=identity.contact or None)

    def _real_fetch(self) -> Fetch:
        return Fetcher(
            limits=self.plan.as_limits(),
            identity=self.plan.as_identity(),
            guard=self._guard,
            resolver=self._resolver,
            clock=self._clock,
            route=_route(self.plan),
        )

    def _rules(self, order: Order | None) -> Rules:
        plan = self.plan
        return Rules(
            scope=plan.as_scope(),
            politeness=plan.as_politeness(),
            agent=self._agent,
            pages=plan.pages,
            patience=plan.patience,
            sitemaps=plan.reads_sitemaps(),
            head_first=head_first(plan),
            wanted=lambda media_type: not plan.as_limits().skips(Kind.PAGE, media_type),
            rewrite=rewriting(plan),
            order=order or ORDERS[plan.order],
            site=site_of(plan),
            front=FRONT_PER_WORKER * plan.workers,
        )


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


def check(plan: Plan) -> None:
    """Complain about a setting that no part would take, before anything is made."""
    plan.as_scope()
    plan.as_identity()
    Guard(plan.allow_addresses)
    _route(plan)


def _route(plan: Plan) -> Route:
    return Route(plan.proxy or None, plan.ca_file or None)


def site_of(plan: Plan) -> Callable[[str], str]:
    """Which site an address belongs to, by the suffixes of the plan."""
    suffixes = frozenset(plan.suffixes)
    return lambda url: site(keys.host(url), suffixes)


def head_first(plan: Plan) -> Callable[[str], bool]:
    """Which addresses are asked for their type before their body."""
    limits = plan.as_limits()

    def looks_unwanted(url: str) -> bool:
        name = url.partition("?")[0].rpartition("/")[2]
        if "." not in name:
            return False
        guess = mimetypes.guess_type(name, strict=False)[0]
        return guess is not None and limits.skips(Kind.PAGE, guess)

    return {"never": lambda _: False, "always": lambda _: True}.get(plan.head, looks_unwanted)


def rewriting(plan: Plan) -> Callable[[str], str] | None:
    """The further rules for addresses that the plan asks for; None when it asks for none."""
    if not plan.url_rules and not plan.site_rules:
        return None

    def rewrite(url: str) -> str:
        names = (*plan.url_rules, *plan.site_rules.get(site(url, plan.suffixes), ()))
        return url_rules.apply(url, names)

    return rewrite
