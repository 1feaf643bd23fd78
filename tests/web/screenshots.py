"""Pictures of every view, light and dark, on a desk and on a phone, full and empty: `make screenshots`.

They are for looking at, one by one: does anything overlap, is anything cut, has every number its unit?
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Literal

from browser import browser
from playwright.sync_api import Browser

import gossamer
from gossamer.cli.demo import WEB
from gossamer.testing import MadeWeb
from harness.served import serving

SIZES = {"desk": (1280, 900), "phone": (390, 844)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def views(home: str, host: str, question: str) -> dict[str, str]:
    """Every view by its name."""
    page = f"/page?url={home}"
    tabs = {f"page-{tab}": f"{page}&view={tab}" for tab in ("markdown", "original", "versions", "links", "copies")}
    return {
        "front": "/",
        "search": f"/?q={question}",
        "all-versions": f"/?q={question}&all_versions=true",
        "nothing": "/?q=nothinghasthisword",
        "page": page,
        **tabs,
        "unknown": "/page?url=https://nobody.example/",
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


def main(place: Path) -> None:
    """Crawl a made web and take the pictures."""
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, MadeWeb(WEB).serve() as web:
        folder = Path(scratch, "my-web")
        with gossamer.open(folder) as made:
            settings = {"delay": 0, "ip_delay": 0, "allow_addresses": ("127.0.0.0/8",), "disk_pause": 0}
            made.crawl(web.seed, scope="any", disk_pause_share=0, shards=2, **settings)
            home = made.page(web.home(4))
        named = views(home.url, home.url.split("/")[2].partition(":")[0], "+".join(home.title.lower().split()[:2]))
        with serving(folder) as running, browser() as chromium:
            for name, path in named.items():
                take(chromium, running.url + path, place, name)
    print(f"{len(list(place.glob('*.png')))} pictures in {place}")


def take(chromium: Browser, address: str, place: Path, name: str) -> None:
    """One view, in all its forms."""
    for size, (width, height) in SIZES.items():
        for scheme in SCHEMES:
            context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            page.goto(address)
            page.wait_for_timeout(200)
            page.screenshot(path=place / f"{name}-{size}-{scheme}.png")
            context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
