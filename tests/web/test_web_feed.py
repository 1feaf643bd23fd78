"""Any question is a feed: its entries are real changes, asking again costs nothing, and it is as safe as all else."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from api_server import Client
from made_site import client as asking
from made_site import heron
from selectolax.lexbor import LexborHTMLParser

import gossamer
from gossamer.convert.feed import feed as feeds
from gossamer.web.safety import POLICY

NEWS, INDEXES = "https://example.org/news/7", "https://example.org/guide/indexes"


def test_a_feed_has_the_newest_pages_and_changes_first(client: Client) -> None:
    reply = client.get("/feed")
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/atom+xml; charset=utf-8"
    found = feeds.read(reply.body, "http://127.0.0.1/feed")
    assert [entry.url for entry in found.entries][:3] == [NEWS, "https://example.org/news/", INDEXES]
    dates = [entry.updated or 0.0 for entry in found.entries]
    assert dates == sorted(dates, reverse=True)
    assert "https://example.org/diary.html" not in [entry.url for entry in found.entries]
    assert "Since the seventh release" in found.entries[2].content


def test_a_question_and_a_site_narrow_it(client: Client) -> None:
    found = feeds.read(client.get("/feed", q="seventh release").body, "http://127.0.0.1/feed")
    assert [entry.url for entry in found.entries] == [NEWS, INDEXES]
    assert feeds.read(client.get("/feed", site="example.net").body, "http://127.0.0.1/").entries == ()
    assert len(feeds.read(client.get("/feed", limit=1).body, "http://127.0.0.1/").entries) == 1


def test_the_same_feed_is_not_sent_twice(client: Client) -> None:
    first = client.get("/feed", q="release")
    for headers in (
        {"If-None-Match": first.headers["etag"]},
        {"If-None-Match": f'"other", W/{first.headers["etag"]}'},
        {"If-Modified-Since": first.headers["last-modified"]},
    ):
        again = client.get("/feed", headers, q="release")
        assert (again.status, again.body) == (304, b""), headers
        assert again.headers["etag"].removeprefix("W/") == first.headers["etag"].removeprefix("W/")
    for headers in (
        {"If-None-Match": '"other"', "If-Modified-Since": first.headers["last-modified"]},
        {"If-Modified-Since": "Sun, 01 Nov 2026 00:00:00 GMT"},
        {"If-Modified-Since": "yesterday"},
    ):
        assert client.get("/feed", headers, q="release").status == 200, headers


def test_a_feed_is_as_safe_as_all_else(client: Client) -> None:
    assert client.get("/feed").headers["content-security-policy"] == POLICY
    assert client.get("/feed", {"Host": "evil.example"}).status == 421
    assert client.send("POST", "/feed").status in (403, 405)
    for wrong in ({"limit": 1_000}, {"limit": 0}, {"nonsense": 1}, {"site": "a b"}, {"q": "x" * 5_001}):
        assert client.get("/feed", **wrong).status == 400, wrong


def test_it_is_made_once_until_something_is_committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walks, news = [], gossamer.Collection.news

    def counted(self: gossamer.Collection, *given: object, **asked: object) -> object:
        walks.append(asked)
        return news(self, *given, **asked)  # type: ignore[arg-type]  # as it was given

    monkeypatch.setattr(gossamer.Collection, "news", counted)
    with asking(heron(tmp_path / "web")) as browser:
        assert browser.get("/feed").text == browser.get("/feed").text
        assert len(walks) == 1


def test_the_search_page_names_its_feed(tmp_path: Path) -> None:
    with asking(heron(tmp_path / "web")) as browser:
        for path, wanted in (("/", "/feed"), ("/?q=index&site=example.org", "/feed?q=site%3Aexample.org+index")):
            page = LexborHTMLParser(browser.get(path).text)
            link = page.css_first("link[rel=alternate][type='application/atom+xml']")
            assert link is not None
            assert link.attributes["href"] == wanted
            root = ElementTree.fromstring(browser.get(wanted).content)
            assert root.tag == "{http://www.w3.org/2005/Atom}feed"
        shown = page.css_first("a.feed")
        assert shown is not None
        assert shown.attributes["href"] == wanted
