"""At a limit of pages those that we have are asked for again, and no new one takes the place of any."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from small_web import Answer, SmallWeb, crawl_small

from gossamer.frontier import Frontier
from gossamer.frontier.polite.limits import Allowance
from gossamer.frontier.rules import WatchRules
from gossamer.testing import VirtualClock

HOSTS = ("http://a.example", "http://b.example", "http://c.example")
DAY = 86_400.0


@pytest.fixture
def web() -> SmallWeb:
    """Three hosts with ten pages each; the last is met only on the way."""
    made: dict[str, Answer | Callable[[int], Answer]] = {}
    for root in HOSTS:
        leaves = [f"{root}/{number}" for number in range(9)]
        made |= {f"{root}/": Answer((*leaves, f"{HOSTS[2]}/")), **{url: Answer() for url in leaves}}
    return SmallWeb(made)


def again(clock: VirtualClock, frontier: Frontier) -> None:
    frontier.revisit()


def test_all_pages_are_asked_for_again_and_none_that_is_new(web: SmallWeb, tmp_path: Path) -> None:
    seeds = (f"{HOSTS[0]}/", f"{HOSTS[1]}/")
    first = crawl_small(web, tmp_path, *seeds, pages=7)
    assert (first.counts.pages, first.counts.again) == (7, 0)
    had = set(web.asked())
    web.log.clear()
    second = crawl_small(web, tmp_path, pages=7, during=again)
    assert sorted(web.asked()) == sorted(had)
    assert (second.counts.pages, second.counts.again, second.counts.queued) == (7, 0, first.counts.queued)


def test_what_had_to_wait_comes_when_there_is_room(web: SmallWeb, tmp_path: Path) -> None:
    crawl_small(web, tmp_path, f"{HOSTS[0]}/", f"{HOSTS[1]}/", pages=7)
    crawl_small(web, tmp_path, pages=7, during=again)
    done = crawl_small(web, tmp_path, pages=29)
    assert (done.counts.pages, done.counts.queued) == (29, 1)
    assert crawl_small(web, tmp_path).counts.pages == 30


def test_a_page_that_is_gone_makes_room_for_one_that_is_new(web: SmallWeb, tmp_path: Path) -> None:
    crawl_small(web, tmp_path, f"{HOSTS[0]}/", pages=3)
    gone = next(url for url in web.asked() if url != f"{HOSTS[0]}/")
    del web.answers[gone]
    done = crawl_small(web, tmp_path, pages=3, during=again)
    assert (done.counts.pages, done.counts.failed) == (3, 1)


@pytest.mark.parametrize("limit", [5, 12])
def test_a_watch_goes_on_at_the_limit(web: SmallWeb, tmp_path: Path, limit: int) -> None:
    seeds = (f"{HOSTS[0]}/", f"{HOSTS[1]}/")
    ends = Allowance(until=VirtualClock().steady() + DAY)
    done = crawl_small(web, tmp_path, *seeds, pages=limit, watch=WatchRules(limit * 24.0), allowance=ends)
    assert done.counts.kept == limit
    visits = web.asked()
    assert len(set(visits)) == limit
    assert min(visits.count(url) for url in set(visits)) >= 4
