"""What does one address cost that is left out, one that is queued, one visit, and the date of the next? Each by itself.

`python bench/frontier.py --prices` prints them. Every price is that of one frontier over a real table, its commits and
RocksDB's threads included, without the making of what is handed in. It is the best of some rounds: a machine that does
something else at the same time makes a price higher, never lower.
"""

from __future__ import annotations

import gc
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from gossamer.collection.sites import site_of
from gossamer.freshness.revisit import next_visit
from gossamer.frontier import Frontier, Politeness
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import FAMILIES, Entry, State
from gossamer.frontier.queue.back_queues import Queues
from gossamer.frontier.revisit.dating import Dating, importance
from gossamer.frontier.revisit.page_changes import PageChanges
from gossamer.frontier.revisit.priors import Priors
from gossamer.frontier.rules import Rules, WatchRules
from gossamer.frontier.worth.url_patterns import template
from gossamer.model import Answer, Capture, Kind, Link, Page, Visit
from gossamer.plan import Plan
from gossamer.store.commits import Commits, Step
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls.scope import Scope

HOSTS = 100
AT_ONCE = 10
"""Answers that come in one turn of the event loop."""
PAGE_LINKS = 23
"""Links of a page, all to addresses that were met a moment ago."""
COMMITTED, VISITS_COMMITTED = 4_000, 500
"""Addresses, and visits, between two commits: what a crawl may meet in a second."""
SECONDS = 0.01
VISITED_AFTER = (0.5, 1.0, 3.0, 9.0)
"""Days between the visits of a page that is dated."""
WORDS = ("queue", "visit", "host", "page", "order", "table", "name", "time", "link", "number", "change", "rule")


class Price(NamedTuple):
    """What one of them costs."""

    what: str
    microseconds: float

    def __str__(self) -> str:
        return f"{self.what:<12}{self.microseconds:8.1f} us"


class Priced:
    """A frontier about a few hosts, of which addresses in `/private/` are left out."""

    def __init__(self, folder: Path) -> None:
        self.clock = VirtualClock()
        self.table = Table.open(folder, FAMILIES, writable=True)
        self.commits = Commits(self.table, self.clock, [Step("save the frontier", lambda: self.frontier.prepare())])
        seeds = frozenset(f"{_host(number)}/" for number in range(HOSTS))
        rules = Rules(
            Scope(kind="host", seeds=seeds, exclude=(r"/private/",)),
            Politeness(),
            "Gossamer",
            sitemaps=False,
            site=site_of(Plan()),
        )
        self.frontier = Frontier(self.table, rules, self.clock, seen=folder / "seen")
        self.commits.now()

    def add(self, found: list[Found]) -> float:
        """CPU seconds for taking them in and committing them."""
        began = time.process_time()
        for start in range(0, len(found), COMMITTED):
            self.frontier.add(found[start : start + COMMITTED])
            self.commits.now()
        return time.process_time() - began

    def visit(self, pages: dict[str, Page], number: int) -> float:
        """CPU seconds for handing out so many visits and taking their answers in. What comes before is not counted:
        robots.txt of all hosts, the first page of each."""
        self.frontier.open()
        return self.clock.run(self._visit(pages, number))

    def close(self) -> None:
        """It is not needed any more."""
        self.frontier.close()
        self.table.close()

    async def _visit(self, pages: dict[str, Page], number: int) -> float:
        due = self.frontier.due()
        await self._some(due, pages, 4 * HOSTS)
        self.commits.now()
        began = time.process_time()
        for start in range(0, number, VISITS_COMMITTED):
            await self._some(due, pages, min(number - start, VISITS_COMMITTED))
            self.commits.now()
        return time.process_time() - began

    async def _some(self, due: AsyncIterator[Visit], pages: dict[str, Page], number: int) -> None:
        for _ in range(0, number, AT_ONCE):
            visits = [await anext(due) for _ in range(AT_ONCE)]
            self.clock.advance(SECONDS)
            self.frontier.done(*(self._answer(visit, pages) for visit in visits))

    def _answer(self, visit: Visit, pages: dict[str, Page]) -> Answer:
        status = 404 if visit.kind is Kind.ROBOTS else 200
        capture = Capture(visit, self.clock.wall(), SECONDS, status, body=b"made", wire=b"made")
        return Answer(visit, capture, pages.get(visit.url) or Page(visit.url))


