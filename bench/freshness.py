"""How fresh does a watch keep a made web? The real frontier for weeks on a virtual clock, beside other policies.

    python bench/freshness.py --pages 10_000 --plot docs/pictures/watched.svg

The web is that of `gossamer simulate`, and so are the other policies and the table: pages change by chance, each at its
own rate, and some matter far more than others. What the frontier hears of importance is what it hears in a crawl, a
depth and a rank by links; the other policies are told it, and all but `uniform`, `nutch` and `watch` the rates too.
`watch` begins with addresses alone, asks for robots.txt once a day at each host, and visits some pages at random
moments, all from the same budget. Dates stand in sitemaps, one for each host, which it reads once a day from that
budget as well. With --clocks each page has a clock and an advert that are different at each visit, and none has a
validator.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from gossamer.cli.simulation import picture, told
from gossamer.freshness.simulation import Outcome, Plan, read, simulate
from gossamer.freshness.simulation.dates import AT_RANDOM
from gossamer.freshness.simulation.plan import Cycle, Dated, Importance, Rates
from gossamer.freshness.simulation.run import BETWEEN, HOURS, POLICIES, expected, seen
from gossamer.freshness.simulation.web import made
from gossamer.frontier import Frontier, Politeness
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import FAMILIES
from gossamer.frontier.polite.limits import Allowance
from gossamer.frontier.rules import Outward, Rules, WatchRules
from gossamer.model import Answer, Capture, Kind, Link, Page, Visit
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls.scope import Scope

DAY = 86_400.0
AT_ONCE = 5
"""Visits for which the budget lasts between two looks for what is due. One at a time would cost twice as much."""
LONGEST = 60.0
"""Seconds: a budget keeps no more than an hour's visits."""
COMMITTED = 1_000
DEEPEST, RANKED = 19, 2.0
"""Depths and ranks of which importances are made: eighty times as much as the least is the most that a watch knows."""
ON_A_HOST = 1_000
"""Pages at the least."""
BLOCKS = 12
"""Of a page; a third of them change with each version."""


