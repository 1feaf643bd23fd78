"""Do addresses answer that the crawl is not about? Each is asked for once, by HEAD, and nothing of it is kept.

It is a crawl of its own, of one shard, in a folder that goes when it is over: robots.txt, the delay of each host, the
guard, the limits and the name that it goes by are those of every crawl, and there is no second way to fetch. A server
that refuses HEAD is asked by GET, of which a little is read. What is to be tried again later is not waited for.

A host is asked for its robots.txt first, so one that is dead is never asked for the address itself: what went wrong
there is what is wrong with it. A robots.txt that answers, and forbids it or cannot be read, says nothing of it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from gossamer.collection.ask.addresses import rows, under
from gossamer.collection.ask.broken import Fault, Read, is_broken, is_dead, looked, sources_of
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.outside import Outside
from gossamer.collection.crawl.running import stoppable
from gossamer.collection.crawl.session import Session
from gossamer.collection.progress import Progress
from gossamer.files import scratch
from gossamer.frontier.discover.discovery import NOFOLLOW, Discovery, Seeds
from gossamer.frontier.entries import FORBIDDEN, HOSTS, Entry, State, host_row
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.why import robots_at
from gossamer.model import URL, Kind
from gossamer.model import Fault as NoAnswer
from gossamer.plan import Plan
from gossamer.robots import Verdict
from gossamer.store.table.table import Table
from gossamer.urls import keys
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
TOO_MANY = "too many at once"
UNREADABLE = "robots.txt of their hosts could not be read"
PRIVATE = "their hosts have private addresses"
LEFT_ALONE = "their hosts wanted a pause, or failed too often"
TOO_EARLY = "it was over before their turn came"
"""Why an address was not asked, like `FORBIDDEN`."""


@dataclass(frozen=True, slots=True)
class External:
    """How it goes, and what came of it."""

    faults: dict[URL, Fault]
    """What is wrong with those that are broken."""
    asked: int
    """How many have answered, or failed."""
    of: int
    """How many there are."""
    unasked: Mapping[str, int] = field(default_factory=dict)
    """Why the others were not asked, and how many each of it kept away."""

    @property
    def all_failed(self) -> bool:
        """Has not one answered?"""
        return len(self.faults) == self.asked > 0


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
            found = judged(Ledger(table), urls, partial(untried, table))
    beyond = Counter({TOO_MANY: asked.of - len(urls)})
    found = replace(found, of=asked.of, unasked=+(beyond + Counter(found.unasked)))
    report(found)
    return found


def judged(ledger: Ledger, urls: Sequence[URL], why: Callable[[URL], Fault | str]) -> External:
    """What the rows of the crawl say of each; `why` is asked for what stands behind an address that was not tried."""
    faults, unasked = dict[URL, Fault](), Counter[str]()
    for url in urls:
        end, entry = ledger.end_of(url)
        found = _judged(end, entry, why)
        if isinstance(found, Fault):
            by_way = "" if end == url else f"redirects to {end}: "
            faults[url] = found._replace(reason=f"{by_way}{found.reason}")
        elif found:
            unasked[found] += 1
    return External(faults, len(urls) - unasked.total(), len(urls), unasked)


def _judged(url: URL, entry: Entry | None, why: Callable[[URL], Fault | str]) -> Fault | str | None:
    """What is wrong with it, or why it was not asked; None when all is well."""
    if entry is None:
        return TOO_EARLY
    if is_broken(entry):
        return PRIVATE if _is_private(entry.reason) else Fault(entry.reason, entry.status, external=True)
    if entry.state is State.QUEUED and not entry.attempt:
        return why(url)
    return FORBIDDEN if entry.state is State.EXCLUDED and entry.reason == FORBIDDEN else None


def untried(table: Table, url: URL) -> Fault | str:
    """What is wrong with an address that still waits: its host is dead, or something else keeps us from it."""
    robots = robots_at(table, keys.origin(url))
    if robots is not None and robots.verdict == Verdict.UNREACHABLE:
        if _is_private(robots.detail):
            return PRIVATE
        return Fault(robots.detail, external=True) if is_dead(robots) else UNREADABLE
    host = table.get(HOSTS, keys.host(url).encode())
    return LEFT_ALONE if host and host_row(host).reason else TOO_EARLY


def _is_private(reason: str) -> bool:
    """It was the guard that kept us from it: nobody was asked."""
    return reason.startswith(NoAnswer.BLOCKED_ADDRESS)