def prices(folder: Path, number: int, rounds: int) -> Iterator[Price]:
    """Each of them, in `number` addresses or visits."""
    yield Price("out of scope", min(_added(folder, _elsewhere(number)) for _ in range(rounds)))
    yield Price("excluded", min(_added(folder, _here(number, "private")) for _ in range(rounds)))
    yield Price("queued", min(_added(folder, _here(number, "articles")) for _ in range(rounds)))
    yield Price("visit", min(_visited(folder, max(number // 4, AT_ONCE)) for _ in range(rounds)))
    dates = [_dated(folder, max(number // 4, AT_ONCE)) for _ in range(rounds)]
    for what, seconds in zip(("learned", "due when", "dated"), zip(*dates, strict=True), strict=True):
        yield Price(what, min(seconds))


def _added(folder: Path, found: list[Found]) -> float:
    priced = _opened(folder)
    seconds = priced.add(found)
    priced.close()
    return 1e6 * seconds / len(found)


def _visited(folder: Path, number: int) -> float:
    priced = _opened(folder)
    found = _here(number + 4 * HOSTS, "articles")
    priced.add([Found(f"{_host(host)}/") for host in range(HOSTS)] + found)
    seconds = priced.visit({each.url: _page(each.url) for each in found}, number)
    priced.close()
    return 1e6 * seconds / number


def _dated(folder: Path, number: int) -> tuple[float, float, float]:
    """What it takes to learn from a visit, to tell when a page that was visited some times is due, and to put it into
    the agenda: for each of so many, after the groups that they belong to were read, committed with all others. As in a
    visit, what kind an address is of was asked before."""
    priced = _opened(folder)
    dating = Dating(priced.table, priced.frontier.ledger, Queues(priced.table, 1), priced.clock, WatchRules())
    found = [each.url for each in _here(number, "articles")]
    rows = [PageChanges(seen=priced.clock.wall())] * number
    began = time.process_time()
    for place, days in enumerate(VISITED_AFTER):
        for at, url in enumerate(found):
            row, changed = rows[at], (at + place) % 3 == 0
            dating.learn(url, row, row.seen + days * 86_400, changed=changed)
            rows[at] = msgspec.structs.replace(row, history=row.history.seen(days, changed))
        dating.save()
        priced.table.commit()
    learned = time.process_time()
    priors, entry = Priors(priced.table), Entry(State.DONE, 1, 0.0)
    telling = 0.0
    for start in range(0, number, VISITS_COMMITTED):
        some = list(zip(found, rows, strict=True))[start : start + VISITS_COMMITTED]
        for url, _ in some:
            template(url)
        asked = time.process_time()
        for url, row in some:
            next_visit(priors.rate(url, row), 1.0, importance(row, entry), "age")
        telling += time.process_time() - asked
    told = time.process_time()
    for url, row in zip(found, rows, strict=True):
        dating.date(url, row, entry)
    priced.table.commit()
    ended = time.process_time()
    priced.close()
    spans = (learned - began) / len(VISITED_AFTER), telling, ended - told
    return 1e6 * spans[0] / number, 1e6 * spans[1] / number, 1e6 * spans[2] / number


def _opened(folder: Path) -> Priced:
    """A new one; what was made before is not looked through by the collector."""
    place = folder / f"prices{len(list(folder.iterdir()))}"
    priced = Priced(place)
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 1_000)  # as in a crawl
    return priced


def _host(number: int) -> str:
    return f"https://www.site{number}.com"


def _elsewhere(number: int) -> list[Found]:
    """New addresses of hosts that the crawl is not about, as pages link to them: some hosts often."""
    return [Found(f"{_host(HOSTS + at * at % 997)}/articles/{at}.html", 1, _referrer(at)) for at in range(number)]


def _here(number: int, section: str) -> list[Found]:
    """New addresses of the hosts that it is about, of a dozen kinds."""
    return [
        Found(f"{_host(at % HOSTS)}/{section}/{_word(at // HOSTS)}/{at}.html", 1, _referrer(at)) for at in range(number)
    ]


def _word(number: int) -> str:
    return WORDS[number % len(WORDS)]


def _referrer(at: int) -> str:
    """Six new addresses a page."""
    return f"{_host(at // 6 % HOSTS)}/pages/{at // 6}.html"


def _page(url: str) -> Page:
    """A page that says something new and leads to nothing that is not known."""
    number = int(url.rpartition("/")[2].removesuffix(".html"))
    words = " ".join(f"{_word(number >> shift)} {_word(number * 7 >> shift)}" for shift in range(100))
    home = url.partition("/articles")[0]
    links = tuple(Link(f"{home}/") for _ in range(PAGE_LINKS))
    return Page(url, "text/html", title=f"Number {number}", text=f"Number {number} of them\n{words}", links=links)
