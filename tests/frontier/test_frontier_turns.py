"""Origins that are not being visited wait on disk: in order, in one place each, and none is forgotten."""

from __future__ import annotations

import random
from itertools import count
from math import inf
from pathlib import Path

import pytest
from small_web import Answer, SmallWeb, crawl_small

from gossamer.frontier import presence
from gossamer.frontier.entries import FAMILIES, STANDING, TURNS
from gossamer.frontier.origins import Origin
from gossamer.frontier.turns import Turns
from gossamer.store.table import Table


def turns_of(table: Table) -> Turns:
    numbers = count(1)
    return Turns(table, lambda: next(numbers))


def test_the_nearest_comes_first_and_then_who_came_first(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        turns = turns_of(table)
        for name, distance in (("http://far", 7), ("http://near", 1), ("http://here", 0), ("http://too", 1)):
            assert turns.distance(name) == inf
            turns.expect(name, distance)
        assert turns.nearest() == 0
        assert turns.take(10, 1) == ["http://here", "http://near", "http://too"]
        assert turns.waiting == 4


def test_an_origin_stands_in_one_place_at_a_time(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        turns, draw = turns_of(table), random.Random(5)
        for _ in range(2_000):
            name = f"o{draw.randrange(30)}"
            match draw.randrange(5):
                case 0:
                    turns.expect(name, draw.randrange(9))
                case 1:
                    turns.wait(name, draw.randrange(9))
                case 2:
                    turns.sleep(name, draw.uniform(1, 9))
                case 3:
                    turns.work(name)
                case 4:
                    turns.leave(name)
            if draw.random() < 0.05:
                table.commit()
            standing = {key: name for name, key in table.scan(STANDING)}
            assert dict(table.scan(TURNS)) == standing
            assert turns.waiting == sum(key[:1] != b"\2" for key in standing)


def test_something_nearer_brings_an_origin_nearer_but_nothing_farther_moves_it(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        turns = turns_of(table)
        turns.expect("http://a", 5)
        turns.expect("http://b", 4)
        turns.expect("http://a", 9)
        assert turns.take(2, 9) == ["http://b", "http://a"]
        assert turns.distance("http://a") == 5
        turns.expect("http://a", 2)
        assert turns.take(2, 9) == ["http://a", "http://b"]
        assert turns.distance("http://a") == 2
        turns.work("http://a")
        assert turns.distance("http://a") == 0


def test_what_sleeps_is_roused_at_its_date_and_not_by_something_found(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        turns = turns_of(table)
        assert turns.next_waking == inf
        turns.sleep("http://late", 200.0)
        turns.sleep("http://early", 100.0)
        turns.expect("http://early", 0)
        assert turns.nearest() is None
        assert turns.next_waking == pytest.approx(100.0, abs=1e-4)
        assert list(turns.roused(99.0)) == []
        assert list(turns.roused(150.0)) == ["http://early"]
        turns.work("http://early")
        assert list(turns.roused(250.0)) == ["http://late"]


def test_all_of_it_is_there_after_a_restart(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        turns = turns_of(table)
        turns.expect("http://waits", 3)
        turns.sleep("http://asleep", 100.0)
        turns.expect("http://busy", 0)
        turns.work("http://busy")
        turns.save()
        table.commit()
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        turns = turns_of(table)
        assert turns.at_work() == ["http://busy"]
        assert (turns.nearest(), turns.waiting) == (3, 2)
        assert turns.next_waking == pytest.approx(100.0, abs=1e-4)


def test_memory_holds_the_hosts_being_visited_and_not_those_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive: list[int] = []

    class Counted(dict[str, Origin]):
        def __setitem__(self, name: str, origin: Origin) -> None:
            super().__setitem__(name, origin)
            alive.append(len(self))

    monkeypatch.setattr(presence, "Origins", Counted)
    hosts = [f"http://h{number}.example/" for number in range(3_000)]
    web = SmallWeb({"http://seed.example/": Answer(tuple(hosts)), **{url: Answer((f"{url}1",)) for url in hosts}})
    done = crawl_small(web, tmp_path, "http://seed.example/", workers=4, front=12)
    assert done.counts.pages == 3_001
    assert done.counts.hosts == 3_001
    assert max(alive) < 700


def test_a_collection_whose_origins_have_no_turns_yet_goes_on(tmp_path: Path) -> None:
    web = SmallWeb({f"http://{host}.example/": Answer() for host in "abc"})
    crawl_small(web, tmp_path, *web.answers, pages=1)
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        for family in (TURNS, STANDING):
            for key, _ in list(table.scan(family)):
                table.delete(family, key)
        table.commit()
    assert crawl_small(web, tmp_path).counts.pages == 3
