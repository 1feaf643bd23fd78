"""Pictures of every view, light and dark, on a desk and on a phone, full and empty: `make screenshots`.

They are for looking at, one by one: does anything overlap, is anything cut, has every number its unit? Four
collections are looked at: a made web, the same while it is crawled, a site that was crawled on two days and is on a
cluster now, and one of which nothing came.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from browser import browser
from made_site import PICTURED, SITE, heron, on_cluster
from playwright.sync_api import Browser

import gossamer
from docs_web import EXAMPLE
from gossamer.cli.demo import WEB
from gossamer.errors import NothingFetched
from gossamer.testing import MadeWeb
from harness.served import serving

SIZES = {"desk": (1280, 900), "phone": (390, 844)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
CRAWLED_FOR = 130.0
"""Seconds: a curve has a point for each minute."""
LONGEST = 2_400
"""Pixels of a picture: what comes after looks like what is before."""
QUICK = {"delay": 0, "ip_delay": 0, "patience": 0, "allow_addresses": ("127.0.0.0/8",), "disk_pause": 0}


def full(home: str, host: str, question: str) -> dict[str, str]:
    """Every view by its name."""
    page = f"/page?url={home}"
    tabs = {f"page-{tab}": f"{page}&view={tab}" for tab in ("markdown", "original", "versions", "links", "copies")}
    return {
        "front": "/",
        "search": f"/?q={question}",
        "why": f"/?q={question}&explain=true",
        "filtered": f"/?q={question}&site={host}&sort=date",
        "all-versions": f"/?q={question}&all_versions=true",
        "nothing": "/?q=nothinghasthisword",
        "misspelled": f"/?q={question[:-1]}x",
        "page": page,
        **tabs,
        "unknown": "/page?url=https://nobody.example/",
        "no-page": "/page",
        "not-kept": "/cached?url=https://nobody.example/",
        "crawl": "/crawl",
        "change": "/crawl/change",
        "confirm": "/crawl/confirm/start",
        "hosts": "/hosts",
        "no-hosts": "/hosts?search=nobody",
        "host": f"/host?name={host}",
        "broken": "/broken",
        "map": "/map",
        "lost": "/nowhere",
    }


LIVE = {
    f"live-{name}": path
    for name, path in {
        "front": "/", "crawl": "/crawl", "hosts": "/hosts", "slow": "/hosts?sort=slow", "map": "/map",
        "confirm": "/crawl/confirm/pause", "change": "/crawl/change",
    }.items()
}  # fmt: skip
PAST = {
    "past-search": "/?q=index",
    "past-as-of": "/?q=index&at=2026-11-01",
    "past-directory": "/?q=index&site=example.org/guide/",
    "past-versions": f"/page?url={SITE}/guide/indexes&view=versions",
    "past-links": f"/page?url={SITE}/&view=links",
    "past-picture": f"/page?url={PICTURED}&view=screenshot",
    "past-gone": f"/page?url={SITE}/missing",
    "past-crawl": "/crawl",
    "past-map": "/map",
    "past-broken": "/broken",
}
EMPTY = {
    f"empty-{name}": path
    for name, path in {
        "front": "/", "search": "/?q=index", "crawl": "/crawl", "hosts": "/hosts", "broken": "/broken", "map": "/map",
    }.items()
}  # fmt: skip


def main(place: Path) -> None:
    """Make the collections and take the pictures."""
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, MadeWeb(WEB).serve() as web:
        folder, live, past, empty = (Path(scratch, name, "my-web") for name in ("full", "live", "past", "empty"))
        for each in (folder, live, past, empty):
            each.parent.mkdir()
        with gossamer.open(folder) as made:
            made.crawl(web.seed, scope="any", disk_pause_share=0, shards=2, **QUICK)
            home = made.page(web.home(4))
        on_cluster(heron(past, pictured()), Path(scratch, "store"), time.time())
        with gossamer.open(empty) as made, suppress(NothingFetched):
            made.crawl("http://127.0.1.77/", disk_pause_share=0, **QUICK)
        host = home.url.split("/")[2].partition(":")[0]
        question = "+".join(home.title.lower().split()[:2])
        with crawling(live, web.seed), browser() as chromium:
            every = ((live, LIVE), (folder, full(home.url, host, question)), (past, PAST), (empty, EMPTY))
            for path, views in every:
                with serving(path) as running:
                    for name, view in views.items():
                        running.get(view)  # what an answer takes is shown, and the first one opens the index
                        take(chromium, running.url + view, place, name)
    print(f"{len(list(place.glob('*.png')))} pictures in {place}")


def pictured() -> bytes:
    """What a browser makes of the page that has a picture."""
    with browser() as chromium:
        page = chromium.new_page()
        page.set_content(EXAMPLE["/guide/cascade"].body.decode())
        return page.screenshot(type="jpeg")


@contextmanager
def crawling(folder: Path, seed: str) -> Iterator[None]:
    """One that has come so far that there are curves, and goes on meanwhile."""
    settings = ("--scope", "any", "--delay", "3", "--allow-address", "127.0.0.0/8", "--shards", "2", "--quiet")
    process = subprocess.Popen([sys.executable, "-m", "gossamer", "crawl", str(folder), seed, *settings])
    try:
        time.sleep(CRAWLED_FOR)
        yield
    finally:
        process.terminate()
        process.wait()


def take(chromium: Browser, address: str, place: Path, name: str) -> None:
    """One view, in all its forms, down to its end."""
    for size, (width, height) in SIZES.items():
        for scheme in SCHEMES:
            context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            page.goto(address)
            page.wait_for_timeout(200)
            long = min(page.evaluate("document.documentElement.scrollHeight"), LONGEST)
            page.set_viewport_size({"width": width, "height": max(height, long)})
            page.screenshot(path=place / f"{name}-{size}-{scheme}.png")
            context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
