"""What does a watch leave behind in a year? The whole of it on a virtual clock: memory, table and archive by visits.

    python bench/year.py --pages 10_000 --visits 1_000_000 --picture docs/pictures/year.svg

Everything is real but the clock and the sites: those are made, and answer 304 where nothing has changed. Nobody looks,
so it commits once a day, and makes the graph once a week. Pages change by chance in the first half of the year, a
fiftieth of them each day on average. In the second half none does, and visits go on: what grows with visits grows then
too, and what grows with changes stands still.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import gossamer
from frontier import memory
from gossamer.cli.chart import Line, Panel, draw
from gossamer.collection import Outside, crawling
from gossamer.collection.crawl import session, stop_watch
from gossamer.model import Capture, Visit
from gossamer.store import commits
from gossamer.testing import VirtualClock

DAY, YEAR = 86_400.0, 365
ON_A_HOST = 100
A_DAY = 0.02
"""The part of the pages that changes in a day."""
LOOKS = 40
HTML = (("content-type", "text/html; charset=utf-8"),)
SYLLABLES = ("ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu")
WORDS = tuple(map("".join, product(SYLLABLES, repeat=3)))
"""As many as a site has. Of a handful of words all pages would be nearly copies of each other."""


@dataclass(frozen=True, slots=True)
class Look:
    """At what there is by now."""

    day: float
    visits: int
    changes: int
    anonymous: int
    table: int
    archive: int

    def __str__(self) -> str:
        sizes = "".join(f"{size / 1e6:9.1f} MB" for size in (self.anonymous, self.table, self.archive))
        return f"{self.day:6.0f}{self.visits:12,}{self.changes:10,}{sizes}"


TITLES = f"{'day':>6}{'visits':>12}{'changes':>10}{'memory':>12}{'table':>12}{'archive':>12}"


class Sites:
    """Hosts of a hundred pages each, whose first page links to the others."""

    def __init__(self, pages: int, clock: VirtualClock, folder: Path, days: int) -> None:
        self.clock, self.folder, self.days = clock, folder, days
        self.hosts = max(pages // ON_A_HOST, 1)
        self._began, self._chance = clock.wall(), random.Random(1)
        self._versions: dict[str, tuple[int, float]] = {}
        """By address: how often it has changed, and when it does so next."""
        self.visits = self.changes = 0
        self.looks: list[Look] = []

    def seeds(self) -> list[str]:
        """The first page of each host."""
        return [f"http://h{number}.example/" for number in range(self.hosts)]

    async def fetch(self, visit: Visit) -> Capture:
        """What is there now."""
        self._look()
        self.visits += 1
        name, now = visit.url.rpartition("/")[2], self.clock.wall()
        if name and not name.isdigit():
            return Capture(visit, now, 0.1, 404, head=b"HTTP/1.1 404 Not Found\r\n\r\n")
        tag = f'"{self._version(visit.url)}"'
        head = f"HTTP/1.1 {304 if visit.etag == tag else 200} OK\r\netag: {tag}\r\n\r\n".encode()
        if visit.etag == tag:
            return Capture(visit, now, 0.1, 304, (("etag", tag),), head=head)
        body = self._page(visit.url, name, tag).encode()
        return Capture(visit, now, 0.1, 200, (*HTML, ("etag", tag)), head=head, body=body, wire=body)

    def _page(self, url: str, name: str, tag: str) -> str:
        chance = random.Random(f"{url} {tag}")
        words = "".join(f"<p>{' '.join(chance.choices(WORDS, k=40))}.</p>" for _ in range(5))
        links = "" if name else "".join(f'<a href="/{number}">{number}</a> ' for number in range(1, ON_A_HOST))
        return f"<title>Page {name or 'one'} of {url}</title>{words}{links}"

    def _version(self, url: str) -> int:
        day = (self.clock.wall() - self._began) / DAY
        version, at = self._versions.get(url) or (0, self._chance.expovariate(A_DAY))
        while at < min(day, self.days / 2):
            version, at = version + 1, at + self._chance.expovariate(A_DAY)
            self.changes += 1
        self._versions[url] = version, at
        return version

    def _look(self) -> None:
        day = (self.clock.wall() - self._began) / DAY
        if day >= len(self.looks) * self.days / LOOKS:
            shards = self.folder / "shards"
            sizes = (_size(shards, "table"), _size(shards, "captures"))
            self.looks.append(Look(day, self.visits, self.changes, memory()[0], *sizes))
            print(self.looks[-1], flush=True)


def _size(folder: Path, name: str) -> int:
    files = (Path(top) / each for place in folder.glob(f"*/{name}") for top, _, some in os.walk(place) for each in some)
    return sum(each.stat().st_size for each in files if each.exists())


def watch(sites: Sites, visits: int) -> None:
    """For all of the days."""
    crawling.ROUND, commits.INTERVAL = 7 * DAY, DAY
    session.REPORT_EVERY = stop_watch.LOOK = 600.0  # type: ignore[attr-defined]  # it has the name from another module
    gc.freeze()
    print(TITLES)
    days = sites.days
    with gossamer.open(sites.folder) as web:
        sites.clock.run(
            web.crawl_async(
                *sites.seeds(),
                outside=Outside(sites.clock, sites.fetch),
                keep_fresh=True,
                time=days * DAY,
                budget=visits / days,
                shards=1,
                sitemaps="never",
            )
        )


def picture(looks: list[Look]) -> str:
    """Memory, table and archive over the days, beside visits and changes."""
    days = [look.day for look in looks]
    counts = [
        Line("visits", days, [look.visits / 1e3 for look in looks]),
        Line("changes", days, [look.changes / 1e3 for look in looks]),
    ]
    sizes = [
        Line("archive", days, [look.archive / 1e6 for look in looks]),
        Line("table", days, [look.table / 1e6 for look in looks]),
        Line("memory, mapped files aside", days, [look.anonymous / 1e6 for look in looks]),
    ]
    return draw(Panel("what happened", "days", "thousands", counts), Panel("what is left", "days", "megabytes", sizes))


def main() -> None:
    """Watch, print, and draw."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pages", type=int, default=10_000, metavar="N")
    options.add_argument("--visits", type=int, default=1_000_000, metavar="N", help="in all of the time")
    options.add_argument("--days", type=int, default=YEAR, metavar="N")
    options.add_argument("--picture", type=Path, metavar="FILE", help="draw FILE as SVG")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        sites = Sites(asked.pages, VirtualClock(), Path(scratch) / "web", asked.days)
        began = time.process_time()
        with suppress(KeyboardInterrupt):  # what there is by then is drawn
            watch(sites, asked.visits)
        print(f"{1e3 * (time.process_time() - began) / sites.visits:.2f} ms of CPU a visit")
    if asked.picture:
        asked.picture.write_text(picture(sites.looks))


if __name__ == "__main__":
    main()
