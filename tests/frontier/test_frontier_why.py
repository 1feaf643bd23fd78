"""What `why` says of an address and of a host: where it stands, since when, until when, and because of what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gossamer.frontier import Politeness
from gossamer.frontier.entries import (
    BACKLOG,
    FAMILIES,
    FRESHNESS,
    HOSTS,
    QUEUE,
    RATES,
    REVISITS,
    ROBOTS,
    SITES,
    TALLIES,
    TEMPLATES,
    TRUST,
    Entry,
    HostRow,
    RobotsRow,
    SiteRow,
    State,
    encode,
)
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.queue.rank import rank
from gossamer.frontier.rows import host_key
from gossamer.frontier.why import AddressAnswer, Asked, HostAnswer, about_address, about_host
from gossamer.frontier.worth.budget import BASE, HOSTS_BASE
from gossamer.frontier.worth.pattern_yield import HostKinds, KindRow
from gossamer.frontier.worth.url_patterns import template
from gossamer.robots import Verdict
from gossamer.store.table.table import Table
from gossamer.urls import site

NOW = 1_000.0
NAME = "a.example"
URL = "http://a.example/news/first"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path, FAMILIES, writable=True) as opened:
        yield opened


def host(
    table: Table, *, due: float = 0.0, paused: float = 0.0, reason: str = "", number: int = 1, **more: float
) -> None:
    row = {"pace": 0.0, "penalty": 0.0, "crawl_delay": 0.0, "visits": 0, "faults": 0, **more}
    stored = HostRow(due, row["pace"], row["penalty"], row["crawl_delay"], 0, 0, 0, paused, reason, 7, 3, number)
    table.put(HOSTS, NAME.encode(), encode(stored))


def robots(table: Table, verdict: Verdict, body: bytes = b"", origin: str = "http://a.example") -> None:
    row = RobotsRow(verdict.value, body, 1.0, NOW + 300, 1, 500, "http 500")
    table.put(ROBOTS, origin.encode(), encode(row))


def asked(now: float = NOW) -> Asked:
    return Asked(Politeness(), "Gossamer", site, now)


def of_host(table: Table) -> HostAnswer:
    answer = about_host(table, NAME, asked())
    assert answer is not None
    return answer


def of_address(table: Table, entry: Entry | None = None) -> AddressAnswer:
    ledger = Ledger(table)
    ledger.put(URL, entry or Entry(State.QUEUED, 2, 1.0), None)
    ledger.save()
    answer = about_address(table, URL, asked())
    assert answer is not None
    return answer


# ------------------------------------------------------------------- a host


def test_nothing_is_said_of_what_was_never_met(table: Table) -> None:
    assert about_host(table, NAME, asked()) is None
    assert about_address(table, URL, asked()) is None


def test_a_host_with_nothing_queued_is_idle(table: Table) -> None:
    host(table, due=NOW + 2)
    assert (of_host(table).state, of_host(table).reason, of_host(table).next_time) == (
        "idle",
        "nothing of it is queued",
        None,
    )


def test_a_host_waits_rests_or_is_paused_until_a_date(table: Table) -> None:
    table.put(BACKLOG, NAME.encode(), (1).to_bytes(8, "big"))
    host(table, due=NOW)
    waiting = of_host(table)
    assert (waiting.state, waiting.next_time) == ("waiting", None)
    assert waiting.reason == "its turn comes as soon as a connection is free"
    table.put(SITES, NAME.encode(), encode(SiteRow(linkers=2, visits=65, hosts=1)))
    assert of_host(table).reason == "sites that had fewer visits come first"
    robots(table, Verdict.RULES, b"")
    assert of_host(table).reason == "all that is queued failed before, and is to be tried again later"
    table.put(QUEUE, b"http://a.example.org\0other", b"http://a.example.org/")
    assert "tried again later" in of_host(table).reason
    table.put(QUEUE, b"http://a.example:8080\0rank", b"http://a.example:8080/")
    assert of_host(table).reason == "sites that had fewer visits come first"
    robots(table, Verdict.UNREACHABLE)
    assert of_host(table).reason == ("robots.txt of http://a.example: unreachable, so nothing is fetched (http 500)")
    host(table, due=NOW + 2, paused=NOW)
    resting = of_host(table)
    assert (resting.state, resting.next_time) == ("resting", NOW + 2)
    assert resting.reason == "the delay since the last request is not over"
    host(table, due=NOW + 2, paused=NOW + 60, reason="5 failures in a row")
    assert (of_host(table).state, of_host(table).reason) == ("paused", "5 failures in a row")
    assert of_host(table).next_time == NOW + 60


def test_the_numbers_of_a_host_are_those_of_its_rows(table: Table) -> None:
    host(table, pace=0.5, penalty=2.0)
    table.put(BACKLOG, NAME.encode(), (9).to_bytes(8, "big"))
    table.put(TALLIES, NAME.encode(), (5).to_bytes(8, "big") + (2).to_bytes(8, "big"))
    table.put(SITES, NAME.encode(), encode(SiteRow(linkers=2, visits=65, hosts=1)))
    said = of_host(table)
    assert (said.host, said.visits, said.faults, said.queued) == (NAME, 7, 3, 9)
    assert (said.pages, said.failed) == (5, 2)
    assert said.gap == 7.0
    assert said.basis == "10 x smoothed fetch time 0.500 s, and 2.0 s after 429 or 503"
    assert (said.budget, said.linkers, said.distance) == (3 * BASE, 2, 2)
    assert said.distance_basis == "its site has had 65 visits, at 30 pages a round"
    assert (said.dropped, said.disguised) == ({}, [])


def test_a_host_that_is_one_of_too_many_says_so(table: Table) -> None:
    host(table, number=2 * HOSTS_BASE + 1)
    table.put(SITES, NAME.encode(), encode(SiteRow(visits=BASE)))
    said = of_host(table)
    assert said.distance == 2
    assert said.distance_basis == "its host is number 11 of its site, which may bring 5 hosts a round"
    table.put(SITES, NAME.encode(), encode(SiteRow(visits=2 * BASE)))
    assert of_host(table).distance_basis.startswith("its site has had 20 visits, at ")


def test_a_crawl_delay_of_before_origins_were_told_apart_still_holds(table: Table) -> None:
    host(table, crawl_delay=20.0)
    assert (of_host(table).gap, of_host(table).basis) == (20.0, "Crawl-delay 20 s")


@pytest.mark.parametrize(
    ("verdict", "body", "words"),
    [
        (Verdict.UNAVAILABLE, b"", "none, so everything is allowed (http 500)"),
        (Verdict.UNREACHABLE, b"", "unreachable, so nothing is fetched (http 500)"),
        (Verdict.RULES, b"User-agent: *\nDisallow: /a", "26 bytes of rules"),
        (Verdict.RULES, b"User-agent: *\nCrawl-delay: 5", "28 bytes of rules, Crawl-delay 5 s"),
    ],
)
def test_each_robots_txt_of_a_host_is_told_in_words(table: Table, verdict: Verdict, body: bytes, words: str) -> None:
    host(table)
    robots(table, verdict, body)
    robots(table, Verdict.UNAVAILABLE, origin="http://a.example.org")
    assert of_host(table).robots == {"http://a.example": words}


def test_all_origins_of_a_host_are_told_apart(table: Table) -> None:
    host(table)
    for origin in ("https://a.example", "http://a.example:8080", "http://a.example", "http://b.example"):
        robots(table, Verdict.UNAVAILABLE, origin=origin)
    assert list(of_host(table).robots) == ["http://a.example", "http://a.example:8080", "https://a.example"]


# --------------------------------------------------------------- an address


def test_an_address_tells_what_its_entry_holds(table: Table) -> None:
    history = ((1.0, "http 500"), (2.0, "http 301"))
    said = of_address(
        table,
        Entry(
            State.DONE,
            3,
            1.0,
            "redirect to http://b.example/",
            attempt=2,
            referrer="http://c.example/",
            status=301,
            target="http://b.example/",
            rank=rank(4, 0),
            history=history,
        ),
    )
    assert (said.url, said.state, said.reason) == (URL, "done", "redirect to http://b.example/")
    assert (said.depth, said.attempts, said.status, said.history) == (3, 2, 301, history)
    assert (said.referrer, said.target) == ("http://c.example/", "http://b.example/")
    assert (said.next_time, said.distance, said.importance, said.kind, said.host) == (None, 0, None, None, None)


def test_a_queued_address_says_what_it_waits_for_the_most_urgent_first(table: Table) -> None:
    assert (of_address(table).reason, of_address(table).next_time) == ("waits for its turn", None)
    host(table)
    assert (of_address(table).reason, of_address(table).next_time) == ("waits for its turn", None)
    away = of_address(table, Entry(State.QUEUED, 2, 1.0, rank=rank(1, 5)))
    assert (away.reason, away.distance) == (
        "its turn comes in 1 round: its site has had 0 visits, at 10 pages a round",
        1,
    )
    table.put(SITES, NAME.encode(), encode(SiteRow(visits=20)))
    away = of_address(table, Entry(State.QUEUED, 2, 1.0, rank=rank(1, 5)))
    assert away.reason.startswith("its turn comes in 3 rounds: its site has had 20 visits, at 10 pages a round")
    assert (away.distance, away.next_time) == (3, None)
    host(table, due=NOW + 1)
    resting = of_address(table)
    assert resting.reason == "its host is resting: the delay since the last request is not over"
    assert resting.next_time == NOW + 1
    robots(table, Verdict.UNREACHABLE)
    closed = of_address(table)
    assert (closed.reason, closed.next_time) == ("its robots.txt is unreachable (http 500)", NOW + 300)
    later = of_address(table, Entry(State.QUEUED, 2, 1.0, "http 503", due=NOW + 9))
    assert (later.reason, later.next_time) == ("http 503; to be tried again", NOW + 9)


def test_a_robots_txt_that_can_be_read_holds_up_nobody(table: Table) -> None:
    host(table)
    robots(table, Verdict.RULES, b"")
    assert of_address(table).reason == "waits for its turn"


def test_an_address_of_a_poor_kind_says_what_addresses_like_it_have_brought(table: Table) -> None:
    host(table)
    poor, good = KindRow(found=90, fetched=40, fresh=1.2, recent=16.0), KindRow(fetched=40, fresh=40.0)
    kinds = {name[len(NAME) :]: poor for name in template(URL)[1:4]}
    table.put(TEMPLATES, host_key(NAME).encode(), encode(HostKinds(best=0.95, first=kinds | {"/good*": good})))
    said = of_address(table, Entry(State.QUEUED, 2, 1.0, rank=rank(7, 0), sunk=4))
    brought = "40 addresses like it brought 1 new page, so better ones of its host come first"
    assert said.reason == f"its turn comes in 7 rounds: {brought}"
    assert said.kind is not None
    assert (said.kind.name, said.kind.found, said.kind.fetched, said.kind.fresh) == (template(URL).full, 90, 40, 1.2)
    assert said.kind.share == 1 / 64
    near = of_address(table, Entry(State.QUEUED, 2, 1.0, rank=rank(7, 0)))
    assert near.reason.startswith("its turn comes in 7 rounds: its site has had")
    due = of_address(table, Entry(State.QUEUED, 2, 1.0, "http 500", rank=rank(7, 0), sunk=4, due=NOW + 1))
    assert due.reason == "http 500; to be tried again"
    done = of_address(table, Entry(State.DONE, 2, 1.0, rank=rank(7, 0), sunk=4))
    assert (done.reason, done.distance) == ("", 0)


def test_a_table_of_an_older_version_tells_all_that_it_has(tmp_path: Path) -> None:
    url, later = "http://a.example/", {FRESHNESS, RATES, REVISITS, TRUST}
    with Table.open(tmp_path, [name for name in FAMILIES if name not in later], writable=True) as table:
        Ledger(table).put(url, Entry(State.DONE, 0, 1.0, status=200), None)
        table.commit()
    with Table.open(tmp_path, FAMILIES, writable=False) as table:
        answer = about_address(table, url, Asked(Politeness(), "Gossamer", site, 1.0))
        assert answer is not None
        assert (answer.state, answer.change_rate) == ("done", None)
        assert later.isdisjoint(table.families)
        assert [*table.scan(FRESHNESS)] == table.firsts(RATES, []) == []
        assert table.get_many(TRUST, [b"a", b"b"]) == table.firsts(TRUST, [b"a", b"b"]) == [None, None]


def test_where_there_is_no_room_for_new_pages_only_those_wait_for_it(table: Table) -> None:
    asked = Asked(Politeness(), "gossamer", site, NOW, full="the limit of 10 pages is reached")
    host(table)
    Ledger(table).put(URL, Entry(State.QUEUED, 1, 1.0, position=1), None)
    found = about_address(table, URL, asked)
    assert found is not None
    assert found.reason == asked.full
    Ledger(table).put(URL, Entry(State.QUEUED, 1, 1.0, position=1, status=200), None)
    found = about_address(table, URL, asked)
    assert found is not None
    assert found.reason != asked.full


@pytest.mark.parametrize("verdict", [None, Verdict.RULES, Verdict.UNREACHABLE])
def test_a_host_that_nobody_crawls_waits_for_a_crawl_unless_its_rules_are_not_known(
    table: Table, verdict: Verdict | None
) -> None:
    host(table)
    ledger = Ledger(table)
    ledger.put(URL, Entry(State.QUEUED, 2, 1.0), None)
    ledger.save()
    if verdict is not None:
        robots(table, verdict)
    answer = about_host(table, NAME, replace(asked(), still="no crawl runs"))
    assert answer is not None
    assert ("no crawl runs" in answer.reason) is (verdict is not Verdict.UNREACHABLE)
