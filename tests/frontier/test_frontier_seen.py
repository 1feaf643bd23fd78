"""Each address once, in the order of discovery, however links are gathered; the table is read only where it must be."""

from __future__ import annotations

import logging
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from books import books
from finding import Finder
from hypothesis import given, settings
from hypothesis import strategies as st
from small_web import Answer, SmallWeb, crawl_small

from gossamer import model
from gossamer.collection.column_families import FAMILIES
from gossamer.frontier import Entry, Frontier, Politeness
from gossamer.frontier.discover import intake
from gossamer.frontier.discover.discovery import NOFOLLOW, Discovery, Found
from gossamer.frontier.discover.requisites import Requisites
from gossamer.frontier.entries import State
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.rules import Rules
from gossamer.model import Capture, Kind, Link, Page, Visit
from gossamer.store.table.table import Table
from gossamer.testing import run, running_clock
from gossamer.urls.scope import Scope

HOME = "http://a.example/"
SCOPE = Scope(kind="any", max_depth=3, exclude=("secret",))
SOFT = ("only nofollow links", "deeper than")


@contextmanager
def finder(folder: Path, scope: Scope = SCOPE, rewrite: object = None) -> Iterator[Finder]:
    with Table.open(folder / "table", FAMILIES, writable=True) as table:
        yield Finder(table, folder / "seen", scope, rewrite=rewrite)


@pytest.fixture
def finding(tmp_path: Path) -> Iterator[Finder]:
    with finder(tmp_path) as made:
        yield made


# ------------------------------------------------------- the same as one by one


def expected(discovery: Discovery, pages: Sequence[Sequence[Found]]) -> tuple[dict[str, Entry], list[str]]:
    """The rules, told again: every link is judged when it is met, against all that is known."""
    known: dict[str, Entry] = {}
    queued: list[str] = []
    for links in pages:
        for link in links:
            url, reason, old = link.url, discovery.refusal(link), known.get(link.url)
            if old is None:
                state = State.EXCLUDED if reason else State.QUEUED
                known[url] = Entry(state, link.depth, 1.0, reason or "", link.kind, link.hops, 0, link.referrer)
                queued += [] if reason else [url]
            elif reason is None and old.state is State.EXCLUDED and old.reason.startswith(SOFT):
                changes = {"depth": link.depth, "hops": link.hops, "referrer": link.referrer}
                known[url] = msgspec.structs.replace(old, state=State.QUEUED, reason="", **changes)
                queued.append(url)
            elif reason is None and old.state is State.QUEUED and link.depth < old.depth:
                known[url] = msgspec.structs.replace(old, depth=link.depth)
    return known, queued


NAMES = ["1", "2", "3", "4", "5", "6", "secret", "map"]
LINK = st.builds(
    Found,
    st.sampled_from(NAMES).map(HOME.__add__),
    st.integers(0, 5) | st.sampled_from([254, 255, 256, 300]),
    st.sampled_from(["http://b.example/", None]),
    st.sampled_from([Kind.PAGE, Kind.PAGE, Kind.SITEMAP]),
    st.sampled_from([0, 0, 11]),
    st.booleans(),
    st.just(0),
    st.just(""),
)
NEEDED = st.builds(
    Found,
    st.sampled_from(["1", "2.css", "secret.css", "secret"]).map(HOME.__add__),
    st.integers(0, 5),
    st.sampled_from(["http://b.example/", None]),
    st.sampled_from([Kind.PAGE, Kind.RESOURCE]),
    st.just(0),
    st.booleans(),
    st.just(0),
    st.just(""),
)


@settings(max_examples=60)
@given(st.lists(NEEDED, max_size=12))
def test_what_pages_need_and_link_to_ends_the_same_in_one_batch_and_one_by_one(links: list[Found]) -> None:
    ends = []
    for at_once in (1, len(links) or 1):
        with (
            tempfile.TemporaryDirectory() as folder,
            Table.open(Path(folder) / "table", FAMILIES, writable=True) as table,
        ):
            made = Finder(table, Path(folder) / "seen", SCOPE, needs=Requisites(0))
            for start in range(0, len(links), at_once):
                made.meet(*links[start : start + at_once])
                made.sift()
            ends.append((list(made.ledger.all()), made.ledger.counts, made.queued))
    assert ends[0] == ends[1]


