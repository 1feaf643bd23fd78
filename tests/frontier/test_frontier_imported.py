"""Captures of other times and crawlers count with their date, and nobody is blamed or asked because of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from books import Books, books

from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import HOSTS, LATER, State, host_row
from gossamer.model import Failure, Fault, Kind, Visit
from gossamer.urls.scope import Scope

A, B, C = (f"http://{name}.example/" for name in "abc")
THEN = 1_000_000_000.0


def imported(held: Books, url: str, status: int = 200, *links: str, began: float = THEN, **more: Any) -> None:
    visit = more.pop("visit", None) or Visit(url, depth=2, referrer="http://from.example/")
    held.answered(url, status, *links, visit=visit, began=began, source="old.warc.gz:17", **more)


def test_an_imported_page_is_done_with_its_own_date_and_its_links_come_in(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        imported(held, A, 200, B, body=b"twelve bytes")
        held.frontier.add([Found(A)])
        held.frontier.sift()
        entry = held.entry(A)
        assert (entry.state, entry.found, entry.visited, entry.depth) == (State.DONE, THEN, THEN, 2)
        assert entry.referrer == "http://from.example/"
        assert entry.history == ((THEN, "http 200"),)
        assert (held.entry(B).state, held.entry(B).depth, held.entry(B).referrer) == (State.QUEUED, 3, A)
        assert held.frontier.ledger.counts.bytes == 12
        assert held.frontier.ledger.counts.pages == 1


def test_an_older_capture_changes_nothing_and_a_later_one_counts(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        imported(held, A)
        imported(held, A, 404, began=THEN - 1)
        assert (held.entry(A).status, held.entry(A).visited) == (200, THEN)
        imported(held, A, 201, began=THEN)
        assert held.entry(A).status == 201, "of the same date the last one counts"
        imported(held, A, 404, began=THEN + 1)
        assert (held.state(A), held.entry(A).reason, held.entry(A).visited) == ("FAILED", "http 404", THEN + 1)
        assert held.frontier.ledger.counts.bytes == 4 * len(b"a page"), "all of it was brought here"


def test_what_the_scope_left_out_is_taken_in_when_somebody_brings_it(tmp_path: Path) -> None:
    with books(tmp_path, scope=Scope(kind="any", exclude=("a.example",))) as held:
        held.frontier.add([Found(A)])
        held.frontier.sift()
        assert held.state(A) == "EXCLUDED"
        imported(held, A)
        assert (held.state(A), held.entry(A).reason) == ("DONE", "")


def test_a_capture_of_a_page_that_is_queued_spares_the_visit(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(A)])
        held.frontier.sift()
        held.answered(A, 500)
        assert held.entry(A).attempt == 1
        imported(held, A, visit=Visit(A, Kind.RESOURCE), began=held.clock.wall())
        assert (held.state(A), held.entry(A).attempt, held.entry(A).kind) == ("DONE", 0, Kind.RESOURCE)


def test_a_failure_of_then_is_not_tried_again_and_blames_nobody(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        imported(held, A, 503)
        imported(held, B, 0, failure=Failure(Fault.TIMEOUT, "too long"))
        assert (held.entry(A).reason, held.entry(A).attempt) == ("http 503", 0)
        assert held.entry(B).reason == "timeout: too long"
        assert held.state(A) == held.state(B) == "FAILED"
        assert list(held.table.scan(LATER)) == []
        for name in (b"a.example", b"b.example"):
            host = host_row(held.table.get(HOSTS, name) or b"")
            assert (host.visits, host.faults, host.paused) == (0, 0, 0.0)


def test_a_sitemap_that_was_not_there_then_has_not_failed(tmp_path: Path) -> None:
    """Nobody links to it: it was a guess, and counted as a broken link after two collections were merged."""
    with books(tmp_path) as held:
        url = f"{A}sitemap.xml"
        imported(held, url, 404, visit=Visit(url, Kind.SITEMAP))
        assert (held.state(url), held.entry(url).reason) == ("DONE", "there is no sitemap")
        assert held.frontier.ledger.counts.failed == 0


def test_a_redirect_of_then_leads_to_its_target_and_makes_no_seed(tmp_path: Path) -> None:
    with books(tmp_path, scope=Scope(kind="host", seeds=frozenset({A}))) as held:
        moved = (("location", B),)
        imported(held, A, 301, headers=moved, visit=Visit(A))
        assert (held.state(A), held.entry(A).target) == ("DONE", B)
        held.frontier.sift()
        assert (held.entry(B).state, held.entry(B).depth, held.entry(B).referrer) == (State.EXCLUDED, 0, A)
        assert held.entry(B).reason == "outside the hosts of the seeds"


def test_a_304_of_then_is_believed_without_its_question(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        imported(held, A)
        imported(held, A, 304, began=THEN + 1)
        assert (held.state(A), held.entry(A).status) == ("DONE", 200)


def test_robots_txt_and_made_up_names_of_then_have_no_entry(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        for kind in (Kind.ROBOTS, Kind.PROBE):
            imported(held, f"{A}{kind}", visit=Visit(f"{A}{kind}", kind), body=b"User-agent: *\nDisallow: /")
            assert held.frontier.ledger.get(f"{A}{kind}") is None
        assert held.frontier.ledger.counts.bytes == 50


def test_a_capture_that_nobody_waits_for_counts_with_its_date_when_the_rows_were_lost(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        frontier = held.frontier
        frontier.add([Found(B)])
        held.answered(A, visit=Visit(A), began=THEN)
        assert frontier.ledger.get(A) is None, "by itself it changes nothing"
