"""A web whose pages change by chance, each at its own rate, watched through the real frontier on a virtual clock.

The truth is known here, so it can be said how fresh the copies were at every moment.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gossamer.collection.column_families import FAMILIES
from gossamer.freshness import allocate, freshness
from gossamer.freshness.price import average_age
from gossamer.freshness.revisit import Goal
from gossamer.frontier import Frontier, Politeness
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.polite.limits import Allowance
from gossamer.frontier.rules import Outward, Rules, WatchRules
from gossamer.model import Answer, Capture, Page, Visit
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls.scope import Scope

DAY = 86_400.0


@dataclass
class ChangingPage:
    """One page: how often it changes, when it did, and when it was visited. Days since the beginning."""

    rate: float
    changes: list[float]
    visits: list[float] = field(default_factory=list)

    def version(self, day: float) -> int:
        return bisect_right(self.changes, day)

    def measured(self, first: float, last: float) -> tuple[float, float]:
        """The part of the days in which the copy was fresh, and its average age."""
        fresh = old = 0.0
        visits = [each for each in self.visits if each < last]
        for visit, after in zip(visits, [*visits[1:], last], strict=True):
            begin, end = max(visit, first), max(after, first)
            place = bisect_right(self.changes, visit)
            changed = self.changes[place] if place < len(self.changes) else last
            fresh += max(min(changed, end) - begin, 0.0)
            stale = max(changed, begin)
            if stale < end:
                old += ((end - changed) ** 2 - (stale - changed) ** 2) / 2
        return fresh / (last - first), old / (last - first)


class ChangingWeb:
    """Pages by address."""

    def __init__(self, rates: list[float], days: float, seed: int, hosts: int = 10, size: int = 1) -> None:
        """`size` are the bytes of a page."""
        chance = random.Random(seed)
        self.body = b"x" * size
        self.pages = {
            f"http://h{number % hosts}.example/p{number}": ChangingPage(rate, _changes(rate, days, chance))
            for number, rate in enumerate(rates)
        }
        self.start = 0.0

    def answer(self, visit: Visit, now: float) -> Answer:
        """What it says at a time."""
        page = self.pages.get(visit.url)
        if page is None:
            return Answer(visit, Capture(visit, now, 0.0, 404), Page(visit.url))
        day = (now - self.start) / DAY
        page.visits.append(day)
        version = f'"{page.version(day)}"'
        if visit.etag == version:
            return Answer(visit, Capture(visit, now, 0.0, 304), Page(visit.url))
        capture = Capture(visit, now, 0.0, 200, (("etag", version),), body=self.body, wire=self.body)
        words = f"This is version {version} of a page.\nAnd so it goes on, in version {version}."
        return Answer(visit, capture, Page(visit.url, "text/html", text=words, content=words))

    def measured(self, first: float, last: float) -> tuple[float, float]:
        """Freshness and age over all pages."""
        each = [page.measured(first, last) for page in self.pages.values()]
        return sum(fresh for fresh, _ in each) / len(each), sum(old for _, old in each) / len(each)

    def best(self, budget: float, goal: Goal) -> tuple[float, float]:
        """What somebody reaches who knows the rates."""
        rates = [page.rate for page in self.pages.values()]
        visits = allocate(rates, budget=budget, goal=goal)
        fresh = [freshness(rate, 1 / often) if often else 0.0 for rate, often in zip(rates, visits, strict=True)]
        old = [average_age(rate, 1 / often) if often else 0.0 for rate, often in zip(rates, visits, strict=True)]
        return sum(fresh) / len(fresh), sum(old) / len(old)

    def even(self, budget: float) -> tuple[float, float]:
        """What somebody reaches who visits all pages equally often."""
        interval = len(self.pages) / budget
        fresh = [freshness(page.rate, interval) for page in self.pages.values()]
        old = [average_age(page.rate, interval) for page in self.pages.values()]
        return sum(fresh) / len(fresh), sum(old) / len(old)


def _changes(rate: float, days: float, chance: random.Random) -> list[float]:
    day, found = 0.0, []
    while rate and (day := day + chance.expovariate(rate)) < days:
        found.append(day)
    return found


@contextmanager
def watched(
    folder: Path, clock: VirtualClock, rules: WatchRules, until: float, delay: float = 1.0
) -> Iterator[tuple[Frontier, Table]]:
    """A frontier that watches until a steady time."""
    politeness = Politeness(delay=delay, ip_delay=0.0)
    asked = Rules(Scope(kind="any"), politeness, "Gossamer", sitemaps=False, watch=rules, allowance=Allowance(0, until))
    with Table.open(folder, FAMILIES, writable=True) as table:
        frontier = Frontier(table, asked, clock, seen=folder / "seen", outward=Outward())
        yield frontier, table
        frontier.close()


async def watch(
    frontier: Frontier, table: Table, web: ChangingWeb, clock: VirtualClock, *, commit_every: int = 100, most: int = 0
) -> int:
    """Answer every visit, until the time is over or so many were made. How many that were."""
    count = 0
    frontier.open()
    async for visit in frontier.due():
        frontier.done(web.answer(visit, clock.wall()))
        count += 1
        if count % commit_every == 0:
            frontier.prepare()
            table.commit()
        if count == most:
            return count
    frontier.prepare()
    table.commit()
    return count


def seeds(web: ChangingWeb) -> list[Found]:
    return [Found(url) for url in web.pages]
