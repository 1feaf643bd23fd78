"""How long does a page of hosts take, of a million? By each order, deep in the list, by a part of the name.

    python bench/hosts.py --hosts 1_000_000

A list of seeds, one and more on each host, goes through the frontier: so each host has its row, its queue, its turn.
Some are visited; what visits of the others would have brought is put down by the frontier's own counter. A server is
asked for the first page, the next and one far behind, and for a part of a name. Each is asked three times: the first
may find nothing remembered. Beside it: the CPU that the server took for all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import re
import tempfile
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from random import Random
from urllib.parse import urlencode

from serve import Server, serving

import gossamer
from gossamer.collection import Outside
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.folder import Folder
from gossamer.frontier.entries import HOSTS
from gossamer.frontier.tally import Tally
from gossamer.model import Capture, Kind, Visit
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock

VISITED = 1_000
"""Pages of them, until the crawl ends."""
FIELDS = (("content-type", "text/html"),)
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
BATCH = 50_000
SORTS = ("pages", "queued", "failed", "next", "name")
DEEP = 20
"""Pages after the first."""
_NEXT = re.compile(r'rel="next" href="([^"]+)"')


def seeds(hosts: int) -> Iterator[str]:
    """One on each host, and on some of them many."""
    random = Random(3)
    for number in range(hosts):
        for page in range(min(int(1 / (1 - random.random())), 50)):
            yield f"http://www.site{number}.test/{page}"


def collect(path: Path, hosts: int, shards: int) -> None:
    """A crawl that has met them all, and has had no time to visit more than a few."""
    clock = VirtualClock()

    async def fetch(visit: Visit) -> Capture:
        await asyncio.sleep(0.01)
        is_page = visit.kind is Kind.PAGE
        body = f"<title>A page</title><p>{visit.url}".encode() if is_page else b""
        status = 200 if is_page else 404
        return Capture(visit, clock.wall(), 0.01, status, FIELDS, b"GET /", HEAD, body, body)

    collection = gossamer.open(path)
    outside, list_of_seeds = Outside(clock, fetch), seeds(hosts)
    settings = {"shards": shards, "pages": VISITED, "delay": 0, "sitemaps": "never", "build": False}
    clock.run(collection.crawl_async(outside=outside, seed_list=list_of_seeds, **settings))
    collection.close()
    for index in range(shards):
        with Table.open(Folder(path).table(index), FAMILIES, writable=True) as table:
            count(table)


def count(table: Table) -> None:
    """What visits of each would have brought."""
    random, tally = Random(7), Tally(table)
    names = [key.decode() for key, _ in table.scan(HOSTS)]
    for number, name in enumerate(names, 1):
        tally.shift(name, int(1 / (1 - random.random())), int(random.random() < 0.1))
        if number % BATCH == 0 or number == len(names):
            tally.save()
            table.commit()


class Asking:
    """Somebody with one connection."""

    def __init__(self, server: Server) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)

    def page(self, path: str) -> tuple[float, str]:
        """Seconds for a view, and the view."""
        began = time.perf_counter()
        self._connection.request("GET", path)
        answer = self._connection.getresponse()
        body = answer.read().decode()
        assert answer.status == 200, body
        return time.perf_counter() - began, body


def rows(server: Server) -> Iterator[str]:
    asking = Asking(server)
    yield f"{'':24} {'three times, ms':>24}   {'page 2':>8} {f'page {DEEP + 1}':>8}   CPU of the server"
    for sort in SORTS:
        for search in ("", "777"):
            before, path = server.cpu, f"/hosts?{urlencode({'sort': sort, 'search': search})}"
            looks = [asking.page(path) for _ in range(3)]
            turned = list(turn(asking, looks[-1][1])) or [0.0]
            first = " ".join(f"{1e3 * seconds:7.0f}" for seconds, _ in looks)
            later = " ".join(f"{1e3 * each:8.0f}" for each in (turned[0], turned[-1]))
            name = f"by {sort}{', with 777 in it' if search else ''}"
            yield f"{name:24} {first:>24}   {later}   {server.cpu - before:.2f} s"
    taken = [asking.page("/crawl")[0] for _ in range(3)]
    yield f"{'the dashboard':24} {' '.join(f'{1e3 * each:7.0f}' for each in taken):>24}"


def turn(asking: Asking, view: str) -> Iterator[float]:
    """Seconds for each of the pages after one."""
    for _ in range(DEEP):
        found = _NEXT.search(view)
        if found is None:
            return
        seconds, view = asking.page(unescape(found[1]))
        yield seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=20_000)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="make the collection here, or use the one that is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder) / "web"
        if not place.exists():
            collect(place, options.hosts, options.shards)
        print(f"hosts  {options.hosts:,}", flush=True)
        with serving(place) as server:
            for line in rows(server):
                print(line, flush=True)


if __name__ == "__main__":
    main()
