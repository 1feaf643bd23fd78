"""How many machines a crawl takes, and how long, in sums that follow from the figures of a small one."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

import gossamer
from crawl_figures import BILLION, FIGURES
from gossamer.collection import Outside
from gossamer.collection.ask.cluster_size import Machine, need
from gossamer.collection.ask.crawl_time import Spread, duration, politely
from gossamer.errors import UsageError
from gossamer.testing import MadeWeb, VirtualClock, WebSpec
from gossamer.urls import keys


def test_a_billion_pages_in_a_month_by_hand() -> None:
    """386 pages a second, at 7 ms of CPU each; 10 TB are kept."""
    found = need(FIGURES, *BILLION, Machine(cores=8, memory=32e9, disk=10e12), 60.0)
    assert found.rate == pytest.approx(385.8, abs=0.1)
    assert found.cores == pytest.approx(3.858, abs=0.001)
    assert (found.machines, found.because) == (2, "disk")
    assert found.shards == 4
    assert found.memory == 4 * 400e6
    assert found.disk == pytest.approx(12.5e12)
    assert found.network == pytest.approx(7.716e6, rel=1e-3)
    assert found.hosts == math.ceil(385.8 * 1.1)
    assert found.travels == pytest.approx(13e12)
    assert found.requests == pytest.approx(4 * 43_200 * 5 + 13e12 / 32e6)
    assert found.price == 0


@pytest.mark.parametrize(
    ("machine", "because"),
    [
        (Machine(cores=1, memory=1e12, disk=1e15), "cores"),
        (Machine(cores=64, memory=1e9, disk=1e15), "memory"),
        (Machine(cores=64, memory=1e12, disk=1e12), "disk"),
    ],
)
def test_what_there_is_least_of_decides(machine: Machine, because: str) -> None:
    found = need(FIGURES, *BILLION, machine, 60.0)
    assert found.because == because
    assert found.machines > 1
    assert found.machines * machine.cores >= found.cores
    assert found.machines * machine.disk >= found.disk
    assert found.shards >= found.machines


def test_prices_are_added_up() -> None:
    machine = Machine(cores=8, memory=32e9, disk=100e12, hour=0.5, store_month=0.02, puts=0.005, traffic=0.01)
    found = need(FIGURES, *BILLION, machine, 60.0)
    hours, stored, asked, came = 720 * 0.5, 10_000 * 0.02 / 2, found.requests / 1000 * 0.005, 20_000 * 0.01
    assert found.price == pytest.approx(hours + stored + asked + came)


def test_the_largest_host_says_what_politeness_allows() -> None:
    """5 M pages on 2,000 hosts are 2,500 on each, and all of them rest at the same time."""
    even = politely(5e6, Spread(2_000), 1.1)
    assert (even.largest, even.days) == (2_500, pytest.approx(2_500 * 1.1 / 86_400))
    assert even.rate == pytest.approx(2_000 / 1.1)
    assert politely(5e6, Spread(2_000, 400_000), 1.1).days == pytest.approx(400_000 * 1.1 / 86_400)
    assert politely(5e6, Spread(1), 1.1).days == pytest.approx(5e6 * 1.1 / 86_400)


@pytest.mark.parametrize(
    ("machines", "hosts", "held_by"), [(1, 2_000, "machines"), (3, 2_000, "politeness"), (1, 200, "politeness")]
)
def test_what_takes_longer_holds_it(machines: int, hosts: int, held_by: str) -> None:
    """A machine of 8 cores does 800 pages a second at 7 ms each, 2,000 hosts 1,818, 200 of them 182."""
    found = duration(FIGURES, 5e6, Machine(), machines=machines, spread=Spread(hosts))
    assert found.polite is not None
    assert found.machine_days == pytest.approx(5e6 / (machines * 800) / 86_400)
    assert found.held_by == held_by
    assert found.days == max(found.machine_days, found.polite.days)
    assert need(FIGURES, 5e6, found.days, Machine(), 60.0).machines <= machines
    assert need(FIGURES, 5e6, found.days, Machine(), 60.0).shards <= 8 * machines


def test_one_machine_is_meant_where_only_the_hosts_are_named() -> None:
    assert duration(FIGURES, 5e6, Machine(), spread=Spread(2_000)).machines == 1
    assert duration(FIGURES, 5e6, Machine(disk=30e9), spread=Spread(2_000)).machines == 3, "so many disks hold it"
    assert duration(FIGURES, 5e6, Machine(memory=1e9)).machines is None
    starved = duration(FIGURES, 5e6, Machine(memory=1.2e9), machines=1)
    assert starved.days == pytest.approx(5e6 / 200 / 86_400), "two shards have memory"


def test_days_that_politeness_does_not_allow_are_not_promised() -> None:
    longer = duration(FIGURES, 1e9, Machine(), days=10.0, spread=Spread(1_000))
    assert (longer.held_by, longer.days) == ("politeness", pytest.approx(1e6 * 1.1 / 86_400))
    assert duration(FIGURES, 1e9, Machine(), days=2.0, spread=Spread(100_000_000)).days == 2.0
    assert duration(FIGURES, 1e9, Machine()).days == 30.0


@pytest.mark.parametrize(("delay", "latency", "zipf"), [(5.0, 0.0, 0.0), (1.0, 0.3, 0.0), (1.0, 0.05, 1.0)])
def test_a_polite_crawl_takes_as_long_as_was_said(tmp_path: Path, delay: float, latency: float, zipf: float) -> None:
    """The sum, beside a crawl whose hours pass on a virtual clock. A host is also asked for robots.txt and sitemaps."""
    clock = VirtualClock()
    web = MadeWeb(WebSpec(seed=5, hosts=4, pages=40, latency=(latency, latency), zipf=zipf), clock=clock)
    outside = Outside(clock, web.fetch)
    with gossamer.open(tmp_path / "web") as made:
        began = clock.steady()
        clock.run(made.crawl_async(web.seed, scope="any", shards=1, delay=delay, build=False, outside=outside))
        took, pages = clock.steady() - began, Counter(keys.host(page.url) for page in made.listed())
        spread = Spread(len(pages), max(pages.values()))
        figures, _, said = made.plan_cluster(pages.total(), spread=spread)
    assert said.polite is not None
    assert said.held_by == "politeness"
    assert 0.8 * took <= said.days * 86_400 <= took
    assert figures.usual_turn == pytest.approx(max(delay, 3.0) + 0.3), "ten times an answer of 0.3 s, and that"


def test_sums_without_an_end_are_told(tmp_path: Path) -> None:
    clock = VirtualClock()
    web = MadeWeb(WebSpec(seed=3, hosts=1, pages=2), clock=clock)
    with gossamer.open(tmp_path / "web") as made:
        clock.run(made.crawl_async(web.seed, shards=1, build=False, outside=Outside(clock, web.fetch)))
        for pages, days in ((1e308, 3.0), (1e18, 1e-320), (float("nan"), 1.0), (5, float("inf"))):
            with pytest.raises(UsageError, match="pages and days"):
                made.plan_cluster(pages, days)


def test_days_and_machines_are_not_both_given() -> None:
    with pytest.raises(UsageError, match="give one of them"):
        duration(FIGURES, 5e6, Machine(), days=3.0, machines=3)
