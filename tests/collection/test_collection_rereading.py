"""Pages that were kept and not read are read again, once, and what they say is taken up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from small_shard import SmallShard, answer, read, said, small_shard

from gossamer import convert
from gossamer.collection.crawl.rereading import again, take_up
from gossamer.errors import Damaged
from gossamer.frontier import Frontier
from gossamer.model import Capture, Page
from gossamer.store.unread import Note
from gossamer.store.versions import Version

A, B, C = "http://a.test/", "http://b.test/", "http://c.test/"


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[SmallShard]:
    with small_shard(tmp_path) as made:
        yield made


def unread(shard: SmallShard, url: str, *, hopeless: bool = False, **entry: object) -> Capture:
    """A page was kept, and its reader was killed or made a mistake."""
    capture = answer(url, said(url))
    page = convert.unread(capture, "a mistake")
    shard.archive.append(capture, page if hopeless else replace(page, unread="killed"))
    shard.enter(url, **entry)
    shard.commit()
    return capture


def version_of(shard: SmallShard, url: str) -> Version:
    found = shard.archive.versions.current(url)
    assert found is not None
    return found


def notes(shard: SmallShard) -> dict[str, Note]:
    return dict(shard.archive.unread.all())


class Taken:
    """What came of taking them up."""

    def __init__(self, shard: SmallShard, read: Callable[[Capture], Page] = read) -> None:
        self.kept: list[tuple[Capture, Page]] = []
        self.followed: list[tuple[Capture, Page]] = []
        frontier = SimpleNamespace(ledger=shard.ledger, reread=lambda *pair: self.followed.append(pair))
        keep = lambda capture, page, version: self.kept.append((capture, page))  # noqa: E731  # one line for a fake
        self.urls = list(take_up(shard.archive, cast(Frontier, frontier), read, keep))


def never(capture: Capture) -> Page:
    raise AssertionError("nothing is read")


def test_a_page_that_can_be_read_now_is_kept_and_its_links_are_followed(shard: SmallShard) -> None:
    unread(shard, A, depth=7)
    assert list(notes(shard)) == [A]
    taken = Taken(shard)
    ((capture, page),) = taken.kept
    assert taken.urls == [A]
    assert taken.followed == taken.kept
    assert (capture.visit.url, capture.visit.depth) == (A, 7)
    assert page.text
    assert notes(shard) == {}
    shard.commit()
    stored = shard.archive.page(A, version_of(shard, A))
    assert stored is not None
    assert stored.text == page.text


def test_a_page_that_a_build_has_read_is_only_followed(shard: SmallShard) -> None:
    capture = unread(shard, A)
    shard.archive.read_again(A, version_of(shard, A), read(capture))
    shard.archive.unread.note(A, capture.began, replace(convert.unread(capture, ""), unread="killed"))
    shard.commit()
    taken = Taken(shard, never)
    assert taken.kept == []
    assert [capture.visit.url for capture, _ in taken.followed] == [A]
    assert notes(shard) == {}


def test_what_was_removed_is_forgotten_and_the_others_are_read(shard: SmallShard) -> None:
    unread(shard, B)
    capture = answer(A, said("fish"))
    shard.archive.unread.note(A, capture.began, convert.unread(capture, ""))  # without a row of the frontier
    shard.archive.unread.note(C, capture.began, convert.unread(capture, ""))  # without a version
    shard.enter(C)
    taken = Taken(shard)
    assert taken.urls == [A, B, C]
    assert [capture.visit.url for capture, _ in taken.followed] == [B]
    assert notes(shard) == {}


def test_what_the_same_reader_was_mistaken_about_is_not_read_again_and_the_others_are(shard: SmallShard) -> None:
    unread(shard, A, hopeless=True)
    unread(shard, B)
    taken = Taken(shard)
    assert [capture.visit.url for capture, _ in taken.kept] == [B]
    assert list(notes(shard)) == [A]


def test_what_cannot_be_read_today_either_stays_noted(shard: SmallShard) -> None:
    unread(shard, A)
    taken = Taken(shard, lambda capture: convert.unread(capture, "another mistake"))
    assert taken.kept == taken.followed == []
    assert "another mistake" in notes(shard)[A].problem
    assert notes(shard)[A].hopeless


def test_a_version_that_is_read_again_is_still_the_copy_that_it_was(shard: SmallShard) -> None:
    unread(shard, A)
    shard.archive.mark(A, copy_of=B)
    reread = again(shard.archive, read, A, version_of(shard, A))
    assert reread is not None
    assert (reread.page.copy_of, reread.page.near_copy_of) == (B, None)
    shard.archive.mark(A, near_copy_of=C)
    reread = again(shard.archive, read, A, version_of(shard, A))
    assert reread is not None
    assert (reread.page.copy_of, reread.page.near_copy_of) == (None, C)


def test_a_damaged_record_says_nothing(shard: SmallShard) -> None:
    def damaged(capture: Capture) -> Page:
        raise Damaged("its record is damaged")

    unread(shard, A)
    assert again(shard.archive, damaged, A, version_of(shard, A)) is None
    assert list(notes(shard)) == [A]
