"""Small parts, each for itself: who is handed what, what a sitemap hints at, how kinds are named, who is suspected."""

from __future__ import annotations

import asyncio
from math import inf
from pathlib import Path

import pytest
from books import books
from exchange_shards import FakeTable

from gossamer.collection.column_families import FAMILIES
from gossamer.errors import Damaged
from gossamer.frontier import Politeness
from gossamer.frontier.answer.poison_pages import DEATHS, MOST, PoisonPages, Watch
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import LATER, META, OUTBOX, Entry, State, encode
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.polite.ip_leases import IpLeases
from gossamer.frontier.polite.limits import Quota
from gossamer.frontier.queue.agenda import Agenda
from gossamer.frontier.queue.back_queues import ALL, HEAD, Origin, Queues
from gossamer.frontier.queue.dispatcher import Dispatcher
from gossamer.frontier.queue.rank import hints
from gossamer.frontier.rules import Rules
from gossamer.frontier.shards.exchange import Exchange, Marks, Receipt, rejoin
from gossamer.frontier.worth.url_patterns import template
from gossamer.model import Link, Visit
from gossamer.store.table.table import Table
from gossamer.testing import run, running_clock
from gossamer.urls.scope import Scope

A = "http://a.example/"


def test_a_crawl_does_what_is_usual_unless_it_is_asked_for_something_else() -> None:
    rules = Rules(Scope(), Politeness(), "Gossamer")
    assert (rules.pages, rules.patience, rules.closed, rules.sitemaps) == (0, 90.0, False, True)
    assert (rules.weigh, rules.at_once, rules.front, rules.rewrite) == (False, 0, 384, None)
    assert not rules.head_first(A)
    assert rules.wanted("image/png")
    polite = Politeness()
    assert (polite.delay, polite.ip_delay, polite.factor, polite.longest) == (1.0, 0.5, 10.0, 30.0)
    assert (polite.crawl_delay_most, polite.per_host) == (300.0, 1)


# -------------------------------------------------------------------- hand out


def test_workers_wait_in_line_until_a_visit_is_due_or_all_is_over() -> None:
    async def job() -> None:
        due: list[Visit] = []
        pauses: list[float | None] = [5.0, inf]
        dispatcher = Dispatcher(lambda: due.pop(0) if due else None, lambda: pauses[0])
        clock = running_clock()
        began = clock.steady()
        workers = [asyncio.ensure_future(dispatcher.next()) for _ in range(3)]
        await asyncio.sleep(1)
        assert not any(worker.done() for worker in workers)
        due[:] = [Visit(f"{A}1"), Visit(f"{A}2")]
        assert [(await worker) for worker in workers[:2]] == [Visit(f"{A}1"), Visit(f"{A}2")]
        assert clock.steady() - began == pytest.approx(5.0), "nobody asked before"
        assert not workers[2].done()
        pauses[0] = None
        dispatcher.dispatch()
        assert await workers[2] is None
        pauses[0] = 0.0
        last = asyncio.ensure_future(dispatcher.next())
        await asyncio.sleep(0)
        due[:] = [Visit(A)]
        assert await last == Visit(A)

    run(job())


def test_a_worker_that_joins_others_who_wait_asks_for_nothing_and_gets_its_turn() -> None:
    async def job() -> None:
        asked: list[int] = []
        due: list[Visit] = []

        def take() -> Visit | None:
            asked.append(1)
            return due.pop(0) if due else None

        dispatcher = Dispatcher(take, lambda: inf)
        workers = [asyncio.ensure_future(dispatcher.next()) for _ in range(3)]
        await asyncio.sleep(0)
        assert len(asked) == 1, "for all of them nothing is due"
        due[:] = [Visit(f"{A}{number}") for number in range(4)]
        dispatcher.dispatch()
        assert [(await worker) for worker in workers] == [Visit(f"{A}{number}") for number in range(3)]
        assert await dispatcher.next() == Visit(f"{A}3"), "who is alone asks"

    run(job())


