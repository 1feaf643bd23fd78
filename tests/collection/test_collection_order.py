"""The order of a plan holds for all sites but those that have one of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

import gossamer
from gossamer.collection import Outside
from gossamer.collection.crawl.wiring import order_of
from gossamer.errors import InvalidPlan
from gossamer.frontier import Entry, State
from gossamer.frontier.queue.rank import ORDERS
from gossamer.plan import Plan, dump, load
from gossamer.testing import MadeWeb, VirtualClock, WebSpec

ENTRY = Entry(State.QUEUED, 3, 0.0)


def test_a_site_may_have_an_order_of_its_own() -> None:
    order = order_of(Plan(order="depth", site_orders={"example.org": "random", "corp": "breadth"}))
    assert order("http://www.example.org/1", ENTRY) == ORDERS["random"]("http://www.example.org/1", ENTRY)
    assert order("http://corp/", ENTRY) == ORDERS["breadth"]("http://corp/", ENTRY)
    assert order("http://example.net/", ENTRY) == ORDERS["depth"]("http://example.net/", ENTRY)


def test_cash_is_kept_only_where_an_order_asks_for_it() -> None:
    assert not Plan(order="depth", site_orders={"example.org": "random"}).weighs()
    assert Plan(order="importance").weighs()
    assert Plan(site_orders={"example.org": "importance"}).weighs()


def test_orders_of_sites_come_back_from_the_plan(tmp_path: Path) -> None:
    plan = Plan(seeds=("http://example.org/",), site_orders={"example.org": "importance", "b.example": "depth"})
    (tmp_path / "plan.toml").write_text(dump(plan))
    assert load(tmp_path / "plan.toml") == plan


@pytest.mark.parametrize("written", ['"sideways"', "3", '["depth"]', "{ a = 1 }"])
def test_an_order_that_is_none_is_named(written: str, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(f'[site_orders]\n"example.org" = {written}\n')
    with pytest.raises(
        InvalidPlan, match=r"site_orders has .* for example\.org; it must be one of breadth, importance"
    ):
        load(tmp_path / "plan.toml")


def test_a_crawl_by_importance_is_whole_and_every_page_has_its_part(tmp_path: Path) -> None:
    clock = VirtualClock()
    made = MadeWeb(WebSpec(seed=5, hosts=4, pages=30), clock=clock)
    with gossamer.open(tmp_path / "web") as web:
        outside = Outside(clock, made.fetch)
        clock.run(web.crawl_async(made.seed, scope="any", order="importance", pages=60, outside=outside))
        clock.run(web.crawl_async(pages=0, outside=outside))
        assert {page.url for page in web.pages()} == made.reachable()
        assert web.verify().problems == []
        parts = {page.url: web.why(page.url) for page in web.pages()}
        assert all(part.importance > 0 for part in parts.values())
        assert sum(part.importance for part in parts.values()) <= 1
