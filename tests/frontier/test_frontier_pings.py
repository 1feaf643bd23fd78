"""Pages that somebody says have changed: visited at once, and no more often than that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from books import Books, books

from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import HUBS, REVISITS
from gossamer.frontier.revisit import hubs, page_changes
from gossamer.frontier.revisit.hubs import Subscribable
from gossamer.frontier.revisit.pings import SOONEST
from gossamer.frontier.revisit.watch import MISSED
from gossamer.frontier.rules import WatchRules

A, B = "http://a.example/", "http://a.example/b"
HUB, TOPIC = "http://hub.example/", "http://a.example/feed"


def kept(held: Books, url: str, **page: Any) -> None:
    """It is known and was visited a moment ago."""
    held.frontier.add([Found(url)])
    held.frontier.sift()
    held.answered(url, headers=(("etag", '"1"'),), page={"content": "words", "text": "words", **page})


def woken(held: Books) -> None:
    frontier: Any = held.frontier
    held.clock.advance(2.0)
    frontier._handing_out._may_go(frontier._watch)


def test_a_page_that_is_said_to_have_changed_is_queued_at_once_though_no_revisit_is_left(tmp_path: Path) -> None:
    with books(tmp_path, watch=WatchRules()) as held:
        kept(held, A)
        held.clock.advance(60)
        frontier: Any = held.frontier
        frontier._watch._state.revisits.take(1.0, held.clock.wall())
        assert frontier._watch.next_time() > 1_000, "a small collection has few revisits a day"
        held.frontier.pinged([(A, held.clock.wall())])
        assert held.state(A) == "QUEUED"
        assert list(held.table.scan(REVISITS)) == []
        held.answered(A, 304)
        assert held.state(A) == "DONE"
        assert len(list(held.table.scan(REVISITS))) == 1


def test_what_was_visited_since_is_not_visited_again_for_it(tmp_path: Path) -> None:
    with books(tmp_path, watch=WatchRules()) as held:
        told = held.clock.wall()
        held.clock.advance(60)
        kept(held, A)
        held.clock.advance(60)
        held.frontier.pinged([(A, told)])
        assert held.state(A) == "DONE"


def test_one_that_was_visited_a_moment_ago_is_visited_a_moment_later(tmp_path: Path) -> None:
    with books(tmp_path, watch=WatchRules()) as held:
        kept(held, A)
        held.clock.advance(1)
        held.frontier.pinged([(A, held.clock.wall())])
        assert held.state(A) == "DONE"
        frontier: Any = held.frontier
        assert frontier._watch.next_time() <= 1
        for _ in range(int(SOONEST)):
            woken(held)
        assert held.state(A) == "QUEUED"


def test_one_that_is_on_its_way_is_visited_once_more(tmp_path: Path) -> None:
    """The server may have answered before the change."""
    with books(tmp_path, watch=WatchRules()) as held:
        kept(held, A)
        held.clock.advance(60)
        held.frontier.pinged([(A, held.clock.wall())])
        began = held.clock.wall()
        held.clock.advance(1)
        held.frontier.pinged([(A, held.clock.wall())])
        held.answered(A, 304, began=began)
        for _ in range(int(SOONEST)):
            woken(held)
        assert held.state(A) == "QUEUED"
        held.answered(A, 304)
        for _ in range(int(SOONEST)):
            woken(held)
        assert held.state(A) == "DONE"


def test_one_that_is_gone_may_be_back(tmp_path: Path) -> None:
    with books(tmp_path, watch=WatchRules()) as held:
        kept(held, A)
        held.clock.advance(60)
        held.frontier.pinged([(A, held.clock.wall())])
        held.answered(A, 404)
        row = page_changes.get(held.table, A)
        assert row is not None
        assert row.due - held.clock.wall() == pytest.approx(MISSED[0] * 86_400)
        held.clock.advance(60)
        held.frontier.pinged([(A, held.clock.wall())])
        assert held.state(A) == "QUEUED"


@pytest.mark.parametrize("watch", [WatchRules(), None])
def test_one_that_nobody_knew_comes_in_by_the_rules_and_a_crawl_visits_nothing_again(
    tmp_path: Path, watch: WatchRules | None
) -> None:
    with books(tmp_path, watch=watch) as held:
        kept(held, A)
        held.clock.advance(60)
        held.frontier.pinged([(B, held.clock.wall()), (A, held.clock.wall())])
        held.frontier.sift()
        assert (held.state(B), held.entry(B).depth) == ("QUEUED", 1)
        assert held.state(A) == ("QUEUED" if watch else "DONE")


def test_which_hub_a_document_names_is_kept_until_it_names_another_or_none(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        kept(held, A, hub=HUB, topic=TOPIC)
        assert dict(hubs.named(held.table)) == {A: Subscribable(HUB, TOPIC)}
        held.frontier.revisit()
        held.answered(A, 304, visit=held.entry(A).visit(A))
        assert dict(hubs.named(held.table)) == {A: Subscribable(HUB, TOPIC)}
        held.frontier.revisit()
        held.answered(A, page={"hub": HUB, "topic": A})
        assert dict(hubs.named(held.table)) == {A: Subscribable(HUB, A)}
        held.frontier.revisit()
        held.answered(A)
        assert list(held.table.scan(HUBS)) == []


@pytest.mark.parametrize(("status", "stays"), [(410, False), (400, True)])
def test_a_document_that_is_gone_names_none_but_one_that_does_not_answer_may_be_back(
    tmp_path: Path, status: int, stays: bool
) -> None:
    with books(tmp_path) as held:
        kept(held, A, hub=HUB, topic=TOPIC)
        held.frontier.revisit()
        held.answered(A, status)
        assert held.state(A) == "FAILED"
        assert bool(dict(hubs.named(held.table))) is stays


@pytest.mark.parametrize(("status", "stays"), [(300, False), (410, False), (403, True), (500, True)])
def test_a_page_is_here_until_an_answer_says_that_it_is_not(tmp_path: Path, status: int, stays: bool) -> None:
    with books(tmp_path) as held:
        kept(held, A)
        held.frontier.revisit()
        held.answered(A, status)
        assert held.entry(A).held is stays
