"""Rows as answers: which state an entry is in, whether it is broken, and what became of a page, case by case."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from gossamer.collection.ask import addresses as listing
from gossamer.collection.ask import changes as changing
from gossamer.collection.ask.addresses import STATES, address, host_of, under
from gossamer.collection.ask.broken import Broken, Fault, Redirects, Source, is_broken, linked
from gossamer.collection.ask.change_details import Texts
from gossamer.collection.ask.changes import Change, Wanted, _Comparison
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.crawl import link_check
from gossamer.collection.crawl.outside import REAL
from gossamer.errors import NotFound, UsageError
from gossamer.frontier.entries import FORBIDDEN, Entry, State
from gossamer.frontier.ledger import CHAIN_MOST, Ledger
from gossamer.frontier.worth.soft404 import SAME_TARGET
from gossamer.model import Kind
from gossamer.plan import Plan
from gossamer.store.table.table import Table
from gossamer.store.versions import Version
from gossamer.urls import keys
from gossamer.urls.scope import OUTSIDE, Scope

A, B, C = (f"http://{name}.test/" for name in "abc")
THEN = 1_794_700_800.0


def entry(state: State = State.DONE, **more: Any) -> Entry:
    return Entry(state, 1, THEN, **({"status": 200 if state is State.DONE else 0} | more))


# ------------------------------------------------------------------------------- listed

STANDS: dict[str, tuple[Entry, set[str]]] = {
    "a page": (entry(), {"done", "page"}),
    "a copy": (entry(copy=True), {"done", "page", "duplicate"}),
    "a near copy": (entry(near=True), {"done", "page", "near-copy"}),
    "a redirect": (entry(status=301, target=B), {"done", "redirect"}),
    "a copy that is a redirect now": (entry(status=301, target=B, copy=True, near=True), {"done", "redirect"}),
    "one that redirected and is to be asked again": (entry(State.QUEUED, target=B), {"queued"}),
    "a failure": (entry(State.FAILED, status=404), {"failed"}),
    "one that was left out": (entry(State.EXCLUDED, reason="depth"), {"excluded"}),
    "a picture that failed": (entry(State.FAILED, status=404, kind=Kind.RESOURCE), {"missing"}),
    "a picture that was left out": (entry(State.EXCLUDED, kind=Kind.RESOURCE), {"missing"}),
}


@pytest.mark.parametrize(("row", "states"), STANDS.values(), ids=STANDS.keys())
def test_an_address_is_in_the_states_that_status_counts_it_in(row: Entry, states: set[str]) -> None:
    assert {name for name, holds in STATES.items() if holds(row)} == states | {"unread"}


def test_a_row_is_told_as_it_is_and_what_is_unknown_is_nothing() -> None:
    told = address(A, entry(State.QUEUED, reason="http 503", attempt=2, due=THEN + 60, visited=THEN, referrer=B))
    assert told.as_json() == {
        "url": A,
        "state": "queued",
        "reason": "http 503",
        "status": None,
        "kind": "page",
        "depth": 1,
        "found": "2026-11-15T00:00:00Z",
        "visited": "2026-11-15T00:00:00Z",
        "next_time": "2026-11-15T00:01:00Z",
        "attempts": 2,
        "referrer": B,
        "target": None,
    }
    bare = address(A, entry(status=301, target=B))
    assert (bare.visited, bare.next_time, bare.status, bare.target) == (None, None, 301, B)


def test_a_site_is_its_host_and_all_below_and_no_host_that_begins_alike() -> None:
    prefixes = under("a.test")
    urls = [A, "https://www.a.test/x", "http://ab.test/", "http://test/", "http://a.test.example/"]
    assert [url for url in urls if keys.row(url).startswith(prefixes)] == urls[:2]
    assert host_of("http://A.test:80/x") == host_of("a.test") == "a.test"
    assert [listing.has_port(site) for site in ("a.test", "http://a.test:80/x", "a.test:81", "[::1]", "[::1]:81")] == [
        *(False, False, True, False, True)
    ]
    with pytest.raises(UsageError, match="neither a site nor a host"):
        host_of("a b")


class Counted:
    """A ledger that has met two reasons."""

    def __init__(self, _table: object) -> None:
        reasons = {"failures": {"http 404": 1}, "exclusions": {"robots": 2}, "missing": {}}
        self.counts = SimpleNamespace(**reasons, remarks=None, retries=None)


def test_a_reason_that_is_counted_means_itself_and_other_words_a_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "Ledger", Counted)
    readers = cast(ShardReaders, SimpleNamespace(tables=[None, None]))
    reasons = ["http 404", "http 404: not found", "http 4040", "robots", "Robots.txt says no", ""]

    def because(words: str | None) -> list[str]:
        return [*filter(listing._because(readers, words), reasons)]

    assert because(None) == reasons
    assert because("http 404") == reasons[:2]
    assert because("robots") == ["robots"]
    assert because("ROBOTS") == ["robots", "Robots.txt says no"]
    assert because("http") == reasons[:3]
    with pytest.raises(UsageError, match="empty"):
        because(" ")


# ------------------------------------------------------------------------------- broken


@pytest.mark.parametrize(
    ("row", "broken"),
    [
        (entry(State.FAILED), True),
        (entry(State.QUEUED, attempt=1, reason="http 503"), True),
        (entry(State.QUEUED, attempt=0, reason="http 503"), True),  # it is asked for again, and was not answered yet
        (entry(State.QUEUED, attempt=1), False),
        (entry(State.QUEUED), False),
        (entry(reason=SAME_TARGET), True),
        (entry(State.EXCLUDED, reason=SAME_TARGET), False),
        (entry(), False),
    ],
)
def test_what_failed_for_good_or_so_far_or_in_disguise_is_broken(row: Entry, broken: bool) -> None:
    assert is_broken(row) is broken


def named(*urls: str) -> set[int]:
    return set(map(keys.fingerprint, urls))


def test_redirects_are_followed_to_what_they_lead_to_in_the_end() -> None:
    chain, redirects = [f"{A}{number}" for number in range(CHAIN_MOST + 3)], Redirects()
    for here, there in pairwise(chain):
        redirects.add(here, there)
    redirects.add(B, C)
    found = redirects.leading_to(named(chain[-1]))
    assert set(found) == named(*chain[-1 - CHAIN_MOST : -1]), "as far as a crawl follows them"
    assert set(found.values()) == named(chain[-1])
    assert redirects.leading_to(named(B)) == {}
    assert Redirects().leading_to(named(A)) == {}


def test_redirects_in_a_circle_come_to_an_end() -> None:
    redirects = Redirects()
    redirects.add(A, B)
    redirects.add(B, A)
    assert set(redirects.leading_to(named(A))) == named(A, B)


def linked_to(faults: dict[str, Fault], site: str | None = None) -> list[Broken]:
    none = cast(ShardReaders, SimpleNamespace(all=[], places=[]))
    return list(linked(none, lambda capture: pytest.fail("nothing is read"), faults, Redirects(), site))


def test_what_no_page_links_to_is_named_with_where_it_was_found() -> None:
    faults = {B: Fault("http 404", 404, referrer=f"{A}sitemap.xml"), A: Fault("http 500", 500, THEN)}
    seed, mapped = linked_to(faults)
    assert (seed.url, seed.sources, seed.again, seed.external) == (A, (), THEN, False)
    assert (mapped.url, mapped.sources) == (B, (Source(f"{A}sitemap.xml", ""),))
    assert mapped.as_json() == {
        "url": B,
        "reason": "http 404",
        "status": 404,
        "again": None,
        "external": False,
        "links": [{"url": f"{A}sitemap.xml", "anchor": "", "via": None}],
    }
    assert [each.url for each in linked_to(faults, "a.test")] == [B]
    assert linked_to(faults, "c.test") == []
    assert linked_to({C: Fault("http 404", 404, external=True)}) == [], "nobody links there"


# ----------------------------------------------------------------------------- external


def test_what_is_outside_the_scope_is_asked_and_nothing_else_that_was_left_out() -> None:
    scope = Scope(kind="host", seeds=frozenset({A}))
    elsewhere = OUTSIDE["host"]
    for row, asked in (
        (entry(State.EXCLUDED, reason=elsewhere), True),
        (entry(State.EXCLUDED, reason=elsewhere, kind=Kind.SITEMAP), False),
        (entry(State.QUEUED, reason=elsewhere), False),
        (entry(State.EXCLUDED, reason="robots"), False),
        (entry(State.EXCLUDED, reason=link_check.NOFOLLOW), True),
    ):
        assert link_check._is_outside(B, row, scope) is asked
    assert not link_check._is_outside(f"{A}x", entry(State.EXCLUDED, reason=link_check.NOFOLLOW), scope)


class Rows:
    """A ledger in memory."""

    def __init__(self, **rows: Entry) -> None:
        self.rows = {f"http://{name}.test/": row for name, row in rows.items()}

    def end_of(self, url: str) -> tuple[str, Entry | None]:
        found = self.rows.get(url)
        return (found.target, self.rows.get(found.target)) if found and found.target else (url, found)


def test_what_was_asked_is_counted_and_what_waits_for_its_turn_is_not() -> None:
    rows = Rows(
        a=entry(State.FAILED, reason="http 404", status=404),
        b=entry(status=301, target=A),
        c=entry(),
        d=entry(State.QUEUED),
        e=entry(State.QUEUED, attempt=1, reason="http 503", status=503),
        f=entry(State.EXCLUDED, reason=FORBIDDEN),
        g=entry(State.QUEUED),
    )
    urls = [*rows.rows, "http://never.test/"]
    why = {"http://d.test/": "the host is busy", "http://g.test/": Fault("connect: refused", external=True)}
    found = link_check.judged(cast(Ledger, rows), urls, why.__getitem__)
    assert (found.asked, found.of) == (5, 8)
    assert found.unasked == {"the host is busy": 1, FORBIDDEN: 1, link_check.TOO_EARLY: 1}
    assert found.faults == {
        "http://g.test/": Fault("connect: refused", external=True),
        A: Fault("http 404", 404, external=True),
        B: Fault(f"redirects to {A}: http 404", 404, external=True),
        "http://e.test/": Fault("http 503", 503, external=True),
    }


def test_a_check_is_a_small_polite_crawl_of_single_pages() -> None:
    plan = link_check.plan_for(Plan(delay=3.5, pages=9, patience=7.0), [A, B])
    assert (plan.seeds, plan.scope, plan.sitemaps, plan.shards, plan.build) == ((A, B), "page", "never", 1, False)
    assert (plan.delay, plan.pages, plan.patience, plan.disk_pause, plan.disk_pause_share) == (3.5, 0, 0.0, 0, 0.0)
    assert {plan.html_bytes, plan.text_bytes, plan.document_bytes} == {65_536}


# ------------------------------------------------------------------------------ changes


def version(after: float, status: int = 200, digest: str = "1", title: str = "") -> Version:
    return Version(THEN + after, status, Kind.PAGE, "text/html", None, digest, 1, title, "f", 0, 1, "r")


PAGE = entry(visited=THEN)
CASES: dict[str, tuple[Entry, Sequence[Version], str | None]] = {
    "it was met at the very moment": (PAGE, [version(0)], "new"),
    "it came later": (PAGE, [version(5)], "new"),
    "it was there": (PAGE, [version(-5)], "unchanged"),
    "it was there and was not asked": (replace(PAGE, visited=THEN - 1), [version(-5)], "unasked"),
    "it has other bytes": (PAGE, [version(5, digest="2"), version(-5)], "changed"),
    "it has the same bytes": (PAGE, [version(5), version(-5)], "unchanged"),
    "it redirects": (PAGE, [version(5, 301), version(-5)], "moved"),
    "it is not there": (entry(State.FAILED, visited=THEN), [version(5, 404), version(-5)], "gone"),
    "it was gone and is back": (PAGE, [version(5), version(-5, 404), version(-9)], "back"),
    "it was an error and is a page": (PAGE, [version(5), version(-5, 404)], "new"),
    "it is gone as it was": (entry(State.FAILED), [version(-5, 404), version(-9)], None),
    "it was never a page": (entry(status=301), [version(5, 301), version(-5, 301)], None),
    "it came and is an error in disguise": (replace(PAGE, reason=SAME_TARGET), [version(5)], None),
    "it has become one": (replace(PAGE, reason=SAME_TARGET), [version(5, digest="2"), version(-5)], "gone"),
    "it is one as before": (replace(PAGE, reason=SAME_TARGET), [version(5), version(-5)], "unchanged"),
    "it was one": (replace(PAGE, reason=SAME_TARGET), [version(-5)], "unchanged"),
    "it came and was left out": (entry(State.EXCLUDED), [version(5)], None),
    "it failed": (entry(State.FAILED, visited=THEN), [version(-5)], "unreached"),
    "it failed before": (entry(State.FAILED, visited=THEN - 1), [version(-5)], "unasked"),
    "it is tried again": (entry(State.QUEUED, visited=THEN, attempt=1), [version(-5)], "unreached"),
    "it waits for its turn": (entry(State.QUEUED, visited=THEN), [version(-5)], "unchanged"),
}


def compared(row: Entry, versions: Sequence[Version]) -> Change | None:
    """What became of a page whose words are those of its bytes."""
    texts = SimpleNamespace(same=lambda url, one, other: one.digest == other.digest)
    table = cast(Table, SimpleNamespace(get=lambda family, key: None))  # no watch has been here
    return _Comparison(table, cast(Texts, texts), THEN, Wanted()).of(A, row, versions)


@pytest.mark.parametrize(("row", "versions", "kind"), CASES.values(), ids=CASES.keys())
def test_what_became_of_a_page(row: Entry, versions: Sequence[Version], kind: str | None) -> None:
    found = compared(row, versions)
    assert (found.kind if found else None) == kind


def test_a_change_names_both_versions_the_title_and_why() -> None:
    gone = entry(State.FAILED, reason="http 404", visited=THEN)
    assert compared(gone, [version(5, 404), version(-5, title="Once")]) == Change(
        A, "gone", "Once", "http 404", THEN - 5, THEN + 5, THEN + 5
    )
    assert compared(replace(PAGE, reason="said"), [version(5, title="Now")]) == Change(
        A, "new", "Now", "", None, THEN + 5, THEN + 5
    )
    lost = entry(State.FAILED, reason="no answer", visited=THEN)
    assert compared(lost, [version(-5, title="Once")]) == Change(
        A, "unreached", "Once", "no answer", THEN - 5, None, THEN
    )


def test_a_change_is_told_to_machines_with_its_dates() -> None:
    change = Change(A, "gone", "Once", "http 404", THEN, None, THEN)
    assert change.as_json() == {
        "url": A,
        "kind": "gone",
        "title": "Once",
        "reason": "http 404",
        "before": "2026-11-15T00:00:00Z",
        "after": None,
        "seen": "2026-11-15T00:00:00Z",
        "words_added": None,
        "words_removed": None,
        "added": "",
        "removed": "",
        "id": change.id,
    }
    assert change.id != replace_seen(change, THEN + 1).id


def replace_seen(change: Change, seen: float) -> Change:
    return Change(change.url, change.kind, change.title, change.reason, change.before, change.after, seen)


def test_changes_that_are_walked_through_twice_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    same = Change(B, "unchanged", "", "", THEN, None, THEN)
    found = {"new": Change(A, "new", "", "", None, THEN, THEN), "unchanged": same}
    monkeypatch.setattr(
        changing.Changes, "_of_shard", lambda self, number, reader: iter(found[kind] for kind in reader)
    )
    readers = cast(ShardReaders, SimpleNamespace(all=[("new", "unchanged"), ("unchanged",)]))
    changes = changing.Changes(readers, (THEN, THEN), Wanted(detailed=False))
    assert list(changes) == list(changes) == [found["new"]]
    assert changes.words == "1 new, 0 changed, 0 gone, 2 unchanged"


def test_a_shard_that_does_not_know_when_a_crawl_began_cannot_say_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changing.runs, "of", lambda begun: begun)
    readers = cast(ShardReaders, SimpleNamespace(all=[1, 2], tables=[[THEN - 9, THEN], [THEN + 1]]))
    assert changing.begun(readers) == (THEN, THEN + 1)
    readers.tables[1] = []  # type: ignore[index]  # a fake
    with pytest.raises(NotFound, match="--since"):
        changing.begun(readers)


def test_where_no_link_leads_out_nobody_is_asked() -> None:
    told: list[link_check.External] = []
    none = link_check.Wanted([], 0)
    assert asyncio.run(link_check.check(Plan(), none, REAL, told.append)) == link_check.External({}, 0, 0)
    assert told == []
