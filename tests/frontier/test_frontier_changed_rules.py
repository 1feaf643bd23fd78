"""Rules that change while a crawl runs hold from then on, for those who wait already as well."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import pytest
from small_web import Answer, Crawled, SmallWeb, crawl_small, gaps

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier import Frontier, Politeness
from gossamer.frontier.polite.granted_pages import GrantedPages
from gossamer.frontier.polite.host_delays import Dates, Host, Hosts
from gossamer.frontier.polite.ip_leases import IpLeases
from gossamer.frontier.polite.lent_ips import LentIps
from gossamer.frontier.polite.limits import Allowance
from gossamer.frontier.polite.workbench import Ready
from gossamer.frontier.queue.back_queues import Origin
from gossamer.frontier.rules import Rules
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls.scope import Scope

A, B = "http://a.example/", "http://b.example/"
AT = 45.0
"""Seconds after which the rules change."""
SLOW = Politeness(delay=100.0, ip_delay=0.5)


@pytest.fixture
def web() -> SmallWeb:
    leaves = [f"{A}{number}" for number in range(5)]
    return SmallWeb({A: Answer((*leaves, B)), B: Answer(), **{url: Answer() for url in leaves}})


def changed(
    web: SmallWeb, folder: Path, politeness: Politeness, *, before: Politeness = SLOW, old: Any = None, **new: Any
) -> Crawled:
    def during(clock: VirtualClock, frontier: Frontier) -> None:
        rules = Rules(Scope(kind="any"), politeness, "Gossamer", **{"sitemaps": False, **new})
        asyncio.get_running_loop().call_later(AT, lambda: frontier.change(rules))

    return crawl_small(web, folder, A, politeness=before, during=during, **(old or {}))


def test_whoever_rests_rests_as_long_as_the_new_delay_has_it_counted_from_the_last_request(
    web: SmallWeb, tmp_path: Path
) -> None:
    changed(web, tmp_path, Politeness(delay=60.0))
    times = web.host_times("a.example")
    assert gaps(times) == pytest.approx([60.1] * 6)


def test_a_shorter_delay_lets_those_go_at_once_whose_time_is_over(web: SmallWeb, tmp_path: Path) -> None:
    changed(web, tmp_path, Politeness(delay=2.0))
    times = web.host_times("a.example")
    assert gaps(times) == pytest.approx([AT] + [2.1] * 5)


def test_hosts_of_one_address_rest_as_the_new_delay_has_it(web: SmallWeb, tmp_path: Path) -> None:
    web.addresses = {"a.example": "1", "b.example": "1"}
    web.answers[A] = Answer((B,))
    slow, quick = Politeness(delay=0.0, ip_delay=40.0), Politeness(delay=0.0, ip_delay=10.0)
    changed(web, tmp_path, quick, before=slow)
    assert gaps([when for when, _ in web.log]) == pytest.approx([40.1, 10.1, 10.1])


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_a_limit_of_pages_counts_what_is_out(web: SmallWeb, tmp_path: Path, limit: int) -> None:
    web.latency = 30.0  # of robots.txt, and of the first page, which is out
    polite = Politeness(delay=0.0, ip_delay=0.0, factor=0.0)
    done = changed(web, tmp_path, polite, before=polite, pages=limit)
    assert done.counts.kept == limit
    assert len(web.asked()) == limit


def test_a_limit_that_is_taken_away_holds_nobody(web: SmallWeb, tmp_path: Path) -> None:
    polite = Politeness(delay=30.0)
    done = changed(web, tmp_path, polite, before=polite, old={"pages": 3})
    assert done.counts.kept == 7


def test_pages_of_a_host_are_counted_against_the_new_limit(web: SmallWeb, tmp_path: Path) -> None:
    polite = Politeness(delay=10.0)
    done = changed(web, tmp_path, polite, before=polite, pages_per_host=5)
    assert sum(url.startswith(A) and entry.state.name == "DONE" for url, entry in done.entries.items()) == 5


def test_an_allowance_of_bytes_or_time_ends_the_crawl(web: SmallWeb, tmp_path: Path) -> None:
    polite = Politeness(delay=10.0)
    ends = VirtualClock().steady() + AT + 1.0
    done = changed(web, tmp_path / "time", polite, before=polite, allowance=Allowance(until=ends))
    assert done.seconds < AT + 12
    web.log.clear()
    done = changed(web, tmp_path / "bytes", polite, before=polite, allowance=Allowance(bytes=1))
    assert max(when for when, _ in web.log) - min(when for when, _ in web.log) < AT


# -------------------------------------------------------------------- the parts


def test_a_host_that_has_not_been_asked_needs_no_rest(tmp_path: Path) -> None:
    clock = VirtualClock()
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        hosts = Hosts(table, clock, Dates(clock), Politeness(delay=10.0), careful=False)
        asked, new = hosts.get("a.example"), hosts.get("b.example")
        asked.next = 100.0
        hosts.change(Politeness(delay=4.0))
        assert (asked.next, new.next) == (94.0, 0.0)
        hosts.change(Politeness(delay=30.0))
        assert (asked.next, new.next) == (120.0, 0.0)


@pytest.mark.parametrize(("at_once", "free"), [(1, inf), (2, 0.0), (None, 0.0)])
def test_addresses_go_by_the_new_gap_and_number_at_once(at_once: int | None, free: float) -> None:
    ready = Ready(delay=10.0, at_once=1)
    ready.release(ready.hold("1"), 100.0, visited=True)
    ready.hold("2")
    waits = [Origin(f"http://{name}", Host(name)) for name in "ab"]
    for origin, when in zip(waits, (130.0, 120.0), strict=True):
        ready.put(origin, "1", when)
        origin.host.next = when
    waits[0].host.next = 104.0  # by the new politeness of hosts
    ready.change(delay=3.0, at_once=at_once)
    assert ready.free_from("1") == 103.0
    assert ready.free_from("2") == free
    assert ready.next_time() == 104.0
    assert ready.pop(103.9) is None
    popped = ready.pop(104.0)
    assert popped is not None
    assert popped[0] is waits[0]
    ready.release(popped[1], 104.0, visited=True)
    assert ready.free_from("1") == 107.0


def gate(folder: Path) -> IpLeases:
    IpLeases.create(folder / "gate", 1)
    return IpLeases(folder / "gate", 0, delay=8.0)


def lent(folder: Path) -> LentIps:
    pages = GrantedPages(lambda message: None)
    return LentIps(gate(folder), 0, 1, lambda *_: None, lambda: 1.0, pages, delay=8.0, at_once=1)


@pytest.mark.parametrize("made", [gate, lent])
def test_an_address_that_shards_share_rests_as_the_new_delay_has_it(
    made: Callable[[Path], IpLeases | LentIps], tmp_path: Path
) -> None:
    leases = made(tmp_path)
    take = partial(leases.take, "192.0.2.1")
    assert take(100.0) == 0.0
    assert take(100.0) == 102.0, "a quarter of the delay"
    leases.change(delay=2.0, at_once=2)
    assert take(100.0) == 0.0
    assert take(100.0) == 100.5
    for _ in range(2):
        leases.give("192.0.2.1", 101.0, visited=True)
    assert take(101.0) == 103.0
