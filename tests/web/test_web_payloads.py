"""A hundred payloads crawled as titles, addresses, anchors, text, fields of forms, headers, media types and robots.txt:
none of them is ever an element or an attribute. Every view is compared with that of a twin of the site, whose words are
all harmless; and a real browser is asked what it did with it: some of them in every run, all of them in a soak.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from browser import browser
from hostile_site import HARMLESS, HOST, made
from jinja2 import Environment
from made_site import client, elements, views_left_out
from payloads import PAYLOADS
from playwright.sync_api import Browser
from starlette.testclient import TestClient
from test_web_browser import Watched

import gossamer
from gossamer.web import app, page_page
from gossamer.web.page_page import VIEWS
from gossamer.web.templating import environment
from harness.seldom import seldom
from harness.served import serving

PARTS = tuple(f"/crawl/{part}" for part in ("charts", "cluster", "hosts", "reasons", "change", "confirm/start"))
LISTS = ("/broken", "/crawl", "/hosts", "/host?name=hostile.example", "/map", "/?q=harbour", "/?q=harbour&explain=true")
WHOLE = (*LISTS, *PARTS, "/", "/page")
TOUCHED = """() => document.querySelectorAll("main *").forEach((each) => {
    each.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
    if (each.focus) each.focus();
})"""
"""A pointer has been over everything, and the focus on it."""


def test_there_are_a_hundred() -> None:
    assert len(set(PAYLOADS)) >= 100


Both = tuple[TestClient, TestClient]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("payloads") / "web", PAYLOADS)


@pytest.fixture(scope="module")
def both(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    harmless = made(tmp_path_factory.mktemp("twin") / "web", HARMLESS)
    with client(folder) as hostile, client(harmless) as twin:
        yield hostile, twin


@pytest.fixture(scope="module")
def chromium(both: Both) -> Iterator[Browser]:
    """It has an event loop of its own while it is open: collections are made before."""
    with browser() as opened:
        yield opened


def addresses(asking: TestClient, folder: str) -> dict[int, str]:
    return kept(asking.app._app.state.face.leases.path, folder)  # type: ignore[attr-defined]  # our own app


def kept(path: Path, folder: str) -> dict[int, str]:
    """Addresses below a folder of the site, by their numbers."""
    with gossamer.open(path) as web:
        found = [each.url for each in web.addresses() if urlsplit(each.url).path.startswith(f"/{folder}/")]
    return {int(urlsplit(url).path.rpartition("/")[2]): url for url in found}


def require_same(both: Both, path: str, ours: dict[str, str], theirs: dict[str, str]) -> None:
    hostile, twin = both[0].get(path, params=ours), both[1].get(path, params=theirs)
    assert hostile.status_code == twin.status_code
    assert elements(hostile.text) == elements(twin.text), ours


def test_all_of_them_were_crawled(both: Both) -> None:
    for asking in both:
        for folder in ("p", "gone", "typed"):
            assert addresses(asking, folder).keys() == set(range(len(PAYLOADS)))


@pytest.mark.parametrize("view", VIEWS)
def test_no_view_of_a_page_has_a_new_element_or_attribute(
    both: Both, view: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # other titles find other pages: each stands for those on its subject
    monkeypatch.setattr(page_page, "_related", lambda web, document, known: [document])
    ours, theirs = (addresses(asking, "p") for asking in both)
    for number in ours:
        require_same(both, "/page", {"url": ours[number], "view": view}, {"url": theirs[number], "view": view})


def test_nor_has_that_of_an_address_that_is_gone_or_of_robots_txt(both: Both) -> None:
    ours, theirs = (addresses(asking, "gone") for asking in both)
    for number in ours:
        require_same(both, "/page", {"url": ours[number]}, {"url": theirs[number]})
    robots = {"url": f"{HOST}/robots.txt"}
    for view in VIEWS:
        require_same(both, "/page", {**robots, "view": view}, {**robots, "view": view})


def test_nor_has_that_of_a_file_of_such_a_type(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_page, "_related", lambda web, document, known: [document])
    ours, theirs = (addresses(asking, "typed") for asking in both)
    for number in ours:
        require_same(both, "/page", {"url": ours[number]}, {"url": theirs[number]})


@pytest.mark.parametrize(
    "path", ["/crawl", "/crawl/hosts", "/crawl/reasons", "/hosts", "/host?name=hostile.example", "/crawl/change"]
)
def test_nor_have_the_views_of_the_crawl(both: Both, path: str) -> None:
    require_same(both, path, {}, {})


def test_nor_has_the_map(both: Both) -> None:
    """Charts have a bar for each size and each type, so only kinds of elements are compared."""
    said, usual = (elements(asking.get("/map").text) for asking in both)
    assert said.keys() == usual.keys()


def test_nor_have_broken_links(both: Both) -> None:
    for page in ("1", "2", "3"):
        require_same(both, "/broken", {"page": page}, {"page": page})


@pytest.mark.parametrize("path", ["/page", "/cached"])
def test_nor_has_the_page_for_what_is_no_address(both: Both, path: str) -> None:
    for payload in PAYLOADS:
        said, usual = (asking.get(path, params={"url": f"http://{payload}"}) for asking in both)
        assert said.status_code == usual.status_code
        assert elements(said.text).keys() <= elements(both[0].get(path, params={"url": "http://[x"}).text).keys()


def test_nor_has_a_search_for_it(both: Both) -> None:
    """How many answers there are depends on the words, so only kinds of elements are compared."""
    known: set[tuple[str, ...]] = set()
    for words in ("harmless5", "harbour", "harbour -ships", "nothingofthekind", '"the harbour', "harbor", ""):
        for more in ({}, {"sort": "date"}, {"page": "2"}, {"site": "hostile.example"}, {"after": "2020"}):
            known |= elements(both[1].get("/", params={"q": words, **more}).text).keys()
    for payload in PAYLOADS:
        for given in ({"q": payload}, {"q": "harbour", "site": payload, "lang": payload}):
            assert elements(both[0].get("/", params=given).text).keys() <= known, payload


def test_a_kept_copy_shows_them_as_text(both: Both) -> None:
    ours, theirs = (addresses(asking, "p") for asking in both)
    for number in ours:
        require_same(both, "/cached", {"url": ours[number]}, {"url": theirs[number]})


def test_the_table_of_broken_links_is_one_row_a_link(both: Both) -> None:
    assert len({asking.get("/broken.csv").text.count("\n") for asking in both}) == 1


# ------------------------------------------------------------------------------- in a browser


def look(chromium: Browser, base: str, paths: list[str]) -> None:
    """At one view after the other. In none does a script run, is anybody asked, or does our policy refuse anything."""
    watched = Watched(chromium.new_page())
    watched.page.on("console", lambda message: heard(watched, message.text))
    for path in paths:
        watched.page.goto(base + path, wait_until="load")
        watched.page.evaluate(TOUCHED)
        origins = {urlsplit(each).netloc for each in watched.requests if not each.startswith("data:")}
        assert origins == {urlsplit(base).netloc}, path
        assert watched.trouble == [], path
    watched.page.context.close()


def heard(watched: Watched, said: str) -> None:
    if "Content Security Policy" in said:
        watched.trouble.append(said)


@pytest.mark.parametrize("number", seldom(list(range(len(PAYLOADS))), 40))
def test_a_browser_runs_nothing_of_it_in_any_view(chromium: Browser, folder: Path, number: int) -> None:
    """Of its page, of the broken link and of the file of such a type, nor where somebody asks for it."""
    here, gone, typed = (quote(kept(folder, part)[number], safe="") for part in ("p", "gone", "typed"))
    with serving(folder) as running:
        look(chromium, running.url, views(here, gone, typed, quote(PAYLOADS[number], safe="")))


def views(here: str, gone: str, typed: str, said: str) -> list[str]:
    """That are about a page, a broken link, a file, or what somebody says."""
    pages = [f"/page?url={here}&view={view}" for view in VIEWS]
    others = [f"/cached?url={here}", f"/page?url={gone}", f"/page?url={typed}", f"/page?url={said}"]
    asked = [f"/?q={said}", f"/?q=harbour&site={said}", f"/hosts?search={said}", f"/feed?q={said}"]
    programs = [f"/api/v1/page?url={here}", f"/api/v1/search?q={said}"]
    return [*pages, *others, *asked, *programs]


def test_no_view_is_left_out(both: Both) -> None:
    assert not views_left_out(both[0], [*WHOLE, *views("", "", "", "")])


def test_nor_in_the_views_of_the_whole(chromium: Browser, folder: Path) -> None:
    robots = quote(f"{HOST}/robots.txt", safe="")
    with serving(folder) as running:
        look(chromium, running.url, [*WHOLE, *(f"/page?url={robots}&view={view}" for view in VIEWS)])


def test_what_is_not_escaped_would_be_noticed(chromium: Browser, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "environment", careless)
    with serving(folder) as running, pytest.raises(AssertionError, match=r"Content Security Policy|evil\.example"):
        look(chromium, running.url, ["/broken"])


def careless() -> Environment:
    """Templates that take every text for markup."""
    return environment().overlay(autoescape=False)