AFTER_A_PAGE = st.sampled_from(["", "", "sift", "commit", "restart"])


@settings(max_examples=60)
@given(st.lists(st.tuples(st.lists(LINK, max_size=6), AFTER_A_PAGE), max_size=14), st.sampled_from([3, 400]))
def test_links_that_are_gathered_end_as_if_each_were_judged_when_met(
    pages: list[tuple[list[Found], str]], deepest: int
) -> None:
    scope = replace(SCOPE, max_depth=deepest)
    queued: list[str] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Table.open(Path(folder) / "table", FAMILIES, writable=True) as table,
    ):
        made = Finder(table, Path(folder) / "seen", scope)
        for links, then in pages:
            made.meet(*links)
            if then == "sift":
                made.sift()
            elif then:
                made.commit()
            if then == "restart":
                queued += made.queued
                made = Finder(table, Path(folder) / "seen", scope)
        made.commit()
        entries, in_order = expected(made.discovery, [links for links, _ in pages])
        assert dict(made.ledger.all()) == entries
        assert queued + made.queued == in_order


def test_new_addresses_come_out_in_the_order_of_discovery_each_once(finding: Finder) -> None:
    rng = random.Random(7)
    met = [f"{HOME}{rng.randrange(3_000)}" for _ in range(12_000)]
    for start in range(0, len(met), 40):
        finding.meet(*(Found(url, 1) for url in met[start : start + 40]))
        if rng.random() < 0.1:
            finding.commit()
    finding.commit()
    assert finding.queued == list(dict.fromkeys(met))


# ------------------------------------------------------------ what it costs


def asked_of(made: Finder, monkeypatch: pytest.MonkeyPatch, *found: Found) -> list[str]:
    """The addresses that the table is asked about when these are met."""
    asked: list[str] = []
    get_many = made.ledger.get_many

    def watched(urls: Sequence[str]) -> list[Entry | None]:
        asked.extend(urls)
        return get_many(urls)

    with monkeypatch.context() as patch:
        patch.setattr(made.ledger, "get_many", watched)
        patch.setattr(made.ledger, "get", None)
        made.meet(*found)
        made.sift()
    return asked


def test_the_table_is_not_read_for_what_is_new_or_known(finding: Finder, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Found(f"{HOME}{number}", 2) for number in range(50)]
    assert asked_of(finding, monkeypatch, *found) == []
    finding.commit()
    assert asked_of(finding, monkeypatch, *found, Found(f"{HOME}7", 3)) == []


def test_the_table_is_read_where_a_link_may_change_something(finding: Finder, monkeypatch: pytest.MonkeyPatch) -> None:
    deep, shut = Found(f"{HOME}deep", 2), Found(f"{HOME}shut", 1, followed=False)
    finding.meet(deep, shut)
    finding.commit()
    assert asked_of(finding, monkeypatch, deep._replace(depth=1), shut) == [deep.url, shut.url]
    assert finding.ledger.get(deep.url).depth == 1  # type: ignore[union-attr]
    assert asked_of(finding, monkeypatch, deep._replace(depth=1), shut._replace(followed=True)) == [shut.url]
    assert asked_of(finding, monkeypatch, shut._replace(followed=True)) == []
    assert finding.queued == [deep.url, shut.url]


def test_a_link_to_what_was_met_lately_is_recognised_in_the_form_that_the_rules_give_it(tmp_path: Path) -> None:
    with finder(tmp_path, rewrite=lambda url: url.partition("?session=")[0]) as made:
        links = [Link(f"{HOME}{page}?session={visit}") for page in range(5) for visit in range(3)]
        new = made.discovery.new_links(links, 1)
        assert new == [(f"{HOME}{page}", f"{HOME}{page}?session=0", True) for page in range(5)]
        made.intake.follow(Visit(HOME), links, {})
        assert made.new_links([Link(f"{HOME}3?session=99"), Link(f"{HOME}9?session=1")], 1) == [f"{HOME}9?session=1"]
        made.sift()
        assert made.queued == [f"{HOME}{page}" for page in range(5)]


