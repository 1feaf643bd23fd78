"""Importance is computed as the crawl goes, no grain of cash is lost, and what is worth more is visited sooner."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from small_web import Answer, Crawled, SmallWeb, crawl_small, fault, redirect
from zipf_web import ZipfWeb

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier import Frontier, Politeness
from gossamer.frontier.entries import CASH, META, CashRow, Entry, State, encode
from gossamer.frontier.queue.rank import ORDERS
from gossamer.frontier.worth.opic import TOTAL, Books, Importance, audit, importance
from gossamer.model import Fault
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls.scope import Scope

HOME = "http://a.example/"
TRIANGLE = {"http://a.example/": "bc", "http://b.example/": "c", "http://c.example/": "a"}


def in_a_triangle(table: Table, teleport: int, visits: int) -> list[float]:
    """Three pages that are visited again and again, always the one with the most cash."""
    cash = Importance(table, teleport=teleport)
    for url in TRIANGLE:
        cash.open(url)
    for _ in range(visits):
        richest = max(TRIANGLE, key=cash.open)
        links = [f"http://{name}.example/" for name in TRIANGLE[richest]]
        share = cash.spend(richest, len(links))
        cash.open(richest)
        cash.give(links, share)
        cash.count()
    cash.save()
    assert list(audit(table)) == []
    return [importance(table, url) or 0.0 for url in TRIANGLE]


def test_importance_is_what_the_paper_says(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        assert in_a_triangle(table, teleport=0, visits=3_000) == pytest.approx([0.4, 0.2, 0.4], abs=0.001)


def test_with_a_virtual_page_importance_is_pagerank(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        found = in_a_triangle(table, teleport=15, visits=3_000)
        assert [each / sum(found) for each in found] == pytest.approx([0.38779, 0.21481, 0.39740], abs=0.001)


def test_cash_is_neither_made_nor_lost_but_may_come_from_elsewhere(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        cash = Importance(table)
        cash.open(HOME)
        share = cash.spend(HOME, 7)
        assert 0 < TOTAL * 0.85 - 7 * share < 7
        cash.give([f"{HOME}{number}" for number in range(3)], share)  # the other four are in another shard
        cash.give([f"{HOME}1", f"{HOME}9"], 1_000)  # and somebody there links to us
        cash.count()
        cash.save()
        assert list(audit(table)) == []
        held = sum(cash.open(f"{HOME}{number}") for number in (0, 1, 2, 9))
        assert held == 3 * share + 2_000


def test_what_reaches_a_page_that_was_fetched_goes_on_to_all_that_wait(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        cash = Importance(table, teleport=0)
        cash.open(HOME)
        share = cash.spend(HOME, 1)
        assert (share, cash.open(f"{HOME}1"), cash.open(f"{HOME}2")) == (TOTAL, 0, 0)
        cash.give([HOME], share)
        assert cash.count() == []
        cash.spend(f"{HOME}3", 0)
        assert cash.open(f"{HOME}1") == cash.open(f"{HOME}2") == TOTAL // 3
        cash.save()
        assert importance(table, HOME) == pytest.approx(2 / (2 + 1 / 3 + 1))


def test_only_what_passes_a_power_of_two_is_named(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        cash = Importance(table)
        named = []
        for _ in range(1_000):
            cash.give([HOME], 1)
            named += cash.count()
        assert named == [HOME] * 10


def test_rows_in_memory_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.frontier.worth.opic._KEPT", 50)
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        cash = Importance(table)
        for _ in range(2):
            for number in range(1_000):
                cash.open(f"{HOME}{number}")
                cash.spend(f"{HOME}{number}", 0)
        assert len(cash._new) + len(cash._old) <= 102
        cash.save()
        assert list(audit(table)) == []


# --------------------------------------------------------------------------- in a crawl


def every_second(clock: VirtualClock, frontier: Frontier) -> None:
    """What a commit does, as often as there is one."""

    def tick() -> None:
        frontier.prepare()
        if frontier.out:
            asyncio.get_running_loop().call_later(1.0, tick)

    asyncio.get_running_loop().call_later(1.0, tick)


def crawl_by(order: str, web: SmallWeb, folder: Path, *seeds: str, **rules: object) -> Crawled:
    polite = Politeness(delay=0.1, ip_delay=0, factor=0)
    weigh = order == "importance"
    return crawl_small(
        web, folder, *seeds, order=ORDERS[order], weigh=weigh, politeness=polite, during=every_second, **rules
    )


@pytest.mark.parametrize("hosts", [1, 20])
def test_important_pages_come_first(hosts: int, tmp_path: Path) -> None:
    mass, linked = {}, {}
    for order in ("importance", "breadth", "random"):
        web = ZipfWeb(hosts=hosts, works=200, seed=3)
        done = crawl_by(order, web, tmp_path / order, web.home)
        asked, rank, links = web.asked(), web.pagerank(), web.linked()
        assert len(asked) == len(set(asked)) == done.counts.pages == len(web.targets)
        first = asked[: len(asked) // 5]
        mass[order] = sum(rank[url] for url in first)
        linked[order] = sum(links[url] for url in first) / len(first)
    best = sum(sorted(rank.values(), reverse=True)[: len(first)])
    assert best - mass["importance"] < 0.5 * (best - mass["breadth"])
    assert best - mass["importance"] < 0.2 * (best - mass["random"])
    assert linked["importance"] > 1.08 * linked["breadth"]
    assert linked["importance"] > 1.5 * linked["random"]


def test_an_address_that_gains_while_it_waits_moves_up(tmp_path: Path) -> None:
    lists, late = [f"{HOME}list{number}" for number in range(12)], f"{HOME}late"
    leaves = [f"{HOME}leaf{number}" for number in range(60)]
    web = SmallWeb({HOME: Answer((*lists, *leaves, late)), late: Answer()})
    web.answers |= {url: Answer((late,)) for url in lists} | {url: Answer() for url in leaves}
    crawl_by("importance", web, tmp_path, HOME)
    asked = web.asked()
    assert len(asked) == len(set(asked)) == 74
    assert asked.index(late) < asked.index(leaves[20])
    web.log.clear()
    crawl_by("breadth", web, tmp_path / "breadth", HOME)
    assert web.asked().index(late) > asked.index(late) + 20


def test_what_is_being_visited_gets_no_second_turn(tmp_path: Path) -> None:
    """While a slow page is on its way, its cash doubles again and again."""
    slow, others = "http://slow.example/", [f"http://s{number}.example/" for number in range(40)]
    web = SmallWeb({HOME: Answer((slow, *others)), slow: Answer()}, latency=5.0)
    web.answers |= {url: Answer((slow,)) for url in others}
    crawl_by("importance", web, tmp_path, HOME, workers=3)
    assert web.asked().count(slow) == 1


def test_addresses_of_every_fate_keep_the_cash_together(tmp_path: Path) -> None:
    """The harness counts every grain when the crawl is over."""
    inside = Scope(kind="host", seeds=frozenset({HOME}))
    links = ("moved", "gone", "dead", "private", "fine", "../http://b.example/")
    web = SmallWeb(
        {
            HOME: Answer((*(f"{HOME}{name}" for name in links), "http://b.example/")),
            f"{HOME}robots.txt": Answer(body=b"User-agent: *\nDisallow: /private"),
            f"{HOME}moved": redirect("/fine"),
            f"{HOME}dead": fault(Fault.PROTOCOL),
            f"{HOME}fine": Answer((HOME, f"{HOME}new", "http://b.example/")),
            f"{HOME}new": Answer(nofollow=True, links=(f"{HOME}fine",)),
        }
    )
    done = crawl_by("importance", web, tmp_path, HOME, scope=inside, patience=1e6)
    assert done.counts.queued == 0
    with Table.open(tmp_path, FAMILIES, writable=False) as table:
        worth = {url: importance(table, url) or 0.0 for url in done.entries}
        assert sum(worth.values()) == pytest.approx(1, abs=0.5)
        assert worth[f"{HOME}fine"] > worth[f"{HOME}gone"] > 0
        assert worth["http://b.example/"] > 0, "it is left out, and known to be linked"


def test_an_order_that_wants_no_cash_keeps_none(tmp_path: Path) -> None:
    web = SmallWeb({HOME: Answer((f"{HOME}1",)), f"{HOME}1": Answer()})
    crawl_by("breadth", web, tmp_path, HOME)
    with Table.open(tmp_path, FAMILIES, writable=False) as table:
        assert list(table.scan(CASH)) == []
        assert importance(table, HOME) is None


def test_a_crawl_goes_on_with_the_cash_it_had(tmp_path: Path) -> None:
    """It is also switched on in the middle: what was found before joins in when it is met."""
    web = ZipfWeb(hosts=3, works=60)
    crawl_by("breadth", web, tmp_path, web.home, pages=50)
    for pages in (100, 200, 0):
        done = crawl_by("importance", web, tmp_path, web.home, pages=pages)
    asked = web.asked()
    assert len(asked) == len(set(asked)) == done.counts.pages == len(web.targets)
    with Table.open(tmp_path, FAMILIES, writable=False) as table:
        worth = {url: importance(table, url) or 0.0 for url in web.targets}
        best = sorted(worth, key=worth.__getitem__, reverse=True)[:20]
        assert len(set(best) & set(dict(web.linked().most_common(20)))) >= 14


def test_seeds_come_before_what_they_link_to() -> None:
    order = ORDERS["importance"]
    assert order(HOME, Entry(State.QUEUED, 0, 0.0)) < order(HOME, Entry(State.QUEUED, 1, 0.0, cash=TOTAL, hint=5))
    ranks = [order(HOME, Entry(State.QUEUED, 1, 0.0, cash=cash)) for cash in (TOTAL, TOTAL // 2, 1_000, 999, 1, 0)]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == 6
    assert order(HOME, Entry(State.QUEUED, 1, 0.0, hint=-5)) < 1 << 32


def test_cash_that_is_missing_is_told_with_its_sum(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        assert list(audit(table)) == []
        table.put(META, b"cash", encode(Books(total=100, pot=30, paid=7, waiting=2)))
        table.put(CASH, b"a", encode(CashRow(cash=10, since=5)))
        table.put(CASH, b"b", encode(CashRow(cash=1)))
        assert list(audit(table)) == [
            "there should be 100 grains of cash, but there are 43",
            "2 addresses should hold cash, but 1 do",
        ]
        table.put(META, b"cash", encode(Books(total=43, pot=30, paid=7, waiting=1)))
        assert list(audit(table)) == []
