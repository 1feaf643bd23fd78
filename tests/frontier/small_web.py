"""A web of a few pages written down in a test, and a crawl of it on the virtual clock."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gossamer.collection.column_families import FAMILIES
from gossamer.crawl_loop import crawl
from gossamer.frontier import Entry, Frontier, Politeness
from gossamer.frontier.audit import audit
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.ledger import Counts
from gossamer.frontier.rules import Outward, Rules
from gossamer.model import Capture, Failure, Fault, Link, Page, Visit
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock, run, running_clock
from gossamer.urls import keys
from gossamer.urls.scope import Scope


@dataclass
class Answer:
    """What a server says when it is asked for an address."""

    links: tuple[str, ...] = ()
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b"a page"
    failure: Failure | None = None
    decoding: str | None = None
    truncated: str | None = None
    nofollow: bool = False
    rel: str = ""


def redirect(target: str, status: int = 301) -> Answer:
    return Answer(status=status, headers=(("location", target),))


def fault(kind: Fault) -> Answer:
    return Answer(status=0, failure=Failure(kind, "as told"))


@dataclass
class SmallWeb:
    """Answers by address; a function is asked with the number of earlier requests. Every request is logged."""

    answers: dict[str, Answer | Callable[[int], Answer]]
    latency: float = 0.1
    addresses: dict[str, str] = field(default_factory=dict)
    log: list[tuple[float, str]] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    flying: dict[str, int] = field(default_factory=dict)
    most: dict[str, int] = field(default_factory=dict)

    async def fetch(self, visit: Visit) -> Capture:
        clock = running_clock()
        earlier = sum(url == visit.url for _, url in self.log)
        self.log.append((clock.steady(), visit.url))
        self.visits.append(visit)
        host = keys.host(visit.url)
        self.flying[host] = self.flying.get(host, 0) + 1
        self.most[host] = max(self.most.get(host, 0), self.flying[host])
        await asyncio.sleep(self.latency)
        self.flying[host] -= 1
        found = self.answers.get(visit.url, Answer(status=404))
        answer = found(earlier) if callable(found) else found
        return Capture(
            visit,
            clock.wall() - self.latency,
            self.latency,
            answer.status,
            answer.headers,
            body=answer.body,
            wire=answer.body,
            truncated=answer.truncated,
            decoding=answer.decoding,
            failure=answer.failure,
        )

    async def read(self, capture: Capture) -> Page:
        found = self.answers.get(capture.visit.url)
        answer = found(0) if callable(found) else found
        if answer is None or capture.status != 200:
            return Page(capture.visit.url)
        links = tuple(Link(url, rel=answer.rel) for url in answer.links)
        return Page(capture.visit.url, "text/html", links=links, nofollow=answer.nofollow)

    async def resolve(self, host: str) -> tuple[tuple[str, ...], float]:
        return (self.addresses.get(host, host),), 3_600.0

    def times(self, *urls: str) -> list[float]:
        return [when for when, url in self.log if url in urls]

    def host_times(self, host: str) -> list[float]:
        return [when for when, url in self.log if keys.host(url) == host]

    def asked(self) -> list[str]:
        return [url for _, url in self.log if not url.endswith("/robots.txt")]


@dataclass
class Crawled:
    """What a crawl left behind."""

    entries: dict[str, Entry]
    counts: Counts
    seconds: float

    def reason(self, url: str) -> str:
        return self.entries[url].reason

    def state(self, url: str) -> str:
        return self.entries[url].state.name


def gaps(times: list[float]) -> list[float]:
    return [later - earlier for earlier, later in itertools.pairwise(times)]


def end(frontier: Frontier, table: Table) -> None:
    """As a crawl does that ends in good order; its books must be sound."""
    frontier.settle()
    frontier.prepare()
    table.commit()
    frontier.close()
    problems = list(audit(table))
    assert problems == [], problems


def crawl_small(
    web: SmallWeb,
    folder: Path,
    *seeds: str,
    politeness: Politeness | None = None,
    workers: int = 8,
    during: Callable[[VirtualClock, Frontier], None] | None = None,
    again: Callable[[str], Page | None] = lambda url: None,
    reading: float = 0.0,
    **rules: Any,
) -> Crawled:
    """Crawl to the end on the virtual clock; the books are checked before anything is handed back.

    To read a list `again` takes so many seconds of `reading`.
    """

    def read(url: str, then: Callable[[Page | None], None]) -> None:
        if not reading:
            then(again(url))
            return
        loop = asyncio.get_running_loop()
        loop.call_later(reading, lambda: then(again(url)))
        loop.call_later(reading, lambda: opened[0].go_on())

    opened: list[Frontier] = []

    async def job() -> Crawled:
        clock = running_clock()
        scope = rules.pop("scope", None) or Scope(kind="any", seeds=frozenset(seeds))
        asked = Rules(scope, politeness or Politeness(), "Gossamer", **{"sitemaps": False, **rules})
        with Table.open(folder, FAMILIES, writable=True) as table:
            frontier = Frontier(table, asked, clock, seen=folder / "seen", outward=Outward(web.resolve, again=read))
            opened.append(frontier)
            frontier.add(Found(url) for url in seeds)
            frontier.open()
            if during:
                during(clock, frontier)
            began = clock.steady()
            await crawl(frontier, web.fetch, web.read, lambda page: page, lambda *_: None, workers=workers)
            end(frontier, table)
            return Crawled(dict(frontier.ledger.all()), frontier.ledger.counts, clock.steady() - began)

    return run(job())
