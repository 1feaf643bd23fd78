"""The search page, as a browser without scripts sees it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.datastructures import QueryParams

import gossamer
from gossamer.web.asked import PAGES_MOST, asked
from gossamer.web.templating import directory
from harness.served import Served, serving

FIRST_VIEW = 100_000
"""Bytes that the first view may take, with all it loads."""
FIRST_ANSWER = 14_600
"""Bytes that a server may send before it has heard that any have come (RFC 6928): one round trip."""


@pytest.fixture(scope="module")
def word(collection: Path) -> str:
    """One that several pages have."""
    with gossamer.open(collection) as web:
        titles = " ".join(page.title.lower() for page in web.pages()).split()
    return max(sorted(set(titles)), key=titles.count)


def page(served: Served, path: str, status: int = 200) -> LexborHTMLParser:
    came = served.get(path)
    assert came.status == status
    return LexborHTMLParser(came.text)


def hits(view: LexborHTMLParser) -> list[str]:
    return [str(link.attributes["href"]) for link in view.css(".hit h2 a")]


def test_the_front_page_says_what_there_is(served: Served, collection: Path) -> None:
    with gossamer.open(collection) as web:
        pages = web.status().pages
    front = page(served, "/")
    assert f"{pages} pages" in front.css_first(".hero").text()
    assert front.css_first("form[role=search] input[name=q]") is not None


def test_a_question_finds_what_the_command_line_finds(served: Served, collection: Path, word: str) -> None:
    with gossamer.open(collection) as web:
        found = web.search(word)
    view = page(served, f"/?q={word}")
    assert hits(view) == [hit.url for hit in found]
    assert str(found.total) in view.css_first("[role=status]").text()
    marked = {mark.text().lower() for mark in view.css(".hit mark")}
    assert word in marked


def test_pages_of_answers_repeat_nothing_and_leave_nothing_out(served: Served, collection: Path) -> None:
    with gossamer.open(collection) as web:
        total = web.search("type:html").total
    seen: list[str] = []
    path: str | None = "/?type=html"
    while path:
        view = page(served, path)
        seen += hits(view)
        following = view.css_first("nav.pages a[rel=next]")
        path = str(following.attributes["href"]) if following is not None else None
    assert len(seen) == len(set(seen)) == total > 20


def test_a_filter_keeps_what_its_count_says(served: Served, word: str) -> None:
    view = page(served, f"/?q={word}")
    sites = [link for link in view.css(".facets a") if "site=" in str(link.attributes["href"])]
    assert sites
    for link in sites:
        narrowed = page(served, str(link.attributes["href"]))
        count = int(link.parent.css_first(".count").text())  # type: ignore[union-attr]  # every one stands in a list
        assert narrowed.css_first("[role=status]").text().split()[0] == str(count)
        chip = narrowed.css_first(".chip")
        assert hits(page(served, str(chip.attributes["href"]))) == hits(view)


def test_sorting_by_date_keeps_the_question(served: Served, word: str) -> None:
    view = page(served, f"/?q={word}")
    newest = next(str(link.attributes["href"]) for link in view.css(".sort a") if link.text() == "newest")
    assert parse_qs(urlsplit(newest).query) == {"q": [word], "sort": ["date"]}
    assert sorted(hits(page(served, newest))) != []


def test_a_slip_is_answered_with_what_was_meant(served: Served, word: str) -> None:
    slip = word[:2] + word[3] + word[2] + word[4:]
    meant = page(served, f"/?q={slip}&site=127.0.1.1").css_first(".meant a")
    assert meant is not None
    assert parse_qs(urlsplit(str(meant.attributes["href"])).query) == {"q": [word], "site": ["127.0.1.1"]}


@pytest.mark.parametrize(
    "question",
    [
        "word " * 1_000,
        "🕸️ 🦆🦆",
        "\x00\x01",
        "\u202e\u2066",
        "((((((((((",
        '"',
        "-",
        "OR",
        "site:",
        "<script>alert(1)</script>",
        "{{ 7 * 7 }}",
        "*",
        "a" * 19_000,
        "%",
        "type:nonsense lang:zz after:yesterday",
    ],
)
def test_every_question_has_a_page(served: Served, question: str) -> None:
    view = page(served, "/?" + urlencode({"q": question}))
    assert view.css_first("main") is not None
    assert not [script for script in view.css("script") if not script.attributes.get("src")]


def test_bytes_that_are_no_text_have_a_page(served: Served) -> None:
    for query in (
        "q=%ff%fe",
        "q=%ed%a0%80",
        "q=a&q=b",
        "q[]=x",
        "page=-1",
        "page=1e9",
        "sort=x",
        "site=a%20b",
        "year=x",
    ):
        assert served.get(f"/?{query}").status == 200


def test_a_page_of_answers_beyond_the_last_leads_back(served: Served, word: str) -> None:
    view = page(served, f"/?q={word}&page=900")
    assert not hits(view)
    assert "no more answers" in view.css_first(".empty").text()


def test_the_page_says_why_an_answer_is_on_top(served: Served, collection: Path, word: str) -> None:
    view = page(served, f"/?q={word}")
    assert not view.css(".why")
    [ask] = [link for link in view.css(".sort a") if link.text() == "Why this order?"]
    told = page(served, str(ask.attributes["href"]))
    assert hits(told) == hits(view)
    with gossamer.open(collection) as web:
        [(_, signs)] = web.explain(word, 1)
    best, value = max(signs.items(), key=lambda sign: sign[1])
    assert told.css_first(".hit .why li").text() == f"{value:.3f} {best}"
    assert len(told.css(".why")) == len(hits(told))
    for order in ("sort=date", "page=2", "all_versions=true"):  # where there is nothing to explain
        assert not page(served, f"/?q={word}&explain=true&{order}").css(".why")


def test_answers_of_one_directory_are_a_link_away(served: Served) -> None:
    view = page(served, "/?type=html")
    narrower = [link for link in view.css(".more a") if link.text() == "only this directory"]
    assert narrower
    for link in narrower:
        place = str(link.attributes["title"])
        found = page(served, str(link.attributes["href"]))
        assert hits(found)
        assert all(f"//{place}/" in url.replace(f":{urlsplit(url).port}", "") for url in hits(found))


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://a.example/docs/x/y.html?q=1", "a.example/docs/x"),
        ("http://a.example:81/docs/", "a.example/docs"),
        ("http://a.example/y.html", ""),
        ("http://a.example/it's (1)/y", ""),
        ("file:///home/x/y.txt", ""),
    ],
)
def test_the_directory_of_a_page_is_what_a_filter_takes(url: str, place: str) -> None:
    assert directory(url) == place


def test_what_makes_no_sense_is_passed_over() -> None:
    wanted = asked(QueryParams(f"q=+a+&site=x%20OR%20y&page={10**6}&sort=nonsense&year=20x6&type=pdf"))
    assert wanted.question == "type:pdf a"
    assert wanted.page == 1 or wanted.page == PAGES_MOST
    assert wanted.values["q"] == "a"


def test_a_year_is_from_its_first_day_to_its_last() -> None:
    assert asked(QueryParams("q=a&year=2026")).question == "after:2026 before:2027 a"


def test_a_collection_without_an_index_says_how_to_make_it(collection: Path, tmp_path: Path) -> None:
    copy = tmp_path / "bare"
    shutil.copytree(collection, copy)
    for index in copy.glob("shards/*/index"):
        shutil.rmtree(index)
    with serving(copy) as running:
        assert "gossamer build" in page(running, "/?q=word").css_first("main").text()
        assert page(running, "/").css_first("form") is not None


def test_titles_are_suggested_while_somebody_types(served: Served, word: str) -> None:
    came = served.get(f"/suggest?q={word[:3]}")
    text, titles = json.loads(came.body)
    assert text == word[:3]
    assert titles
    assert json.loads(served.get("/suggest?q=").body) == ["", []]
    assert json.loads(served.get("/suggest?q=" + quote("zzzzqqqq")).body)[1] == []


def test_a_browser_can_add_it_as_a_search_engine(served: Served) -> None:
    told = ET.fromstring(served.get("/opensearch.xml").body)  # it is ours
    templates = [url.attrib["template"] for url in told.iter("{http://a9.com/-/spec/opensearch/1.1/}Url")]
    assert f"{served.url}/?q={{searchTerms}}&page={{startPage?}}" in templates


def test_the_first_view_is_one_small_answer_and_the_rest_may_come_later(served: Served, word: str) -> None:
    for path in ("/", f"/?q={word}", "/crawl", "/hosts", "/broken", "/map"):
        came = served.get(path, accept_encoding="gzip")
        assert len(came.body) < FIRST_ANSWER, path
        view = LexborHTMLParser(gzip.decompress(came.body).decode())
        assert not view.css("link[rel=stylesheet], [style], [onclick]")
        assert all(str(each.attributes["href"]).startswith("data:") for each in view.css("link[rel=icon]"))
        assert all(str(each.attributes["src"]).startswith("data:") for each in view.css("img"))
        later = view.css("script")
        assert all("defer" in each.attributes for each in later)
        loaded = sum(len(served.get(str(each.attributes["src"])).body) for each in later)
        assert len(came.body) + loaded < FIRST_VIEW


def test_the_style_sheet_is_the_only_one_that_the_policy_lets_in(served: Served) -> None:
    came = served.get("/")
    [sheet] = LexborHTMLParser(came.text).css("style")
    digest = base64.b64encode(hashlib.sha256(sheet.text().encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}';" in came.headers["content-security-policy"]
