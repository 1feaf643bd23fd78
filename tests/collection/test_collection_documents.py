"""Pages as a user meets them: which version counts, and what it tells."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from made_shard import BEGAN, A, B, C, Shard, came, made, said
from msgspec.structs import replace

from gossamer.collection.documents import document, documents, is_document, newest
from gossamer.frontier.entries import FORBIDDEN, State
from gossamer.frontier.ledger import Ledger
from gossamer.model import Capture, Kind, Link, Page, Visit
from gossamer.store.versions import Version


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[Shard]:
    with made(tmp_path / "web") as shard:
        yield shard


def unread(capture: Capture) -> Page:
    raise AssertionError(f"{capture.visit.url} has a text and is read again")


def test_a_page_tells_what_was_kept_of_it(shard: Shard) -> None:
    link = Link(B, "b", "nofollow", content=True)
    shard.keep(A, title="Title", text="All words", html="<p>Main words</p>", links=(link,))
    entry = shard.enter(A, depth=4)
    found = document(shard.archive, Ledger(shard.table), unread, A)
    assert found is not None
    assert (found.title, found.text, found.content) == ("Title", "All words", "Main words")
    assert (found.html, found.markdown.strip(), found.language) == ("<p>Main words</p>", "Main words", None)
    assert (found.status, found.media_type) == (200, "text/html")
    assert (found.links, found.fetched, found.entry) == ((link,), datetime.fromtimestamp(BEGAN, UTC), entry)
    told = found.as_json()
    assert (told["depth"], told["author"], told["published"]) == (4, None, None)
    assert told["links"] == [{"url": B, "anchor": "b", "rel": "nofollow", "content": True}]
    assert found.capture.body == b"<p>Hello"


def test_a_page_tells_its_language(shard: Shard) -> None:
    shard.keep(A, language="de")
    found = document(shard.archive, Ledger(shard.table), unread, A)
    assert found is not None
    assert found.language == found.as_json()["language"] == "de"


def test_a_page_without_a_text_is_read_now_and_one_without_an_entry_has_no_depth(shard: Shard) -> None:
    shard.keep(A)
    shard.archive.versions.add(A, replace(shard.row(A), text=None))
    found = document(shard.archive, Ledger(shard.table), lambda one: said(A, "now"), A)
    assert found is not None
    assert (found.title, found.entry, found.as_json()["depth"]) == ("now", None, None)


def test_the_version_that_was_current_then_is_given_and_errors_are_passed_over(shard: Shard) -> None:
    ledger = Ledger(shard.table)
    shard.keep(A, b"first")
    shard.keep(A, b"second", after=10)
    shard.keep(A, b"moved", after=20, status=301)
    shard.keep(A, b"gone", after=30, status=404)
    bodies = [document(shard.archive, ledger, unread, A, BEGAN + at) for at in (5, 15, 35)]
    assert [each.capture.body for each in bodies if each] == [b"first", b"second", b"second"]
    assert document(shard.archive, ledger, unread, A, BEGAN - 1) is None
    assert document(shard.archive, ledger, unread, B) is None


def test_robots_txt_can_be_asked_for_and_is_no_page(shard: Shard) -> None:
    url = "http://a.test/robots.txt"
    shard.archive.append(came(url, b"User-agent: *", visit=Visit(url, Kind.ROBOTS)), Page(url))
    shard.enter(url)
    ledger = Ledger(shard.table)
    found = document(shard.archive, ledger, lambda one: Page(url), url)
    assert found is not None
    assert found.capture.body == b"User-agent: *"
    assert list(newest(shard.archive, ledger)) == []


def test_every_page_comes_once_with_its_last_version(shard: Shard) -> None:
    for url, body, after in ((A, b"a1", 0), (A, b"a2", 5), (B, b"b1", 0), (C, b"c1", 0)):
        shard.keep(url, body, after=after)
    shard.keep(A, b"gone", after=9, status=503)
    shard.enter(A)
    shard.enter(B, state=State.FAILED)
    found = [(url, version.began) for url, _, version in newest(shard.archive, Ledger(shard.table))]
    assert found == [(A, BEGAN + 5), (B, BEGAN)], "what failed now counts with what it said last"
    shard.enter(C, state=State.EXCLUDED, reason=FORBIDDEN)
    assert [url for url, *_ in newest(shard.archive, Ledger(shard.table))] == [A, B, C], "robots.txt takes nothing away"
    shard.enter(C)
    assert [each.url for each in documents(shard.archive, Ledger(shard.table), unread)] == [A, B, C]


@pytest.mark.parametrize(("status", "counts"), [(199, False), (200, True), (299, True), (300, False)])
def test_a_document_is_a_page_that_came(status: int, counts: bool) -> None:
    def version(kind: Kind) -> Version:
        return Version(BEGAN, status, kind, "text/html", None, "sha1:X", 8, "Hello", "f", 0, 9, "uuid")

    assert is_document(version(Kind.PAGE)) is counts
    assert not is_document(version(Kind.SITEMAP))
