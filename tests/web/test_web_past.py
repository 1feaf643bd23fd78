"""The past on the search page and in the API: a date to travel to, a note that one did, and a way back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from selectolax.lexbor import LexborHTMLParser

import gossamer
from harness.dated_site import SITE, DatedSite, page
from harness.served import Served, serving


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Crawled on the first of January 2026 and a month later, when /a has changed, /b is gone and /c has changed; a
    month later /c says what it said first."""
    folder = tmp_path_factory.mktemp("past") / "web"
    site = DatedSite({"/a": page("Alpha", "once an elephant was here"), "/b": page("Beta", "the walrus and others")})
    site.pages["/c"] = page("Gamma", "open in winter")
    with gossamer.open(folder) as web:
        site.crawl(web)
        site.later(31)
        site.pages = {"/a": page("Alpha", "now a giraffe is here"), "/c": page("Gamma", "closed")}
        site.crawl(web)
        site.later(28)
        site.pages["/c"] = page("Gamma", "open in winter")
        site.crawl(web)
    with serving(folder) as running:
        yield running


def view(past: Served, **asked: str) -> LexborHTMLParser:
    came = past.get(f"/?{urlencode(asked)}")
    assert came.status == 200
    return LexborHTMLParser(came.text)


def asked(past: Served, path: str, status: int = 200) -> dict[str, Any]:
    came = past.get(f"/api/v1/{path}")
    assert came.status == status
    return dict(json.loads(came.text))


def test_one_travels_to_a_date_and_back(past: Served) -> None:
    now = view(past, q="elephant")
    assert now.css(".hit") == []
    assert now.css_first(".then") is None
    form = now.css_first(".travel form")
    assert form.css_first("input[name=q]").attributes["value"] == "elephant"
    then = view(past, q="elephant", at="2026-01-15")
    assert "as it stood at the end of 2026-01-15" in then.css_first(".then").text()
    (hit,) = then.css(".hit")
    assert "an elephant" in hit.css_first(".snippet").text()
    assert "said since 2026-01-01, gone 2026-02-01" in " ".join(hit.css_first(".more").text().split())
    assert then.css_first("form[role=search] input[name=at]").attributes["value"] == "2026-01-15"
    assert then.css_first(".then a").attributes["href"] == "/?q=elephant"
    kept = past.get(str(hit.css_first("h2 a").attributes["href"]))
    assert "once an elephant" in kept.text
    assert "giraffe" not in LexborHTMLParser(kept.text).css_first("main").text()


def test_one_travels_to_a_time_of_a_day(tmp_path: Path) -> None:
    """Two crawls on one day: the form has the day and the time in two fields, a link has both in one."""
    site = DatedSite({"/a": page("Alpha", "once an elephant was here")})
    with gossamer.open(tmp_path / "web") as web:
        noon = site.crawl(web)
        site.later(0.25)
        site.pages = {"/a": page("Alpha", "now a giraffe is here")}
        site.crawl(web)
    with serving(tmp_path / "web") as running:
        local = noon.astimezone()
        then = view(running, q="elephant", at=f"{local:%Y-%m-%d}", time=f"{local:%H:%M}")
        assert f"as it stood at {local:%Y-%m-%d %H:%M}." in then.css_first(".then").text()
        (hit,) = then.css(".hit")
        assert "an elephant" in hit.css_first(".snippet").text()
        assert then.css_first(".travel[open] input[name=time]").attributes["value"] == f"{local:%H:%M}"
        kept = then.css_first("form[role=search] input[name=at]").attributes["value"]
        assert len(view(running, q="elephant", at=str(kept)).css(".hit")) == 1
        assert view(running, q="elephant", at=f"{local:%Y-%m-%d}").css(".hit") == []
        assert view(running, q="elephant", at=f"{local:%Y-%m-%d}", time="late").css_first(".then") is not None


