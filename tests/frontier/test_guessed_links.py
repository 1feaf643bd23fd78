"""Addresses that were guessed come last, and only as long as they bring something."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.outside import Outside
from gossamer.frontier.worth.guessed_links import TRIALS, GuessedLinks
from gossamer.model import Capture, SystemClock, Visit
from gossamer.store.table.table import Table

SEED = "http://made.test/"
AT_ONCE: dict[str, Any] = {"delay": 0, "ip_delay": 0, "shards": 1, "sitemaps": "never", "workers": 1, "build": False}


class Web:
    """A site in memory, and what was asked of it."""

    def __init__(self, pages: dict[str, str]) -> None:
        self.pages = pages
        self.asked: list[str] = []

    async def fetch(self, visit: Visit) -> Capture:
        path = visit.url.removeprefix("http://made.test")
        self.asked.append(path)
        body, fields = self.pages.get(path, "").encode(), (("content-type", "text/html"),)
        status, words = (200, b"OK") if body else (404, b"Not Found")
        head = b"HTTP/1.1 %d %s\r\ncontent-type: text/html\r\n\r\n" % (status, words)
        return Capture(visit, time.time(), 0.01, status, fields, b"GET / HTTP/1.1\r\n\r\n", head, body, body)


@pytest.fixture
def web(tmp_path: Path) -> Iterator[gossamer.Collection]:
    with gossamer.open(tmp_path / "web") as collection:
        yield collection


def crawl(collection: gossamer.Collection, made: Web) -> None:
    collection.crawl(SEED, outside=Outside(SystemClock(), made.fetch), **AT_ONCE)


def test_links_come_first_and_guesses_that_are_pages_are_crawled(web: gossamer.Collection) -> None:
    pages = {f"/{n}": f"<p>The page with the number {n}, which says nothing else.</p>" for n in range(30)}
    script = "".join(f"go('/g{n}.html');" for n in range(30))
    pages |= {
        f"/g{n}.html": f"<p>A page that only a script knows: {n} of them, all different {n * n}.</p>" for n in range(30)
    }
    links = "".join(f"<a href=/{n}>{n}</a>" for n in range(30))
    made = Web({"/": f"<script>{script}</script>{links}", **pages})
    crawl(web, made)
    assert web.status().pages == 61
    linked = [made.asked.index(f"/{n}") for n in range(30)]
    assert max(linked) < min(made.asked.index(f"/g{n}.html") for n in range(30))
    around = web.links(SEED)
    assert {link.place for link in around.guesses} == {"script"}
    assert around.as_json()["guessed"][0] == {"url": f"{SEED}g0.html", "from": "script", "state": "done", "status": 200}


def test_what_brings_nothing_on_a_host_is_given_up_there(web: gossamer.Collection) -> None:
    script = "".join(f"go('/none{n}.html');" for n in range(50))
    made = Web({"/": f"<p>Hello.</p><script>{script}</script>"})
    crawl(web, made)
    assert len([path for path in made.asked if path.startswith("/none")]) == TRIALS
    status = web.status()
    assert (status.pages, status.failed, status.queued) == (1, 0, 0)
    assert "there is no such page (script)" in web.why(f"{SEED}none0.html").reason
    assert "bring nothing here (script)" in web.why(f"{SEED}none49.html").reason


def test_a_link_to_what_was_guessed_makes_it_an_address_like_any_other(web: gossamer.Collection) -> None:
    script = "".join(f"go('/none{n}.html');" for n in range(50))
    made = Web(
        {
            "/": f"<script>{script} go('/late.html')</script><a href=/next>next</a>",
            "/next": "<a href=/late.html>late</a><a href=/none1.html>broken</a>",
            "/late.html": "<p>It came after all.</p>",
        }
    )
    crawl(web, made)
    assert web.status().pages == 3
    assert web.status().failed == 1
    assert [each.url for each in web.broken()] == [f"{SEED}none1.html"]


@pytest.mark.parametrize(
    ("status", "counts"),
    [
        (0, False),
        (199, False),
        (200, True),
        (299, True),
        (300, False),
        (399, False),
        (400, True),
        (499, True),
        (500, False),
    ],
)
def test_what_leads_on_and_what_is_ill_says_nothing_of_guesses(tmp_path: Path, status: int, counts: bool) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        guesses = GuessedLinks(table)
        for _ in range(TRIALS - 1):
            guesses.answered(SEED, "script", 404, is_new=False)
        assert guesses.are_worth_it(SEED, "script")
        guesses.answered(SEED, "script", status, is_new=False)
        assert guesses.are_worth_it(SEED, "script") is not counts
