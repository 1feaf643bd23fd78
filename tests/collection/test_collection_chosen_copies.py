"""What the choice between copies depends on, part by part: who is compared, by what, and what links bring."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from made_shard import A, B, C, Shard, made, site

from gossamer.collection.derive import copies
from gossamer.collection.derive.near_copies import Sameness
from gossamer.dedupe.lookup import Near
from gossamer.errors import NotFound
from gossamer.frontier.entries import State
from gossamer.graph.received import Received
from gossamer.urls import keys


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[Shard]:
    with made(tmp_path / "web") as shard:
        yield shard


def readers(shard: Shard, *, whole: bool = True) -> Any:
    """One shard in which no page has a print."""
    pages = SimpleNamespace(of=lambda urls: {}, whole=whole)
    return SimpleNamespace(
        of=lambda url: shard,
        number=lambda url: 0,
        current=shard.archive.versions.current,
        archives=[shard.archive],
        lookups=[SimpleNamespace(pages=pages)],
        site=site,
    )


def test_copies_are_told_only_of_what_is_a_page_now(shard: Shard) -> None:
    shard.keep(A)
    shard.keep(B, b"b")
    shard.enter(B, state=State.FAILED)
    shard.enter(C)  # in the books, and no capture of it
    for url in (A, B, C, "http://never.test/"):
        with pytest.raises(NotFound, match="no page in the collection"):
            copies.similar(readers(shard), url)


def test_a_page_that_was_not_compared_is_told_from_one_that_says_too_little(shard: Shard) -> None:
    shard.keep(A)
    shard.enter(A)
    with pytest.raises(NotFound, match="was not compared with the others yet"):
        copies.similar(readers(shard, whole=False), A)
    with pytest.raises(NotFound, match="says too little"):
        copies.similar(readers(shard), A)


def test_a_page_that_says_too_little_has_the_copies_with_its_bytes(shard: Shard) -> None:
    for url, body in ((A, b"same"), (B, b"same"), (C, b"other"), (f"{A}gone", b"same")):
        shard.keep(url, body)
        shard.enter(url, state=State.FAILED if url.endswith("gone") else State.DONE)
    [copy] = copies.similar(readers(shard), A)
    assert (copy.url, copy.exact) == (B, True)
    with pytest.raises(NotFound, match="says too little"):
        copies.similar(readers(shard), C)


def test_a_copy_is_exact_when_its_bytes_are_and_knows_whether_it_is_of_the_site(shard: Shard) -> None:
    for url, body in ((A, b"same"), (B, b"same"), (f"{A}other", b"other")):
        shard.keep(url, body)
    mine = shard.row(A)

    def copy(url: str) -> Any:
        found = readers(shard)
        return copies._copy(found, A, mine, Near(url, 0.9, 3), Sameness(lambda _: shard.archive))

    assert (copy(B).exact, copy(B).same_site, copy(B).digest) == (True, False, mine.digest)
    assert (copy(f"{A}other").exact, copy(f"{A}other").same_site) == (False, True)
    assert (copy(C).exact, copy(C).digest) == (False, "")  # gone meanwhile


def test_pages_with_the_same_bytes_are_linked_by_their_marks_and_with_each_other(shard: Shard) -> None:
    for url in (A, B, C):
        shard.keep(url)
    shard.archive.mark(B, copy_of=A)
    shard.archive.mark(C, copy_of=A)
    assert set(copies._exact(readers(shard))) == {(A, B), (B, B), (A, C), (B, C)}


def test_the_paths_of_an_origin_are_those_of_its_pages(shard: Shard) -> None:
    for path in ("", "deep/er?q=1", "x"):
        shard.enter(f"{A}{path}")
    shard.enter(f"{A}failed", state=State.FAILED)
    shard.enter("http://a.test:8080/other-port")
    shard.enter("https://a.test/other-scheme")
    shard.enter(f"{B}other-host")
    assert sorted(copies._paths(readers(shard), "http://a.test")) == ["", "deep/er?q=1", "x"]


def test_what_links_bring_is_told_by_page_and_added_up_by_origin() -> None:
    urls = sorted([A, f"{A}two", B], key=keys.fingerprint)
    prints = np.array([keys.fingerprint(url) for url in urls], np.uint64)
    foreign = {A: 1.5, f"{A}two": 2.0, B: 4.0}
    brought = Received(
        np.array([10.0 * foreign[url] for url in urls]),
        np.array([foreign[url] for url in urls]),
        np.array([url == B for url in urls]),
    )
    ranks = copies._Ranks(prints, brought, urls)
    assert (ranks.host("http://a.test"), ranks.host("http://b.test"), ranks.host("http://c.test")) == (3.5, 4.0, 0.0)
    assert (ranks.page(A), ranks.page(B)) == ((15.0, False), (40.0, True))


def test_only_pages_of_today_are_members_of_a_group(shard: Shard) -> None:
    for url in (A, B):
        shard.keep(url)
    shard.enter(A)
    shard.enter(B, state=State.EXCLUDED)
    shard.enter(C)
    ranks: Any = SimpleNamespace(page=lambda url: (2.5, True))
    every = readers(shard)
    every.all, every.tables = [shard], [shard.table]
    finder = copies._Finder(every, ranks, {"http://a.test"})
    (found,) = finder._members([A, B, C]).items()
    url, member = found
    assert url == A
    assert (member.candidate.main, member.candidate.rank, member.candidate.redirected) == (True, 2.5, True)
    assert copies._Finder(every, ranks, set())._members([A])[A].candidate.main is False
