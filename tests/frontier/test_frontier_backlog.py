"""What each host has queued is counted as it changes, and the host that will take the longest is known."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from small_web import Answer, SmallWeb, crawl_small, fault

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier import Frontier, Politeness
from gossamer.frontier.audit import audit
from gossamer.frontier.entries import BACKLOG, Entry, State
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.queue.backlog import Backlog, Longest, Stretch
from gossamer.model import Fault
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock

HOME = "http://a.example/"


def test_counts_are_right_after_every_kind_of_change(tmp_path: Path) -> None:
    chance, names = random.Random(6), [f"h{number}.example" for number in range(9)]
    known: dict[str, Entry] = {}
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        for _ in range(20):
            ledger = Ledger(table)
            for _ in range(50):
                url = f"http://{chance.choice(names)}:{chance.choice(['80', '8080'])}/{chance.randrange(5)}"
                known[url] = ledger.put(url, Entry(chance.choice(list(State)), 0, 0.0), known.get(url))
            ledger.save()
            table.commit()
        for name in names:
            queued = sum(e.state is State.QUEUED and f"//{name}:" in url for url, e in known.items())
            assert Backlog(table).of(name) == queued


def test_a_host_with_nothing_queued_has_no_row(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        backlog = Backlog(table)
        backlog.shift("a.example", 2)
        backlog.save()
        backlog.shift("a.example", -2)
        backlog.save()
        assert list(table.scan(BACKLOG)) == []


def test_an_address_that_waits_for_a_retry_is_counted(tmp_path: Path) -> None:
    web = SmallWeb({HOME: Answer((f"{HOME}1", f"{HOME}2")), f"{HOME}1": Answer(), f"{HOME}2": fault(Fault.RESET)})
    crawl_small(web, tmp_path, HOME, patience=0)
    with Table.open(tmp_path, FAMILIES, writable=False) as table:
        assert Backlog(table).of("a.example") == 1


@pytest.mark.parametrize("host", ["a.example", "b.example"])
def test_a_wrong_count_is_found(tmp_path: Path, host: str) -> None:
    crawl_small(SmallWeb({HOME: fault(Fault.RESET)}), tmp_path, HOME, patience=0)
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        table.put(BACKLOG, host.encode(), (7).to_bytes(8, "big"))
        assert any("7" in problem or "8" in problem for problem in audit(table))


def test_the_longest_is_found_among_many(tmp_path: Path) -> None:
    chance, clock = random.Random(3), VirtualClock()
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        backlog = Backlog(table)
        longest = Longest(backlog, Politeness(), clock)
        hosts = [Host(f"h{number}.example", pace=chance.uniform(0.01, 0.9)) for number in range(50)]
        for host in hosts:
            backlog.shift(host.name, chance.randrange(1, 500))
        while any(backlog.of(host.name) for host in hosts):
            for host in hosts:
                if backlog.of(host.name):
                    backlog.shift(host.name, -1)
                longest.offer(host)
            first, one_visit = longest.first(), 10 * 0.9 + 0.9
            truth = max(backlog.of(host.name) * (Politeness().gap(host) + host.pace) for host in hosts)
            assert first is not None
            assert truth - one_visit <= first.seconds <= truth


def test_one_slow_answer_does_not_make_the_rest_long(tmp_path: Path) -> None:
    politeness, host = Politeness(), Host("a.example")
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        backlog = Backlog(table)
        backlog.shift("a.example", 100)
        longest = Longest(backlog, politeness, VirtualClock())
        longest.offer(host)
        for seconds in (0.05, 3.0, 0.05, 3.0):
            host.answered(seconds)
            assert longest.first() == Stretch("a.example", 100, 1.05, 0.0)
        assert politeness.gap(host) > 9, "the host is spared all the same"
        for _ in range(3):
            host.answered(3.0)
        assert longest.first() == Stretch("a.example", 100, 33.0, 0.0)


def test_a_pause_counts_as_long_as_it_lasts(tmp_path: Path) -> None:
    clock = VirtualClock()
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        backlog = Backlog(table)
        longest = Longest(backlog, Politeness(), clock)
        slow, paused = Host("slow.example", pace=1.0), Host("paused.example", paused=clock.steady() + 600)
        backlog.shift("slow.example", 10)
        backlog.shift("paused.example", 1)
        longest.offer(slow)
        longest.offer(paused)
        assert longest.first() == Stretch("paused.example", 1, 1.0, 600.0)
        clock.advance(1_000)
        longest.offer(slow)
        assert longest.first() == Stretch("slow.example", 10, 11.0, 0.0)


def test_a_frontier_knows_its_longest_host_as_it_goes(tmp_path: Path) -> None:
    pages = {"a.example": 5, "b.example": 60, "c.example": 30}
    web = SmallWeb({})
    for host, count in pages.items():
        links = tuple(f"http://{host}/{number}" for number in range(count))
        web.answers |= {f"http://{host}/": Answer(links), **{url: Answer() for url in links}}
    seen: list[Stretch | None] = []

    def during(clock: VirtualClock, frontier: Frontier) -> None:
        asked = web.read

        async def read(capture: object) -> object:
            seen.append(frontier.longest)
            return await asked(capture)  # type: ignore[arg-type]  # the same capture

        web.read = read  # type: ignore[assignment]  # a look at every page

    crawl_small(web, tmp_path, *(f"http://{host}/" for host in pages), during=during)
    late = [stretch for stretch in seen[len(seen) // 2 :] if stretch]
    assert {stretch.host for stretch in late} == {"b.example"}
    assert [stretch.queued for stretch in late] == sorted((s.queued for s in late), reverse=True)
