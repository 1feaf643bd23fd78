"""A page's own page: every view of every kind of address, and a sentence for what is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from made_site import PICTURE, PICTURED, SITE, client, elements, heron, words
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

import gossamer
from docs_web import START, DocsWeb
from gossamer.collection import Outside
from gossamer.convert import short_text
from gossamer.index.analysis import STEMMERS
from gossamer.testing import VirtualClock
from gossamer.web import page_page
from gossamer.web.languages import NAMES, named

INDEXES, KEYS, MISSING = f"{SITE}/guide/indexes", f"{SITE}/guide/foreign-keys", f"{SITE}/missing"


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client(heron(tmp_path_factory.mktemp("page") / "web")) as asking:
        yield asking


def seen(asking: TestClient, url: str, code: int = 200, **more: str) -> str:
    answer = asking.get("/page", params={"url": url, **more})
    assert answer.status_code == code, answer.text
    return words(answer.text)


def test_a_page_is_shown_with_its_title_its_address_its_state_and_its_text(asking: TestClient) -> None:
    found = seen(asking, INDEXES)
    assert "Indexes https://example.org/guide/indexes It was fetched" in found
    assert "and is kept. It was found on https://example.org/guide/." in found
    assert "Since the seventh release an index may leave out rows." in found
    assert "Home Guide News" not in found
    assert "Home" in seen(asking, INDEXES, full="1")
    assert "text/html, UTF-8" in found


def test_every_view_has_a_link_that_says_where_one_is(asking: TestClient) -> None:
    names = {view: name for view, name in page_page.VIEWS.items() if view != "screenshot"}  # of which it has none
    for view in names:
        tree = LexborHTMLParser(asking.get("/page", params={"url": INDEXES, "view": view}).text)
        tabs = {each.text(): "aria-current" in each.attributes for each in tree.css(".tabs a")}
        assert list(tabs) == list(names.values())
        assert [name for name, here in tabs.items() if here] == [names[view]]
    assert words(asking.get("/page", params={"url": INDEXES, "view": "nonsense"}).text) == seen(asking, INDEXES)


def test_a_browser_knows_how_much_room_a_picture_takes(asking: TestClient) -> None:
    tree = LexborHTMLParser(asking.get("/page", params={"url": PICTURED, "view": "screenshot"}).text)
    assert [tree.css_first("img.frame").attributes.get(name) for name in ("width", "height")] == ["64", "48"]


@pytest.mark.parametrize("cut", [b"", b"\xff\xd8", PICTURE[:160], b"\xff" * 99, b"\xff\xd8" + b"\xff\xe0\x00\x00" * 9])
def test_of_what_is_no_picture_nobody_knows(cut: bytes) -> None:
    assert page_page.extent(cut) == (0, 0)


def test_a_language_is_called_by_its_name(asking: TestClient) -> None:
    assert "Language English (en)" in seen(asking, INDEXES)
    said = words(asking.get("/", params={"q": "index", "lang": "en"}).text)
    assert "lang: English (en)" in said
    assert "Language English (en)" in said
    told = asking.get("/map").text
    assert [each.text().strip() for each in LexborHTMLParser(told).css(".legend li")] == ["English (en)"]
    assert "Languages English (en)" in words(told)


def test_there_is_a_name_for_every_language_that_is_told_or_its_code() -> None:
    assert {*STEMMERS, *short_text._weights().languages} <= NAMES.keys()
    assert [named(code) for code in ("de", "zz", "")] == ["German (de)", "zz", ""]


def test_markdown_is_shown_as_it_is_written(asking: TestClient) -> None:
    assert "**on delete cascade**" in seen(asking, KEYS, view="markdown")


def test_the_original_stands_in_a_frame_that_may_do_nothing(asking: TestClient) -> None:
    tree = LexborHTMLParser(asking.get("/page", params={"url": INDEXES, "view": "original"}).text)
    (frame,) = tree.css("iframe")
    assert frame.attributes["sandbox"] in ("", None)
    assert frame.attributes["src"] == "/cached?url=https%3A%2F%2Fexample.org%2Fguide%2Findexes"
    assert "content-type: text/html" in words(tree.html or "")


def test_a_file_is_saved_and_not_shown(asking: TestClient) -> None:
    book = f"{SITE}/guide/handbook.pdf"
    assert "Save the original" in seen(asking, book, view="original")
    assert "iframe" not in asking.get("/page", params={"url": book, "view": "original"}).text
    assert "All chapters of the guide" in seen(asking, book)


def test_two_versions_are_compared_word_by_word(asking: TestClient) -> None:
    tree = LexborHTMLParser(asking.get("/page", params={"url": INDEXES, "view": "versions"}).text)
    assert [each.text() for each in tree.css(".diff del")] == [" them."]
    assert [each.text().strip() for each in tree.css(".diff ins")] == [
        "all.",
        "Since the seventh release an index may leave out rows.",
    ]
    checked = [(each.attributes["name"], each.attributes["value"]) for each in tree.css("input[checked]")]
    assert checked == [("new", "2"), ("old", "1")]
    back = LexborHTMLParser(
        asking.get("/page", params={"url": INDEXES, "view": "versions", "old": "2", "new": "1"}).text
    )
    assert [each.text() for each in back.css(".diff ins")] == [" them."]
    assert "http 200" in words(tree.html or "")


def test_versions_that_are_not_there_and_pages_with_one_version(asking: TestClient) -> None:
    assert "has no such version as 9; its versions are 1, 2" in seen(asking, INDEXES, view="versions", old="9")
    assert "Both have the same bytes." in seen(asking, KEYS, view="versions")
    once = seen(asking, f"{SITE}/news/7", view="versions")
    assert "Compare" not in once


def test_an_older_version_is_shown_as_it_was(asking: TestClient) -> None:
    tree = LexborHTMLParser(asking.get("/page", params={"url": INDEXES, "view": "versions"}).text)
    hrefs = [each.attributes["href"] or "" for each in tree.css("tbody a") if each.text() == "text"]
    old = words(asking.get(hrefs[-1]).text)
    assert "measure them." in old
    assert "As it was at 2026-11-01" in old
    cached = next(each.attributes["href"] or "" for each in tree.css("tbody a") if each.text() == "original")
    assert "at=2026-11-02" in cached
    assert "was not in the collection yet" in seen(asking, INDEXES, at="2020-01-01")
    assert "The newest version" in seen(asking, INDEXES, at="9999-12-30")


def test_links_have_their_words_and_what_became_of_their_targets(asking: TestClient) -> None:
    found = seen(asking, f"{SITE}/", view="links")
    assert "the old page example.org › missing failed, 404" in found
    assert "a friend example.net excluded" in found
    assert "Pages that link here 8" in found
    assert "PageRank, 1 is usual 2" in found
    assert "What others call it Home" in found


def test_copies_are_named_with_their_kind(asking: TestClient) -> None:
    answer = asking.get("/page", params={"url": KEYS, "view": "copies"})
    assert LexborHTMLParser(answer.text).css_first("h2#alike") is not None
    found = words(answer.text)
    assert "Foreign keys example.org › guide › keys same bytes 100 %" in found
    assert "example.org › print › foreign-keys says nearly the same" in found
    assert "No page of the collection" in seen(asking, f"{SITE}/guide/cascade", view="copies")
    keys = seen(asking, f"{SITE}/guide/keys")
    assert "Its bytes are those of https://example.org/guide/foreign-keys" in keys


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (MISSING, "It could not be fetched: the server answers 404. It was found on https://example.org/."),
        (f"{SITE}/private/diary", "It was left out: robots.txt forbids it. It was found on https://example.org/."),
        (f"{SITE}/moved", "It leads to https://example.org/missing: the server answers 301."),
        ("https://example.net/", "It was left out: outside the hosts of the seeds."),
        (f"{SITE}/robots.txt", "It is asked for before the pages of its host"),
    ],
)
def test_an_address_that_is_no_page_says_why_and_who_links_there(asking: TestClient, url: str, said: str) -> None:
    assert said in seen(asking, url)
    assert said in seen(asking, url, view="versions")


def test_who_links_to_a_missing_page_is_there_at_once(asking: TestClient) -> None:
    found = seen(asking, MISSING)
    assert "What others call it the old page Pages that link here" in found
    assert "Heron, a small database example.org" in found
    assert "http 404" in seen(asking, MISSING, view="versions")


def test_an_address_is_found_without_its_scheme(asking: TestClient) -> None:
    assert "Heron, a small database" in seen(asking, "example.org")
    assert "Indexes" in seen(asking, " example.org/guide/indexes ")


def test_an_address_that_was_never_met_gets_a_page_that_helps(asking: TestClient) -> None:
    found = seen(asking, "http://www.example.org/guide/nothing/", 404)
    assert "Not in this collection" in found
    assert "not in the collection; it was never met, and it would be left out" in found
    assert "These addresses are in it: https://example.org/guide/ https://example.org/" in found
    assert "Look up an address" in seen(asking, "")


NONSENSE = [
    *("\0", "nonsense nonsense", "http://", "javascript:alert(1)", "ftp://example.org/", "http://[", "x" * 30_000, "%"),
    *("%00", "\ud800", "http://\ud800/", "//", "?", "#", "http://example.org:99999/", "\u202e", "😀", "<script>"),
]


@pytest.mark.parametrize("url", NONSENSE)
@pytest.mark.parametrize("path", ["/page", "/cached"])
def test_nonsense_is_answered_in_a_sentence(asking: TestClient, path: str, url: str) -> None:
    given = {"url": url.encode("utf-8", "surrogatepass"), "at": "tomorrow", "old": "-1", "new": "x", "in": "0"}
    answer = asking.get(path, params=given)  # type: ignore[arg-type]  # bytes that are no text are the point
    assert answer.status_code in (400, 404)
    assert "<p>" in answer.text
    assert "script" not in {name for name, *_ in elements(answer.text)}


def test_odd_parameters_are_passed_over(asking: TestClient) -> None:
    odd = {"in": "999999", "out": "999999", "old": "9" * 50, "new": "\0", "full": "yes", "view": "links"}
    assert "Links on this page" in seen(asking, f"{SITE}/", **odd)


@pytest.mark.parametrize("path", ["/page", "/cached"])
def test_a_time_that_is_none_is_said(asking: TestClient, path: str) -> None:
    answer = asking.get(path, params={"url": f"{SITE}/", "at": "tomorrow"})
    assert answer.status_code == 400
    assert "not a time; write a day, as 2026-11-01" in answer.text


def test_a_list_of_links_is_cut_into_pages(asking: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_page, "ROWS", 3)
    first = asking.get("/page", params={"url": f"{SITE}/", "view": "links"})
    assert "1 of 3 Next" in words(first.text)
    last = seen(asking, f"{SITE}/", view="links", **{"in": "3"})
    assert "Previous 3 of 3" in last
    assert "Heron 7" in last


def test_a_long_text_is_cut_and_says_so(asking: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_page, "TEXT_MOST", 20)
    assert "The text goes on; the original has all of it" in seen(asking, KEYS)


def test_the_search_page_leads_here(asking: TestClient) -> None:
    tree = LexborHTMLParser(asking.get("/", params={"q": "foreign keys"}).text)
    hrefs = {each.text(): each.attributes["href"] or "" for each in tree.css(".more > a")}
    assert asking.get(hrefs["kept copy"]).status_code == 200
    assert hrefs["more like this"].endswith("view=copies#alike")
    for href in (str(each.attributes["href"]) for each in tree.css(".more > a") if each.text() == "more like this"):
        found = LexborHTMLParser(asking.get(href).text).css_first("main section")
        assert found is not None
        assert found.css("a"), "it is no dead end"
    assert tree.css(".more details.copies")
    assert not tree.css("p details")


def test_an_address_that_waits_says_for_what(tmp_path: Path) -> None:
    clock = VirtualClock(START)
    with gossamer.open(tmp_path / "web") as web:
        outside = Outside(clock, DocsWeb(clock).fetch)
        clock.run(web.crawl_async(f"{SITE}/", outside=outside, shards=1, pages=2))
        (queued, *_) = [each.url for each in web.addresses(state="queued")]
    with client(tmp_path / "web") as asking:
        found = seen(asking, queued)
        assert "It waits to be fetched: " in found
        assert "Heron, a small database example.org" in found
        assert "Nothing was ever fetched from this address." in seen(asking, queued, view="versions")


def test_versions_are_offered_for_comparison_where_there_are_two(asking: TestClient) -> None:
    def chosen_from(url: str) -> int:
        tree = LexborHTMLParser(asking.get("/page", params={"url": url, "view": "versions"}).text)
        return len(tree.css("input[type=radio]"))

    assert chosen_from(INDEXES) > 2
    with gossamer.open(asking.app._app.state.face.leases.path) as web:  # type: ignore[attr-defined]  # our own app
        once = next(each.url for each in web.pages() if len(web.history(each.url)) == 1)
    assert chosen_from(once) == 0


def test_a_name_that_many_give_to_a_page_is_told_once(asking: TestClient) -> None:
    tree = LexborHTMLParser(asking.get("/page", params={"url": INDEXES, "view": "links"}).text)
    names = [each.text() for each in tree.css(".chips .chip")]
    assert names
    assert len(names) == len(set(names))
