"""What is found, once and in its place: links and what becomes of them, lists, learned rules, and cash that moves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from books import Books, books
from finding import Finder

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.discover import discovery as discovery_module
from gossamer.frontier.discover import listings
from gossamer.frontier.discover.discovery import DEPTH, NOFOLLOW, Found, Recent, as_found
from gossamer.frontier.discover.intake import INDEX
from gossamer.frontier.entries import QUEUE, Entry, State
from gossamer.frontier.queue.rank import LAST, breadth, depth, distance, rank
from gossamer.frontier.queue.rank import importance as by_importance
from gossamer.frontier.queue.rank import random as by_chance
from gossamer.frontier.rules import Outward
from gossamer.frontier.worth import opic
from gossamer.frontier.worth.opic import Books as Sums
from gossamer.frontier.worth.opic import Importance, audit, importance
from gossamer.frontier.worth.url_patterns import template
from gossamer.model import Kind, Link, Page, Visit
from gossamer.store.table.table import Table
from gossamer.urls.scope import Scope

A, B, C = (f"http://{name}.example/" for name in "abc")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as opened:
        yield opened


# ------------------------------------------------------------------- discovery


class Finding(Finder):
    """At seven, no deeper than five links."""

    def __init__(self, table: Table, folder: Path, **more: Any) -> None:
        scope = more.pop("scope", None) or Scope(kind="any", max_depth=5)
        super().__init__(table, folder / "seen", scope, now=7.0, **more)

    def met(self, *found: Found) -> None:
        self.meet(*found)
        self.sift()

    def entry(self, url: str) -> Entry:
        entry = self.ledger.get(url)
        assert entry is not None
        return entry


def test_a_new_address_is_an_entry_with_all_that_is_known_of_it(table: Table, tmp_path: Path) -> None:
    finding = Finding(table, tmp_path)
    finding.met(Found(A, 2, B, Kind.SITEMAP, 3, True, 4), Found(C, 6, B))
    assert finding.entry(A) == Entry(State.QUEUED, 2, 7.0, "", Kind.SITEMAP, 3, 0, B, hint=4)
    assert finding.entry(C) == Entry(State.EXCLUDED, 6, 7.0, "deeper than 5 links", Kind.PAGE, 0, 0, B)
    assert (finding.queued, finding.expected) == ([A], [[A]])
    finding.met()
    assert finding.expected == [[A]], "nothing is read ahead for nothing"


def test_what_waits_to_be_sifted_is_counted_and_survives_an_interrupt(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = Finding(table, tmp_path)
    finding.meet(Found(A), Found(B))
    assert finding.intake.waiting == 2

    def interrupted(new: list[str]) -> None:
        finding.meet(Found(C))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(finding, "read_ahead", interrupted)
        with pytest.raises(KeyboardInterrupt):
            finding.sift()
    assert finding.intake.waiting == 3
    finding.sift()
    assert finding.queued == [A, B, C]
    assert finding.intake.waiting == 0


def test_a_link_that_may_be_followed_is_preferred(table: Table, tmp_path: Path) -> None:
    finding = Finding(table, tmp_path)
    links = [Link(A, rel="nofollow"), Link(C, rel="nofollow"), Link(C, "text"), Link(C, "later")]
    assert finding.discovery.new_links(links, 1) == [(A, A, False), (C, C, True)]
    finding.intake.follow(Visit(B), links, {C: 3})
    finding.sift()
    assert (finding.queued, finding.entry(C).referrer, finding.entry(C).hint) == ([C], B, 3)
    assert (finding.entry(A).state, finding.entry(A).reason) == (State.EXCLUDED, NOFOLLOW)
    assert finding.new_links(links, 1) == [A], "another link to it may be followed"
    assert finding.new_links([Link(C)], 0) == [C], "a shorter way may matter"


def test_links_of_a_page_that_says_nofollow_are_kept_out_and_those_of_an_index_are_sitemaps(
    table: Table, tmp_path: Path
) -> None:
    finding = Finding(table, tmp_path)
    finding.intake.follow(Visit(B), [Link(A)], {}, nofollow=True)
    finding.intake.follow(Visit(B, Kind.SITEMAP), [Link(f"{B}map", place=INDEX), Link(f"{B}page")], {})
    finding.intake.follow(Visit(C), [Link(f"{C}map", place=INDEX)], {})
    finding.sift()
    assert finding.entry(A).reason == NOFOLLOW
    kinds = [finding.entry(url).kind for url in (f"{B}map", f"{B}page", f"{C}map")]
    assert kinds == [Kind.SITEMAP, Kind.PAGE, Kind.PAGE]


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (Found(A, followed=False), NOFOLLOW),
        (Found(A, hops=10), None),
        (Found(A, hops=11), "more than 10 redirects in a row"),
        (Found(A, 2, kind=Kind.SITEMAP), None),
        (Found(A, 3, kind=Kind.SITEMAP), "sitemaps nested more than 3 deep"),
        (Found(A, 5), None),
        (Found(A, 6), "deeper than 5 links"),
        (Found(f"{A}bad", kind=Kind.SITEMAP), "excluded by pattern bad"),
        (Found(f"{A}" + "x" * 3_000, kind=Kind.SITEMAP), None),
    ],
)
def test_an_address_is_left_out_for_a_reason(table: Table, tmp_path: Path, found: Found, reason: str | None) -> None:
    scope = Scope(kind="any", max_depth=5, exclude=("bad",))
    assert Finding(table, tmp_path, scope=scope).discovery.refusal(found) == reason


def test_rules_of_the_user_hold_for_all_and_learned_ones_for_links_only(table: Table, tmp_path: Path) -> None:
    finding = Finding(
        table,
        tmp_path,
        rewrite=lambda url: url.replace("http:", "https:"),
        simpler=lambda url: url.partition("?")[0],
    )
    finding.met(Found(f"{A}seed?x", 0), Found(f"{A}link?x", 1), Found(f"{A}hop?x", 1, hops=1))
    assert finding.queued == ["https://a.example/seed?x", "https://a.example/link", "https://a.example/hop?x"]
    links = [Link(f"{A}seed?x"), Link(f"{A}new?x")]
    assert finding.discovery.new_links(links, 1) == [("https://a.example/new", f"{A}new?x", True)]


def test_a_better_link_lets_in_what_was_left_out_and_moves_what_is_queued_nearer(table: Table, tmp_path: Path) -> None:
    finding = Finding(table, tmp_path)
    finding.met(Found(A, 1, B, followed=False), Found(C, 6, B))
    assert finding.queued == []
    finding.met(Found(A, 3, C, hops=2), Found(C, 4, A))
    assert finding.queued == [A, C]
    entry = finding.entry(A)
    assert (entry.state, entry.reason, entry.depth, entry.hops, entry.referrer) == (State.QUEUED, "", 3, 2, C)
    finding.met(Found(A, 2, B))
    assert (finding.entry(A).depth, finding.entry(A).referrer) == (2, C)
    finding.met(Found(A, 4, B), Found(A, 1, B, followed=False))
    assert finding.entry(A).depth == 2
    assert finding.queued == [A, C], "it is queued already"
    done = Entry(State.DONE, 5, 1.0)
    finding.ledger.put(C, done, finding.entry(C))
    finding.met(Found(C, 1))
    assert finding.entry(C) == done


def test_what_is_excluded_for_good_stays_out(table: Table, tmp_path: Path) -> None:
    finding = Finding(table, tmp_path, scope=Scope(kind="any", exclude=("a.example",)))
    finding.met(Found(A, 3))
    finding.met(Found(A, 0))
    assert (finding.entry(A).state, finding.entry(A).depth) == (State.EXCLUDED, 3)


def test_an_entry_is_found_again_as_it_was() -> None:
    entry = Entry(State.QUEUED, 2, 7.0, "", Kind.SITEMAP, 3, 0, B)
    assert as_found(A, entry) == Found(A, 2, B, Kind.SITEMAP, 3, True)
    assert not as_found(A, Entry(State.EXCLUDED, 2, 7.0, NOFOLLOW)).followed
    assert as_found(A, Entry(State.EXCLUDED, 2, 7.0, f"{DEPTH} 5 links")).followed


def test_what_was_met_lately_is_known_by_its_depth_for_two_generations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery_module, "RECENT", 2)
    recent = Recent()
    recent.add("a", 2)
    assert [recent.unknown(["a"], depth) for depth in (1, 2, 3)] == [{"a"}, set(), set()]
    recent.add("b", 0)
    recent.add("c", 0)
    assert recent.unknown(["b"], 0) == set(), "of the older generation, and kept because it was asked for"
    recent.add("d", 0)
    assert recent.unknown(["a", "b", "c", "d"], 2) == {"a"}, "nobody asked for it"


# ---------------------------------------------------------------------- orders


def test_orders_put_the_smallest_first_and_distance_before_all() -> None:
    def entry(**more: Any) -> Entry:
        return Entry(State.QUEUED, more.pop("depth", 1), 0.0, **more)

    assert [breadth(A, entry(hint=hint)) for hint in (5, 0, -5)] == [0, 5, 10]
    assert by_importance(A, entry(depth=0)) == 0
    poor, rich, hinted = (by_importance(A, entry(**each)) for each in ({}, {"cash": 3}, {"cash": 1, "hint": 5}))
    assert rich == hinted < poor
    assert poor == LAST - (1 << 25)
    assert rich == LAST - 3 * (1 << 25)
    assert depth(A, entry(depth=9)) == LAST - 9
    assert depth(A, entry(depth=LAST + 5)) == 0
    assert by_chance(A, entry()) == by_chance(A, entry(depth=4)) != by_chance(B, entry())
    assert 0 <= by_chance(A, entry()) <= LAST
    assert rank(0, LAST) < rank(1, 0)
    assert (rank(2, 7) >> 32, rank(2, 7) & LAST, distance(rank(2, 7))) == (2, 7, 2)
    assert (rank(LAST + 9, 0), rank(0, LAST + 9), rank(0, -3)) == (rank(LAST, 0), LAST, 0)


# ----------------------------------------------------------------------- lists

MAP = f"{A}map"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listings, "QUEUED_MOST", 20)
    monkeypatch.setattr(listings, "LEAST", 4)


def listed(count: int, host: str = A, place: str = "sitemap") -> tuple[Link, ...]:
    return tuple(Link(f"{host}p{number}", place=place) for number in range(count))


def begun(held: Books, links: tuple[Link, ...]) -> None:
    held.frontier.add([Found(MAP, kind=Kind.SITEMAP)])
    held.frontier.sift()
    held.answered(MAP)
    assert held.state(MAP) == "DONE"
    now = held.frontier._rooms.answers._listings.begin(MAP, Page(MAP, links=links)).links
    held.frontier.add([Found(link.url, 1, MAP) for link in now])
    held.frontier.sift()


@pytest.mark.usefixtures("small")
def test_a_list_fills_the_queue_of_its_host_and_the_rest_waits(tmp_path: Path) -> None:
    links = listed(50)
    with books(tmp_path, outward=Outward(again=lambda url, then: then(Page(url, links=links)))) as held:
        begun(held, links)
        entry = held.entry(MAP)
        assert (entry.state, entry.taken, distance(entry.rank)) == (State.QUEUED, 20, 1)
        assert (
            entry.reason == "20 of its 50 addresses were taken; the rest waits until the queue of its host is shorter"
        )
        assert held.frontier.ledger.backlog.of("a.example") == 21
        lists = held.frontier._rooms.answers._listings
        lists.go_on(MAP, entry)
        put_off = held.entry(MAP)
        assert (put_off.state, put_off.due, put_off.taken) == (State.QUEUED, held.clock.wall() + 60, 20)
        for number in range(11):
            held.answered(f"{A}p{number}")
        held.clock.advance(60)
        held.frontier._rooms.intake.requeue_retries()
        lists.go_on(MAP, held.entry(MAP))
        lists.take_some()
        assert held.entry(MAP).taken == 20 + 20 - 10, "it counts itself"
        assert held.frontier.ledger.get(f"{A}p29") is not None
        assert held.frontier.ledger.get(f"{A}p30") is None
        assert (held.entry(f"{A}p29").depth, held.entry(f"{A}p29").referrer) == (1, MAP)


@pytest.mark.usefixtures("small")
def test_a_list_that_was_taken_to_its_end_is_done(tmp_path: Path) -> None:
    links = listed(24)
    with books(tmp_path, outward=Outward(again=lambda url, then: then(Page(url, links=links)))) as held:
        begun(held, links)
        for number in range(15):
            held.answered(f"{A}p{number}")
        held.frontier._rooms.answers._listings.go_on(MAP, held.entry(MAP))
        held.frontier._rooms.answers._listings.take_some()
        entry = held.entry(MAP)
        assert (entry.state, entry.taken, entry.due, entry.reason) == (State.DONE, 0, 0.0, "")
        assert held.state(f"{A}p23") == "QUEUED"
        assert [url for _, url in held.table.scan(QUEUE) if url == MAP.encode()] == []


@pytest.mark.usefixtures("small")
def test_a_short_list_leaves_nothing_behind_and_a_full_host_takes_a_few_all_the_same(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        begun(held, listed(20))
        assert held.state(MAP) == "DONE"
        more = f"{A}more"
        held.frontier.add([Found(more, kind=Kind.SITEMAP)])
        held.frontier.sift()
        held.answered(more)
        links = tuple(Link(f"{A}q{number}", place="sitemap") for number in range(9))
        now = held.frontier._rooms.answers._listings.begin(more, Page(more, links=links)).links
        assert [link.url for link in now] == [f"{A}q{number}" for number in range(4)]


@pytest.mark.usefixtures("small")
def test_no_more_sitemaps_than_so_many_come_in_at_once(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        links = (*listed(2), *listed(9, f"{A}i/", INDEX))
        now = held.frontier._rooms.answers._listings.begin(MAP, Page(MAP, links=links)).links
        assert [link.url for link in now] == [link.url for link in links[:6]]
        assert held.frontier._rooms.answers._listings.begin(MAP, Page(MAP)).links == ()


@pytest.mark.usefixtures("small")
def test_a_list_that_the_archive_lost_is_done_and_says_so(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        begun(held, listed(50))
        for number in range(20):
            held.answered(f"{A}p{number}")
        held.frontier._rooms.answers._listings.open.clear()  # as after a restart
        held.frontier._rooms.answers._listings.go_on(MAP, held.entry(MAP))
        assert (held.state(MAP), held.entry(MAP).reason) == ("DONE", "the rest of it is not in the archive any more")


# ---------------------------------------------------------------- what is wasted


def test_an_answer_is_counted_for_its_kind_unless_it_was_asked_for(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        novelty = held.frontier._parts.worth._novelty
        held.frontier.add(
            [Found(f"{A}seed/x"), Found(f"{A}dir/x", 1, f"{A}seed/x"), Found(f"{A}map/x", 1, kind=Kind.SITEMAP)]
        )
        held.frontier.sift()
        for url in (f"{A}seed/x", f"{A}map/x"):
            held.answered(url, page={"text": "words " * 20})
        assert novelty._hosts.use("a.example\0").fetched == 0, "seeds and sitemaps are no matter of choice"
        assert novelty._hosts.use("a.example\0").waiting == 1
        held.answered(f"{A}dir/x", page={"text": " ".join(f"w{chr(97 + n)}" for n in range(26))})
        host = novelty._hosts.use("a.example\0")
        assert (host.fetched, host.waiting, host.best) == (1, 0, pytest.approx(1 / 3))


@pytest.mark.parametrize(
    ("status", "page", "fetched", "best"),
    [
        (404, {}, 1, 0.0),
        (410, {}, 1, 0.0),
        (403, {}, 0, 0.0),
        (200, {"text": "w " * 9, "copy_of": B}, 1, 0.0),
        (200, {}, 0, 0.0),
    ],
)
def test_what_an_answer_is_worth(tmp_path: Path, status: int, page: dict[str, str], fetched: int, best: float) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(f"{A}dir/x", 1, B)])
        held.frontier.sift()
        held.answered(f"{A}dir/x", status, page=page)
        host = held.frontier._parts.worth._novelty._hosts.use("a.example\0")
        assert (host.fetched, host.best, host.waiting) == (fetched, best, 0)


def test_a_redirect_to_what_is_known_brought_nothing_and_one_to_a_new_address_is_not_counted(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(C), Found(f"{A}dir/x", 1, B), Found(f"{A}dir/y", 1, B)])
        held.frontier.sift()
        held.answered(f"{A}dir/x", 301, headers=(("location", f"{A}new"),))
        host = held.frontier._parts.worth._novelty._hosts.use("a.example\0")
        assert host.fetched == 0
        held.answered(f"{A}dir/y", 301, headers=(("location", C),))
        assert host.fetched == 1


def test_a_list_is_paid_when_a_page_of_another_kind_that_it_led_to_is_new(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        novelty = held.frontier._parts.worth._novelty
        source = f"{A}list/one"
        held.frontier.add([Found(source, 1, B), Found(f"{A}item/two", 2, source), Found(f"{A}list/three", 2, source)])
        held.frontier.sift()
        held.answered(source, page={"text": "w " * 40})
        before = novelty._rows(template(source))[1][0].fresh
        text = " ".join("".join(chr(97 + int(d)) for d in f"{n:03}") for n in range(40))
        held.answered(f"{A}list/three", page={"text": text[::-1]})
        same = novelty._rows(template(source))[1][0].fresh
        assert same - before <= 1.0, "its own kind is not paid twice"
        held.answered(f"{A}item/two", page={"text": text})
        assert novelty._rows(template(source))[1][0].fresh == min(same + 0.5, 2.0)


# ------------------------------------------------------------------------ cash


def test_cash_is_shared_and_what_is_left_goes_to_all_that_wait(table: Table) -> None:
    cash = Importance(table, teleport=0)
    assert cash.open(A) == 0
    share = cash.spend(A, 2)
    assert share == Sums().total // 2
    cash.give([B, C], share)
    assert cash.gifts == 2
    assert cash.open(B) == share
    assert cash.gifts == 1
    assert cash.count() == [C]
    assert cash.gifts == 0
    cash.save()
    assert list(audit(table)) == []
    assert importance(table, B) == importance(table, C) == 0.25
    assert importance(table, A) == 0.5
    assert importance(table, "http://d.example/") is None
    again = Importance(table)
    assert again.open(B) == share
    assert again.spend(B, 0) == 0, "without links the virtual page has all"
    again.save()
    assert list(audit(table)) == []


def test_the_virtual_page_gets_its_part_of_every_sharing(table: Table) -> None:
    cash = Importance(table, teleport=15)
    cash.open(A)
    assert cash.spend(A, 4) == Sums().total * 85 // 100 // 4


def test_what_is_closed_leaves_its_cash_to_the_others(table: Table) -> None:
    cash = Importance(table)
    for url in (A, B):
        cash.open(url)
    cash.give([A], 1_000)
    cash.close(A)
    cash.count()
    cash.save()
    assert list(audit(table)) == []
    assert cash._books.waiting == 1
    assert cash._books.pot == Sums().total + 1_000


def test_wrong_sums_are_found(table: Table) -> None:
    cash = Importance(table)
    assert list(audit(table)) == [], "no cash is kept"
    cash.open(A)
    cash.save()
    assert list(audit(table)) == []
    cash._books.total += 1
    cash._books.waiting += 1
    cash.save()
    said = list(audit(table))
    assert said[0].startswith("there should be ")
    assert said[1] == "2 addresses should hold cash, but 1 do"


@pytest.mark.parametrize("gathered", [1, 2])
def test_gifts_are_counted_before_a_commit_when_there_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gathered: int
) -> None:
    monkeypatch.setattr(opic, "GATHERED", gathered)
    with books(tmp_path, weigh=True, order=by_importance) as held:
        held.frontier.add([Found(A), Found(B, 1)])
        held.frontier.sift()
        before = held.entry(B)
        held.answered(A, 200, B)
        assert (held.entry(B).rank < before.rank) == (gathered == 1)
        held.frontier.prepare()
        assert held.entry(B).rank < before.rank


def test_an_address_moves_when_it_has_gained_and_not_while_it_is_out_or_waits_for_a_retry(tmp_path: Path) -> None:
    with books(tmp_path, weigh=True, order=by_importance) as held:
        frontier = held.frontier
        frontier.add([Found(A, 1), Found(B, 1), Found(C, 1)])
        frontier.sift()
        before = {url: held.entry(url) for url in (A, B, C)}
        held.answered(B, 500)
        flow = frontier._rooms.intake.flow
        assert flow is not None
        frontier._rooms.in_flight.moving.add(C)
        flow.receive([A, B, C], 1 << 40)
        frontier._move(flow)
        assert held.entry(A).rank < before[A].rank
        assert held.entry(A).position > before[A].position
        assert held.entry(B).due > 0
        assert held.entry(C) == before[C]
        assert sum(url == A.encode() for _, url in held.table.scan(QUEUE)) == 1
        frontier._rooms.in_flight.moving.discard(C)
