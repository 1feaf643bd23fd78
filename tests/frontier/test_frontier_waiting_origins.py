"""Origins that are not being visited wait on disk: in order, in one place each, and none is forgotten."""

from __future__ import annotations

import random
from itertools import count
from math import inf
from pathlib import Path

import pytest
from small_web import Answer, SmallWeb, crawl_small

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.entries import STANDING, TURNS
from gossamer.frontier.queue import active_origins
from gossamer.frontier.queue.back_queues import Origin
from gossamer.frontier.queue.waiting_origins import WaitingOrigins
from gossamer.store.table.table import Table


def turns_of(table: Table) -> WaitingOrigins:
    numbers = count(1)
    return WaitingOrigins(table, lambda: next(numbers))


def test_the_nearest_comes_first_and_then_who_came_first(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        waiting_origins = turns_of(table)
        for name, distance in (("http://far", 7), ("http://near", 1), ("http://here", 0), ("http://too", 1)):
            assert waiting_origins.distance(name) == inf
            waiting_origins.expect(name, distance)
        assert waiting_origins.nearest() == 0
        assert waiting_origins.take(10, 1) == ["http://here", "http://near", "http://too"]
        assert waiting_origins.waiting == 4


def test_an_origin_stands_in_one_place_at_a_time(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        waiting_origins, draw = turns_of(table), random.Random(5)
        for _ in range(2_000):
            name = f"o{draw.randrange(30)}"
            match draw.randrange(5):
                case 0:
                    waiting_origins.expect(name, draw.randrange(9))
                case 1:
                    waiting_origins.wait(name, draw.randrange(9))
                case 2:
                    waiting_origins.sleep(name, draw.uniform(1, 9))
                case 3:
                    waiting_origins.work(name)
                case 4:
                    waiting_origins.leave(name)
            if draw.random() < 0.05:
                table.commit()
            standing = {key: name for name, key in table.scan(STANDING)}
            assert dict(table.scan(TURNS)) == standing
            assert waiting_origins.waiting == sum(key[:1] != b"\2" for key in standing)


def test_something_nearer_brings_an_origin_nearer_but_nothing_farther_moves_it(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        waiting_origins = turns_of(table)
        waiting_origins.expect("http://a", 5)
        waiting_origins.expect("http://b", 4)
        waiting_origins.expect("http://a", 9)
        assert waiting_origins.take(2, 9) == ["http://b", "http://a"]
        assert waiting_origins.distance("http://a") == 5
        waiting_origins.expect("http://a", 2)
        assert waiting_origins.take(2, 9) == ["http://a", "http://b"]
        assert waiting_origins.distance("http://a") == 2
        waiting_origins.work("http://a")
        assert waiting_origins.distance("http://a") == 0


def test_what_sleeps_is_roused_at_its_date_and_not_by_something_found(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        waiting_origins = turns_of(table)
        assert waiting_origins.next_waking == inf
        waiting_origins.sleep("http://late", 200.0)
        waiting_origins.sleep("http://early", 100.0)
        waiting_origins.expect("http://early", 0)
        assert waiting_origins.nearest() is None
        assert waiting_origins.next_waking == pytest.approx(100.0, abs=1e-4)
        assert list(waiting_origins.roused(99.0)) == []
        assert list(waiting_origins.roused(150.0)) == ["http://early"]
        waiting_origins.work("http://early")
        assert list(waiting_origins.roused(250.0)) == ["http://late"]


def test_those_that_sleep_too_long_are_told(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        waiting_origins = turns_of(table)
        for name, until in (("http://soon", 100.0), ("http://late", 200.0), ("http://never", 1e9)):
            waiting_origins.sleep(name, until)
        waiting_origins.expect("http://waits", 3)
        assert waiting_origins.asleep_beyond(150.0) == ["http://late", "http://never"]
        assert waiting_origins.asleep_beyond(201.0) == ["http://never"]


def test_all_of_it_is_there_after_a_restart(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        waiting_origins = turns_of(table)
        waiting_origins.expect("http://waits", 3)
        waiting_origins.sleep("http://asleep", 100.0)
        waiting_origins.expect("http://busy", 0)
        waiting_origins.work("http://busy")
        waiting_origins.save()
        table.commit()
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        waiting_origins = turns_of(table)
        assert waiting_origins.at_work() == ["http://busy"]
        assert (waiting_origins.nearest(), waiting_origins.waiting) == (3, 2)
        assert waiting_origins.next_waking == pytest.approx(100.0, abs=1e-4)


def test_memory_holds_the_hosts_being_visited_and_not_those_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive: list[int] = []

    class Counted(dict[str, Origin]):
        def __setitem__(self, name: str, origin: Origin) -> None:
            super().__setitem__(name, origin)
            alive.append(len(self))

    monkeypatch.setattr(active_origins, "Origins", Counted)
    hosts = [f"http://h{number}.example/" for number in range(1_000)]
    web = SmallWeb({"http://seed.example/": Answer(tuple(hosts)), **{url: Answer((f"{url}1",)) for url in hosts}})
    done = crawl_small(web, tmp_path, "http://seed.example/", workers=4, front=12)
    assert done.counts.pages == 1_001
    assert done.counts.hosts == 1_001
    assert max(alive) < 400


def test_a_collection_whose_origins_have_no_turns_yet_goes_on(tmp_path: Path) -> None:
    web = SmallWeb({f"http://{host}.example/": Answer() for host in "abc"})
    crawl_small(web, tmp_path, *web.answers, pages=1)
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        for family in (TURNS, STANDING):
            for key, _ in list(table.scan(family)):
                table.delete(family, key)
        table.commit()
    assert crawl_small(web, tmp_path).counts.pages == 3
