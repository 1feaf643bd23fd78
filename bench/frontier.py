"""What does a known address cost, and does the cost grow? The frontier alone, with made hosts and links.

    python bench/frontier.py --urls 1_000_000 --hosts 100_000 --kill

The table and the frontier are real. Fetching is a function that makes a page from a hash of its address: links to new
pages, to pages that were met a moment ago, and to pages that were met long ago. The clock stands still while anything
is due and jumps when nothing is, so politeness costs no time. CPU is that of the whole process, RocksDB's threads
included, without what the making of pages takes. With --kill the process kills itself at the end, and a new one tells
how long it takes until the first visit is due. With --keep a run that was cut off goes on where it was: the frontier is
durable, and the looks are in the file that --points names. With --prices it tells instead what one address that is
left out, one that is queued, and one visit cost, each by itself; see `frontier_prices`.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from frontier_prices import prices

from gossamer.cli.chart import Line, Panel, draw
from gossamer.collection.sites import site_of
from gossamer.crawl_loop import crawl
from gossamer.frontier import Frontier, Politeness
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import FAMILIES
from gossamer.frontier.rules import Outward, Rules
from gossamer.model import Capture, Kind, Link, Page, Visit
from gossamer.plan import Plan
from gossamer.store.commits import Commits, Step
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls import keys
from gossamer.urls.scope import Scope

WORKERS = 128
FRONT = 3 * WORKERS
SEEDS = 1_000
NEW, FAR = 8, 4
"""Links of a page to pages that nothing else links to, and to pages of hosts all over the web."""
AT_HOME = 0.7
"""Share of new pages that lie on the host that links to them."""
SECONDS = 0.2
"""What every answer takes, so that a host rests for ten times as long."""
SECTIONS = ("", "about", "news", "contact", "archive", "help")
HERE = Path(__file__).resolve()
PICTURE = HERE.parents[1] / "docs" / "frontier-scale.svg"


class MadeLinks:
    """A web without end: what a page links to is a hash of its address. A few hosts are linked to by most pages."""

    def __init__(self, hosts: int) -> None:
        self._hosts = hosts
        self.made = 0

    def seeds(self) -> list[str]:
        """Where the crawl starts."""
        step = max(self._hosts // SEEDS, 1)
        return [f"{self._host(rank / self._hosts)}/" for rank in range(0, self._hosts, step)]

    def page(self, visit: Visit) -> Page:
        """What a visit brings."""
        self.made += 1
        home = keys.origin(visit.url)
        found = [f"{home}/{section}" for section in SECTIONS] + self._new(visit.url)
        if visit.referrer:
            found += self._new(visit.referrer)
        return Page(visit.url, "text/html", links=tuple(Link(url) for url in found + self._far(visit.url)))

    def cost(self) -> float:
        """CPU seconds for making one page, which are not the frontier's."""
        seeds = self.seeds()
        began = time.process_time()
        for url in seeds:
            self.page(Visit(f"{url}articles/0.html", referrer=url))
        return (time.process_time() - began) / len(seeds)

    def _new(self, url: str) -> list[str]:
        noise, home = hashlib.shake_128(url.encode()).digest(12 * NEW), keys.origin(url)
        return [self._child(noise[start : start + 12], home) for start in range(0, 12 * NEW, 12)]

    def _child(self, noise: bytes, home: str) -> str:
        share = int.from_bytes(noise[8:], "big") / 2**32
        place = home if share < AT_HOME else self._host((share - AT_HOME) / (1 - AT_HOME))
        return f"{place}/articles/{noise[:8].hex()}.html"

    def _far(self, url: str) -> list[str]:
        noise = hashlib.shake_128(b"far" + url.encode()).digest(4 * FAR)
        shares = [int.from_bytes(noise[start : start + 4], "big") / 2**32 for start in range(0, 4 * FAR, 4)]
        return [f"{self._host(share)}/{SECTIONS[int(share * 997) % 6]}" for share in shares]

    def _host(self, share: float) -> str:
        """Zipf's law: the host of rank n is met as often as 1 / n."""
        return f"https://www.site{int(self._hosts**share)}.com"


