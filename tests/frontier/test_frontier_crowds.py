"""Crowds: a farm without end, hosts that drip. None of them gets in the way of the others."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

import pytest
from small_web import Answer, Crawled, SmallWeb, crawl_small

from gossamer.frontier import Frontier, Politeness
from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.polite.limits import SLOW, Slots
from gossamer.model import Capture, Page, Visit
from gossamer.testing import VirtualClock, running_clock
from gossamer.urls import keys


@dataclass
class MadeWeb(SmallWeb):
    """Answers are made when they are asked for, so a web may have no end."""

    make: Callable[[str], Answer] = lambda url: Answer()
    seconds: Callable[[str], float] = lambda url: 0.1
    ended: list[tuple[float, str]] = field(default_factory=list)

    async def fetch(self, visit: Visit) -> Capture:
        clock = running_clock()
        self.log.append((clock.steady(), visit.url))
        wall, seconds = clock.wall(), self.seconds(visit.url)
        await asyncio.sleep(seconds)
        self.ended.append((clock.steady(), visit.url))
        status = 404 if visit.url.endswith("/robots.txt") else 200
        cut = "time" if seconds >= 120 else None
        return Capture(visit, wall, seconds, status, body=b"a page", wire=b"a page", truncated=cut)

    async def read(self, capture: Capture) -> Page:
        self.answers[capture.visit.url] = self.make(capture.visit.url)
        return await super().read(capture)


# ------------------------------------------------------------------------------ a farm


@dataclass
class Farm:
    """Ordinary sites in a ring, three of which link to a site of many hosts and pages that has no end."""

    sites: int
    pages: int
    hosts: int
    more: int
    """Requests that are made after the last ordinary page."""
    frontier: Frontier | None = None
    farmed: list[str] = field(default_factory=list)
    """Pages of the farm, in the order they were fetched."""
    ordinary: int = 0
    before: int = 0
    """How many of them were fetched before the last ordinary page."""

    def answer(self, url: str) -> Answer:
        if ".farm." in url:
            return Answer(tuple(self.farm_page(url, number) for number in range(20)))
        host, _, number = url.removeprefix("http://www.site").partition(".example/")
        if number:
            return Answer()
        links = [f"{url}{page}" for page in range(1, self.pages)]
        links.append(f"http://www.site{(int(host) + 1) % self.sites}.example/")
        return Answer((*links, "http://h0.farm.example/") if int(host) < 3 else tuple(links))

    def farm_page(self, url: str, number: int) -> str:
        mark = int.from_bytes(hashlib.blake2b(f"{url} {number}".encode(), digest_size=4).digest(), "big")
        return f"http://h{mark % self.hosts}.farm.example/{mark % 1_000_000}"

    def watch(self, url: str) -> Answer:
        """Note every page, and stop some time after the last ordinary one."""
        assert self.frontier is not None
        if ".farm." in url:
            self.farmed.append(url)
        else:
            self.ordinary += 1
            self.before = len(self.farmed)
        if self.ordinary == self.sites * self.pages and len(self.farmed) == self.before + self.more:
            self.frontier.stop()
        return self.answer(url)


def crawl_farm(farm: Farm, folder: Path, workers: int) -> Crawled:
    def during(_: VirtualClock, frontier: Frontier) -> None:
        farm.frontier = frontier

    web = MadeWeb({}, make=lambda url: Answer() if url.endswith("/robots.txt") else farm.watch(url))
    seeds = [f"http://www.site{number}.example/" for number in range(farm.sites)]
    return crawl_small(web, folder, *seeds, workers=workers, front=3 * workers, during=during)


def check_farm(farm: Farm, done: Crawled) -> None:
    assert farm.ordinary == farm.sites * farm.pages
    assert 0 < farm.before <= 0.02 * (farm.before + farm.ordinary)
    assert len(farm.farmed) >= farm.before + farm.more
    linked = {link for url in farm.farmed for link in farm.answer(url).links}
    assert len(linked) > 10 * farm.more
    assert {done.state(url) for url in linked} == {"QUEUED", "DONE"}


def test_a_farm_takes_little_until_all_others_are_complete_and_loses_nothing(tmp_path: Path) -> None:
    farm = Farm(sites=300, pages=20, hosts=4, more=200)
    check_farm(farm, crawl_farm(farm, tmp_path, workers=8))


@pytest.mark.soak
def test_a_farm_of_a_million_addresses_beside_a_thousand_sites_takes_little(tmp_path: Path) -> None:
    farm = Farm(sites=1_000, pages=100, hosts=20, more=5_000)
    check_farm(farm, crawl_farm(farm, tmp_path, workers=128))


# ------------------------------------------------------------------------------ drippers


def crawl_good(folder: Path, drippers: int, politeness: Politeness | None = None) -> float:
    """Seconds until twenty good hosts of thirty pages each were fetched, beside so many that drip."""
    good = [f"http://www.good{number}.example/" for number in range(20)]
    slow = [f"http://www.slow{number}.example/" for number in range(drippers)]

    def make(url: str) -> Answer:
        home = f"http://{keys.host(url)}/"
        return Answer(tuple(f"{home}{number}" for number in range(29))) if url == home else Answer()

    def seconds(url: str) -> float:
        return 120.0 if url.startswith("http://www.slow") and not url.endswith("/robots.txt") else 0.1

    web = MadeWeb({}, make=make, seconds=seconds)
    done = crawl_small(web, folder, *slow, *good, workers=256, at_once=128, politeness=politeness)
    assert done.counts.pages == 30 * (20 + drippers)
    return max(when for when, url in web.ended if ".good" in url) - web.log[0][0]


def test_hosts_that_drip_do_not_hold_up_the_good_ones(tmp_path: Path) -> None:
    alone = crawl_good(tmp_path / "alone", drippers=0)
    beside = crawl_good(tmp_path / "beside", drippers=200)
    assert beside <= alone + SLOW


def test_hosts_that_drip_do_not_hold_up_a_crawl_without_delays(tmp_path: Path) -> None:
    assert crawl_good(tmp_path, 200, Politeness(delay=0, ip_delay=0)) <= 30 * 0.1 + 2 * SLOW


def test_hosts_known_to_drip_never_get_all_workers_again() -> None:
    """Far more of them than workers: once all have shown how slow they are, the good ones are free of them."""
    clock, good = VirtualClock(), Host("good.example", pace=0.2)
    slots = Slots(clock, 10)
    slow = [Host(f"slow{number}.example", pace=60.0) for number in range(50)]
    tickets = [slots.take(host) for host in slow if slots.lets(host)]
    assert len(tickets) == 10
    assert slots.free_from() == clock.steady() + SLOW
    clock.advance(SLOW)
    assert slots.free_from() <= clock.steady()
    assert slots.lets(good)
    assert not slots.lets(slow[0])
    others = [slots.take(good) for _ in range(10)]
    assert slots.free_from() == inf
    slots.give(others[0], good)
    assert slots.free_from() <= clock.steady()
    slots.give(tickets[0], slow[0])
    assert slots.lets(slow[0])


def test_a_host_whose_pages_wait_here_is_slow_too() -> None:
    """It answers at once, but its pages are so large that each visit takes long."""
    clock = VirtualClock()
    slots = Slots(clock, 10)
    heavy = [Host(f"heavy{number}.example", pace=0.1) for number in range(50)]
    for host in heavy:
        ticket = slots.take(host)
        clock.advance(2 * SLOW)
        slots.give(ticket, host)
    assert len([slots.take(host) for host in heavy if slots.lets(host)]) == 10
    ticket = slots.take(heavy[49])
    slots.give(ticket, heavy[49])
    assert slots.lets(heavy[49]), "its last visit was quick"


def test_never_more_than_twice_as_many_visits_are_under_way() -> None:
    clock, chance = VirtualClock(), random.Random(8)
    slots, out, any_host = Slots(clock, 6), list[int](), Host("any.example")
    most = 0
    for _ in range(5_000):
        if chance.random() < 0.6 and slots.free_from() <= clock.steady():
            out.append(slots.take(Host("any.example", pace=chance.choice([0.1, 90.0]))))
        elif out and chance.random() < 0.3:
            slots.give(out.pop(chance.randrange(len(out))), any_host)
        clock.advance(chance.uniform(0.0, 2.0))
        most = max(most, len(out))
    assert most == 12


class SlowNames(SmallWeb):
    """Names that take half a minute to look up, all but one."""

    async def resolve(self, host: str) -> tuple[tuple[str, ...], float]:
        if host.startswith("slow"):
            await asyncio.sleep(30.0)
        return (host,), 3_600.0


def test_a_thousand_slow_names_hold_up_no_other(tmp_path: Path) -> None:
    slow = [f"http://slow{number}.example/" for number in range(1_000)]
    web = SlowNames({url: Answer() for url in [*slow, "http://good.example/"]})
    done = crawl_small(web, tmp_path, *slow, "http://good.example/", workers=32)
    assert done.counts.pages == 1_001
    assert web.times("http://good.example/")[0] < min(web.times(*slow))
