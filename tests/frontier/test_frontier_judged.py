"""What one answer means: for its address, for the robots.txt of its origin, and for what is remembered of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from books import Books, books

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.answer.outcome import Act, Outcome, judge
from gossamer.frontier.answer.transitions import Settlement, remark
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import HISTORY, LATER, REASON_MOST, ROBOTS, VALIDATOR_MOST, Entry, State, robots_row
from gossamer.frontier.holding import is_page
from gossamer.frontier.ledger import Counts, Ledger
from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.polite.robots_cache import RobotsCache, understood
from gossamer.frontier.queue.agenda import Agenda
from gossamer.frontier.queue.back_queues import Origin, Queues
from gossamer.frontier.queue.retry import NEVER
from gossamer.frontier.worth.opic import Flow
from gossamer.model import Answer, Capture, Failure, Fault, Kind, Link, Page, Visit
from gossamer.robots import SIZE_MOST, Verdict
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock

LIMITS = "were read, as many as html_bytes, text_bytes or document_bytes allows"
URL = "http://a.example/dir/page"
DAY = 86_400.0


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as opened:
        yield opened


def came(status: int = 200, *headers: tuple[str, str], **more: object) -> Capture:
    visit = Visit(URL, **more.pop("visit", {}))  # type: ignore[arg-type]  # fields of a visit
    return Capture(visit, 0.0, 0.1, status, headers, **more)  # type: ignore[arg-type]  # fields of a capture


def judged(capture: Capture, wanted: str = "text/html") -> Outcome:
    return judge(capture, lambda media_type: media_type == wanted)


# ------------------------------------------------------------------ judgement


@pytest.mark.parametrize("status", [200, 201, 206, 299])
def test_a_success_is_kept(status: int) -> None:
    assert judged(came(status)) == Outcome(Act.KEEP)


@pytest.mark.parametrize("status", [100, 199, 300, 305, 306, 399, 404, 500])
def test_what_is_no_success_and_no_redirect_fails(status: int) -> None:
    outcome = judged(came(status, ("location", "http://b.example/")))
    assert (outcome.act, outcome.reason) == (Act.FAIL, f"http {status}")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_leads_to_its_target(status: int) -> None:
    outcome = judged(came(status, ("location", "../other?q=ü")))
    assert outcome == Outcome(
        Act.REDIRECT, "redirect to http://a.example/other?q=%C3%BC", NEVER, "http://a.example/other?q=%C3%BC"
    )


def test_a_location_in_raw_utf_8_is_read_as_such_and_one_in_latin_1_too() -> None:
    raw = "/é".encode().decode("latin-1")
    assert judged(came(301, ("location", raw))).target == "http://a.example/%C3%A9"
    assert judged(came(301, ("location", "/é"))).target == "http://a.example/%C3%A9"


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("", "http 301 without a location"),
        ("mailto:a@b.example", "redirect to what is not a web address: mailto:a@b.example"),
        ("mailto:" + "x" * 300, "redirect to what is not a web address: mailto:" + "x" * 193),
        ("page", "redirect to itself"),
        ("page#part", "redirect to itself"),
    ],
)
def test_a_redirect_to_nowhere_fails_and_is_not_tried_again(location: str, reason: str) -> None:
    outcome = judged(came(301, ("location", location)))
    assert (outcome.act, outcome.reason, outcome.rule.waits) == (Act.FAIL, reason, ())


def test_a_304_is_an_answer_to_a_condition_only() -> None:
    assert judged(came(304)).act is Act.FAIL
    assert "the request had no condition" in judged(came(304)).reason
    assert judged(came(304)).rule.waits == (7_200.0,)
    for visit in ({"etag": '"1"'}, {"modified": "Thu, 01 Jan 2026 00:00:00 GMT"}):
        assert judged(came(304, visit=visit)) == Outcome(Act.UNCHANGED, "not modified")
    assert judged(came(304, source="a.warc.gz:1")).act is Act.UNCHANGED
    assert judged(came(304, source="the archive")).act is Act.FAIL


def test_a_head_decides_whether_the_body_is_wanted() -> None:
    head = {"method": "HEAD"}
    assert judged(came(200, ("content-type", "text/html; charset=utf-8"), visit=head)).act is Act.GET
    assert judged(came(200, visit=head)).act is Act.GET
    assert judged(came(200, ("content-type", "nonsense"), visit=head)).act is Act.GET
    refused = judged(came(200, ("content-type", "image/png"), visit=head))
    assert (refused.act, refused.reason) == (Act.EXCLUDE, "media type image/png is not wanted")
    assert judged(came(405, ("content-type", "image/png"), visit=head)).act is Act.GET
    assert judged(came(300, visit=head)).act is Act.FAIL
    assert judged(came(199, visit=head)).act is Act.FAIL
    assert judged(came(200, ("content-type", "image/png"))).act is Act.KEEP


# ----------------------------------------------------------------- settlement


class Settled:
    """A settlement over a table, and who has heard of an end."""

    def __init__(self, table: Table) -> None:
        self.table, self.clock = table, VirtualClock()
        self.ledger, self.queues, self.retries = Ledger(table), Queues(table, 10), Agenda(table, LATER)
        self.ended: list[str] = []
        self.settle = Settlement(
            self.ledger, self.queues, self.retries, self.clock, cast(Flow, SimpleNamespace(ended=self.ended.append))
        )

    def queued(self, **more: object) -> Entry:
        position = self.queues.append("http://a.example", URL, 0)
        entry = Entry(State.QUEUED, 1, 1.0, position=position, **more)  # type: ignore[arg-type]  # fields of an entry
        return self.ledger.put(URL, entry, None)

    def now(self) -> Entry:
        entry = self.ledger.get(URL)
        assert entry is not None
        return entry


def test_a_page_that_is_kept_leaves_its_queue_and_forgets_its_failures(table: Table) -> None:
    held = Settled(table)
    entry = held.queued(attempt=2, due=5.0, copy=True, near=True, status=500)
    capture = came(203, ("etag", '"2"'), ("last-modified", "then"))
    held.settle.keep(capture, entry, Outcome(Act.KEEP), Page(URL))
    kept = held.now()
    assert (kept.state, kept.status, kept.attempt, kept.due, kept.reason) == (State.DONE, 203, 0, 0.0, "")
    assert (kept.etag, kept.modified, kept.copy, kept.near) == ('"2"', "then", False, False)
    assert kept.history == ((held.clock.wall(), "http 203"),)
    assert kept.visited == held.clock.wall()
    assert list(held.queues.origins()) == []
    assert held.ended == [], "its links are still to be followed"


def test_a_page_that_has_not_changed_keeps_what_is_known_of_it(table: Table) -> None:
    held = Settled(table)
    entry = held.queued(status=200, etag='"1"', modified="then", copy=True, near=True)
    held.settle.keep(came(304), entry, Outcome(Act.UNCHANGED, "not modified"), Page(URL))
    kept = held.now()
    assert (kept.status, kept.etag, kept.modified, kept.copy, kept.near) == (200, '"1"', "then", True, True)
    assert kept.history[-1][1] == "not modified"


def test_a_304_of_what_was_never_seen_is_what_it_is(table: Table) -> None:
    held = Settled(table)
    held.settle.keep(came(304), held.queued(), Outcome(Act.UNCHANGED, "not modified"), Page(URL))
    assert (held.now().status, held.now().copy) == (304, False)


def test_a_copy_is_marked_and_overlong_validators_are_not_kept(table: Table) -> None:
    held = Settled(table)
    entry = held.queued(near=True)
    capture = came(200, ("etag", "e" * VALIDATOR_MOST), ("last-modified", "m" * (VALIDATOR_MOST + 1)))
    held.settle.keep(capture, entry, Outcome(Act.KEEP), Page(URL, copy_of="http://b.example/"))
    kept = held.now()
    assert (kept.copy, kept.near, kept.etag, kept.modified) == (True, False, "e" * 1_000, None)


def test_what_fails_waits_for_its_next_try_and_then_is_given_up(table: Table) -> None:
    held = Settled(table)
    held.settle._jitter = random.Random(1)
    entry = held.queued()
    now = held.clock.wall()
    held.settle.fail(URL, entry, "http 500", (60.0,), 500)
    waits = held.now()
    assert (waits.state, waits.attempt, waits.status, waits.reason) == (State.QUEUED, 1, 500, "http 500")
    assert now + 60 <= waits.due <= now + 75
    assert waits.position == entry.position + 1
    assert held.retries.next_time == pytest.approx(waits.due)
    assert list(held.queues.origins()) == []
    assert held.ended == []
    held.settle.fail(URL, waits, "http 502", (60.0,), 502)
    ended = held.now()
    assert (ended.state, ended.status, ended.reason, ended.due) == (State.FAILED, 502, "http 502", 0.0)
    assert [what for _, what in ended.history] == ["http 500", "http 502"]
    assert held.ended == [URL]


def test_an_end_without_an_answer_has_no_status(table: Table) -> None:
    held = Settled(table)
    held.settle.fail(URL, held.queued(status=500), "no-such-host", ())
    assert (held.now().state, held.now().status) == (State.FAILED, 0)
    held.settle.end(URL, held.now(), State.EXCLUDED, "robots.txt forbids it")
    assert (held.now().state, held.now().status) == (State.EXCLUDED, 0)
    assert held.ended == [URL, URL]


def test_a_redirect_is_done_and_says_where_it_leads(table: Table) -> None:
    held = Settled(table)
    outcome = Outcome(Act.REDIRECT, "redirect to http://b.example/", target="http://b.example/")
    held.settle.moved(URL, held.queued(), outcome, 308)
    moved = held.now()
    assert (moved.state, moved.status, moved.target) == (State.DONE, 308, "http://b.example/")
    assert moved.reason == moved.history[-1][1] == "redirect to http://b.example/"


@pytest.mark.parametrize(
    ("truncated", "page", "said"),
    [
        (None, Page(), ""),
        ("length", Page(), f"cut: its first 5 bytes {LIMITS}"),
        ("length", Page(problem="not readable"), f"cut: its first 5 bytes {LIMITS}; not readable"),
        (
            None,
            Page(links=(Link("http://b.example/"),) * 1_200, links_cut=True),
            "more links than the 1,200 that were followed",
        ),
        ("time", Page(links_cut=True), "cut: time"),
    ],
)
def test_what_should_be_known_of_a_document_is_said(truncated: str | None, page: Page, said: str) -> None:
    assert remark(came(truncated=truncated, body=b"words"), page) == said


# -------------------------------------------------------------------- entries


def test_an_entry_remembers_its_last_tries_and_long_words_are_cut() -> None:
    entry = Entry(State.QUEUED, 0, 0.0)
    for number in range(HISTORY + 3):
        entry = entry.after(float(number), f"try {number}", reason="x" * (REASON_MOST + number))
    assert [what for _, what in entry.history] == [f"try {number}" for number in range(3, 13)]
    assert entry.history[-1] == (12.0, "try 12")
    assert (entry.visited, entry.reason) == (12.0, "x" * 1_000)
    assert entry.after(1.0, "y" * 1_001).history[-1][1] == "y" * 1_000


def test_a_new_entry_has_been_through_nothing() -> None:
    entry = Entry(State.QUEUED, 1, 2.0)
    assert (entry.hops, entry.attempt, entry.due, entry.visited, entry.status) == (0, 0, 0.0, 0.0, 0)
    assert (entry.position, entry.rank, entry.hint, entry.cash, entry.sunk, entry.taken) == (0, 0, 0, 0, 0, 0)
    assert (entry.headed, entry.copy, entry.near) == (False, False, False)


def test_a_visit_is_what_its_entry_says_and_a_304_gives_no_validators() -> None:
    entry = Entry(State.QUEUED, 3, 0.0, kind=Kind.SITEMAP, hops=2, attempt=1, referrer="r", etag="e", modified="m")
    assert entry.visit(URL) == Visit(URL, Kind.SITEMAP, "GET", 3, 2, 1, "r", etag="e", modified="m")
    assert entry.visit(URL, "HEAD").method == "HEAD"
    after_304 = Entry(State.QUEUED, 3, 0.0, status=304, etag="e", modified="m").visit(URL)
    assert (after_304.etag, after_304.modified) == (None, None)


def test_a_page_is_a_document_that_was_fetched() -> None:
    def entry(state: State = State.DONE, status: int = 200, kind: Kind = Kind.PAGE) -> Entry:
        return Entry(state, 0, 0.0, status=status, kind=kind)

    assert [is_page(entry(status=status)) for status in (199, 200, 299, 300)] == [False, True, True, False]
    assert not is_page(entry(State.QUEUED))
    assert not is_page(entry(kind=Kind.SITEMAP))


def test_counts_are_the_sums_of_what_comes_and_goes() -> None:
    counts = Counts()
    entries = [
        Entry(State.QUEUED, 0, 0.0),
        Entry(State.DONE, 0, 0.0, status=200, copy=True),
        Entry(State.DONE, 0, 0.0, status=200, near=True),
        Entry(State.DONE, 0, 0.0, status=301, copy=True, near=True),
        Entry(State.FAILED, 0, 0.0, "http 500"),
        Entry(State.EXCLUDED, 0, 0.0, "too: deep"),
    ]
    for entry in entries:
        counts.shift(entry, 1)
    assert (counts.queued, counts.done, counts.failed, counts.excluded) == (1, 3, 1, 1)
    assert (counts.pages, counts.duplicates, counts.near_duplicates) == (2, 1, 1)
    assert (counts.failures, counts.exclusions) == ({"http 500": 1}, {"too": 1})
    for entry in entries:
        counts.shift(entry, -1)
    assert counts == Counts()


def test_a_chain_of_redirects_is_followed_for_ten_rows(table: Table) -> None:
    ledger = Ledger(table)
    for number in range(12):
        target = f"http://a.example/{number + 1}"
        ledger.put(f"http://a.example/{number}", Entry(State.DONE, 0, 0.0, target=target), None)
    ledger.put("http://a.example/12", Entry(State.DONE, 0, 0.0), None)
    assert ledger.leads_to("http://a.example/0", "http://a.example/10")
    assert not ledger.leads_to("http://a.example/0", "http://a.example/11")
    assert not ledger.leads_to("http://a.example/10", "http://a.example/5")
    assert not ledger.leads_to("http://a.example/0", "http://a.example/0")
    assert not ledger.leads_to("http://b.example/", "http://a.example/0")


def test_copies_of_nothing_are_copies_no_more(table: Table) -> None:
    ledger = Ledger(table)
    ledger.put(URL, Entry(State.DONE, 0, 0.0, status=200, copy=True), None)
    ledger.uncopied(["http://b.example/", URL])
    assert ledger.counts.duplicates == 0
    entry = ledger.get(URL)
    assert entry is not None
    assert not entry.copy


# ----------------------------------------------------------------- robots.txt


class Asked:
    """The access of one origin."""

    def __init__(self, table: Table) -> None:
        self.table, self.clock = table, VirtualClock()
        self.access = RobotsCache(table, self.clock, "Gossamer")
        self.origin = Origin("http://a.example", Host("a.example"))

    def answer(self, status: int = 200, body: bytes = b"", *headers: tuple[str, str], **more: object) -> Failure | None:
        visit = self.access.ask(self.origin)
        assert self.origin.asking
        assert visit == Visit("http://a.example/robots.txt", Kind.ROBOTS, owner="http://a.example")
        capture = Capture(visit, 0.0, 0.1, status, headers, body=body, **more)  # type: ignore[arg-type]  # its fields
        return self.access.learn(self.origin, capture)


RULES = b"User-agent: *\nDisallow: /private\nCrawl-delay: 4\n"


def test_rules_hold_for_a_day_and_not_a_moment_longer(table: Table) -> None:
    held = Asked(table)
    assert not held.access.known(held.origin)
    assert held.answer(200, RULES) is None
    assert not held.origin.asking
    assert held.access.known(held.origin)
    assert held.access.allows(held.origin, "http://a.example/public")
    assert not held.access.allows(held.origin, "http://a.example/private")
    assert held.origin.host.crawl_delay == 4.0
    held.clock.advance(DAY - 1)
    assert held.access.known(held.origin)
    held.clock.advance(1)
    assert not held.access.known(held.origin)


def test_rules_are_read_from_their_row_after_a_restart_for_the_rest_of_their_day(table: Table) -> None:
    held = Asked(table)
    held.answer(200, RULES)
    held.clock.advance(DAY / 2)
    again = Origin("http://a.example", Host("a.example"))
    assert held.access.known(again)
    assert not held.access.allows(again, "http://a.example/private")
    assert again.rules_until == held.clock.steady() + DAY / 2
    held.clock.jump(-30 * DAY)
    jumped = Origin("http://a.example", Host("a.example"))
    assert held.access.known(jumped)
    assert jumped.rules_until == held.clock.steady() + DAY, "a clock that was set back lets no rules live longer"


def test_a_robots_txt_that_is_not_there_allows_everything(table: Table) -> None:
    held = Asked(table)
    held.origin.host.asks("http://a.example", 9.0)
    assert held.answer(404, RULES) is None
    assert held.access.allows(held.origin, "http://a.example/private")
    assert held.origin.host.crawl_delay == 0.0
    row = robots_row(table.get(ROBOTS, b"http://a.example") or b"")
    assert (row.verdict, row.body, row.status, row.detail, row.tries) == (Verdict.UNAVAILABLE, b"", 404, "http 404", 0)
    assert (row.fetched, row.expires) == (held.clock.wall(), held.clock.wall() + DAY)


def test_an_unreachable_robots_txt_closes_its_origin_for_longer_each_time(table: Table) -> None:
    held = Asked(table)
    for tries, minutes in enumerate((5, 10, 20), 1):
        assert held.answer(503) is None
        assert not held.access.known(held.origin)
        assert held.origin.closed_until == held.clock.steady() + 60 * minutes
        row = robots_row(table.get(ROBOTS, b"http://a.example") or b"")
        assert (row.verdict, row.tries, row.expires) == (Verdict.UNREACHABLE, tries, held.clock.wall() + 60 * minutes)
        held.clock.advance(60 * minutes)
    held.answer(0, failure=Failure(Fault.TIMEOUT, "too long"))
    assert robots_row(table.get(ROBOTS, b"http://a.example") or b"").detail == "timeout: too long"
    again = Origin("http://a.example", Host("a.example"))
    assert not held.access.known(again)
    assert again.closed_until == held.clock.steady() + 60 * 40, "it stays closed after a restart"
    held.answer(200, RULES, ("cache-control", "max-age=600"))
    assert held.origin.closed_until == -inf
    assert held.origin.rules_until == held.clock.steady() + 600
    assert robots_row(table.get(ROBOTS, b"http://a.example") or b"").tries == 0


@pytest.mark.parametrize("fault", [Fault.NO_SUCH_HOST, Fault.BLOCKED_ADDRESS])
def test_a_host_that_cannot_be_visited_has_no_rules(table: Table, fault: Fault) -> None:
    held = Asked(table)
    failure = Failure(fault, "gone")
    assert held.answer(0, failure=failure) == failure
    assert not held.origin.asking
    assert table.get(ROBOTS, b"http://a.example") is None


def test_an_answer_that_is_taken_back_is_asked_for_again(table: Table) -> None:
    held = Asked(table)
    held.answer(200, RULES)
    held.origin.asking, held.origin.closed_until = True, inf
    held.access.forget(held.origin)
    assert not held.origin.asking
    assert not held.access.known(held.origin)
    assert held.origin.closed_until == -inf
    assert table.get(ROBOTS, b"http://a.example") is None


def test_a_redirect_of_robots_txt_is_followed_five_times() -> None:
    access = RobotsCache.__new__(RobotsCache)

    def hop(hops: int, status: int = 301, location: str = "http://b.example/r", **more: object) -> Visit | None:
        visit = Visit("http://a.example/robots.txt", Kind.ROBOTS, hops=hops, owner="http://a.example")
        return access.elsewhere(Capture(visit, 0.0, 0.1, status, (("location", location),), **more))  # type: ignore[arg-type]  # its fields

    assert hop(4) == Visit("http://b.example/r", Kind.ROBOTS, hops=5, owner="http://a.example")
    assert hop(5) is None
    assert hop(0, 200) is None
    assert hop(0, 301, "mailto:a@b.example") is None
    assert hop(0, failure=Failure(Fault.RESET, "")) is None


def test_a_robots_txt_that_is_not_the_whole_file_in_plain_form_has_failed() -> None:
    def read(status: int = 200, body: bytes = b"", **more: object) -> str:
        failure = understood(came(status, body=body, **more)).failure
        return failure.detail if failure else ""

    assert read(body=RULES) == ""
    assert read(body=RULES, decoding="gzip: bad header") == "robots.txt: gzip: bad header"
    assert read(body=RULES, truncated="time") == f"robots.txt: cut after {len(RULES)} bytes"
    assert read(body=b"#" * (SIZE_MOST - 1), truncated="length") == f"robots.txt: cut after {SIZE_MOST - 1:,} bytes"
    assert read(body=b"#" * SIZE_MOST, truncated="length") == "", "so much of it is enough"
    assert read(body=b"\x1f\x8b\x08").startswith("robots.txt: packed with gzip")
    assert read(body=b"\x28\xb5\x2f\xfd").startswith("robots.txt: packed with zstd")
    assert read(404, body=b"\x1f\x8b\x08", decoding="gzip: bad header") == ""
    failure = Failure(Fault.RESET, "gone")
    assert understood(came(200, failure=failure, decoding="gzip")).failure == failure


# -------------------------------------------------------------------- answers


def test_an_answer_that_nobody_waits_for_changes_nothing(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.answered(URL, 200, "http://b.example/", visit=Visit(URL))
        held.frontier.sift()
        assert held.frontier.ledger.get(URL) is None
        assert held.frontier.ledger.get("http://b.example/") is None
        held.frontier.add([Found(URL)])
        held.frontier.sift()
        held.answered(URL, 200)
        held.answered(URL, 404, visit=Visit(URL))
        assert (held.state(URL), held.entry(URL).status) == ("DONE", 200)


def test_links_are_one_deeper_than_their_page_and_name_it(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(URL, depth=4)])
        held.frontier.sift()
        held.answered(URL, 200, "http://b.example/")
        held.frontier.sift()
        assert (held.entry("http://b.example/").depth, held.entry("http://b.example/").referrer) == (5, URL)


def test_a_page_that_was_kept_unread_is_read_later_and_its_links_come_in(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(URL)])
        held.frontier.sift()
        visit = held.entry(URL).visit(URL)
        held.answered(URL, 200, page={"problem": "its reader was killed"})
        assert held.entry(URL).reason == "its reader was killed"
        capture = Capture(visit, 0.0, 0.1, 200, body=b"a page")
        held.frontier.reread(capture, Page(URL, links=(Link("http://b.example/"),)))
        held.frontier.sift()
        assert (held.state(URL), held.entry(URL).reason) == ("DONE", "")
        assert held.state("http://b.example/") == "QUEUED"


def test_a_sitemap_that_is_not_there_is_done_and_a_page_is_not(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        for status in (404, 410, 403):
            held.frontier.add([Found(f"{URL}{status}", kind=Kind.SITEMAP), Found(f"{URL}p{status}")])
            held.frontier.sift()
            held.answered(f"{URL}{status}", status)
            held.answered(f"{URL}p{status}", status)
        assert [held.state(f"{URL}{status}") for status in (404, 410, 403)] == ["DONE", "DONE", "FAILED"]
        assert held.entry(f"{URL}404").reason == "there is no sitemap"
        assert [held.state(f"{URL}p{status}") for status in (404, 410)] == ["FAILED", "FAILED"]


def test_a_retry_waits_at_least_as_long_as_its_host_asked(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(URL)])
        held.frontier.sift()
        now = held.clock.wall()
        held.answered(URL, 503, headers=(("retry-after", "5000"),))
        assert now + 5_000 <= held.entry(URL).due <= now + 1.25 * 5_000
        held.clock.advance(10_000)
        held.frontier._rooms.intake.requeue_retries()
        held.answered(URL, 503, headers=(("retry-after", "1"),))
        assert held.clock.wall() + 60 <= held.entry(URL).due <= held.clock.wall() + 75


def test_what_cannot_be_taken_in_is_given_up_and_a_robots_txt_closes_its_origin(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(URL), Found("http://b.example/")])
        held.frontier.pass_over(None, "damaged")
        held.frontier.pass_over(Visit(URL), "cannot be taken in")
        held.frontier.pass_over(Visit("http://c.example/"), "cannot be taken in")
        assert (held.state(URL), held.entry(URL).reason) == ("FAILED", "cannot be taken in")
        assert held.state("http://b.example/") == "QUEUED"
        assert held.frontier.ledger.get("http://c.example/") is None
        held.frontier.pass_over(Visit("http://b.example/robots.txt", Kind.ROBOTS), "cannot be taken in")
        row = robots_row(held.table.get(ROBOTS, b"http://b.example") or b"")
        assert (row.verdict, row.detail) == (Verdict.UNREACHABLE, "protocol: cannot be taken in")
        held.frontier.pass_over(Visit(URL), "again")
        assert held.entry(URL).reason == "cannot be taken in"


def test_entries_that_are_still_known_are_restored_unless_there_are_newer_ones(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(URL)])
        held.frontier.sift()
        old = Entry(State.EXCLUDED, 2, 1.0, "removed")
        held.frontier.restore({URL: old, "http://b.example/": old})
        assert held.state(URL) == "QUEUED"
        assert held.entry("http://b.example/") == old
        held.frontier.add([Found("http://b.example/", depth=3)])
        held.frontier.sift()
        assert held.entry("http://b.example/") == old


def test_rows_that_were_lost_come_back_with_the_dates_of_the_captures(tmp_path: Path) -> None:
    def answer(held: Books, url: str, began: float) -> None:
        visit = Visit(url)
        capture = Capture(visit, began, 0.1, 200, body=b"a page", wire=b"a page")
        held.frontier.done_before(Answer(visit, capture, Page(url)))

    with books(tmp_path) as held:
        answer(held, URL, 500.0)
        assert (held.state(URL), held.entry(URL).visited) == ("DONE", 500.0)
        held.frontier.add([Found("http://b.example/")])
        answer(held, "http://b.example/", 600.0)
        assert held.entry("http://b.example/").visited == held.clock.wall(), "it was waited for, so it is news"
