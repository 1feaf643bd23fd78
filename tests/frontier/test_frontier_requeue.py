"""Second chances, and no more: what is asked for again, what is reconsidered, and what is taken out for good."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from books import books
from msgspec.structs import replace
from small_web import Answer, SmallWeb, crawl_small

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier import Frontier
from gossamer.frontier.answer.removal import forget_firsts, is_removed, leave_out, tidy_turns
from gossamer.frontier.audit import audit
from gossamer.frontier.discover import reconsideration
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import FIRSTS, FORBIDDEN, LATER, META, QUEUE, STANDING, Entry, State
from gossamer.frontier.holding import is_page
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.queue import requeue
from gossamer.frontier.queue.requeue import fetch_again
from gossamer.model import Kind
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls.scope import Scope

A, B, C, D = (f"http://{name}.example/" for name in "abcd")
TAGGED = (("etag", '"1"'), ("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT"))


def failed(attempt: int = 4) -> Entry:
    return Entry(State.FAILED, 1, 1.0, "http 500", attempt=attempt, status=500)


def test_a_revisit_asks_for_all_that_was_asked_for_and_first_for_what_is_here(tmp_path: Path) -> None:
    with books(tmp_path, head_first=lambda url: True) as held:
        frontier = held.frontier
        frontier.add([Found(A), Found(B), Found(C), Found(D, kind=Kind.SITEMAP)])
        frontier.sift()
        held.answered(A, headers=TAGGED)
        held.answered(B, 404)
        held.answered(C, 301, headers=(("location", A),))
        held.answered(D)
        changes = {"headed": True, "attempt": 1, "reason": "cut: length"}
        frontier.ledger.put(A, replace(held.entry(A), **changes), held.entry(A))
        frontier.revisit()
        again = held.entry(A)
        assert (again.state, again.attempt, again.headed, again.reason) == (State.QUEUED, 0, False, "")
        assert again.visit(A).etag == '"1"'
        assert again.visit(A).modified == TAGGED[1][1]
        assert [held.state(url) for url in (B, C, D)] == ["QUEUED", "QUEUED", "DONE"]
        assert again.position < min(held.entry(B).position, held.entry(C).position)
        assert not any(held.entry(url).visit(url).etag for url in (B, C))


@pytest.mark.parametrize("limit", ["pages", "pages_per_host"])
def test_a_revisit_leaves_what_is_no_page_as_it_is_where_no_more_pages_have_room(tmp_path: Path, limit: str) -> None:
    gone, moved, other = f"{A}gone", f"{A}moved", f"{B}gone"
    with books(tmp_path) as held:
        held.frontier.add([Found(url) for url in (A, gone, moved, other)])
        held.frontier.sift()
        held.answered(A, headers=TAGGED)
        for url in (gone, other):
            held.answered(url, 404)
        held.answered(moved, 301, headers=(("location", A),))
    with books(tmp_path, **{limit: 1}) as held:
        held.frontier.revisit(full=limit == "pages")
        assert [held.state(url) for url in (A, gone, moved)] == ["QUEUED", "FAILED", "DONE"]
        assert held.state(other) == ("FAILED" if limit == "pages" else "QUEUED")


def test_a_revisit_asks_for_a_page_that_robots_txt_has_closed_and_not_for_what_it_always_has(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(A), Found(B)])
        held.frontier.sift()
        held.answered(A, headers=TAGGED)
        held.frontier.revisit()
        frontier: Any = held.frontier
        for url in (A, B):
            frontier._rooms.settle.end(url, held.entry(url), State.EXCLUDED, FORBIDDEN)
        frontier._let_go([A, B])
        held.frontier.revisit()
        assert (held.state(A), held.state(B)) == ("QUEUED", "EXCLUDED")
        assert held.entry(A).visit(A).etag == '"1"'


def test_a_revisit_asks_for_nothing_that_a_pattern_excludes_and_keeps_it(tmp_path: Path) -> None:
    web = SmallWeb({A: Answer((f"{A}old", f"{A}new", f"{A}bad")), f"{A}old": Answer(), f"{A}new": Answer()})
    crawl_small(web, tmp_path, A)
    web.visits.clear()

    def again(clock: VirtualClock, frontier: Frontier) -> None:
        frontier.revisit()
        frontier.requeue(partial(requeue.all_failed, prefixes=(b"",)))

    done = crawl_small(web, tmp_path, during=again, scope=Scope(kind="any", exclude=("old", "bad")))
    assert sorted(visit.url for visit in web.visits) == [A, f"{A}new"]
    assert is_page(done.entries[f"{A}old"])
    assert done.reason(f"{A}bad") == "excluded by pattern bad"


def test_a_retry_is_for_what_failed_and_begins_with_the_first_try(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        frontier = held.frontier
        frontier.add([Found(B)])
        frontier.sift()
        held.answered(B)
        for url in (C, D):
            frontier.ledger.put(url, failed(), None)
        frontier.requeue(partial(requeue.failed, urls=[A, B, C]))
        assert frontier.ledger.get(A) is None
        assert held.state(B) == "DONE"
        assert held.entry(C).state is State.QUEUED
        assert (held.entry(C).attempt, held.entry(C).reason) == (0, "")
        assert held.state(D) == "FAILED"


def reconsidered(frontier: Frontier) -> int:
    """The number of slices that it took."""
    frontier.begin_reconsidering()
    return reconsidered_on(frontier)


def reconsidered_on(frontier: Frontier) -> int:
    slices = 0
    while frontier.is_reconsidering:
        frontier.reconsider()
        slices += 1
    return slices


@pytest.mark.parametrize(("rows", "slices"), [(3, 4), (5, 3), (11, 1)])
def test_a_scope_is_reconsidered_in_slices_that_leave_nothing_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int, slices: int
) -> None:
    monkeypatch.setattr(reconsideration, "SLICE", rows)
    old, new = [f"{A}old{number}" for number in range(5)], [f"{A}new{number}" for number in range(5)]
    with books(tmp_path, scope=Scope(kind="any", exclude=("old",))) as held:
        held.frontier.add([Found(url) for url in (*old, *new)])
        held.frontier.prepare()
    with books(tmp_path, scope=Scope(kind="any", exclude=("new",))) as held:
        assert reconsidered(held.frontier) == slices
        assert {held.state(url) for url in old} == {"QUEUED"}
        assert {held.state(url) for url in new} == {"EXCLUDED"}
        held.frontier.prepare()
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        table.commit()
        assert list(audit(table)) == []


def test_a_kill_between_two_slices_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconsideration, "SLICE", 2)
    urls = [f"{A}{number}" for number in range(6)]
    with books(tmp_path) as held:
        held.frontier.add(map(Found, urls))
        held.frontier.prepare()
    with books(tmp_path, scope=Scope(kind="any", exclude=("[0-9]$",))) as held:
        held.frontier.begin_reconsidering()
        held.frontier.reconsider()
        held.frontier.prepare()
        assert [held.state(url) for url in urls].count("EXCLUDED") == 2
    with books(tmp_path, scope=Scope(kind="any", exclude=("[0-9]$",))) as held:
        assert held.frontier.is_reconsidering
        reconsidered_on(held.frontier)
        assert {held.state(url) for url in urls} == {"EXCLUDED"}


def test_a_changed_scope_lets_in_what_it_kept_out_and_takes_out_what_is_queued(tmp_path: Path) -> None:
    old, new, both, gone = f"{A}old", f"{B}new", f"{C}old-and-new", f"{A}removed"
    with books(tmp_path, scope=Scope(kind="any", exclude=("old",))) as held:
        held.frontier.add([Found(url) for url in (old, new, both, gone, D)])
        held.frontier.sift()
        held.answered(D)
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        leave_out(table, [gone], 2.0)
        table.commit()
    with books(tmp_path, scope=Scope(kind="any", exclude=("new",))) as held:
        held.frontier.add([Found(f"{D}late")])
        reconsidered(held.frontier)
        assert held.state(old) == "QUEUED"
        assert held.entry(old).reason == ""
        assert held.state(new) == held.state(both) == "EXCLUDED"
        assert held.entry(new).reason == held.entry(both).reason.replace("old", "new") == "excluded by pattern new"
        assert held.state(D) == "DONE"
        assert held.state(f"{D}late") == "QUEUED", "what was added a moment ago counts too"
        assert is_removed(held.entry(gone))


def test_what_a_smaller_depth_took_out_comes_back_by_a_shorter_way(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(A, depth=3)])
        held.frontier.sift()
    with books(tmp_path, scope=Scope(kind="any", max_depth=1)) as held:
        reconsidered(held.frontier)
        assert held.entry(A).reason == "deeper than 1 link"
    with books(tmp_path, scope=Scope(kind="any", max_depth=1)) as held:
        held.frontier.add([Found(A, depth=1)])
        held.frontier.sift()
        assert (held.state(A), held.entry(A).depth) == ("QUEUED", 1)


def test_a_page_that_is_lost_is_fetched_again_whole_and_once(tmp_path: Path) -> None:
    web = SmallWeb({A: Answer(headers=TAGGED), B: Answer(headers=TAGGED)})
    crawl_small(web, tmp_path, A, B)
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        sequence = int.from_bytes(table.get(META, b"sequence") or b"", "big")
        assert fetch_again(table, [C, A, D], 5.0, "it was lost") == [A]
        assert int.from_bytes(table.get(META, b"sequence") or b"", "big") == sequence + 1
        table.commit()
        assert list(audit(table)) == []
        entry = Ledger(table).get(A)
        assert entry is not None
        assert (entry.state, entry.due, entry.reason) == (State.QUEUED, 5.0, "it was lost")
        assert (entry.attempt, entry.headed, entry.copy) == (0, False, False)
        assert entry.history[-1] == (5.0, "it was lost")
        assert len(list(table.scan(LATER))) == 1
        assert fetch_again(table, [A], 6.0, "twice") == [], "it is queued already"
    web.log.clear()
    web.visits.clear()
    crawl_small(web, tmp_path)
    assert web.asked() == [A]
    assert [(visit.etag, visit.modified) for visit in web.visits if visit.url == A] == [(None, None)]


# ------------------------------------------------------------------ taken out


def test_what_is_taken_out_is_left_out_for_good_and_its_answers_are_forgotten(tmp_path: Path) -> None:
    web = SmallWeb({A: Answer(headers=TAGGED), B: Answer(status=301, headers=(("location", A),))})
    crawl_small(web, tmp_path, A, B)
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        leave_out(table, [D, A, B], 7.0)
        leave_out(table, [A], 9.0)
        table.commit()
        assert list(audit(table)) == []
        for url in (A, B):
            entry = Ledger(table).get(url)
            assert is_removed(entry)
            assert entry is not None
            assert entry.history == ((7.0, "removed"),)
            assert (entry.status, entry.due, entry.copy) == (0, 0.0, False)
            assert (entry.target, entry.etag, entry.modified) == (None, None, None)
        assert Ledger(table).get(D) is None
    web.log.clear()
    crawl_small(web, tmp_path, A)
    assert web.asked() == []


def test_what_is_taken_out_leaves_its_queue_and_an_empty_queue_its_turn(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(A), Found(B), Found(f"{B}more")])
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        leave_out(table, [A, B], 7.0)
        table.commit()
        assert list(audit(table)) == []
        assert [url for _, url in table.scan(QUEUE)] == [f"{B}more".encode()]
        assert [name for name, _ in table.scan(STANDING)] == [b"http://b.example"]


def test_only_an_address_that_was_taken_out_counts_as_removed() -> None:
    assert not is_removed(None)
    assert not is_removed(Entry(State.EXCLUDED, 0, 0.0, "robots.txt forbids it"))
    assert not is_removed(Entry(State.FAILED, 0, 0.0, "removed"))
    assert is_removed(Entry(State.EXCLUDED, 0, 0.0, "removed"))


def test_nothing_is_a_copy_of_what_was_taken_out(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        for digest, url in ((b"1", A), (b"2", B), (b"3", A)):
            table.put(FIRSTS, digest, url.encode())
        forget_firsts(table, {A, C})
        assert [key for key, _ in table.scan(FIRSTS)] == [b"2"]


def test_turns_without_a_queue_are_tidied_away_and_the_others_stay(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(A), Found(B)])
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        entry = Ledger(table).get(A)
        assert entry is not None
        for key, url in list(table.scan(QUEUE)):
            if url == A.encode():
                table.delete(QUEUE, key)
        tidy_turns(table)
        assert [name for name, _ in table.scan(STANDING)] == [b"http://b.example"]
        assert int.from_bytes(table.get(META, b"waiting") or b"", "big") == 1


def test_what_failed_for_want_of_a_login_is_tried_again_where_there_is_one_now(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        ledger = held.frontier.ledger
        for url, status in ((A, 401), (B, 403), (C, 404), (D, 401)):
            ledger.put(url, replace(failed(), status=status), None)
        asked: list[str] = []

        def is_let_in(url: str) -> bool:
            asked.append(url)
            return url != D

        assert {url for url, *_ in requeue.refused(ledger, is_let_in)} == {A, B}
        assert set(asked) == {A, B, D}
        some = requeue.refused(ledger, is_let_in, [A, C, D, "http://unknown.example/"])
        assert {url for url, *_ in some} == {A}
