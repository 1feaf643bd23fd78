"""What is promised of an address for the topic of a crawl: the best that was said of it, kept and counted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.queue.rank import distance, topic_rounds
from gossamer.frontier.worth.focus import Focus
from gossamer.frontier.worth.topic_rows import Promise, Sums, TopicRow, about_topic, stored_sums
from gossamer.model import Kind, Link, Page, Visit
from gossamer.store.table.table import Table

A, B = "http://a.test/x", "http://b.test/y"
QUEUED = Entry(State.QUEUED, 1, 0.0)


class Judge:
    """Says what it is told to say."""

    def __init__(self) -> None:
        self.score = 0.0
        self.learns = False
        self.again: dict[str, float] = {}
        self.links = SimpleNamespace(again=self.again.get)

    def page(self, page: Page) -> tuple[float, list[tuple[str, float]]]:
        return self.score, [("owl", 1.234)]

    def learn(self, page: Page, score: float) -> bool:
        return self.learns

    def link(self, link: Link, stands: Any) -> float:
        return stands.inherited  # type: ignore[no-any-return]  # a number


class Focused(SimpleNamespace):
    focus: Focus
    table: Table
    ledger: Ledger
    judge: Judge
    kept: list[Any]


@pytest.fixture
def of(tmp_path: Path) -> Iterator[Focused]:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        judge, ledger, kept = Judge(), Ledger(table), list[Any]()
        focus = Focus(table, ledger, judge, kept.append)  # type: ignore[arg-type]  # all that is asked of it
        yield Focused(focus=focus, table=table, ledger=ledger, judge=judge, kept=kept)


def test_a_page_on_topic_is_counted_and_gives_its_links_what_it_is_worth(of: Focused) -> None:
    of.judge.score = 0.9
    links = [Link(B), Link(A)]
    assert of.focus.came(Visit(A, depth=1), Page(A), links) == [Promise(B, 900_000, 0), Promise(A, 900_000, 0)]
    assert of.focus.sums == Sums(1, 0.9, 1)
    assert about_topic(of.table, A) == TopicRow(score=0.9, words=(("owl", 1.23),))
    of.judge.score = 0.8
    of.focus.came(Visit(A, depth=1), Page(A), links)
    assert of.focus.sums.pages == 1, "it came again"
    of.focus.save()
    of.table.commit()
    assert stored_sums(of.table) == of.focus.sums


def test_steps_away_from_the_topic_are_counted_and_a_sitemap_is_none(of: Focused) -> None:
    (promised,) = of.focus.came(Visit(A, depth=1), Page(A), [Link(B)])
    assert promised.steps == 1
    assert of.focus.sums == Sums(1, 0.0, 0)
    of.focus.promise([promised])
    of.focus.weighed(B, QUEUED)
    assert of.focus.came(Visit(B, depth=2), Page(B), [Link(A)])[0].steps == 2
    (listed,) = of.focus.came(Visit("http://a.test/map", Kind.SITEMAP, depth=1), Page(None), [Link(B)])
    assert listed.steps == 0
    assert of.focus.sums.pages == 2, "a sitemap is no page"
    of.focus.came(Visit("http://a.test/broken", depth=1), Page(None, problem="cut"), [])
    assert of.focus.sums.pages == 2


def test_what_a_judge_learns_is_kept_and_nothing_else(of: Focused) -> None:
    of.focus.came(Visit(A), Page(A), [])
    assert of.kept == []
    of.judge.learns = True
    of.focus.came(Visit(B), Page(B), [])
    assert of.kept == [of.judge]


def test_the_best_promise_counts_and_of_equal_ones_the_first(of: Focused) -> None:
    assert not of.focus.full
    of.focus.promise([Promise(A, 5, 1), Promise(A, 7, 2), Promise(A, 7, 9), Promise(A, 6, 3)])
    assert of.focus.full
    assert of.focus.weighed(A, QUEUED).cash == 7
    assert about_topic(of.table, A) == TopicRow(7, 2)
    assert not of.focus.full
    of.focus.promise([Promise(A, 7, 1)])
    of.focus.weighed(A, QUEUED)
    assert about_topic(of.table, A) == TopicRow(7, 2)
    assert of.focus.weighed(A, QUEUED).cash == 7, "it stays"


def test_of_an_address_that_nobody_spoke_of_a_tenth_is_promised_and_of_a_hopeless_one_nothing(of: Focused) -> None:
    assert of.focus.weighed(A, QUEUED).cash == 100_000
    of.focus.promise([Promise(B, 0, 3)])
    assert of.focus.weighed(B, QUEUED).cash == 0
    assert about_topic(of.table, B) == TopicRow(0, 3)


def test_the_same_is_promised_of_where_an_address_leads(of: Focused) -> None:
    of.focus.promise([Promise(A, 5, 1)])
    of.focus.weighed(A, QUEUED)
    assert of.focus.moved(A, B) == [Promise(B, 5, 1)]


@pytest.mark.parametrize(
    ("promise", "change", "out", "moves"),
    [
        (600_000, {}, (), True),
        (500_000, {}, (), False),  # a quarter better is not enough
        (600_000, {}, (A,), False),
        (600_000, {"due": 5.0}, (), False),
        (600_000, {"state": State.DONE}, (), False),
        (450_000, {}, (), False),
    ],
)
def test_a_queued_address_moves_when_much_more_is_promised_of_it(
    promise: int, change: dict[str, Any], out: tuple[str, ...], moves: bool, of: Focused
) -> None:
    of.focus.promise([Promise(A, 400_000, 1)])
    entry = replace(of.focus.weighed(A, replace(QUEUED, rank=5 << 40)), **change)
    of.ledger.put(A, entry, None)
    of.focus.promise([Promise(A, promise, 2)])
    found = list(of.focus.gained(out))
    assert [url for url, *_ in found] == ([A] if moves else [])
    assert not of.focus.full
    if moves:
        _, after, before = found[0]
        assert (before, after.cash) == (entry, promise)
        assert about_topic(of.table, A) == TopicRow(promise, 2)


def test_an_address_that_promises_far_less_by_now_is_put_back(of: Focused) -> None:
    entry = replace(QUEUED, cash=600_000)
    assert of.focus.less(A, entry) is None, "nothing else is known"
    of.judge.again[A] = 0.4
    assert of.focus.less(A, entry) is None, "two thirds are not far less"
    of.judge.again[A] = 0.1
    assert of.focus.less(A, replace(entry, depth=0)) is None, "a seed"
    later = of.focus.less(A, entry)
    assert later is not None
    assert later.cash == 100_000
    assert distance(later.rank) - distance(entry.rank) == topic_rounds(later) > 0
    row = about_topic(of.table, A)
    assert row is not None
    assert row.promise == 100_000
