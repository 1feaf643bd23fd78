"""A watch that is killed again and again: no page is forgotten, none is asked for too early or too often."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import mean

import pytest

import gossamer
from gossamer.collection import Collection, Outside, crawling
from gossamer.collection.crawl import session, stop_watch
from gossamer.model import Capture, Visit
from gossamer.testing import VirtualClock

DAY, HOUR = 86_400.0, 3_600.0
HOSTS, PAGES = 3, 8
SEEDS = [f"http://{host}.example/" for host in "abc"]
DELAY, BUDGET = 5.0, 120.0


class Killed(BaseException):
    """The end of a process, which nothing may catch."""


class Site:
    """Three hosts with eight pages each; every third page changes once a day. Whoever asks may be killed at that."""

    def __init__(self, clock: VirtualClock, seed: int) -> None:
        self.clock, self.began = clock, clock.wall()
        self.random = random.Random(seed)
        self.kill_at: float | None = None
        self.asked: list[tuple[float, str]] = []

    async def fetch(self, visit: Visit) -> Capture:
        now = self.clock.wall()
        self.asked.append((now, visit.url))
        if self.kill_at is not None and now >= self.kill_at:
            self.kill_at = None
            raise Killed
        name = visit.url.rpartition("/")[2]
        if name and not name.isdigit():
            return Capture(visit, now, 0.1, 404)
        day = int((now - self.began) // DAY) if name and int(name) % 3 == 0 else 0
        links = "".join(f'<a href="/{number}">{number}</a> ' for number in range(1, PAGES))
        body = f"<title>Page {name}</title><p>{f'What happened on day {day} at {name or 0}. ' * 9}</p>{links}".encode()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
        return Capture(visit, now, 0.1, 200, (("content-type", "text/html"),), head=head, body=body, wire=body)

    def pages(self, since: float = 0.0) -> list[tuple[float, str]]:
        return [
            (when, url) for when, url in self.asked if when >= since and re.fullmatch(r"http://.\.example/\d*", url)
        ]


def watched(web: Collection, site: Site, days: float, **settings: object) -> None:
    """For so many days, from wherever the clock stands."""
    outside = Outside(site.clock, site.fetch)
    site.clock.run(
        web.crawl_async(
            *SEEDS, outside=outside, keep_fresh=True, time=days * DAY, shards=1, sitemaps="never", **settings
        )
    )


@pytest.fixture(autouse=True)
def seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Days pass: nobody wants to hear twice a second how it goes."""
    monkeypatch.setattr(crawling, "ROUND", DAY)
    monkeypatch.setattr(session, "REPORT_EVERY", 120.0)
    monkeypatch.setattr(stop_watch, "LOOK", 120.0)


def is_killed(web: Collection, site: Site, days: float) -> bool:
    """Whether a watch was killed before its time was over."""
    try:
        watched(web, site, days, delay=DELAY, budget=BUDGET, scope="host")
    except BaseExceptionGroup as error:
        if not error.subgroup(Killed):
            raise
        return True
    except Killed:
        return True
    return False


@pytest.mark.parametrize(
    ("days", "kills", "seed"), [(2, 6, 1), pytest.param(30, 100, 2, marks=pytest.mark.soak)], ids=["few", "hundred"]
)
def test_a_watch_that_is_killed_again_and_again_visits_all_and_none_too_often(
    tmp_path: Path, days: int, kills: int, seed: int
) -> None:
    clock = VirtualClock()
    site = Site(clock, seed)
    ends, done = clock.wall() + days * DAY, 0
    while clock.wall() < ends - HOUR:
        site.kill_at = clock.wall() + site.random.expovariate(kills / days) * DAY if done < kills else None
        with gossamer.open(tmp_path / "web") as web:
            done += is_killed(web, site, (ends - clock.wall()) / DAY)
    assert done > kills / 2
    with gossamer.open(tmp_path / "web") as web:
        assert web.verify().problems == []
        assert web.status().pages == HOSTS * PAGES
    for host in SEEDS:
        times = [when for when, url in site.asked if url.startswith(host)]
        assert all(later - earlier >= DELAY for earlier, later in pairwise(times)), "a killed crawl rests as well"
    visits = Counter(url for _, url in site.pages())
    assert len(visits) == HOSTS * PAGES
    assert min(visits.values()) >= days, "each comes again and again"
    made = len(site.pages())
    assert made <= BUDGET * days + BUDGET / 24 + 2 * done, "what was under way or not committed yet is made again"
    change = {url: int(url.rpartition("/")[2] or 1) % 3 == 0 for url in visits}
    often, seldom = (mean(visits[url] for url in visits if change[url] is it) for it in (True, False))
    assert often > seldom, "those that change are asked for more often"


def test_after_a_week_without_power_what_is_overdue_comes_without_a_burst(tmp_path: Path) -> None:
    clock = VirtualClock()
    site = Site(clock, 3)
    site.kill_at = clock.wall() + DAY
    with gossamer.open(tmp_path / "web") as web:
        assert is_killed(web, site, 2)
    clock.advance(7 * DAY)
    back = clock.wall()
    with gossamer.open(tmp_path / "web") as web:
        assert not is_killed(web, site, 1)
    made = [when - back for when, _ in site.pages(back)]
    for hour in range(24):
        assert sum(hour * HOUR <= when < (hour + 1) * HOUR for when in made) <= 2 * BUDGET / 24 + 1
    assert len({url for _, url in site.pages(back)}) == HOSTS * PAGES, "and all of it comes within a day"