@dataclass(frozen=True, slots=True)
class Point:
    """One look at the run."""

    urls: int
    microseconds: float
    """CPU for each address that became known since the look before."""
    anonymous: int
    """Bytes of resident memory without mapped files."""
    resident: int
    disk: int
    hosts: int
    visits: int

    def __str__(self) -> str:
        sizes = f"{self.anonymous / 1e6:7.0f} MB{self.resident / 1e6:7.0f} MB{self.disk / 1e6:8.0f} MB"
        return f"{self.urls:12,}{self.microseconds:9.1f} us{sizes}{self.hosts:11,}{self.visits:12,}"


TITLES = f"{'known':>12}{'CPU/URL':>12}{'memory':>10}{'resident':>10}{'disk':>11}{'hosts':>11}{'visits':>12}"


class Run:
    """A frontier that fills up."""

    def __init__(self, folder: Path, links: MadeLinks, every: int, urls: int, notes: Path | None = None) -> None:
        """`notes` is a file for all looks so far: a run that is cut off has not been for nothing."""
        self.clock = VirtualClock()
        self.points = noted(notes) if notes and folder.exists() else []
        self._notes = notes
        self._links, self._making = links, links.cost()
        self._every, self._urls = every, urls
        self._folder = folder
        self._table = Table.open(folder, FAMILIES, writable=True)
        steps = (Step("save the frontier", lambda: self._frontier.prepare()), Step("look", self._look))
        self._commits = Commits(self._table, self.clock, before=steps)
        seeds = links.seeds()
        rules = Rules(
            Scope(kind="any", seeds=frozenset(seeds)),
            Politeness(),
            "Gossamer",
            sitemaps=False,
            front=FRONT,
            site=site_of(Plan()),
        )
        self._frontier = Frontier(
            self._table, rules, self.clock, seen=folder / "seen", outward=Outward(committed=self._commits.when_due)
        )
        self._cpu, self._looked, self._visits = 0.0, self._known(), self.points[-1].visits if self.points else 0
        self._commits.now()
        self._frontier.add(Found(seed) for seed in seeds)
        self._frontier.open()

    async def to_the_end(self) -> None:
        """Crawl until enough is known."""
        self._cpu = time.process_time() - self._links.made * self._making
        await crawl(self._frontier, self._fetch, self._convert, lambda page: page, lambda *_: None, workers=WORKERS)

    async def first_visit(self) -> str:
        """What is due first."""
        async for visit in self._frontier.due():
            return visit.url
        raise SystemExit("nothing is due")

    def close(self) -> None:
        """End in good order."""
        self._frontier.settle()
        self._commits.now()
        self._frontier.close()
        self._table.close()

    async def _fetch(self, visit: Visit) -> Capture:
        status = 404 if visit.kind is Kind.ROBOTS else 200
        return Capture(visit, self.clock.wall(), SECONDS, status, body=b"made", wire=b"made")

    async def _convert(self, capture: Capture) -> Page:
        self._visits += 1
        return self._links.page(capture.visit) if capture.status == 200 else Page(capture.visit.url)

    def _look(self) -> None:
        """Commits come often enough to be asked whether it is time for a look."""
        known, before = self._known(), self._looked
        if known >= min(before + self._every, self._urls) and known > before:
            cpu = time.process_time() - self._links.made * self._making
            cost = 1e6 * (cpu - self._cpu) / (known - before)
            self._cpu, self._looked = cpu, known
            disk = sum(entry.stat().st_size for entry in os.scandir(self._folder))
            hosts = self._frontier.ledger.counts.hosts
            self.points.append(Point(known, cost, *memory(), disk, hosts, self._visits))
            print(self.points[-1], flush=True)
            if self._notes:
                self._notes.write_text(json.dumps([asdict(point) for point in self.points], indent=1) + "\n")
        if known >= self._urls:
            self._frontier.stop()

    def _known(self) -> int:
        counts = self._frontier.ledger.counts
        return counts.queued + counts.done + counts.failed + counts.excluded


def noted(notes: Path) -> list[Point]:
    """The looks that were taken before."""
    return [Point(**point) for point in json.loads(notes.read_text())] if notes.exists() else []


