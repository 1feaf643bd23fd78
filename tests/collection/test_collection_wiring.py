"""What a plan asks for is what the parts of a crawl are given."""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.collection.crawl import plan_check, wiring
from gossamer.errors import GossamerError, UsageError
from gossamer.fetch.browser import chromium
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.queue.rank import ORDERS
from gossamer.plan import Plan


def entry(depth: int) -> Entry:
    return Entry(state=State.QUEUED, depth=depth, found=0.0)


@pytest.mark.parametrize(
    "settings",
    [
        {"include": ("(",)},
        {"contact": "a b"},
        {"allow_addresses": ("everything",)},
        {"proxy": "ftp://example.org"},
        {"ca_file": "/nowhere/at/all.pem"},
    ],
)
def test_a_setting_that_no_part_would_take_is_refused_before_anything_is_made(settings: dict[str, Any]) -> None:
    with pytest.raises(GossamerError):
        plan_check.check(Plan(**settings))


def test_a_browser_is_wanted_where_pages_are_rendered_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[bool] = []
    monkeypatch.setattr(chromium, "require", lambda: wanted.append(True))
    with pytest.raises(UsageError, match="add --render always"):
        plan_check.check(Plan(screenshots=True))
    plan_check.check(Plan(render="never"))
    assert not wanted
    for render in ("auto", "always"):
        plan_check.check(Plan(render=render, screenshots=True))
    assert len(wanted) == 2


def test_a_pattern_that_is_hardly_meant_is_told() -> None:
    (hint,) = plan_check.hints({"include": ("*.pdf",), "exclude": ("/private/",), "depth": 3})
    assert hint.startswith("include '*.pdf': ")


def test_a_plan_of_defaults_has_nothing_to_complain_about() -> None:
    plan_check.check(Plan())


def test_the_frontier_goes_by_the_plan() -> None:
    plan = Plan(
        seeds=("http://example.org/",),
        scope="domain",
        delay=2.5,
        pages=7,
        patience=12.0,
        sitemaps="never",
        workers=5,
        order="importance",
        suffixes=("example.org",),
    )
    rules = wiring.rules_of(plan, "Spider", None, imports=False)
    assert rules.scope == plan.as_scope()
    assert rules.politeness == plan.as_politeness()
    assert (rules.agent, rules.pages, rules.patience) == ("Spider", 7, 12.0)
    assert (rules.closed, rules.sitemaps, rules.weigh) == (False, False, True)
    assert (rules.at_once, rules.front) == (5, 15)
    assert rules.order is ORDERS["importance"]
    assert rules.rewrite is None
    assert rules.site("http://a.example.org/x") == "a.example.org"


def test_an_order_of_ones_own_takes_the_place_of_that_of_the_plan() -> None:
    def alike(url: str, entry: Entry) -> int:
        return 1

    assert wiring.rules_of(Plan(order="depth"), "Spider", alike, imports=False).order is alike


def test_an_import_asks_for_nothing() -> None:
    assert wiring.rules_of(Plan(), "Spider", None, imports=True).closed


def test_only_types_that_are_downloaded_are_wanted() -> None:
    rules = wiring.rules_of(Plan(), "Spider", None, imports=False)
    assert rules.wanted("text/html")
    assert not rules.wanted("video/mp4")


def test_requests_go_out_directly_unless_the_plan_names_a_way() -> None:
    direct = wiring.route_of(Plan())
    assert (direct.proxy, direct.ca_file) == (None, None)
    route = wiring.route_of(Plan(proxy="http://proxy.test:8080", ca_file=__file__))
    assert (route.proxy, route.ca_file) == ("http://proxy.test:8080", __file__)


def test_a_site_is_what_lies_below_a_suffix_of_the_plan() -> None:
    assert wiring.site_of(Plan())("http://a.b.example.org/x") == "example.org"
    assert wiring.site_of(Plan(suffixes=("b.example.org",)))("http://a.b.example.org/x") == "a.b.example.org"


def test_a_site_may_have_an_order_of_its_own_and_all_others_have_the_usual_one() -> None:
    order = wiring.order_of(Plan(order="breadth", site_orders={"example.org": "depth"}))
    near, far = entry(1), entry(9)
    assert order("http://www.example.org/", far) < order("http://www.example.org/", near)
    assert order("http://other.test/", far) == order("http://other.test/", near)
    assert wiring.order_of(Plan(order="depth")) is ORDERS["depth"]


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("http://example.org/film.mp4", True),
        ("http://example.org/film.mp4?page=film.html", True),
        ("http://example.org/film.mp4/", False),
        ("http://example.org/page.html?film.mp4", False),
        ("http://example.org/page.html", False),
        ("http://example.org/old.mp4.html", False),
        ("http://example.org/old.html.mp4", True),
        ("http://example.org/v1.2.3.mp4", True),
        ("http://example.org/mp4", False),
        ("http://example.org/name.unheard-of", False),
        ("http://example.org/", False),
    ],
)
def test_addresses_that_look_like_unwanted_types_are_asked_for_their_type_first(url: str, asked: bool) -> None:
    assert wiring.head_first(Plan())(url) is asked
    assert wiring.head_first(Plan(head="never"))(url) is False
    assert wiring.head_first(Plan(head="always"))(url) is True


def test_further_rules_are_applied_where_the_plan_has_some() -> None:
    url = "http://example.org/a;jsessionid=1?utm_source=x&b=1"
    assert wiring.rewriting(Plan()) is None
    everywhere = wiring.rewriting(Plan(url_rules=("tracking",)))
    assert everywhere is not None
    assert everywhere(url) == "http://example.org/a;jsessionid=1?b=1"
    there = wiring.rewriting(Plan(site_rules={"example.org": ("tracking",)}))
    assert there is not None
    assert there(url) == "http://example.org/a;jsessionid=1?b=1"
    assert there("http://other.test/?utm_source=x&b=1") == "http://other.test/?utm_source=x&b=1"
    both = wiring.rewriting(Plan(url_rules=("tracking",), site_rules={"example.org": ("session-id",)}))
    assert both is not None
    assert both(url) == "http://example.org/a?b=1"