def test_a_link_to_what_waits_to_be_sifted_is_met_lately_unless_it_could_matter(finding: Finder) -> None:
    finding.meet(Found(f"{HOME}1", 2), Found(f"{HOME}2", 2, followed=False), Found(f"{HOME}3", 4))
    links = [Link(f"{HOME}{number}") for number in (1, 2, 3)]
    assert finding.new_links(links, 2) == [f"{HOME}2", f"{HOME}3"]
    assert finding.new_links(links, 1) == [link.url for link in links]


def test_what_is_new_in_a_batch_is_told_before_it_is_queued(finding: Finder) -> None:
    finding.meet(Found(f"{HOME}1", 2), Found(f"{HOME}2", 2))
    finding.sift()
    finding.meet(Found(f"{HOME}2", 1), Found(f"{HOME}3", 2))
    finding.sift()
    assert finding.expected == [[f"{HOME}1", f"{HOME}2"], [f"{HOME}3"]]


# ------------------------------------------------------- collisions and limits


def test_two_addresses_with_one_fingerprint_are_at_worst_one_too_few(
    finding: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gossamer.urls.keys.fingerprint", lambda url: 42)
    finding.meet(Found(f"{HOME}1", 2))
    finding.sift()
    finding.meet(Found(f"{HOME}2", 2))
    finding.sift()
    assert finding.queued == [f"{HOME}1"]
    finding.meet(Found(f"{HOME}3", 1))
    finding.sift()
    assert finding.queued == [f"{HOME}1", f"{HOME}3"]


@pytest.mark.parametrize(
    ("noted", "met", "known"),
    [
        (0, 0, True),
        (254, 254, True),
        (254, 10_000, True),
        (254, 253, False),
        (255, 255, False),
        (300, 10_000, False),
        (None, 0, False),
        (None, 10_000, False),
    ],
)
def test_a_depth_of_any_size_is_judged_rightly(finding: Finder, noted: int | None, met: int, known: bool) -> None:
    new = finding.seen.batch([(HOME, met)])
    assert (new.new, new.unsure, new.knows(HOME, met)) == ([HOME], [], False)
    finding.seen.note(HOME, noted)
    batch = finding.seen.batch([(HOME, met)])
    assert (batch.new, batch.unsure, batch.knows(HOME, met)) == ([], [] if known else [HOME], known)


# ------------------------------------------------------------------- rebuilding


def test_a_set_of_addresses_that_was_lost_is_made_again_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = [Found(f"{HOME}{number}", number % 3) for number in range(100)]
    shut = Found(f"{HOME}shut", 1, followed=False)
    with finder(tmp_path) as made:
        made.meet(*known, shut)
        made.commit()
    for path in (tmp_path / "seen").iterdir():
        path.unlink()
    monkeypatch.setattr("gossamer.frontier.discover.seen.REBUILT_AT_ONCE", 7)
    with caplog.at_level(logging.WARNING), finder(tmp_path) as made:
        (line,) = caplog.messages
        assert "made again from the table" in line
        assert asked_of(made, monkeypatch, *known) == []
        assert asked_of(made, monkeypatch, shut) == [shut.url]
        assert made.queued == []
        made.commit()
    caplog.clear()
    with finder(tmp_path) as made:
        assert asked_of(made, monkeypatch, *known) == []
        assert caplog.messages == []


def test_a_new_collection_has_nothing_to_tell(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with finder(tmp_path) as made:
        made.commit()
    assert caplog.messages == []


def test_what_a_narrower_scope_has_put_out_is_asked_about_again(tmp_path: Path) -> None:
    far, other = f"{HOME}far", "http://b.example/"
    with books(tmp_path, scope=Scope(kind="any", max_depth=3)) as held:
        held.frontier.add([Found(far, 3), Found(other, 1)])
        held.frontier.prepare()
    narrower = Scope(kind="host", seeds=frozenset({HOME}), max_depth=2)
    with books(tmp_path, scope=narrower) as held:
        held.frontier.begin_reconsidering()
        held.frontier.reconsider()
        assert (held.state(far), held.state(other)) == ("EXCLUDED", "EXCLUDED")
        assert held.frontier._parts.seen.batch([(far, 3), (other, 3)]).unsure == [far]


# ------------------------------------------------------------- in the frontier


@pytest.mark.parametrize("at_once", [1, 7, 10**6])
def test_a_crawl_ends_the_same_for_any_number_sifted_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(intake, "BATCH", at_once)
    rng = random.Random(5)
    pages = [f"http://h{number % 7}.example/{number}" for number in range(150)]
    answers: dict[str, Answer] = {url: Answer(tuple(rng.choices(pages, k=8))) for url in pages}
    web = SmallWeb({HOME: Answer(tuple(pages[:3])), **answers})
    done = crawl_small(web, tmp_path, HOME, politeness=Politeness(delay=0.0, ip_delay=0.0))
    reached, waiting = {HOME}, [HOME]
    while waiting:
        new = set(web.answers[waiting.pop()].links) - reached  # type: ignore[union-attr]
        reached |= new
        waiting += new
    assert sorted(web.asked()) == sorted(reached)
    assert set(done.entries) == reached
    assert done.counts.pages == len(reached)


def in_a_frontier(folder: Path, *acts: object) -> dict[str, Entry]:
    """Let each act do something to a frontier of its own; what it does not commit is lost. The rows at the end."""

    async def job() -> dict[str, Entry]:
        rules = Rules(Scope(kind="any"), Politeness(), "Gossamer", sitemaps=False)
        for act in acts:
            with Table.open(folder / "table", FAMILIES, writable=True) as table:
                act(Frontier(table, rules, running_clock(), seen=folder / "seen"), table)  # type: ignore[operator]
        with Table.open(folder / "table", FAMILIES, writable=True) as table:
            return dict(Ledger(table).all())

    return run(job())


def answered(url: str, *links: str) -> model.Answer:
    visit = Visit(url)
    page = Page(url, "text/html", links=tuple(map(Link, links)))
    return model.Answer(visit, Capture(visit, 0.0, 0.1, 200, (), body=b"", wire=b""), page)


def test_what_a_page_points_to_is_in_the_commit_that_says_it_is_done(tmp_path: Path) -> None:
    def act(made: Frontier, table: Table) -> None:
        made.add([Found(HOME)])
        made.done(answered(HOME, f"{HOME}1", f"{HOME}2"))
        made.prepare()
        table.commit()
        made.add([Found(f"{HOME}lost")])

    entries = in_a_frontier(tmp_path, act)
    assert {url: entry.state.name for url, entry in entries.items()} == {
        HOME: "DONE",
        f"{HOME}1": "QUEUED",
        f"{HOME}2": "QUEUED",
    }


def test_an_answer_from_before_a_kill_finds_the_address_that_led_to_it(tmp_path: Path) -> None:
    def before(made: Frontier, table: Table) -> None:
        made.add([Found(HOME)])
        made.prepare()
        table.commit()

    def after(made: Frontier, table: Table) -> None:
        made.done(answered(HOME, f"{HOME}1"))
        made.done(answered(f"{HOME}1"))
        made.prepare()
        table.commit()

    entries = in_a_frontier(tmp_path, before, after)
    assert [entry.state.name for entry in entries.values()] == ["DONE", "DONE"]


def test_what_was_excluded_softly_gets_its_chance_in_a_crawl(tmp_path: Path) -> None:
    target = f"{HOME}target"
    web = SmallWeb(
        {
            HOME: Answer((target, f"{HOME}good"), rel="nofollow"),
            f"{HOME}other": Answer((target,)),
            target: Answer(),
        }
    )
    done = crawl_small(web, tmp_path, HOME, f"{HOME}other")
    assert done.state(target) == "DONE"
    assert done.reason(f"{HOME}good") == NOFOLLOW