def test_a_worker_that_gave_up_takes_nothing_away_and_a_closed_door_stays_closed() -> None:
    async def job() -> None:
        asked: list[int] = []

        def take() -> Visit | None:
            asked.append(1)
            return None

        dispatcher = Dispatcher(take, lambda: 5.0)
        worker = asyncio.ensure_future(dispatcher.next())
        await asyncio.sleep(0)
        dispatcher.close()
        before = len(asked)
        await asyncio.sleep(60)
        assert len(asked) == before, "nobody asks any more"
        worker.cancel()
        await asyncio.sleep(0)
        dispatcher._send(Visit(A))

    run(job())


# ----------------------------------------------------------------------- quota


def test_a_page_limit_counts_what_is_kept_and_what_is_out(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        ledger = Ledger(table)
        quota = Quota(ledger, 2, None)
        assert (quota.full(), quota.claim(), quota.claim(), quota.claim()) == (False, True, True, False)
        assert quota.full()
        quota.settle(kept=False)
        assert not quota.full()
        ledger.put(A, Entry(State.DONE, 0, 0.0, status=200), None)
        assert quota.full()
        assert not quota.claim()
        closed = Quota(ledger, 0, None, closed=True)
        assert (closed.full(), closed.claim()) == (True, False)
        free = Quota(ledger, 0, None)
        assert (free.full(), [free.claim() for _ in range(3)]) == (False, [True] * 3)


# ------------------------------------------------------------------- redirects


def test_a_chain_of_redirects_is_followed_as_far_as_it_is_known(tmp_path: Path) -> None:
    def redirect(number: int) -> Entry:
        return Entry(State.DONE, 0, 0.0, status=301, target=f"{A}{number}")

    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        ledger, page = Ledger(table), Entry(State.DONE, 0, 0.0, status=200)
        ledger.put(f"{A}0", redirect(1), None)
        ledger.put(f"{A}1", redirect(2), None)
        assert ledger.end_of(f"{A}0") == (f"{A}1", redirect(2))
        ledger.put(f"{A}2", page, None)
        assert ledger.end_of(f"{A}0") == (f"{A}2", page)
        assert ledger.end_of(f"{A}2") == (f"{A}2", page)
        assert ledger.end_of(f"{A}9") == (f"{A}9", None)
        ledger.put(f"{A}2", redirect(0), page)
        assert ledger.end_of(f"{A}0")[1] is not None, "a circle ends too"


# ----------------------------------------------------------------------- hints


def test_a_hint_is_how_a_page_stands_among_those_of_its_list() -> None:
    def found(*links: tuple[float, float | None]) -> list[int]:
        given = [Link(f"{A}{number}", priority=each, modified=date) for number, (each, date) in enumerate(links)]
        said = hints(given)
        return [said.get(link.url, 0) for link in given]

    assert hints([]) == {}
    assert found((0.5, None), (0.5, None)) == [0, 0]
    assert found((1.0, None), (0.0, None)) == [5, -5]
    assert found((0.6, None), (0.4, None)) == [1, -1]
    assert found((0.5, 0.0), (0.5, 400_000.0)) == [0, 1], "more than a day newer than the others"
    assert found((0.5, 0.0), (0.5, 172_800.0)) == [0, 0], "a day is not enough"
    assert found((1.0, 400_000.0), (0.0, 0.0)) == [5, -5], "no hint is stronger than the strongest"
    assert found((0.5, None), (0.5, 0.0)) == [0, 0]


# ------------------------------------------------------------------------ kinds


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a" * 24, "w"),
        ("a" * 25, "s"),
        ("dir/" + "a" * 24 + "?k", "dir/" + "a" * 24 + "?k"),
        ("1.234,5", "0"),
        ("v1.2.3", "s"),
        ("page-7", "page-0"),
        ("one-two", "w"),
        ("one-two-three", "s"),
        ("deadbeef01", "x"),
        ("abcdefgh", "w"),
        ("a.b.htm", "s.htm"),
        ("a.toolong", "s"),
        ("a.1html", "s"),
        (".html", "s"),
        ("A.HTML", "w.html"),
        ("one/two/three/four", "one/two/three/w"),
        ("one/two/three/four/five", "one/two/.../w"),
        ("one/two/one/name", "one/+/w"),
        ("one/two/two", "one/+/w"),
        ("0/0/name", "0/0/w"),
        ("p?" + "&".join("abcdefgh"), "p?a&b&c&d&e&f&g&h"),
        ("p?" + "&".join("abcdefghi"), "p?a&b&c&d&e&f&g&h&..."),
        ("p?" + "k" * 50, "p?" + "k" * 40),
        ("p?a=1;b=2&a=3", "p?a&b"),
        ("?q=1", "?q"),
    ],
)
def test_an_address_is_named_without_what_varies(path: str, expected: str) -> None:
    assert template(A + path).full == f"a.example/{expected}"


