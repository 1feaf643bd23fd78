"""Pages of which little is known go by what their site says of them, and then by what visits show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from books import Books, books
from msgspec.structs import replace

from gossamer.freshness.hints import DAY, GOOD_MOST, HOUR, quiet
from gossamer.freshness.rate_estimator import History
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import Entry, State, encode
from gossamer.frontier.revisit import page_changes
from gossamer.frontier.revisit.dating import Dating, importance
from gossamer.frontier.revisit.page_changes import PageChanges
from gossamer.frontier.revisit.watch import Watch
from gossamer.frontier.rules import WatchRules
from gossamer.model import Answer, Capture, Kind, Link, Page

A, LIST = "http://a.example/", "http://a.example/sitemap.xml"


def row_of(held: Books, url: str = A) -> PageChanges:
    row = page_changes.get(held.table, url)
    assert row is not None
    return row


def answered(held: Books, url: str, status: int = 200, *headers: tuple[str, str], **page: Any) -> None:
    visit = held.entry(url).visit(url)
    fields = (("etag", '"1"'), *headers)
    capture = Capture(visit, held.clock.wall(), 0.1, status, fields, body=b"x", wire=b"x")
    said = {"digest": f"sha256:{held.clock.wall()}", "content": "words", "text": "words", **page}
    held.frontier.done(Answer(visit, capture, Page(url, "text/html", **said)))


def first_visit(folder: Path, *headers: tuple[str, str], **page: Any) -> PageChanges:
    with books(folder, watch=WatchRules()) as held:
        held.frontier.add([Found(A)])
        held.frontier.sift()
        answered(held, A, 200, *headers, **page)
        return row_of(held)


def days(row: PageChanges) -> float:
    return (row.due - row.seen) / DAY


def rate(held: Books, url: str = A) -> float:
    frontier: Any = held.frontier
    watch: Watch = frontier._watch
    dating: Dating = watch._dating
    return dating._priors.rate(url, row_of(held, url))


def test_a_copy_that_is_called_good_is_not_asked_for_sooner_while_nothing_is_known(tmp_path: Path) -> None:
    plain = days(first_visit(tmp_path / "plain"))
    assert plain < 5
    good = days(first_visit(tmp_path / "good", ("cache-control", "max-age=432000")))
    assert good == pytest.approx(5.0)
    year = days(first_visit(tmp_path / "year", ("cache-control", "max-age=31536000, immutable")))
    assert year >= GOOD_MOST / DAY


def test_what_visits_have_shown_counts_and_not_what_is_called_good(tmp_path: Path) -> None:
    with books(tmp_path, watch=WatchRules()) as held:
        held.frontier.add([Found(A)])
        held.frontier.sift()
        field = ("cache-control", "max-age=604800")
        answered(held, A, 200, field)
        for number in range(4):
            held.clock.advance(DAY)
            held.frontier.pinged([(A, held.clock.wall())])
            answered(held, A, 200, field, content=f"words {number}\nand {number}")
        row = row_of(held)
        assert row.good_for == 7 * DAY
        assert row.history != History()
        assert days(row) < 3


def test_a_304_without_a_word_leaves_what_was_said(tmp_path: Path) -> None:
    with books(tmp_path, watch=WatchRules()) as held:
        held.frontier.add([Found(A)])
        held.frontier.sift()
        answered(held, A, 200, ("cache-control", "max-age=100"))
        for headers, left in (((), 100.0), ((("cache-control", "max-age=200"),), 200.0)):
            held.clock.advance(DAY)
            held.frontier.pinged([(A, held.clock.wall())])
            answered(held, A, 304, *headers)
            assert row_of(held).good_for == left
        held.clock.advance(DAY)
        held.frontier.pinged([(A, held.clock.wall())])
        answered(held, A, 200)
        assert row_of(held).good_for == 0


def test_how_often_a_sitemap_says_that_pages_change_is_expected_of_new_ones(tmp_path: Path) -> None:
    urls = {f"http://a.example/{word}": every for word, every in (("daily", DAY), ("yearly", 365 * DAY))}
    with books(tmp_path, watch=WatchRules()) as held:
        held.frontier.add([Found(LIST, kind=Kind.SITEMAP), Found(A)])
        held.frontier.sift()
        links = tuple(Link(url, place="sitemap", every=every) for url, every in urls.items())
        answered(held, LIST, links=(*links, Link("http://other.example/", place="sitemap", every=DAY)))
        held.frontier.sift()
        frontier: Any = held.frontier
        brought = frontier._watch._state.brings
        for url in (A, *urls):
            answered(held, url)
        assert frontier._watch._state.brings == brought, "they count as first visits"
        assert rate(held, f"{A}daily") > 2 * rate(held) > 4 * rate(held, f"{A}yearly")
        assert page_changes.get(held.table, "http://other.example/") is None


def test_a_feed_is_asked_again_when_its_time_is_over_and_not_before(tmp_path: Path) -> None:
    feed: dict[str, Any] = {"links": (Link(A, place="feed"),)}
    assert days(first_visit(tmp_path / "hour", update_every=HOUR, **feed)) == pytest.approx(1 / 24)
    assert days(first_visit(tmp_path / "week", update_every=7 * DAY, **feed)) == pytest.approx(1.0)
    with books(tmp_path / "busy", watch=WatchRules()) as held:
        held.frontier.add([Found(A)])
        held.frontier.sift()
        answered(held, A, update_every=6 * HOUR, **feed)
        for number in range(5):  # it has news whenever anybody looks
            held.clock.advance(HOUR)
            held.frontier.pinged([(A, held.clock.wall())])
            answered(held, A, update_every=6 * HOUR, content=f"{number} a\n{number} b", **feed)
        assert rate(held) > 4
        assert days(row_of(held)) == pytest.approx(0.25)


def test_a_feed_is_not_asked_in_hours_and_on_days_in_which_it_has_nothing_new(tmp_path: Path) -> None:
    with books(tmp_path, watch=WatchRules()) as held:
        held.frontier.add([Found(A)])
        held.frontier.sift()
        hour = int(held.clock.wall() % DAY // HOUR)
        skipped = quiet([(hour + ahead) % 24 for ahead in (1, 2, 3)], ())
        answered(held, A, update_every=HOUR, quiet=skipped, links=(Link(A, place="feed"),))
        row = row_of(held)
        assert (row.due // HOUR) % 24 == (hour + 4) % 24
        assert row.due - row.seen < 4 * HOUR + 1


def test_what_a_sitemap_prefers_matters_a_little_more() -> None:
    plain = Entry(State.DONE, 1, 0.0)
    best, worst = (importance(PageChanges(), replace(plain, hint=hint)) for hint in (5, -5))
    assert worst < importance(PageChanges(), plain) == 0.5 < best
    assert best / worst < 2


def test_rows_of_before_say_nothing_of_it() -> None:
    old = encode(tuple(PageChanges(seen=7.0).__getattribute__(name) for name in PageChanges.__struct_fields__[:11]))
    assert page_changes.changes_of(old) == PageChanges(seen=7.0)


def test_a_visit_by_a_clock_that_was_set_back_is_no_sample(tmp_path: Path) -> None:
    with books(tmp_path, watch=WatchRules()) as held:
        frontier: Any = held.frontier
        dating: Dating = frontier._watch._dating
        dating.learn(A, PageChanges(seen=held.clock.wall() + DAY), held.clock.wall(), changed=False)
        assert dating.state.samples == 0
        dating.learn(A, PageChanges(seen=held.clock.wall() - DAY, sampled=2.0), held.clock.wall(), changed=False)
        assert (dating.state.samples, dating.state.fresh_days) == (1, 2)
