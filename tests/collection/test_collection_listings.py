"""A sitemap that is longer than a queue may be: all of its pages are fetched in the end, whatever kills the crawl."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import gossamer
from gossamer.collection import Outside
from gossamer.frontier.discover import listings
from gossamer.model import Capture, Kind, Visit
from gossamer.testing import VirtualClock

HOME = "http://a.example/"
PAGES = [f"{HOME}p{number}" for number in range(200)]
BODIES = {
    HOME: b"<p>home",
    f"{HOME}robots.txt": f"Sitemap: {HOME}map".encode(),
    f"{HOME}map": b"<urlset>" + b"".join(b"<url><loc>%s</loc></url>" % url.encode() for url in PAGES) + b"</urlset>",
} | {url: b"<p>a page that says %s" % url.encode() for url in PAGES}
KILLED = 9


class Site:
    """Answers from a table; ends the process at a visit. What was asked for is noted where a kill cannot erase it."""

    def __init__(self, log: Path, clock: VirtualClock, dies_at: int) -> None:
        self._log, self._clock, self._left = log, clock, dies_at

    async def fetch(self, visit: Visit) -> Capture:
        with self._log.open("a") as log:
            log.write(f"{visit.url}\n")
        self._left -= 1
        if not self._left:
            os._exit(KILLED)
        body = BODIES.get(visit.url, b"")
        kind = "text/html" if visit.kind is Kind.PAGE else "text/xml"
        status = 200 if body else 404
        head = f"HTTP/1.1 {status} So\r\ncontent-type: {kind}\r\n\r\n".encode()
        return Capture(visit, self._clock.wall(), 0.1, status, (("content-type", kind),), b"", head, body, body)


def crawl(folder: Path, log: Path, dies_at: int = 0) -> int:
    """Crawl in a process of its own; its exit code. It is not forked: the threads of RocksDB would be missing."""
    words = [sys.executable, __file__, str(folder), str(log), str(dies_at)]
    return subprocess.run(words, check=False, timeout=120).returncode


def live(folder: Path, log: Path, dies_at: int) -> int:
    """What that process does. Of a site few addresses may wait, and they come in a few at a time."""
    listings.QUEUED_MOST, listings.LEAST, listings.SLICE = 40, 10, 7
    clock = VirtualClock()
    outside = Outside(clock, Site(log, clock, dies_at).fetch)
    with gossamer.open(folder) as collection:
        clock.run(collection.crawl_async(HOME, scope="host", outside=outside))
        return len(collection.verify().problems)


def test_all_pages_of_a_long_sitemap_are_fetched_however_often_the_crawl_is_killed(tmp_path: Path) -> None:
    folder, log = tmp_path / "web", tmp_path / "log"
    deaths = [3, 4, 60, 100]
    assert [crawl(folder, log, dies_at) for dies_at in deaths] == [KILLED] * len(deaths)
    assert crawl(folder, log) == 0
    asked = log.read_text().split()
    assert {*PAGES} < set(asked)
    assert len(asked) <= len(set(asked)) + 2 * len(deaths)
    with gossamer.open(folder) as collection:
        status = collection.status()
    assert (status.pages, status.queued) == (201, 0)


if __name__ == "__main__":
    sys.exit(live(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
