"""No site can capture a crawl: what is over its budget waits, and is never dropped."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_web import Answer, SmallWeb, crawl_small

from gossamer.frontier.budget import BASE, MOST, Budgets, budget
from gossamer.frontier.entries import FAMILIES, Entry
from gossamer.frontier.rank import ORDERS, distance, rank
from gossamer.store.table import Table
from gossamer.urls import keys

FARM_HOSTS = [f"f{number}.farm.example" for number in range(20)]


def ordinary(number: int, pages: int, farm: tuple[str, ...] = ()) -> dict[str, Answer]:
    """A site whose home page links to its pages and to the home page of the next site."""
    home = f"http://www.site{number}.example/"
    links = tuple(f"{home}{page}" for page in range(1, pages))
    return {home: Answer((*links, f"http://www.site{number + 1}.example/", *farm)), **{url: Answer() for url in links}}


def farm(pages: int) -> dict[str, Answer]:
    """A site of many hosts that all link to each other and have pages without end."""
    homes = tuple(f"http://{host}/" for host in FARM_HOSTS)
    web: dict[str, Answer] = {}
    for home in homes:
        links = tuple(f"{home}{page}" for page in range(1, pages))
        web |= {home: Answer((*homes, *links)), **{url: Answer() for url in links}}
    return web


def crawl_beside_a_farm(folder: Path, front: int) -> tuple[int, int]:
    """Pages of the farm that were fetched before the last ordinary page, and ordinary pages."""
    web = SmallWeb(farm(100))
    for number in range(60):
        web.answers |= ordinary(number, 50, ("http://f0.farm.example/",) if number < 3 else ())
    seeds = [f"http://www.site{number}.example/" for number in range(60)]
    done = crawl_small(web, folder, *seeds, workers=16, front=front)
    assert done.counts.pages == 60 * 50 + 20 * 100
    assert done.counts.queued == 0
    asked = web.asked()
    last = max(place for place, url in enumerate(asked) if keys.host(url) not in FARM_HOSTS and web.answers.get(url))
    farmed = sum(keys.host(url) in FARM_HOSTS for url in asked[: last + 1])
    return farmed, last + 1 - farmed


def test_a_farm_of_many_pages_and_hosts_gets_little_before_all_others_have_theirs(tmp_path: Path) -> None:
    farmed, others = crawl_beside_a_farm(tmp_path / "budgets", front=16)
    assert farmed <= 0.07 * others
    captured, _ = crawl_beside_a_farm(tmp_path / "none", front=10**6)
    assert captured > 4 * farmed


def test_many_links_from_one_site_count_once(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        budgets = Budgets(table)
        for _ in range(1_000):
            budgets.linked("a.example", "b.example")
        budgets.linked("a.example", "c.example")
        assert [budgets.distance("a.example") for _ in range(61)] == [n // (3 * BASE) for n in range(61)]
        assert [budgets.distance("b.example") for _ in range(11)] == [n // BASE for n in range(11)]


def test_budgets_survive_a_restart(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        budgets = Budgets(table)
        for _ in range(25):
            budgets.distance("a.example")
        budgets.save()
        table.commit()
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        assert Budgets(table).distance("a.example") == 2


def test_a_budget_grows_with_reputation_up_to_a_bound() -> None:
    assert (budget(0), budget(3), budget(10**6)) == (BASE, 4 * BASE, MOST)


@pytest.mark.parametrize(("away", "order"), [(0, 0), (3, 7), (2**40, 2**40), (1, -5)])
def test_a_rank_sorts_by_distance_first(away: int, order: int) -> None:
    assert rank(away, order) < 1 << 64
    assert distance(rank(away, order)) == min(away, 2**32 - 1)
    assert rank(1, 2**32 - 1) < rank(2, 0)


def test_depth_first_goes_down_before_it_goes_on(tmp_path: Path) -> None:
    home = "http://a.example/"
    web = SmallWeb(
        {
            home: Answer((f"{home}1", f"{home}2")),
            f"{home}1": Answer((f"{home}1/a",)),
            f"{home}1/a": Answer((f"{home}1/a/b",)),
            f"{home}1/a/b": Answer(),
            f"{home}2": Answer(),
        }
    )
    crawl_small(web, tmp_path, home, order=ORDERS["depth"])
    assert web.asked() == [home, f"{home}1", f"{home}1/a", f"{home}1/a/b", f"{home}2"]


def test_random_order_is_mixed_and_the_same_every_time(tmp_path: Path) -> None:
    home = "http://a.example/"
    links = tuple(f"{home}{number}" for number in range(9))
    orders = []
    for run in ("one", "two"):
        web = SmallWeb({home: Answer(links), **{url: Answer() for url in links}})
        crawl_small(web, tmp_path / run, home, order=ORDERS["random"])
        orders.append(web.asked())
    assert orders[0] == orders[1] != [home, *links]


def test_an_order_of_ones_own_is_a_function(tmp_path: Path) -> None:
    home = "http://a.example/"
    links = tuple(f"{home}{number}" for number in range(9))

    def backwards(url: str, entry: Entry) -> int:
        return 9 - int(url[-1]) if url[-1].isdigit() else 0

    web = SmallWeb({home: Answer(links), **{url: Answer() for url in links}})
    crawl_small(web, tmp_path, home, order=backwards)
    assert web.asked() == [home, *reversed(links)]


def test_a_queue_longer_than_its_head_keeps_its_order(tmp_path: Path) -> None:
    home = "http://a.example/"
    links = tuple(f"{home}{number:04}" for number in range(1_000))
    web = SmallWeb({home: Answer(links), **{url: Answer() for url in links}}, latency=0)
    crawl_small(web, tmp_path, home, order=lambda url, _: 1_000 - int(url[-4:]) if url[-4:].isdigit() else 0)
    asked = web.asked()
    rounds = [asked[start : start + BASE] for start in range(0, len(asked), BASE)]
    assert sorted(asked[1:]) == list(links)
    assert rounds[0] == [home, *reversed(links[:9])]
    assert all(each == sorted(each, reverse=True) for each in rounds[1:])
