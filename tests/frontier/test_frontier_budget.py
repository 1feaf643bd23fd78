"""No site can capture a crawl: what is over its budget waits, and is never dropped."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_web import Answer, SmallWeb, crawl_small
from zipf_web import ZipfWeb

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier import Politeness
from gossamer.frontier.discover.credit import Credit
from gossamer.frontier.entries import Entry
from gossamer.frontier.queue.rank import ORDERS, distance, rank
from gossamer.frontier.why import Asked, about_address
from gossamer.frontier.worth.budget import BASE, HOSTS_BASE, HOSTS_MOST, MOST, Budgets, budget, host_budget, stored
from gossamer.model import Link
from gossamer.store.table.table import Table
from gossamer.urls import keys, site

SITES = 60
FARM_HOSTS = [f"f{number}.farm.example" for number in range(20)]


def ordinary(number: int, pages: int, farm: tuple[str, ...] = ()) -> dict[str, Answer]:
    """A site whose home page links to its pages and to the home page of the next site."""
    home = f"http://www.site{number}.example/"
    links = tuple(f"{home}{page}" for page in range(1, pages))
    return {
        home: Answer((*links, f"http://www.site{(number + 1) % SITES}.example/", *farm)),
        **{url: Answer() for url in links},
    }


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
    for number in range(SITES):
        web.answers |= ordinary(number, 50, ("http://f0.farm.example/",) if number < 3 else ())
    seeds = [f"http://www.site{number}.example/" for number in range(SITES)]
    done = crawl_small(web, folder, *seeds, workers=16, front=front)
    assert done.counts.pages == SITES * 50 + 20 * 100
    assert done.counts.queued == 0
    asked = web.asked()
    last = max(place for place, url in enumerate(asked) if keys.host(url) not in FARM_HOSTS and web.answers.get(url))
    farmed = sum(keys.host(url) in FARM_HOSTS for url in asked[: last + 1])
    return farmed, last + 1 - farmed


@pytest.mark.soak
def test_a_farm_of_many_pages_and_hosts_gets_little_before_all_others_have_theirs(tmp_path: Path) -> None:
    farmed, others = crawl_beside_a_farm(tmp_path / "budgets", front=16)
    assert farmed <= 0.07 * others
    captured, _ = crawl_beside_a_farm(tmp_path / "none", front=10**6)
    assert captured > 4 * farmed


def wildcard(names: int) -> dict[str, Answer]:
    """A site that has a host of one page for every name that anyone thinks of, all of them linked from its home."""
    homes = tuple(f"http://n{number}.wildcard.example/" for number in range(names))
    return {"http://wildcard.example/": Answer(homes), **{url: Answer() for url in homes}}


def test_a_site_of_endless_hosts_gets_little_before_all_others_have_theirs(tmp_path: Path) -> None:
    names, pages = 10_000, 50
    web = SmallWeb(wildcard(names))
    for number in range(SITES):
        web.answers |= ordinary(number, pages, ("http://wildcard.example/",) if number < 3 else ())
    seeds = [f"http://www.site{number}.example/" for number in range(SITES)]
    done = crawl_small(web, tmp_path, *seeds, workers=16, front=16, pages=SITES * pages + 400)
    asked = web.asked()
    last = max(place for place, url in enumerate(asked) if "www.site" in url)
    farmed = sum("wildcard" in url for url in asked[:last])
    assert last + 1 - farmed == SITES * pages
    assert farmed <= 0.05 * last
    assert done.counts.queued == names + 1 - 400, "none is dropped"
    with Table.open(tmp_path, FAMILIES, writable=False) as table:
        asked_for = Asked(Politeness(), "Gossamer", site, now=1e12)
        answer = about_address(table, f"http://n{names - 1}.wildcard.example/", asked_for)
        assert answer is not None
        assert answer.distance == names // 20
        assert answer.reason == (
            "its turn comes in 500 rounds: its host is number 10,001 of its site, which may bring 20 hosts a round"
        )


def test_hosts_of_a_site_come_by_rounds_and_sooner_with_reputation(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        budgets = Budgets(table)
        numbers = [budgets.new_host("a.example") for _ in range(23)]
        away = [budgets.distance("a.example", number) for number in numbers]
        assert away == [number // HOSTS_BASE for number in range(23)]
        budgets.linked(["a.example"])
        assert [budgets.distance("a.example", number) for number in numbers] == [number // 10 for number in range(23)]


def links(*urls: str, rel: str = "") -> tuple[Link, ...]:
    return tuple(Link(url, rel=rel) for url in urls)


def test_many_links_from_one_site_count_once(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        budgets = Budgets(table)
        for _ in range(3):  # the second and third know nothing but the table
            credit = Credit(table, budgets, site)
            for page in range(100):
                credit.give(f"http://www.b.example/{page}", links("http://a.example/", f"https://x{page}.a.example/"))
            credit.settle()
        credit.give("http://c.example/", links("http://a.example/"))
        credit.settle()
        budgets.save()
        assert (stored(table, "a.example").linkers, stored(table, "b.example").linkers) == (2, 0)


def test_nofollow_links_and_links_within_a_site_earn_nothing(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        budgets = Budgets(table)
        credit = Credit(table, budgets, site)
        credit.give("http://a.example/", links("http://b.example/", rel="ugc nofollow"))
        credit.give("http://a.example/", links("http://www.a.example/", "https://a.example/1", "http://a.example/2"))
        credit.settle()
        budgets.save()
        assert (stored(table, "a.example").linkers, stored(table, "b.example").linkers) == (0, 0)


def test_what_a_site_is_known_to_link_to_is_bounded_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.frontier.discover.credit.REMEMBERED", 10)
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        budgets = Budgets(table)
        credit = Credit(table, budgets, site)
        for _ in range(2):
            for number in range(100):
                credit.give(f"http://s{number % 7}.example/", links(f"http://t{number}.example/"))
        remembered = sum(len(origins) for each in (credit._new, credit._old) for origins in each.values())
        assert remembered <= 2 * 11
        credit.settle()
        budgets.save()
        assert all(stored(table, f"t{number}.example").linkers == 1 for number in range(100))


def test_a_site_that_a_thousand_others_link_to_earns_a_thousand_credits(tmp_path: Path) -> None:
    linkers = [f"http://s{number}.example/" for number in range(1_000)]
    web = SmallWeb({url: Answer(("http://popular.example/",)) for url in linkers}, latency=0)
    web.answers["http://popular.example/"] = Answer()
    crawl_small(web, tmp_path, *linkers, workers=64)
    with Table.open(tmp_path, FAMILIES, writable=False) as table:
        assert stored(table, "popular.example").linkers == 1_000


def test_budgets_survive_a_restart(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        budgets = Budgets(table)
        for _ in range(25):
            budgets.visited("a.example")
        budgets.save()
        table.commit()
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        assert Budgets(table).distance("a.example") == 2


def test_a_budget_grows_with_reputation_up_to_a_bound() -> None:
    assert (budget(0), budget(3), budget(10**6)) == (BASE, 4 * BASE, MOST) == (10, 40, 10_000)
    assert (
        (host_budget(0), host_budget(3), host_budget(10**6))
        == (HOSTS_BASE, 4 * HOSTS_BASE, HOSTS_MOST)
        == (5, 20, 5_000)
    )


def test_credit_that_comes_late_brings_a_site_nearer(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        budgets = Budgets(table)
        for _ in range(60):
            budgets.visited("a.example")
        assert budgets.distance("a.example") == 6
        budgets.linked(["a.example"])
        assert budgets.distance("a.example") == 3


def test_a_crawl_goes_on_until_nothing_is_queued(tmp_path: Path) -> None:
    """Also when the only host there is has to wait for its next round just as its turn comes."""
    for seed in range(5):
        web = ZipfWeb(hosts=1, works=40, seed=seed)
        done = crawl_small(web, tmp_path / str(seed), web.home, politeness=Politeness(delay=0.1))
        assert (done.counts.queued, done.counts.done) == (0, len(set(web.asked())))


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
    assert web.asked() == [home, *reversed(links)]
