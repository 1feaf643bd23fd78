"""A list fills the queue of a host and no more; what is over waits in its file, and comes when its turn does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from small_web import Answer, SmallWeb, crawl_small

from gossamer.frontier import Frontier
from gossamer.frontier.discover import listings
from gossamer.frontier.polite.host_delays import Politeness
from gossamer.frontier.polite.robots_answers import SITEMAPS_AT_ONCE
from gossamer.model import Capture, Link, Page, Visit
from gossamer.testing import VirtualClock
from gossamer.urls.scope import Scope

HOME = "http://a.example/"
MAP = f"{HOME}map"
HASTY = Politeness(delay=0.0)


class ListingWeb(SmallWeb):
    """A web whose sitemaps are lists of addresses; what they say can be read again without asking them."""

    def __init__(
        self, lists: dict[str, list[str]], index: dict[str, list[str]] | None = None, named: tuple[str, ...] = (MAP,)
    ) -> None:
        self.lists, self.index = lists, index or {}
        self.again: list[str] = []
        self.priority: dict[str, float] = {}
        robots = Answer(body="".join(f"Sitemap: {url}\n" for url in named).encode())
        found = {f"{HOME}robots.txt": robots, HOME: Answer()}
        found |= {url: Answer() for url in (*lists, *self.index)}
        found |= {page: Answer() for pages in lists.values() for page in pages}
        super().__init__(found)

    async def read(self, capture: Capture) -> Page:
        return self.listed(capture.visit.url) or await super().read(capture)

    def listed(self, url: str) -> Page | None:
        if url not in self.lists and url not in self.index:
            return None
        pages = tuple(
            Link(page, place="sitemap", priority=self.priority.get(page, 0.5)) for page in self.lists.get(url, ())
        )
        return Page(url, links=pages + tuple(Link(each, place="sitemapindex") for each in self.index.get(url, ())))

    def read_again(self, url: str) -> Page | None:
        self.again.append(url)
        return self.listed(url)


@pytest.fixture(autouse=True)
def small_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listings, "QUEUED_MOST", 100)
    monkeypatch.setattr(listings, "LEAST", 10)


def pages(count: int, host: str = HOME) -> list[str]:
    return [f"{host}p{number}" for number in range(count)]


def test_every_page_of_a_long_list_is_fetched_and_the_list_once(tmp_path: Path) -> None:
    web = ListingWeb({MAP: pages(1_000)})
    most = 0

    def watch(clock: VirtualClock, frontier: Frontier) -> None:
        async def fetch(visit):  # type: ignore[no-untyped-def] # as the web's own
            nonlocal most
            most = max(most, frontier.ledger.counts.queued)
            return await original(visit)

        original, web.fetch = web.fetch, fetch  # type: ignore[method-assign] # only to look

    done = crawl_small(web, tmp_path, HOME, sitemaps=True, during=watch, politeness=HASTY, again=web.read_again)
    assert sorted(set(web.asked())) == sorted([HOME, MAP, *pages(1_000)])
    assert len(web.asked()) == 1_002
    assert done.counts.pages == 1_001
    assert (done.state(MAP), done.reason(MAP)) == ("DONE", "")
    assert most <= listings.QUEUED_MOST + 10
    assert len(web.again) <= 2 * 1_000 // listings.QUEUED_MOST


def test_a_hostile_index_leaves_a_bounded_number_of_rows(tmp_path: Path) -> None:
    maps = [f"{HOME}map{number}" for number in range(2_000)]
    web = ListingWeb({url: pages(500, f"{url}/") for url in maps}, {MAP: maps})
    done = crawl_small(web, tmp_path, HOME, sitemaps=True, politeness=HASTY, again=web.read_again, pages=20)
    visits = len(web.asked())
    assert len(done.entries) <= 2 * listings.QUEUED_MOST + visits * listings.LEAST
    assert "addresses were taken; the rest waits" in done.reason(MAP)


def test_few_sitemaps_of_an_index_come_in_at_once_and_all_in_the_end(tmp_path: Path) -> None:
    maps = [f"{HOME}map{number}" for number in range(6 * listings.LEAST)]
    web = ListingWeb({url: [] for url in maps}, {MAP: maps})
    queued = []

    def watch(clock: VirtualClock, frontier: Frontier) -> None:
        async def fetch(visit):  # type: ignore[no-untyped-def] # as the web's own
            queued.append(frontier.ledger.counts.queued)
            return await original(visit)

        original, web.fetch = web.fetch, fetch  # type: ignore[method-assign] # only to look

    crawl_small(web, tmp_path, HOME, sitemaps=True, during=watch, politeness=HASTY, again=web.read_again)
    assert {*maps} < set(web.asked())
    assert max(queued) <= listings.LEAST + 2


def test_what_waits_in_a_list_survives_the_end_of_a_crawl(tmp_path: Path) -> None:
    web = ListingWeb({MAP: pages(300)})
    for limit in (50, 120, 0):
        crawl_small(web, tmp_path, HOME, sitemaps=True, politeness=HASTY, again=web.read_again, pages=limit)
    assert sorted(web.asked()) == sorted([HOME, MAP, *pages(300)])


def test_a_list_of_another_hosts_pages_waits_for_that_host(tmp_path: Path) -> None:
    web = ListingWeb({MAP: pages(500, "http://b.example/")})
    scope = Scope(kind="any", seeds=frozenset({HOME}))
    done = crawl_small(web, tmp_path, HOME, sitemaps=True, again=web.read_again, scope=scope, patience=1e6)
    assert {*pages(500, "http://b.example/")} < set(web.asked())
    assert done.state(MAP) == "DONE"


def test_a_list_that_the_archive_has_lost_says_so(tmp_path: Path) -> None:
    web = ListingWeb({MAP: pages(300)})
    done = crawl_small(web, tmp_path, HOME, sitemaps=True, politeness=HASTY)
    assert done.reason(MAP) == "the rest of it is not in the archive any more"
    assert done.counts.queued == 0


def test_the_better_pages_of_a_long_list_come_first_and_in_the_same_order_at_every_reading(tmp_path: Path) -> None:
    web = ListingWeb({MAP: pages(300)})
    web.priority = dict.fromkeys(pages(300)[250:], 1.0)
    crawl_small(web, tmp_path, HOME, sitemaps=True, politeness=HASTY, again=web.read_again, workers=1)
    assert {*web.asked()[2:52]} == {*pages(300)[250:]}
    assert sorted(web.asked()) == sorted([HOME, MAP, *pages(300)])


def test_more_sitemaps_in_a_robots_txt_wait_until_it_is_read_again(tmp_path: Path) -> None:
    named = tuple(f"{HOME}map{number}" for number in range(SITEMAPS_AT_ONCE + 30))
    web = ListingWeb({url: [] for url in named}, named=named)
    crawl_small(web, tmp_path, HOME, sitemaps=True, politeness=HASTY)
    assert len({*named} & set(web.asked())) == SITEMAPS_AT_ONCE


def test_a_long_list_comes_in_by_slices_and_others_are_visited_in_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listings, "QUEUED_MOST", 1_000)
    monkeypatch.setattr(listings, "SLICE", 20)
    other = "http://other.example/"
    web = ListingWeb({MAP: pages(800)})
    web.answers |= {other: Answer(tuple(pages(100, other))), **dict.fromkeys(pages(100, other), Answer())}
    slices: list[int] = []
    moments: list[int] = []

    def watch(clock: VirtualClock, frontier: Frontier) -> None:
        follow = frontier._rooms.intake.follow

        def following(visit: Visit, links: Sequence[Link], *more: Any, **named: Any) -> None:
            if visit.url == MAP:
                slices.append(len(links))
                moments.append(len(web.host_times("other.example")))
            follow(visit, links, *more, **named)

        monkeypatch.setattr(frontier._rooms.intake, "follow", following)

    web.latency = 0.001
    hastier = Politeness(delay=0.0, ip_delay=0.0)
    crawl_small(web, tmp_path, HOME, other, sitemaps=True, politeness=hastier, again=web.read_again, during=watch)
    assert sum(slices) == 800
    assert max(slices) <= 20
    assert len(set(moments)) >= len(moments) // 2, "others go on between most slices"
    assert {HOME, MAP, *pages(800)} < set(web.asked())
    assert web.again == [], "it was held open"


def test_others_are_visited_while_a_list_is_read_again(tmp_path: Path) -> None:
    other = "http://other.example/"
    web = ListingWeb({MAP: pages(300)})
    web.answers |= {other: Answer(tuple(pages(100, other))), **dict.fromkeys(pages(100, other), Answer())}
    begun: list[int] = []
    ended: list[int] = []

    def watch(clock: VirtualClock, frontier: Frontier) -> None:
        again, come = frontier._rooms.listings._again, frontier._rooms.listings._come

        def asking(url: str, then: Callable[[Page | None], None]) -> None:
            begun.append(len(web.host_times("other.example")))
            again(url, then)

        def coming(url: str, page: Page | None) -> None:
            ended.append(len(web.host_times("other.example")))
            come(url, page)

        frontier._rooms.listings._again, frontier._rooms.listings._come = asking, coming  # type: ignore[method-assign]  # to look

    crawl_small(
        web,
        tmp_path,
        HOME,
        other,
        sitemaps=True,
        politeness=Politeness(delay=0.5, ip_delay=0.0),
        again=web.read_again,
        reading=20.0,
        patience=0,
        during=watch,
    )
    assert {*pages(300)} < set(web.asked())
    assert begun[0] < ended[0]


def test_more_lists_than_may_be_open_are_all_read_to_their_end(tmp_path: Path) -> None:
    hosts = [f"http://h{n}.example/" for n in range(2 * listings.OPEN_MOST)]
    lists = {f"{host}map": pages(130, host) for host in hosts}
    web = ListingWeb(lists, named=tuple(lists))
    scope = Scope(kind="any", seeds=frozenset({HOME}))
    done = crawl_small(
        web, tmp_path, HOME, sitemaps=True, politeness=HASTY, scope=scope, again=web.read_again, reading=5.0, patience=0
    )
    assert {page for each in lists.values() for page in each} < set(web.asked())
    assert done.counts.queued == 0


@pytest.mark.parametrize("limit", [30, 90])
def test_a_crawl_that_ends_while_a_list_is_open_goes_on_with_the_next_slice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(listings, "SLICE", 10)
    web = ListingWeb({MAP: pages(300)})
    for most in (limit, 0):
        crawl_small(web, tmp_path, HOME, sitemaps=True, politeness=HASTY, again=web.read_again, pages=most, patience=0)
    assert sorted(web.asked()) == sorted([HOME, MAP, *pages(300)])


def test_a_list_that_we_failed_to_read_again_is_not_given_up(tmp_path: Path) -> None:
    web = ListingWeb({MAP: pages(300)})
    done = crawl_small(
        web, tmp_path, HOME, sitemaps=True, politeness=HASTY, again=lambda url: Page(url, unread="killed"), patience=100
    )
    assert done.state(MAP) == "QUEUED"

    def tomorrow(clock: VirtualClock, frontier: Frontier) -> None:
        clock.jump(listings.UNREAD)

    crawl_small(web, tmp_path, HOME, sitemaps=True, politeness=HASTY, again=web.read_again, during=tomorrow)
    assert sorted(web.asked()) == sorted([HOME, MAP, *pages(300)])