def test_all_versions_tell_from_when_to_when(past: Served) -> None:
    every = view(past, q="elephant", all_versions="true")
    assert "all that pages ever said" in every.css_first(".then").text()
    (hit,) = every.css(".hit")
    assert "said since 2026-01-01, gone 2026-02-01" in " ".join(hit.css_first(".more").text().split())
    assert "once an elephant" in past.get(str(hit.css_first("h2 a").attributes["href"])).text
    assert "at=2026-01-01T" in str(hit.css(".more a")[0].attributes["href"])
    assert every.css_first("form[role=search] input[name=all_versions]").attributes["value"] == "true"
    assert every.css_first(".travel input[name=all_versions]") is None
    assert every.css_first(".then a").attributes["href"] == "/?q=elephant"
    assert len(view(past, q="here", all_versions="true", sort="date").css(".hit")) == 1
    assert "No page ever had that" in view(past, q="zebra", all_versions="true").css_first(".empty").text()


def test_all_versions_tell_that_a_page_said_something_else_in_between(past: Served) -> None:
    (hit,) = view(past, q="winter", all_versions="true").css(".hit")
    assert "said since 2026-01-01, with 1 break, and still" in " ".join(hit.css_first(".more").text().split())
    (told,) = asked(past, "search?q=winter&all_versions=true")["hits"]
    assert (told["breaks"], told["until"]) == (1, None)


@pytest.mark.parametrize(("at", "words"), [("", "1 page said it before"), ("2026-02-15", "1 page said it at another")])
def test_where_nothing_is_found_the_past_is_pointed_to(past: Served, at: str, words: str) -> None:
    nothing = view(past, q="walrus", at=at)
    hint = nothing.css_first(".once")
    assert words in hint.text()
    (hit,) = LexborHTMLParser(past.get(str(hint.css_first("a").attributes["href"])).text).css(".hit")
    assert "dated.test › b" in " ".join(hit.css_first(".crumbs").text().split())
    assert view(past, q="zebra", at=at).css_first(".once") is None


def test_what_was_not_said_then_is_not_found(past: Served) -> None:
    assert "No page had that then" in view(past, q="giraffe", at="2026-01-15").css_first(".empty").text()
    early = view(past, q="giraffe", at="2001-01-01")
    assert "no page from before 2026-01-01" in early.css_first(".note").text()


@pytest.mark.parametrize("at", ["soon", "2026-13-40", "<b>"])
@pytest.mark.parametrize("question", ["giraffe", ""])
def test_a_date_that_is_none_is_no_present(past: Served, at: str, question: str) -> None:
    seen = view(past, q=question, at=at)
    assert seen.css_first(".hit") is None
    assert f"'{at}': not a time" in seen.css_first("main").text()
    assert seen.css_first("main a").text() == "Back to the present"


def test_no_date_is_the_present(past: Served) -> None:
    assert view(past, q="giraffe", at="").css_first(".then") is None


@pytest.mark.parametrize("at", ["5m", "today"])
def test_a_time_that_counts_from_now_stays_where_it_is_in_links(past: Served, at: str) -> None:
    seen = view(past, q="giraffe", at=at)
    kept = str(seen.css_first("form[role=search] input[name=at]").attributes["value"])
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d", kept)
    assert len(seen.css(".hit")) == len(view(past, q="giraffe", at=kept).css(".hit")) == 1
    assert asked(past, f"search?q=giraffe&at={at}")["total"] == 1


def test_the_api_answers_as_of_a_time_and_over_all_versions(past: Served) -> None:
    found = asked(past, "search?q=walrus&at=2026-01-15")
    assert [hit["url"] for hit in found["hits"]] == [f"{SITE}/b"]
    assert found["hits"][0]["since"].startswith("2026-01-01T")
    assert found["hits"][0]["until"].startswith("2026-02-01T")
    assert found["at"].startswith("2026-01-1")
    assert asked(past, "search?q=walrus")["total"] == 0
    assert asked(past, "search?q=walrus&all_versions=true")["total"] == 1
    assert "not a time" in asked(past, "search?q=walrus&at=soon", 400)["detail"]
    assert "one of them" in asked(past, "search?q=walrus&at=2026-01-15&all_versions=true", 400)["detail"]
    versions = asked(past, f"history?url={quote(SITE)}/a&search=giraffe")["versions"]
    assert [each["number"] for each in versions] == [2, 3]
