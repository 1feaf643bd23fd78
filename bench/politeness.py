"""How much of what politeness allows is used? Requests made, by requests that the delays of all hosts would let pass.

    python bench/politeness.py --hosts 5000 --seconds 60 --workers 1024

The frontier and the clock are real; answers come from this process, after 50 to 500 ms, a time of its own for each
host, so that no server is the limit. Every host always has something queued. What is allowed is counted for each host
by its own rule: an answer, then the gap that the rule asks for after an answer like that, then the next request.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections import defaultdict
from math import ceil
from pathlib import Path

from gossamer.collection import fast_loop
from gossamer.crawl_loop import crawl
from gossamer.frontier import Frontier, Politeness
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import FAMILIES
from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.rules import Outward, Rules
from gossamer.model import Capture, Kind, Link, Page, SystemClock, Visit
from gossamer.store.commits import Commits, Step
from gossamer.store.table.table import Table
from gossamer.urls import keys
from gossamer.urls.scope import Scope

LATENCY = (0.05, 0.5)
LINKS = 5
POLITENESS = Politeness()


class EndlessHosts:
    """Hosts whose pages link to the next few pages. It notes how long each answer took."""

    def __init__(self, hosts: int, clock: SystemClock) -> None:
        chance = random.Random(1)
        self.latency = {f"www.site{number}.com": chance.uniform(*LATENCY) for number in range(hosts)}
        self.answers: dict[str, list[float]] = defaultdict(list)
        self._clock = clock

    def seeds(self) -> list[str]:
        """The first page of each."""
        return [f"http://{host}/0" for host in self.latency]

    async def fetch(self, visit: Visit) -> Capture:
        """An answer, after a while."""
        host, wall, began = keys.host(visit.url), self._clock.wall(), self._clock.steady()
        await asyncio.sleep(self.latency[host])
        seconds = self._clock.steady() - began
        self.answers[host].append(seconds)
        return Capture(visit, wall, seconds, 404 if visit.kind is Kind.ROBOTS else 200, body=b"made", wire=b"made")

    async def read(self, capture: Capture) -> Page:
        """Links to the next pages."""
        if capture.status != 200:
            return Page(capture.visit.url)
        home, _, number = capture.visit.url.rpartition("/")
        following = range(int(number) + 1, int(number) + 1 + LINKS)
        return Page(capture.visit.url, "text/html", links=tuple(Link(f"{home}/{each}") for each in following))

    def allowed(self, seconds: float) -> int:
        """How many requests the rule would let begin in so many seconds, given the answers that came."""
        return sum(ceil(seconds / self._cycle(self.answers[host] or [self.latency[host]])) for host in self.latency)

    def _cycle(self, answers: list[float]) -> float:
        """Mean seconds from one request to a host to the next, if nobody is ever late."""
        host, spent = Host("any"), 0.0
        for answer in answers:
            host.answered(answer)
            spent += answer + POLITENESS.gap(host)
        return spent / len(answers)


async def run(folder: Path, web: EndlessHosts, clock: SystemClock, options: argparse.Namespace) -> None:
    """Crawl for so many seconds."""
    with Table.open(folder, FAMILIES, writable=True) as table:
        commits = Commits(table, clock, before=[Step("save the frontier", lambda: frontier.prepare())])
        seeds = web.seeds()
        scope = Scope(kind="any", seeds=frozenset(seeds), max_depth=10**6)
        rules = Rules(scope, POLITENESS, "Gossamer", sitemaps=False, front=3 * options.workers)
        frontier = Frontier(table, rules, clock, seen=folder / "seen", outward=Outward(committed=commits.when_due))
        frontier.add(Found(seed) for seed in seeds)
        frontier.open()
        asyncio.get_running_loop().call_later(options.seconds, frontier.stop)
        await crawl(frontier, web.fetch, web.read, lambda page: page, lambda *_: None, workers=options.workers)
        frontier.close()


def main() -> None:
    """Print one line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--hosts", type=int, default=200, metavar="N")
    options.add_argument("--seconds", type=float, default=15.0, metavar="S")
    options.add_argument("--workers", type=int, default=128, metavar="N")
    asked, clock = options.parse_args(), SystemClock()
    web, cpu = EndlessHosts(asked.hosts, clock), time.process_time()
    with tempfile.TemporaryDirectory() as scratch, asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(run(Path(scratch) / "table", web, clock, asked))
    made, allowed = sum(len(answers) for answers in web.answers.values()), web.allowed(asked.seconds)
    busy = (time.process_time() - cpu) / asked.seconds
    print(
        f"politeness{made / allowed:7.1%} of the {allowed:,} requests that {asked.hosts:,} hosts allow"
        f" in {asked.seconds:g} s ({made / asked.seconds:,.0f} a second, {busy:.0%} of a core)"
    )


if __name__ == "__main__":
    main()
