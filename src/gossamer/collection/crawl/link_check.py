"""Do addresses answer that the crawl is not about? Each is asked for once, by HEAD, and nothing of it is kept.

It is a crawl of its own, of one shard, in a folder that goes when it is over: robots.txt, the delay of each host, the
guard, the limits and the name that it goes by are those of every crawl, and there is no second way to fetch. A server
that refuses HEAD is asked by GET, of which a little is read. What is to be tried again later is not waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from gossamer.collection.ask.addresses import rows, under
from gossamer.collection.ask.broken import Fault, Read, is_broken, looked, sources_of
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.crawl.outside import Outside
from gossamer.collection.crawl.running import stoppable
from gossamer.collection.crawl.session import Session
from gossamer.collection.families import FAMILIES
from gossamer.collection.status import Progress
from gossamer.files import scratch
from gossamer.frontier.discover.discovery import NOFOLLOW, Discovery, Seeds
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.ledger import Ledger
from gossamer.model import URL, Kind
from gossamer.plan import Plan
from gossamer.store.table.table import Table
from gossamer.urls.scope import OUTSIDE, Scope

ASKED_MOST = 10_000
"""Addresses that are asked for in one go. On one host they take hours."""
BODY_MOST = 65_536
"""Bytes of an answer to GET."""
KEPT = (
    *("suffixes", "delay", "ip_delay", "delay_factor", "delay_longest", "crawl_delay_longest", "per_host", "bandwidth"),
    *("workers", "contact", "allow_addresses", "names", "proxy", "ca_file", "memory"),
    *("connect_seconds", "first_byte_seconds", "idle_seconds", "total_seconds"),
)
"""Settings that hold here too: how a site is treated, and how it is reached. Nothing that is meant for the seeds."""


@dataclass(frozen=True, slots=True)
class External:
    """How it goes, and what came of it."""

    faults: dict[URL, Fault]
    """What is wrong with those that are broken."""
    asked: int
    """How many have answered, or failed, or may not be asked for because robots.txt says so."""
    of: int
    """How many there are."""


def outside(readers: ShardReaders, scope: Scope) -> Iterator[URL]:
    """What pages link to and the crawl is not about, but for what a pattern keeps out."""
    for reader in readers.all:
        found = Discovery(scope)
        Seeds(reader.table, found)  # where they have redirected to belongs to the scope
        for url, entry in rows(reader):
            if _is_outside(url, entry, found.scope) and found.scope.excluded(url) is None:
                yield url


class Wanted(NamedTuple):
    """What is asked for, and how many there are."""

    urls: list[URL]
    of: int


def wanted(readers: ShardReaders, scope: Scope, read: Read, site: str | None = None) -> Wanted:
    """Those of them that are asked for; with a site, of those that its pages link to."""
    every = outside(readers, scope)
    if site is not None:
        _, redirects = looked(readers)
        every = iter(sources_of(readers, read, every, redirects, under(site)))
    urls = list(islice(every, ASKED_MOST))
    return Wanted(urls, len(urls) + sum(1 for _ in every))


def _is_outside(url: URL, entry: Entry, scope: Scope) -> bool:
    if entry.state is not State.EXCLUDED or entry.kind is not Kind.PAGE:
        return False
    elsewhere = OUTSIDE[scope.kind]
    return entry.reason == elsewhere or (entry.reason == NOFOLLOW and scope.check(url, 0) == elsewhere)


def plan_for(plan: Plan, urls: Sequence[URL]) -> Plan:
    """What such a crawl is asked for."""
    small = dict.fromkeys(("html_bytes", "text_bytes", "document_bytes"), BODY_MOST)
    own = {"scope": "page", "sitemaps": "never", "shards": 1, "build": False, "patience": 0.0}
    room = {"disk_pause": 0, "disk_pause_share": 0.0}
    held = {name: getattr(plan, name) for name in KEPT}
    return Plan().changed(seeds=tuple(urls), **held, **small, **own, **room)


async def check(
    plan: Plan,
    asked: Wanted,
    world: Outside,
    report: Callable[[External], None],
    stop: asyncio.Event | None = None,
) -> External:
    """Ask for all of them. When `stop` is set, what is known by then is the result."""
    urls = asked.urls
    if not urls:
        return External({}, 0, 0)
    with TemporaryDirectory(prefix=scratch.prefix(), ignore_cleanup_errors=True) as name:
        place = Path(name)
        with Table.open(place / "table", FAMILIES, writable=True) as table:
            session = Session(place, plan_for(plan, urls), table, replace(world, heads=True))

            def tell(now: Progress) -> None:
                report(External({}, max(len(urls) - now.queued, 0), asked.of))

            try:
                await stoppable(session.run((), tell), session.stop, stop)
            except asyncio.CancelledError:
                if stop is None or not stop.is_set() or (task := asyncio.current_task()) is None:
                    raise
                task.uncancel()  # somebody has asked for the end, and gets what is known by now
            found = replace(judged(Ledger(table), urls), of=asked.of)
    report(found)
    return found


def judged(ledger: Ledger, urls: Sequence[URL]) -> External:
    """What the rows of the crawl say of each."""
    faults, asked = dict[URL, Fault](), 0
    for url in urls:
        end, entry = ledger.end_of(url)
        asked += entry is not None and not _waits(entry)
        if entry is not None and is_broken(entry):
            by_way = "" if end == url else f"redirects to {end}: "
            faults[url] = Fault(f"{by_way}{entry.reason}", entry.status, external=True)
    return External(faults, asked, len(urls))


def _waits(entry: Entry) -> bool:
    return entry.state is State.QUEUED and not entry.attempt
