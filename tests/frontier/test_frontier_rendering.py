"""Does it pay to render pages of a kind? A few are, and what is learned stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.worth.rendering import (
    LATE,
    RARER,
    SEEN_ENOUGH,
    SELDOM,
    SELDOMER,
    TRIALS,
    RenderRow,
    Renders,
    Said,
    about_rendering,
    gained,
    has_scripts,
    is_decided,
    is_poor,
    leads_on,
    said,
)
from gossamer.model import Link, Page
from gossamer.store.table.table import Table

URL = "http://a.test/bird/7"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path, FAMILIES, writable=True) as opened:
        yield opened


def decided(renders: Renders, number: int) -> bool | None:
    return is_decided(renders.meets(f"http://a.test/bird/{number}"))


@pytest.mark.parametrize(
    ("html", "runs"),
    [
        (b"<p>Words and <b>more</b> of them, one = two</p>", False),
        (b'<script type="application/ld+json">{"@type": "Bird"}</script>', False),
        (b'<SCRIPT id=data type="application/json">{}</SCRIPT>', False),
        (b"<script src=a.js></script>", True),
        (b'<script type="module">go()</script>', True),
        (b"<p>" + b"x" * 200_000 + b"<script>go()</script>", True),
        (b"<script>{}" + b"x" * 200_000, True),
    ],
)
def test_scripts_are_told_from_data(html: bytes, runs: bool) -> None:
    assert has_scripts(html) is runs


def test_only_links_within_the_host_and_words_are_compared() -> None:
    links = (Link("http://a.test/x"), Link("http://b.test/y"), Link(URL))
    assert said(Page(URL, text="one two", links=links))[:2] == (2, frozenset({"http://a.test/x"}))


def test_a_page_is_poor_that_has_few_words_or_leads_nowhere() -> None:
    some = frozenset({"http://a.test/x"})
    assert is_poor(Said(10, some), RenderRow())
    assert is_poor(Said(1_000, frozenset()), RenderRow())
    assert not is_poor(Said(1_000, some), RenderRow())


def page_of(menu: str, own: str, number: int) -> Said:
    links = (Link("http://a.test/x"),)
    return said(Page(f"http://a.test/bird/{number}", title=f"Bird {number}", text=f"{menu}\n{own}", links=links))


def test_a_page_is_poor_that_says_what_another_of_its_kind_says(table: Table) -> None:
    """A menu and a footer of many words around a place that scripts fill."""
    renders = Renders(table)
    menu = " ".join(f"{letter}{other}" for letter in "abcdefghijklmnop" for other in "klmnopqr")
    first, second = page_of(menu, "", 1), page_of(menu, "Page 2 of 7 loading", 2)
    assert not is_poor(first, RenderRow())
    renders.says_enough(URL, first)
    row = about_rendering(table, URL)
    assert row is not None
    assert is_poor(second, row)
    words = " ".join(f"{letter}{other}" for letter in "abcdef" for other in "stuvwxyz")
    assert not is_poor(page_of(menu, words, 3), row)


def test_it_pays_for_more_words_or_a_link() -> None:
    plain = Said(500, frozenset({"http://a.test/x"}))
    assert not gained(plain, plain._replace(words=540))
    assert gained(plain, plain._replace(words=560))
    assert not gained(plain, plain._replace(words=100))
    assert gained(plain, Said(500, frozenset({"http://a.test/x", "http://a.test/y"})))
    shell = Said(1, frozenset())
    assert not gained(shell, Said(4, frozenset()))
    assert gained(shell, Said(5, frozenset())), "a shell whose scripts fill in one line"
    assert not gained(Said(40, frozenset()), Said(55, frozenset()))


def test_after_a_few_pages_that_say_more_all_of_the_kind_are_rendered(table: Table) -> None:
    renders = Renders(table)
    assert decided(renders, 1) is None
    for number in range(TRIALS):
        renders.learn(f"http://a.test/bird/{number}", gained=True)
    assert decided(renders, 99) is True
    assert renders.pays(URL)
    assert not renders.pays("http://a.test/other/7")
    table.commit()
    row = about_rendering(table, URL)
    assert row is not None
    assert (row.rendered, row.gained, row.met, row.pays) == (TRIALS, TRIALS, 2, True)


def test_a_trial_that_brought_nothing_makes_the_next_one_rarer(table: Table) -> None:
    renders, tried = Renders(table), []
    for number in range(1, 200):
        if decided(renders, number) is not False:
            tried.append(number)
            renders.learn(URL, gained=False)
    assert tried == [1, RARER, SELDOM, 2 * SELDOM, 3 * SELDOM]  # the last two are looked at


def test_a_large_site_of_needless_scripts_costs_a_few_trials(table: Table) -> None:
    renders, tried = Renders(table), []
    for number in range(1, 100_000):
        verdict = decided(renders, number)
        if verdict is None:
            renders.says_enough(URL, Said(500, frozenset()))
        elif verdict:
            tried.append(number)
            renders.learn(URL, gained=False)
    assert tried == [LATE]


def test_a_site_that_is_made_anew_is_noticed_within_some_pages(table: Table) -> None:
    """Its pages say nothing as they are sent from now on."""
    renders = Renders(table)
    for number in range(1, 10_001):
        if decided(renders, number) is not False:
            renders.says_enough(URL, Said(500, frozenset()))
    rendered = 0
    for number in range(10_001, 10_001 + 10 * SELDOM):
        if decided(renders, number) is not False:
            renders.learn(URL, gained=True)
            rendered += 1
    assert renders.pays(URL)
    assert rendered > 5 * SELDOM


def test_where_it_does_not_pay_one_in_many_is_looked_at(table: Table) -> None:
    renders = Renders(table)
    for number in range(TRIALS):
        renders.learn(f"http://a.test/bird/{number}", gained=False)
    verdicts = [decided(renders, number) for number in range(4 * SELDOM)]
    assert (verdicts.count(True), verdicts.count(None)) == (2, 2)


def test_pages_that_say_enough_are_not_even_looked_at_after_a_while(table: Table) -> None:
    renders = Renders(table)
    for number in range(SEEN_ENOUGH):
        assert decided(renders, number) is None
        renders.says_enough(URL, Said(500, frozenset()))
    later = [decided(renders, number) for number in range(SELDOMER)]
    assert (later.count(None), later.count(True)) == (1, 0)


def test_a_kind_that_no_longer_says_more_is_left_after_a_while(table: Table) -> None:
    renders = Renders(table)
    for _ in range(TRIALS):
        renders.learn(URL, gained=True)
    pages = 0
    while renders.pays(URL):
        renders.learn(URL, gained=False)
        pages += 1
    assert pages < 10


def short(renders: Renders, kind: str, number: int, *, words: int = 40, links: int = 2) -> bool:
    """A page of a kind that says so much has come: is it tried?"""
    url = f"http://a.test/{kind}/{number}"
    plain = Said(words, frozenset(f"/{each}" for each in range(links)))
    if is_decided(renders.meets(url)) is not None:
        return False
    if not is_poor(plain, RenderRow()):
        renders.says_enough(url, plain)
        return False
    return renders.is_tried(url, plain)


def test_short_pages_are_not_tried_on_a_host_whose_pages_say_enough(table: Table) -> None:
    renders = Renders(table)
    for kind in ("bird", "tree", "shop"):
        for number in range(1, 9):
            assert not short(renders, kind, number, words=400)
    for kind in ("index", "list"):
        assert not any(short(renders, kind, number) for number in range(1, 400))
    assert about_rendering(table, "http://a.test/list/1").poor < 15  # type: ignore[union-attr]  # it is there
    assert short(renders, "app", 1, words=2, links=0), "a shell is, wherever it stands"


def test_short_pages_are_tried_where_hardly_any_other_comes_and_seldomer_where_it_brought_nothing(table: Table) -> None:
    renders = Renders(table)
    tried = []
    for number in range(1, 200):
        if short(renders, f"kind{chr(97 + number % 20) * 3}", number):
            tried.append(number)
            renders.learn(f"http://a.test/kind{chr(97 + number % 20) * 3}/{number}", gained=False)
    assert tried[:1] == [3], tried
    assert len(tried) == 2
    renders.learn("http://a.test/other/1", gained=True)
    assert short(renders, "new", 1)


def test_where_most_pages_say_enough_only_what_leads_nowhere_is_looked_at_and_now_and_then_another(
    table: Table,
) -> None:
    renders, page = Renders(table), b"<a href=/1>1</a>" * 3
    assert leads_on(page)
    assert not leads_on(page[:34])
    for number in range(1, 9):
        assert not renders.is_left(f"http://a.test/bird/{number}", RenderRow(met=1), page)
        short(renders, "bird", number, words=400)
    assert renders.is_left("http://a.test/shop/1", RenderRow(met=1), page)
    assert not renders.is_left("http://a.test/shop/1", RenderRow(met=1), b"<div id=root></div>")
    assert not renders.is_left("http://a.test/shop/1", RenderRow(met=SELDOM), page)
    assert not renders.is_left("http://a.test/shop/1", RenderRow(met=3, rendered=1, gained=1), page)
    assert not renders.is_left("http://b.test/shop/1", RenderRow(met=1), page)
