"""Thirty pages of ten sites, as people have written them, look in pywb and in ReplayWeb.page as they do on the web.

The sites are documentation packages of Debian (`python quality/doc_packages.py download`), each on a server of its own;
the player comes from npm. So this is for `make soak`. `make test` holds the same for a site that was made to be hard
(`test_web_whole_pages`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from browser import browser as chromium
from doc_packages import CACHE, SITES, Site
from looking import PYWB, Shown, look
from pixels import difference
from player import served, unpacked
from playwright.sync_api import Browser

import gossamer
from crawler_process import run_gossamer
from gossamer.collection.ask.export import to_path
from gossamer.web.replay import replaying

pytestmark = pytest.mark.soak

UNPACKED = Path(os.environ.get("GOSSAMER_DOC_PACKAGES") or CACHE / "unpacked")
"""A folder for each package."""
NUMBER, PAGES = 10, 3
ALIKE = 0.01
PLAYED = "replay-app-main iframe"
LOCAL = "127.0.0.1"


class Files(SimpleHTTPRequestHandler):
    """Of a package, and what was asked for."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving(folder: Path, asked: list[str]) -> Iterator[str]:
    handler = type("Counted", (Files,), {"asked": asked})
    with ThreadingHTTPServer((LOCAL, 0), partial(handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://{LOCAL}:{server.server_port}"
        finally:
            server.shutdown()


def sites() -> list[Site]:
    found = [site for site in SITES if (UNPACKED / site.package / site.root).is_dir()][:NUMBER]
    if len(found) < NUMBER:
        pytest.skip(f"{UNPACKED} has {len(found)} packages; `python quality/doc_packages.py download` gets them")
    return found


@dataclass
class Seen:
    browser: Browser
    live: Shown
    pywb: Shown
    player: Shown
    origins: dict[str, tuple[str, ...]]
    """What each may ask."""
    asked: list[str]
    """Of the sites, while they were replayed."""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    folder = tmp_path_factory.mktemp("docs")
    asked: list[str] = []
    with ExitStack() as stack:
        starts = [
            f"{stack.enter_context(serving(UNPACKED / site.package / site.root, asked))}/{site.entries[0]}"
            for site in sites()
        ]
        settings = [f"{name}=0" for name in ("delay", "ip_delay", "patience")] + ["build=true"]
        given = [part for each in settings for part in ("--set", each)]
        whole = ("--archive", "--allow-address", LOCAL, "--pages-per-host", str(PAGES * NUMBER), "--shards", "2")
        done = run_gossamer("crawl", str(folder / "web"), *starts, *whole, "--pages", str(PAGES * NUMBER), *given)
        assert done.returncode == 0, done.stderr
        with gossamer.open(folder / "web") as web:
            pages = [(page.url, page.url) for page in web.pages() if page.media_type == "text/html"]
            package = unpacked(folder)
            to_path(lambda out: web.export("wacz", out), package / "web.wacz")
        assert len(pages) >= PAGES * NUMBER - 3
        browser = stack.enter_context(chromium())
        live = look(browser, pages)
        asked.clear()
        there = stack.enter_context(replaying(folder / "web", 0)).replace("localhost", LOCAL)
        pywb = look(browser, ((name, f"{there}2026/{url}") for name, url in pages), PYWB)
        base = stack.enter_context(served(package))
        begins = f"{base}/?source={base}/web.wacz#view=replay&url="
        player = look(browser, ((name, f"{begins}{url}") for name, url in pages), PLAYED)
        origins = {"pywb": (there.removesuffix("web/"),), "player": (base,)}
        yield Seen(browser, live, pywb, player, origins, list(asked))


@pytest.mark.parametrize("replay", ["pywb", "player"])
def test_they_look_as_they_did(seen: Seen, replay: str, tmp_path: Path) -> None:
    shown: Shown = getattr(seen, replay)
    apart = {url: difference(seen.browser, seen.live.pictures[url], shown.pictures[url]) for url in seen.live.pictures}
    for number, url in enumerate(sorted(apart, key=lambda url: -apart[url])[:3]):
        (tmp_path / f"{number}-live.png").write_bytes(seen.live.pictures[url])
        (tmp_path / f"{number}-{replay}.png").write_bytes(shown.pictures[url])
    assert {url: part for url, part in apart.items() if part >= ALIKE} == {}, f"pictures are in {tmp_path}"


@pytest.mark.parametrize("replay", ["pywb", "player"])
def test_nobody_else_is_asked(seen: Seen, replay: str) -> None:
    shown: Shown = getattr(seen, replay)
    own = (*seen.origins[replay], "data:", "about:", "blob:")
    # The service worker of the player answers for the site: what left the browser is what the sites were asked.
    assert replay == "player" or not [url for url in shown.asked if not url.startswith(own)]
    assert seen.asked == []
