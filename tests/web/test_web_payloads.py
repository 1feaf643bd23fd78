"""A hundred payloads crawled as titles, addresses, anchors, text, headers, media types and robots.txt: none of them is
ever an element or an attribute. Every view is compared with that of a twin of the site, whose words are all harmless.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from made_site import client, elements
from payloads import PAYLOADS
from starlette.testclient import TestClient

import gossamer
from gossamer.collection import Outside
from gossamer.model import Capture, Visit
from gossamer.testing import VirtualClock
from gossamer.web import page_page
from gossamer.web.page_page import VIEWS

HARMLESS = [f"harmless{number}" for number in range(len(PAYLOADS))]
HOST = "http://hostile.example"
LANGUAGE = "the harbour has ships and boats that wait for a good wind in the morning while people walk along the water"


def test_there_are_a_hundred() -> None:
    assert len(set(PAYLOADS)) >= 100


def prose(number: int) -> str:
    draw = random.Random(number)
    return " ".join(draw.choice((*LANGUAGE.split(), f"word{number}x{draw.randrange(50)}")) for _ in range(60))


@dataclass
class Site:
    """A page for each payload, and a broken link beside it."""

    clock: VirtualClock
    payloads: Sequence[str]

    def page(self, number: int) -> str:
        said = escape(self.payloads[number])
        nearby = ((number + step) % len(self.payloads) for step in (1, 2, 3))
        links = "".join(f'<p><a href="{escape(self.address(each))}">name {said}</a>' for each in nearby)
        gone = f'<p><a href="/gone/{number}?q={said}">gone {said}</a>'
        head = f'<title>{said}</title><meta name=author content="Ann {said}">'
        main = f"<main><p>{prose(number)} {said} {prose(number + 1_000)}</p></main>"
        return f"<!doctype html><html lang=en>{head}{main}<nav>{links}{gone}</nav>"

    def home(self) -> str:
        links = (f'<li><a href="{escape(self.address(each))}">to {each}</a>' for each in range(len(self.payloads)))
        return f"<title>Home</title><ul>{''.join(links)}"

    def address(self, number: int) -> str:
        return f"/p/{number}?q={self.payloads[number].replace('#', '%23')}"

    async def fetch(self, visit: Visit) -> Capture:
        await asyncio.sleep(0.01)
        path = urlsplit(visit.url).path
        numbered = re.fullmatch("/p/([0-9]+)", path)
        number = int(numbered[1]) if numbered else 0
        said = self.payloads[number]
        fields = [("content-type", f"text/html; x={said}"), ("x-said", said), ("server", said)]
        if path == "/robots.txt":
            body, status = "".join(f"# {each}\nDisallow: /x/{each}\n" for each in self.payloads), 200
            fields[0] = ("content-type", said)
        elif path == "/":
            body, status = self.home(), 200
        elif numbered:
            body, status = self.page(number), 200
        else:
            body, status = said, 404
        data = body.encode()
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
        head = f"HTTP/1.1 {status} {said}\r\n{lines}\r\n".encode()
        sent = tuple((name, value.encode().decode("latin-1")) for name, value in fields)
        return Capture(visit, self.clock.wall(), 0.01, status, sent, b"GET /", head, data, data)


def made(folder: Path, payloads: Sequence[str]) -> Path:
    clock = VirtualClock()
    site = Site(clock, payloads)
    collection = gossamer.open(folder)
    clock.run(collection.crawl_async(f"{HOST}/", outside=Outside(clock, site.fetch), shards=1, delay=0.1))
    collection.close()
    return folder


Both = tuple[TestClient, TestClient]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("payloads")
    with client(made(folder / "web", PAYLOADS)) as hostile, client(made(folder / "twin" / "web", HARMLESS)) as twin:
        yield hostile, twin


def addresses(asking: TestClient, folder: str) -> dict[int, str]:
    with gossamer.open(asking.app._app.state.face.leases.path) as web:  # type: ignore[attr-defined]  # our own app
        found = [each.url for each in web.addresses() if urlsplit(each.url).path.startswith(f"/{folder}/")]
    return {int(urlsplit(url).path.rpartition("/")[2]): url for url in found}


def require_same(both: Both, path: str, ours: dict[str, str], theirs: dict[str, str]) -> None:
    hostile, twin = both[0].get(path, params=ours), both[1].get(path, params=theirs)
    assert hostile.status_code == twin.status_code
    assert elements(hostile.text) == elements(twin.text), ours


def test_all_of_them_were_crawled(both: Both) -> None:
    for asking in both:
        assert addresses(asking, "p").keys() == addresses(asking, "gone").keys() == set(range(len(PAYLOADS)))


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