def memory() -> tuple[int, int]:
    """Resident bytes of this process without mapped files, and with them."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines["RssAnon"].split()[0]) << 10, int(lines["VmRSS"].split()[0]) << 10


def fill(folder: Path, options: argparse.Namespace) -> list[Point]:
    """Run until enough is known; with --kill the process does not outlive it."""
    gc.freeze()
    gc.set_threshold(20_000, 50, 1_000)
    run = Run(folder, MadeLinks(options.hosts), options.every, options.urls, options.points)
    print(TITLES)
    run.clock.run(run.to_the_end())
    if options.kill:
        os.kill(os.getpid(), signal.SIGKILL)
    run.close()
    return run.points


def fill_and_be_killed(folder: Path, options: argparse.Namespace) -> list[Point]:
    """The same in another process, which is killed; then see how long a new one takes until something is due."""
    points = options.points or folder.with_suffix(".points.json")
    sizes = ("--urls", str(options.urls), "--hosts", str(options.hosts), "--every", str(options.every))
    command = [sys.executable, str(HERE), *sizes, "--folder", str(folder), "--points", str(points), "--kill"]
    killed = subprocess.run(command, check=False).returncode
    assert killed == -signal.SIGKILL, f"the run ended with {killed}"
    began = time.monotonic()
    run = Run(folder, MadeLinks(options.hosts), every=sys.maxsize, urls=sys.maxsize)
    url = run.clock.run(run.first_visit())
    print(f"restart after SIGKILL: {time.monotonic() - began:.2f} s until {url} was due")
    return noted(points)


def growth(points: list[Point]) -> float:
    """What an address costs at the end, by what it cost at the beginning; a fifth of the run each."""
    fifth = max(len(points) // 5, 1)
    first, last = (sum(point.microseconds for point in part) for part in (points[:fifth], points[-fifth:]))
    return last / first


def picture(points: list[Point], path: Path) -> None:
    """Cost and memory against addresses."""
    known = [point.urls / 1e6 for point in points]
    cost = Line("CPU for each new address", known, [point.microseconds for point in points])
    anonymous = Line("resident, mapped files aside", known, [point.anonymous / 1e6 for point in points])
    path.write_text(
        draw(
            Panel("cost of an address", "known addresses, millions", "microseconds", [cost]),
            Panel("memory", "known addresses, millions", "megabytes", [anonymous]),
        )
    )


def read_options() -> argparse.Namespace:
    """Sizes, and where things go."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--urls", type=int, default=1_000_000, metavar="N", help="stop when so many are known")
    options.add_argument("--hosts", type=int, default=1_000_000, metavar="N", help="hosts of the made web")
    options.add_argument("--every", type=int, default=0, metavar="N", help="look every N addresses (a twentieth)")
    options.add_argument("--kill", action="store_true", help="kill the process at the end and time the restart")
    options.add_argument(
        "--points", type=Path, metavar="FILE", help="write the looks to FILE as JSON, as they are taken"
    )
    options.add_argument("--picture", type=Path, nargs="?", const=PICTURE, metavar="FILE", help="draw FILE as SVG")
    options.add_argument("--keep", type=Path, metavar="DIR", help="keep the table in DIR, and go on with what is there")
    options.add_argument(
        "--prices",
        type=int,
        nargs="?",
        const=40_000,
        metavar="N",
        help="what an address and a visit cost, by N of each",
    )
    options.add_argument("--rounds", type=int, default=3, metavar="N", help="of which the cheapest is the price")
    options.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = options.parse_args()
    asked.every = asked.every or max(asked.urls // 20, 1)
    return asked


def main() -> None:
    """Run, print, and draw."""
    options = read_options()
    if options.folder:
        fill(options.folder, options)
        return
    with tempfile.TemporaryDirectory() as scratch:
        if options.prices:
            for price in prices(Path(scratch), options.prices, options.rounds):
                print(price, flush=True)
            return
        folder = options.keep or Path(scratch) / "table"
        points = (fill_and_be_killed if options.kill else fill)(folder, options)
    print(f"the last fifth costs {growth(points):.2f} times as much as the first")
    if options.picture:
        picture(points, options.picture)


if __name__ == "__main__":
    main()
