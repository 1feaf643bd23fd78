"""Who waits is woken when something changes, and what is learned late still counts: probes, holds, stops, old rows."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from books import books

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier import Politeness
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import CashRow, HostRow, SiteRow, State, encode, host_row
from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.queue.backlog import Backlog, Longest, Stretch
from gossamer.frontier.worth.soft404 import SAME_PAGE, Verdict
from gossamer.model import Capture, Kind, Page, Visit
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls.scope import Scope

A = "http://a.example/"
ERROR = "there is nothing at this address, please look elsewhere"


def test_pages_that_were_kept_turn_out_to_be_errors_when_nonsense_gets_the_same(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        pages = [f"{A}dir/one", f"{A}dir/two", f"{A}dir/gone"]
        held.frontier.add([Found(url, 1, A) for url in pages])
        held.frontier.sift()
        for url in pages:
            held.answered(url, page={"text": ERROR})
        held.frontier.revisit()
        held.answered(pages[0], page={"text": ERROR})
        held.answered(pages[2], 404)
        probe = Visit(f"{A}dir/madeup", Kind.PROBE)
        capture = Capture(probe, 0.0, 0.1, 200, body=b"an error")
        corrected = held.frontier._rooms.answers.probe_done(capture, Page(probe.url, text=ERROR))
        assert held.entry(pages[0]).reason == SAME_PAGE
        assert (held.state(pages[1]), held.entry(pages[1]).reason) == ("QUEUED", ""), "it is asked for again"
        assert held.entry(pages[2]).reason == "http 404"
        assert corrected == [(pages[0], None)]
        assert held.frontier.ledger.get(probe.url) is None
        late = f"{A}dir/late"
        held.frontier.add([Found(late, 1, A)])
        held.frontier.sift()
        corrected = held.answered(late, 200, "http://b.example/", page={"text": ERROR})
        held.frontier.sift()
        assert (held.state(late), held.entry(late).reason, corrected) == ("DONE", SAME_PAGE, [(late, None)])
        assert held.frontier.ledger.get("http://b.example/") is None, "links of an error are not followed"


def test_workers_are_woken_by_a_hold_that_ends_by_news_and_by_the_end(tmp_path: Path) -> None:
    clock = VirtualClock()

    async def job() -> None:
        with books(tmp_path, clock=clock, politeness=Politeness(delay=0.0, ip_delay=0.0)) as held:
            frontier = held.frontier
            frontier.hold(True)
            frontier.add([Found(A)])
            worker = asyncio.ensure_future(frontier._dispatcher.next())
            await asyncio.sleep(5)
            assert not worker.done(), "nothing is handed out for now"
            frontier.hold(False)
            visit = await asyncio.wait_for(worker, 1)
            assert visit == Visit(f"{A}robots.txt", Kind.ROBOTS, owner="http://a.example")
            waiting = asyncio.ensure_future(frontier._dispatcher.next())
            await asyncio.sleep(5)
            assert not waiting.done()
            frontier.add([Found("http://b.example/")])
            frontier.go_on()
            assert (await asyncio.wait_for(waiting, 1) or visit).url == "http://b.example/robots.txt"
            last = asyncio.ensure_future(frontier._dispatcher.next())
            await asyncio.sleep(0)
            frontier.stop()
            assert await asyncio.wait_for(last, 1) is None

    clock.run(job())


@pytest.mark.parametrize("paused", [True, False])
def test_a_crawl_with_nothing_left_is_over_unless_somebody_has_paused_it(tmp_path: Path, paused: bool) -> None:
    clock = VirtualClock()

    async def job() -> None:
        with books(tmp_path, clock=clock) as held:
            frontier = held.frontier
            frontier.hold(True, paused=paused)
            worker = asyncio.ensure_future(frontier._dispatcher.next())
            await asyncio.sleep(5)
            assert (worker.done(), frontier.idle) == (not paused, not paused)
            frontier.hold(False)
            assert await asyncio.wait_for(worker, 1) is None

    clock.run(job())


def test_a_crawl_is_not_over_while_a_scope_is_reconsidered(tmp_path: Path) -> None:
    clock = VirtualClock()

    async def job() -> None:
        with books(tmp_path, clock=clock, scope=Scope(kind="any", exclude=("a",))) as held:
            frontier = held.frontier
            frontier.add([Found(A)])
            frontier.sift()
            held.frontier._parts.discovery.change(Scope(kind="any"))
            frontier.begin_reconsidering()
            worker = asyncio.ensure_future(frontier._dispatcher.next())
            await asyncio.sleep(5)
            assert not worker.done(), "something may come in"
            frontier.reconsider()
            visit = await asyncio.wait_for(worker, 1)
            assert visit is not None
            assert visit.url == f"{A}robots.txt"

    clock.run(job())


def test_the_longest_queue_is_measured_by_how_fast_it_may_be_asked_for(tmp_path: Path) -> None:
    clock = VirtualClock()
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        backlog = Backlog(table)
        longest = Longest(backlog, Politeness(per_host=2), clock)
        assert longest.first() is None
        slow, many = Host("slow", pace=2.0), Host("many")
        backlog.shift("slow", 10)
        backlog.shift("many", 100)
        longest.offer(slow)
        assert longest.first() == Stretch("slow", 10, 21.0, 0.0)
        longest.offer(many)
        assert longest.first() == Stretch("slow", 10, 21.0, 0.0), "210 seconds are more than 100"
        many.paused = clock.steady() + 200
        longest.offer(many)
        assert longest.first() == Stretch("many", 100, 1.0, 200.0)
        assert Stretch("many", 100, 1.0, 200.0).seconds == 300.0
        assert Stretch("none", 0, 1.0, 200.0).seconds == 0.0
        backlog.shift("many", -100)
        longest.offer(slow)
        assert (longest.first() or Stretch("", 0, 0.0)).host == "slow"


def test_rows_of_earlier_versions_are_read_as_they_were_meant() -> None:
    assert [state.value for state in State] == [0, 1, 2, 3]
    assert [verdict.value for verdict in Verdict] == [0, 1, 2]
    old = encode([0.0, 0.5, 0.0, 3.0, 0, 0, 0, 0.0, "", 7, 1])
    row = host_row(old)
    assert (row.pace, row.crawl_delay, row.visits, row.number, row.delays) == (0.5, 3.0, 7, 0, {})
    assert HostRow(*[0] * 11).number == 0  # type: ignore[arg-type]  # numbers
    assert (SiteRow().linkers, SiteRow().visits, SiteRow().hosts) == (0, 0, 0)
    assert (CashRow().cash, CashRow().history, CashRow().since < 0) == (0, 0.0, True)


@pytest.mark.parametrize(("throttled", "rests"), [(False, 5.0), (True, 120.0)])
def test_a_host_is_judged_by_its_answer(tmp_path: Path, throttled: bool, rests: float) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(A)])
        held.frontier.sift()
        headers = (("retry-after", "120"),) if throttled else ()
        visit = Visit(A)
        capture = Capture(visit, 0.0, 0.5, 429 if throttled else 200, headers)
        host = Host("a.example")
        held.frontier._rooms.blame.judge_host(host, capture)
        assert (host.visits, host.faults, host.throttled) == (1, 0, int(throttled))
        if throttled:
            assert host.paused == held.clock.steady() + rests
        else:
            assert (host.pace, Politeness().gap(host)) == (0.5, rests)
        held.frontier._rooms.blame.judge_host(host, Capture(visit, 0.0, 0.5, 500))
        assert (host.visits, host.faults, host.streak) == (2, 1, 1)
        held.frontier._rooms.blame.judge_host(host, Capture(visit, 0.0, 0.5, 404))
        assert (host.visits, host.streak) == (3, 0), "a 404 is an answer"
