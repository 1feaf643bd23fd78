"""The past of one address: its versions by hand, what each is called, and what each changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from made_shard import BEGAN, A, Shard, made, said
from msgspec.structs import replace

from gossamer.cli import history_output
from gossamer.collection.ask.differences import Words
from gossamer.collection.ask.history import Edition, Past, chosen
from gossamer.errors import NotFound
from gossamer.frontier.ledger import Ledger
from gossamer.model import Capture, Page


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[Shard]:
    with made(tmp_path / "web") as shard:
        yield shard


def again(capture: Capture) -> Page:
    return said(A, title=capture.body.decode(), content=capture.body.decode())


def unread(capture: Capture) -> Page:
    raise AssertionError(f"{capture.visit.url} has a text and is read again")


def at(after: float) -> datetime:
    return datetime.fromtimestamp(BEGAN + after, UTC)


def keep(shard: Shard, words: str, after: float, status: int = 200) -> None:
    shard.keep(A, words.encode(), after, status, words=words)


def test_every_answer_has_a_name_and_changes_are_counted_in_words(shard: Shard) -> None:
    keep(shard, "error first", -10, 503)
    keep(shard, "one two", 0)
    keep(shard, "one two", 10)
    keep(shard, "moved", 20, 301)
    keep(shard, "gone", 30, 404)
    keep(shard, "one three four", 40)
    shard.enter(A, history=((BEGAN + 15, "not modified"), (BEGAN + 20, "301")))
    found = Past(shard.archive, Ledger(shard.table), A, again).editions()
    assert [(each.number, each.change, each.status) for each in found] == [
        (1, "error", 503),
        (2, "first", 200),
        (3, "unchanged", 200),
        (0, "unchanged", 304),
        (4, "redirect", 301),
        (5, "error", 404),
        (6, "changed", 200),
    ]
    assert [each.fetched for each in found] == [at(after) for after in (-10, 0, 10, 15, 20, 30, 40)]
    assert [each.words for each in found] == [None] * 6 + [Words(2, 1)]  # a title that is the first line counts once
    assert [each.revisit for each in found] == [False, False, True, True, False, False, False]
    assert (found[1].title, found[1].size, found[1].digest) == ("one two", 7, found[2].digest)


def test_words_are_compared_with_the_last_version_that_said_anything(shard: Shard) -> None:
    for number, words in enumerate(("a", "a b", "a b c")):
        keep(shard, words, number)
    found = Past(shard.archive, Ledger(shard.table), A, again).editions()
    assert [each.words for each in found] == [None, Words(1, 0), Words(1, 0)]


def test_two_versions_are_compared_as_they_are_shown(shard: Shard) -> None:
    for number, words in enumerate(("same old", "same new", "same newer")):
        keep(shard, words, number)
    past = Past(shard.archive, Ledger(shard.table), A, again)
    first, second, third = past.editions()
    diff = past.diff(first, third)
    assert (diff.url, diff.old, diff.new) == (A, first, third)
    assert [piece for piece in diff.lines[0].pieces if piece.sign != "="] == [("-", " old"), ("+", " newer")]
    told = diff.as_json()
    assert (told["url"], told["old"]["number"], told["new"]["number"]) == (A, 1, 3)
    assert told["lines"][0] == {"sign": "~", "pieces": [["=", "same"], ["-", " old"], ["+", " newer"]]}
    assert past.diff(second, second).lines == ()


def test_what_is_around_the_main_content_is_compared_where_that_is_asked_for(shard: Shard) -> None:
    for number in (7, 8):
        shard.keep(A, b"%d" % number, number, title="T", content="story", text=f"menu\nstory\nseen by {number}")
    past = Past(shard.archive, Ledger(shard.table), A, unread)
    first, second = past.editions()
    alike = past.diff(first, second)
    assert alike.lines == ()
    assert "--diff 1 2 --full` compares what is around it" in history_output.diff(alike)
    whole = past.diff(first, second, full=True)
    assert [piece for line in whole.lines for piece in line.pieces if piece.sign != "="] == [("-", " 7"), ("+", " 8")]
    assert "the same words" in history_output.diff(dataclasses.replace(whole, lines=()))


def test_what_was_learned_of_a_site_between_two_visits_is_no_change_of_its_page(shard: Shard) -> None:
    shard.keep(A, b"story, seen by 7\nnotice", 0, words="story\nnotice", title="T")
    shard.keep(A, b"story, seen by 8\nnotice", 1, words="story", title="T")

    def read(capture: Capture) -> Page:
        return said(A, title="T", content=f"story\n{capture.body.decode().partition(chr(10))[2]}")

    past = Past(shard.archive, Ledger(shard.table), A, read)
    first, second = past.editions()
    assert (second.change, second.words) == ("changed", Words(0, 0))
    assert past.diff(first, second).lines == ()


def test_versions_whose_texts_are_the_same_are_not_read_again(shard: Shard) -> None:
    shard.keep(A, b"seen by 7", 0, words="story")
    shard.keep(A, b"seen by 8", 1, words="story")
    assert Past(shard.archive, Ledger(shard.table), A, unread).editions()[-1].words == Words(0, 0)


def test_a_version_without_a_text_is_read_now(shard: Shard) -> None:
    keep(shard, "one", 0)
    keep(shard, "two", 1)
    for version in list(shard.archive.versions.of(A)):
        shard.archive.versions.add(A, replace(version, text=None))

    def read(capture: Capture) -> Page:
        return said(A, title="T", content="", text=capture.body.decode())

    past = Past(shard.archive, Ledger(shard.table), A, read)
    assert [each.words for each in past.editions()] == [None, Words(1, 1)]


def test_an_address_that_was_never_met_has_no_past(shard: Shard) -> None:
    assert Past(shard.archive, Ledger(shard.table), A, unread).editions() == []


def test_machines_are_told_nothing_where_there_is_nothing() -> None:
    empty = Edition(0, at(0.5), 304, "unchanged").as_json()
    assert (empty["number"], empty["digest"], empty["words_added"], empty["words_removed"]) == (None,) * 4
    assert (empty["size"], empty["title"], empty["revisit"]) == (0, "", False)
    assert empty["fetched"] == "2026-11-15T00:00:00.500Z"
    full = Edition(3, at(0), 200, "changed", "sha1:X", 9, "T", True, Words(4, 5)).as_json()
    assert (full["number"], full["digest"], full["words_added"], full["words_removed"]) == (3, "sha1:X", 4, 5)
    assert (full["size"], full["title"], full["revisit"]) == (9, "T", True)


def edition(number: int, digest: str = "x", status: int = 200) -> Edition:
    return Edition(number, at(number), status, "changed", digest)


def test_without_a_word_the_last_change_is_meant() -> None:
    pages = [edition(1, "a"), edition(2, "b"), edition(3, "c"), edition(4, "c"), edition(5, "c", 404)]

    def meant(old: Any = None, new: Any = None) -> tuple[int, int]:
        one, other = chosen(pages, A, old, new)
        return one.number, other.number

    assert meant() == (2, 4)
    assert meant(new=2) == (1, 2)
    assert meant(old=1) == (1, 4)
    assert meant(old=3, new=1) == (3, 1)
    assert meant(old=at(2), new=at(3.5)) == (2, 3)
    for which in ({"old": 5}, {"new": 9}, {"old": at(0.5)}, {"new": 1}):
        with pytest.raises(NotFound):
            meant(**which)  # type: ignore[arg-type] # one or the other


def test_versions_that_say_the_same_are_compared_with_the_one_before() -> None:
    old, new = chosen([edition(1, "a"), edition(2, "a"), edition(3, "a")], A, None, None)
    assert (old.number, new.number) == (2, 3)


@pytest.mark.parametrize("pages", [[], [edition(1)], [edition(1), edition(0)], [edition(1), edition(2, status=300)]])
def test_one_version_is_nothing_to_compare(pages: list[Edition]) -> None:
    with pytest.raises(NotFound, match="nothing to compare"):
        chosen(pages, A, None, None)
