"""A page that was crawled with all that it needs looks in its replay as it did on the web, and asks nobody else."""

from __future__ import annotations

import importlib.util
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from browser import browser as chromium
from looking import PYWB, Shown, look
from made_site import client
from pixels import difference
from playwright.sync_api import Browser

from crawler_process import run_gossamer
from gossamer.web.replay import replaying
from harness.dressed_site import dressed

pytestmark = pytest.mark.skipif(importlib.util.find_spec("pywb") is None, reason="pywb is not installed")

PAGES = ("/", "/second.html")


@dataclass
class Compared:
    live: Shown
    replayed: Shown
    browser: Browser
    there: str
    came_meanwhile: list[str]
    folder: Path
    site: str


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compared]:
    folder = tmp_path_factory.mktemp("whole") / "web"
    with ExitStack() as stack:
        browser = stack.enter_context(chromium())
        site, other = stack.enter_context(dressed())
        live = look(browser, ((path, f"{site.origin}{path}") for path in PAGES))
        settings = ("delay=0", "ip_delay=0", "patience=0", "build=false")
        given = [part for each in settings for part in ("--set", each)]
        command = (
            "crawl",
            str(folder),
            f"{site.origin}/",
            "--archive",
            "--shards",
            "2",
            "--allow-address",
            "127.0.0.1",
        )
        done = run_gossamer(*command, *given)
        assert done.returncode == 0, done.stderr
        there = stack.enter_context(replaying(folder, 0)).replace("localhost", "127.0.0.1")
        site.asked.clear()
        other.asked.clear()
        replayed = look(browser, ((path, f"{there}2026/{site.origin}{path}") for path in PAGES), PYWB)
        yield Compared(live, replayed, browser, there, [*site.asked, *other.asked], folder, f"{site.origin}/")


@pytest.mark.parametrize("path", PAGES)
def test_it_looks_as_it_did(compared: Compared, path: str) -> None:
    live, replayed = compared.live.pictures[path], compared.replayed.pictures[path]
    assert difference(compared.browser, live, replayed) < 0.01
    assert compared.replayed.said[path] == compared.live.said[path]


def test_the_pictures_are_not_alike_by_chance(compared: Compared) -> None:
    assert difference(compared.browser, *compared.live.pictures.values()) > 0.1
    assert "a script was here" in compared.replayed.said["/"]


def test_nobody_else_is_asked_and_nothing_is_missing(compared: Compared) -> None:
    origin = compared.there.removesuffix("web/")
    assert not [url for url in compared.replayed.asked if not url.startswith((origin, "data:", "about:", "blob:"))]
    assert compared.came_meanwhile == []
    assert not [url for url in compared.replayed.missing if "favicon" not in url]


def test_a_page_of_another_name_is_refused(compared: Compared) -> None:
    request = urllib.request.Request(compared.there, headers={"Host": "evil.example:80"})
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(request, timeout=60)


def test_every_answer_has_the_policy(compared: Compared) -> None:
    with urllib.request.urlopen(compared.there, timeout=60) as answer:
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]


def test_what_is_no_collection_is_said(tmp_path: Path) -> None:
    done = run_gossamer("replay", str(tmp_path / "nothing"))
    assert done.returncode == 3 or "no collection" in done.stderr, done.stderr


def test_the_cached_page_has_styles_and_pictures_in_it_and_loads_nothing(compared: Compared) -> None:
    with client(compared.folder) as asking:
        page = asking.get("/cached", params={"url": compared.site}).text
    assert page.count("data:image/png;base64,") == 12
    assert "data:font/ttf;base64," in page
    assert "http://" not in page.replace("/cached?url=", "").replace("http%3A", "").replace("http://www.w3.org", "")