class Watched:
    """The pages, what they say, and how fresh the copies are."""

    def __init__(self, plan: Plan, clock: VirtualClock, clocks: bool) -> None:
        self.plan, self._clock, self._clocks = plan, clock, clocks
        self._chance = np.random.default_rng([plan.seed, len(POLICIES)])
        self.web = made(plan, np.random.default_rng(plan.seed))
        self._told = np.minimum(self.web.importances / self.web.importances.min() / (1 + DEEPEST) / RANKED, RANKED)
        """Importances as a watch knows them."""
        self._hosts = max(min(plan.dates.sites, plan.pages // ON_A_HOST), 1)
        self._began = clock.wall()
        pages = np.arange(plan.pages)
        self._visits = np.zeros(plan.pages)
        self._changes = self.web.next_change(pages, self._visits, self._chance)
        self._versions = np.zeros(plan.pages, np.int64)
        self._changed = np.full(plan.pages, -1.0)
        self._dates = np.full(plan.pages, self._began - 365 * DAY)
        self._read = np.zeros(self._hosts)
        self._weights = self.web.importances / self.web.importances.sum()
        self._look = expected if plan.dates.lastmod == "none" and not self.web.hours.size else seen
        self._looked = 0
        self.fresh, self.old, self.often = (np.zeros(plan.days) for _ in range(3))
        self.pages = 0
        """Visits that found one."""

    def seeds(self) -> Iterator[Found]:
        """All pages, and a sitemap for each host."""
        if self.plan.dates.lastmod != "none":
            yield from (Found(f"http://h{host}.example/sitemap.xml", kind=Kind.SITEMAP) for host in range(self._hosts))
        for number, importance in enumerate(self._told.tolist()):
            yield Found(f"http://h{number % self._hosts}.example/p{number}", _depth(importance))

    def rank(self, url: str) -> float:
        """By the links to it: what depth leaves of its importance."""
        number = _number(url)
        if number is None:
            return 1.0
        importance = float(self._told[number])
        return (importance * (1 + _depth(importance))) ** 2

    def answer(self, visit: Visit) -> Answer:
        """What is there at a time."""
        wall = self._clock.wall()
        now = (wall - self._began) / DAY
        self._measure(now)
        if now < self.plan.days:
            self.often[int(now)] += 1
        number = _number(visit.url)
        if visit.kind is Kind.SITEMAP:
            return self._sitemap(visit, int(visit.url[len("http://h") :].partition(".")[0]), now)
        if number is None:
            return Answer(visit, Capture(visit, wall, 0.0, 404), Page(visit.url))
        self.pages += 1
        if self._changes[number] <= now:
            self._versions[number] += 1
            self._changed[number] = self._changes[number]
        self._visits[number] = now
        one = np.array([number])
        self._changes[number] = self.web.next_change(one, np.array([now]), self._chance)[0]
        return self._page(visit, number, wall)

    def _page(self, visit: Visit, number: int, wall: float) -> Answer:
        version = int(self._versions[number])
        tag = f'"{version}"'
        if visit.etag == tag and not self._clocks:
            return Answer(visit, Capture(visit, wall, 0.0, 304), Page(visit.url))
        lines = [f"Line {at} of page {number}, {version if at % 3 == 0 else 'as it is'}." for at in range(BLOCKS)]
        headers = () if self._clocks else (("etag", tag),)
        if self._clocks:
            lines += [f"It is {wall:.0f} o'clock."]
        words = "\n".join(lines)
        capture = Capture(visit, wall, 0.0, 200, headers, body=b"x", wire=b"x")
        return Answer(visit, capture, Page(visit.url, "text/html", text=words, content=words))

    def _sitemap(self, visit: Visit, host: int, now: float) -> Answer:
        wall, pages = self._clock.wall(), np.arange(host, self.plan.pages, self._hosts)
        kind = self.plan.dates.lastmod
        if kind == "now":
            self._dates[pages] = wall
        elif kind == "random":
            days = now - self._read[host]
            moved = self._chance.random(len(pages)) < 1 - (1 - AT_RANDOM) ** days
            self._dates[pages[moved]] = wall
        elif kind == "right":
            last = np.where(self._changes[pages] <= now, self._changes[pages], self._changed[pages])
            self._dates[pages] = np.where(last >= 0, self._began + last * DAY, self._dates[pages])
        self._read[host] = now
        links = tuple(
            Link(f"http://h{host}.example/p{page}", place="sitemap", modified=float(self._dates[page]))
            for page in pages.tolist()
        )
        capture = Capture(visit, wall, 0.0, 200, body=b"x", wire=b"x")
        return Answer(
            visit, capture, Page(visit.url, "text/xml", links=links, digest=str(hash(self._dates[pages].tobytes())))
        )

    def _measure(self, now: float) -> None:
        """All copies, at the moments that have passed."""
        while self._looked < self.plan.days * HOURS // BETWEEN and (at := self._looked * BETWEEN / HOURS) <= now:
            is_fresh, ages = self._look(self.web, self._visits, self._changes, at)
            self.fresh[int(at)] += float(self._weights @ is_fresh) * BETWEEN / HOURS
            self.old[int(at)] += float(self._weights @ ages) * BETWEEN / HOURS
            self._looked += 1

    def outcome(self) -> Outcome:
        """Of the second half of the days."""
        self._measure(float(self.plan.days))
        half = self.plan.days // 2
        freshness, age, visits = (float(each[half:].mean()) for each in (self.fresh, self.old, self.often))
        return Outcome("watch", False, freshness, age, visits, tuple(self.fresh.tolist()), tuple(self.old.tolist()))


def _depth(importance: float) -> int:
    return min(max(round(1 / importance) - 1, 0), DEEPEST)


def _number(url: str) -> int | None:
    name = url.rpartition("/")[2]
    return int(name[1:]) if name.startswith("p") and name[1:].isdigit() else None  # names are made up, too


@contextmanager
def watching(plan: Plan, clock: VirtualClock, folder: Path, watched: Watched) -> Iterator[tuple[Frontier, Table]]:
    """The frontier over a table, for the days of a plan."""
    rules = Rules(
        Scope(kind="any"),
        Politeness(delay=0.01, ip_delay=0.0),
        "Gossamer",
        sitemaps=False,
        watch=WatchRules(plan.budget, plan.goal),
        allowance=Allowance(0, clock.steady() + plan.days * DAY),
    )
    with Table.open(folder, FAMILIES, writable=True) as table:
        frontier = Frontier(table, rules, clock, seen=folder / "seen", outward=Outward(rank=watched.rank))
        frontier.add(watched.seeds())
        frontier.sift()
        yield frontier, table
        frontier.close()


async def watch(frontier: Frontier, table: Table, watched: Watched) -> int:
    """To the end of the days; how many visits that were."""
    count, rest = 0, min(AT_ONCE * DAY / watched.plan.budget, LONGEST)
    frontier.open()
    due = frontier.due()
    while True:
        coming = asyncio.ensure_future(anext(due, None))
        await asyncio.sleep(0)
        if not coming.done():
            await asyncio.wait([coming])
            await asyncio.sleep(rest)
        if (visit := coming.result()) is None:
            break
        frontier.done(watched.answer(visit))
        count += 1
        if count % COMMITTED == 0:
            frontier.prepare()
            table.commit()
    frontier.prepare()
    table.commit()
    return count


def outcome(plan: Plan, folder: Path, *, clocks: bool = False) -> tuple[Outcome, float]:
    """What a watch comes to, and CPU seconds for a visit, the made web's with them."""
    clock = VirtualClock()
    watched = Watched(plan, clock, clocks)
    gc.freeze()
    gc.set_threshold(20_000, 50, 1_000)  # as in a crawl
    began = time.process_time()
    with watching(plan, clock, folder, watched) as (frontier, table):
        count = clock.run(watch(frontier, table, watched))
    return watched.outcome(), (time.process_time() - began) / max(count, 1)


def read_options() -> argparse.Namespace:
    """Which web."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("plan", nargs="?", type=Path, help="a plan of `gossamer simulate`; what follows changes it")
    options.add_argument("--pages", type=int, metavar="N", help="of the web, and half as many visits a day")
    options.add_argument("--days", type=int, metavar="N")
    options.add_argument("--law", choices=["lognormal", "pareto"], help="of how often pages change")
    options.add_argument("--goal", choices=["age", "freshness"])
    options.add_argument("--equal", action="store_true", help="no page counts more than another")
    options.add_argument(
        "--lastmod",
        choices=["right", "now", "never", "random"],
        help="what sitemaps say; --equal, for all that they list is near",
    )
    options.add_argument("--cycle", action="store_true", help="changes come by day and seldom at weekends")
    options.add_argument("--clocks", action="store_true", help="what pages say differs a little at each visit")
    options.add_argument("--alone", action="store_true", help="beside the best policy only")
    options.add_argument("--plot", type=Path, metavar="FILE", help="draw FILE as SVG")
    return options.parse_args()


def planned(options: argparse.Namespace) -> Plan:
    """The plan with what was said besides."""
    plan = read(options.plan.read_text(), str(options.plan)) if options.plan else Plan()
    if options.pages:
        plan = replace(plan, pages=options.pages, budget=options.pages / 2)
    plan = replace(plan, days=options.days or plan.days, goal=options.goal or plan.goal)
    if options.law:
        plan = replace(plan, rates=Rates(law=options.law))
    if options.equal or options.lastmod:
        plan = replace(plan, importance=Importance("equal"))
    if options.cycle:
        plan = replace(plan, cycle=Cycle(day=0.8, weekend=0.3))
    return replace(plan, dates=Dated(options.lastmod)) if options.lastmod else plan


def main() -> None:
    """Watch, print, and draw."""
    options = read_options()
    plan = planned(options)
    with tempfile.TemporaryDirectory() as folder:
        watched, seconds = outcome(plan, Path(folder), clocks=options.clocks)
    others = list(simulate(plan, ("best",) if options.alone else POLICIES))
    outcomes = [others[0], watched, *others[1:]]
    print(told(plan, outcomes))
    print(f"{1e3 * seconds:.2f} ms of CPU a visit of `watch`")
    if options.plot:
        drawn = [each for each in outcomes if each.policy != "learning"]  # there are no more colours than seven
        options.plot.write_text(picture(plan, drawn))


if __name__ == "__main__":
    main()