def test_the_sizes_of_a_kind_and_its_directory_are_named() -> None:
    found = template(f"{A}shop/list.php?page=3")
    assert tuple(found) == (
        "a.example",
        "a.example/shop*",
        "a.example/shop/list.php",
        "a.example/shop/list.php?page",
        "a.example/shop/*.php",
    )
    assert tuple(template(A)) == ("a.example", "a.example/*", "a.example/", "a.example/", "a.example/")
    assert template(f"{A}name/").directory == "a.example/*/"
    assert template(f"{A}name").family == "a.example/w*"


# ------------------------------------------------------------ queues and retries


def test_a_queue_is_read_in_parts_and_keeps_its_order(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        queues = Queues(table, 5)
        origin = Origin("http://a.example", Host("a.example"))
        assert not queues.more(origin)
        assert origin.limit == ALL
        fresh = Origin("http://a.example", Host("a.example"))
        urls = [f"{A}{number:03}" for number in range(HEAD + 3)]
        positions = [queues.append("http://a.example", url, 7) for url in urls]
        assert positions == list(range(6, 6 + len(urls)))
        queues.append("http://a.example.org", "http://a.example.org/", 0)
        assert queues.more(fresh)
        assert (len(fresh.head), fresh.limit) == (HEAD, (7, positions[HEAD - 1]))
        early = queues.append("http://a.example", f"{A}early", 1)
        queues.offer(fresh, 1, early, f"{A}early")
        late = queues.append("http://a.example", f"{A}late", 9)
        queues.offer(fresh, 9, late, f"{A}late")
        assert len(fresh.head) == HEAD + 1
        order = []
        while (taken := queues.take(fresh)) is not None:
            order.append(taken[2])
        assert order == [f"{A}early", *urls, f"{A}late"]
        assert list(queues.origins()) == ["http://a.example", "http://a.example.org"]
        queues.remove(f"{A}early", 1, early)
        assert f"{A}early".encode() not in [url for _, url in table.scan("queue")]


def test_a_head_that_grows_too_long_is_cut_and_nothing_is_lost(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        queues, origin = Queues(table, 0), Origin("http://a.example", Host("a.example"))
        queues.more(origin)
        for number in range(2 * HEAD + 1):
            position = queues.append("http://a.example", f"{A}{number:03}", 500 - number)
            queues.offer(origin, 500 - number, position, f"{A}{number:03}")
            assert len(origin.head) <= 2 * HEAD
        assert len(origin.head) == HEAD
        order = []
        while (taken := queues.take(origin)) is not None:
            order.append(taken[2])
        assert order == [f"{A}{number:03}" for number in reversed(range(2 * HEAD + 1))]


def test_the_next_address_of_an_origin_is_as_far_away_as_both_say() -> None:
    origin = Origin("http://a.example", Host("a.example"), away=lambda: 2)
    assert origin.distance == 2
    origin.head = [(3 << 32, 1, A)]
    assert origin.distance == 5
    origin.urgent.append(Visit(A))
    assert origin.distance == 0


def test_retries_are_found_again_after_a_restart(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        retries = Agenda(table, LATER)
        assert retries.next_time == inf
        retries.append(f"{A}2", 20.5, 300)
        retries.append(f"{A}1", 10.5, 7)
        retries.append(f"{A}3", 30.5, 8)
        assert retries.next_time == 10.5
        again = Agenda(table, LATER)
        assert again.next_time == 10.5
        assert list(again.due(20.5)) == [(f"{A}1", 7), (f"{A}2", 300)]
        assert again.next_time == 30.5
        assert list(again.due(99.0)) == [(f"{A}3", 8)]
        assert again.next_time == inf


# -------------------------------------------------------------------- suspects


def test_a_page_that_was_being_read_at_three_deaths_is_left_alone(tmp_path: Path) -> None:
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        for death in range(DEATHS):
            poison_pages = PoisonPages(tmp_path / "reading", table)
            assert poison_pages.died_on() == (A if death else None)
            assert not poison_pages.quarantined(A)
            poison_pages.reading(A)  # and the process dies
            poison_pages.close()
        last = PoisonPages(tmp_path / "reading", table)
        assert last.died_on() == A
        assert last.quarantined(A)
        assert not last.quarantined(f"{A}other")
        last.forgive(A)
        assert not last.quarantined(A)
        last.close()
        after = PoisonPages(tmp_path / "reading", table)
        assert after.died_on() is None
        assert not after.quarantined(A)
        after.close()


def test_a_page_of_which_all_was_made_is_forgiven_and_one_that_was_only_read_is_not(tmp_path: Path) -> None:
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        poison_pages = PoisonPages(tmp_path / "reading", table)
        poison_pages._deaths = {A.encode(): 2, b"http://b.example/": 2}
        with poison_pages.reading("http://b.example/"):
            pass
        with poison_pages.reading(A):
            pass
        poison_pages.forgive(A)
        assert poison_pages._deaths == {b"http://b.example/": 2}
        poison_pages.close()
        again = PoisonPages(tmp_path / "reading", table)
        assert again.died_on() is None
        assert again._deaths == {b"http://b.example/": 2}
        again.close()


def test_so_many_suspects_are_remembered_and_the_least_suspicious_goes(tmp_path: Path) -> None:
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        poison_pages = PoisonPages(tmp_path / "reading", table)
        poison_pages._deaths = {b"%d" % number: 2 for number in range(MOST)}
        poison_pages._deaths[b"7"] = 1
        poison_pages._add(b"new")
        assert len(poison_pages._deaths) == 1_000
        assert b"7" not in poison_pages._deaths
        assert poison_pages._deaths[b"new"] == 1
        poison_pages._add(b"new")
        assert poison_pages._deaths[b"new"] == 2
        poison_pages.close()


def test_a_shard_that_reads_one_page_for_too_many_looks_is_named_once(tmp_path: Path) -> None:
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        path = tmp_path / "reading"
        poison_pages = PoisonPages(path, table)
        watch = Watch([path], 3)
        with poison_pages.reading(A):
            assert [watch.stuck(0) for _ in range(6)] == [None, None, None, A, None, None]
        assert watch.stuck(0) is None
        with poison_pages.reading(A):
            assert [watch.stuck(0) for _ in range(2)] == [None, None]
        with poison_pages.reading(A):
            assert [watch.stuck(0) for _ in range(4)] == [None, None, None, A], "the next reading begins anew"
        watch.close()
        poison_pages.close()


# -------------------------------------------------------- gate and exchange


def test_a_gate_counts_pages_shard_by_shard(tmp_path: Path) -> None:
    IpLeases.create(tmp_path / "gate", 3)
    leases = IpLeases(tmp_path / "gate", 1, delay=1.0)
    assert not leases.claim(1, 10)
    for shard, kept in enumerate((2, 0, 3)):
        leases.begin(shard, kept)
    assert leases.kept() == 5
    assert [leases.claim(1, 7) for _ in range(3)] == [True, True, False]
    assert leases.full(7)
    assert not leases.full(8)
    leases.settle(1, kept=True)
    leases.settle(1, kept=False)
    assert (leases.kept(), leases.full(7), leases.full(6)) == (6, False, True)
    assert leases.claim(2, 7)
    leases.leave(2)
    assert leases.claim(0, 7)
    leases.begin(0, 4)
    assert leases.kept() == 8
    leases.close()


def test_an_address_is_free_when_its_last_holder_gives_it_back(tmp_path: Path) -> None:
    IpLeases.create(tmp_path / "gate", 2)
    one, other = (IpLeases(tmp_path / "gate", me, delay=2.0, at_once=3) for me in (0, 1))
    assert (one.take("1.1.1.1", 10.0), one.take("1.1.1.1", 10.0), other.take("1.1.1.1", 10.0)) == (0.0, 0.0, 0.0)
    assert other.take("1.1.1.1", 10.0) == 10.5, "a quarter of the delay later"
    one.give("1.1.1.1", 11.0, visited=False)
    assert other.take("1.1.1.1", 11.0) == 0.0
    one.free(1, 12.0)
    assert one.take("1.1.1.1", 13.9) == 14.0
    assert one.take("1.1.1.1", 14.0) == 0.0
    assert one.take("1.1.1.1", 14.0) == 0.0
    assert one.take("1.1.1.1", 14.0) > 14.0
    one.close()
    other.close()


def test_a_shard_that_starts_again_goes_on_where_it_was() -> None:
    table, sent = FakeTable(), []
    first = Exchange(table, 0, 2, lambda to, data: sent.append(data))  # type: ignore[arg-type]  # as far as it is used
    for number in range(3):
        first.post(1, b"%d" % number)
        first.prepare()
    table.commit()
    first.committed()
    assert (len(sent), first.sent(), first.acknowledged(1), first.waiting) == (3, (0, 3), 0, 3)
    first.receive(1, encode(Receipt(2)))
    assert (first.acknowledged(1), first.waiting) == (2, 1)
    again = Exchange(table, 0, 2, lambda to, data: sent.append(data))  # type: ignore[arg-type]  # as far as it is used
    assert (again.sent(), again.acknowledged(1), again.waiting, again.open) == ((0, 3), 2, 1, False)
    sent.clear()
    again.reborn(1)
    assert len(sent) == 2, "where to go on, and the batch that is not kept yet"
    assert [key[-1] for key, _ in table.scan(OUTBOX)] == [3]


def test_a_batch_that_is_missing_is_damage() -> None:
    table = FakeTable()
    first = Exchange(table, 0, 2, lambda to, data: None)  # type: ignore[arg-type]  # as far as it is used
    first.post(1, b"a")
    first.prepare()
    table.rows[OUTBOX].clear()
    with pytest.raises(Damaged, match="batch 1 for shard 1 is missing"):
        first.committed()


def test_a_shard_whose_table_was_lost_goes_on_counting_where_the_others_believe_it_to_be(tmp_path: Path) -> None:
    def opened(name: str) -> Table:
        return Table.open(tmp_path / name, FAMILIES, writable=True)

    with opened("1") as other:
        other.put(META, b"exchange", encode(Marks((5, 0, 0), (50, 0, 0), (7, 0, 0))))
        other.commit()
    with opened("0") as table:
        rejoin(table, 0, [None, lambda: opened("1"), None])
        again = Exchange(table, 0, 3, lambda to, data: None)
        assert (again.sent(), again.kept()) == ((0, 7, 0), (0, 5, 0))
    with opened("alone") as table:
        rejoin(table, 0, [None])
        assert table.get(META, b"exchange") is None


def test_a_frontier_counts_what_is_out_and_says_where_it_goes(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        frontier = held.frontier
        assert (frontier.out, frontier.hosts_waiting, frontier.network_gone, frontier.longest) == (0, 0, False, None)
        assert frontier.idle
        assert frontier.next_waking() == inf
        frontier.add([Found(A)])
        assert not frontier.idle, "what was added a moment ago counts"
        frontier.sift()
        visit = frontier._handing_out.next()
        assert visit is not None
        assert visit.url == f"{A}robots.txt"
        assert (frontier.out, frontier.address(visit)) == (1, None)
        assert not frontier.idle
        held.answered(visit.url, 404, visit=visit)
        assert frontier.out == 0
        assert frontier._handing_out.next() is None, "its host rests"
        assert not frontier.idle
        held.clock.advance(2)
        frontier.hold(True)
        assert frontier._handing_out.next() is None
        frontier.hold(False)
        page = frontier._handing_out.next()
        assert page == Visit(A)
        held.answered(A, visit=page)
        assert frontier.longest is not None
        assert (frontier.longest.host, frontier.longest.queued) == ("a.example", 0)
        frontier.stop()
        frontier.add([Found(f"{A}more")])
        frontier.sift()
        held.clock.advance(2)
        assert frontier._handing_out.next() is None
