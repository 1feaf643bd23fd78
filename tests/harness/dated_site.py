"""A site that changes between crawls, each of which has a date: what it said when is known exactly."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gossamer.collection import Collection
from gossamer.collection.crawl.outside import Outside
from gossamer.model import Capture, Kind, Visit
from gossamer.testing import VirtualClock

SITE = "http://dated.test"
DAY = 86_400.0


class DatedSite:
    """What its pages say now, by path; each may change, go and come back."""

    def __init__(self, pages: Mapping[str, str], began: float = 1_767_258_000.0) -> None:
        self.clock, self.pages = VirtualClock(began), dict(pages)
        self.moved: dict[str, str] = {}

    async def fetch(self, visit: Visit) -> Capture:
        await asyncio.sleep(0.01)
        asked, began, path = b"GET / HTTP/1.1\r\n\r\n", self.clock.wall(), visit.url.removeprefix(SITE)
        if path in self.moved:
            fields = (("location", SITE + self.moved[path]),)
            head = f"HTTP/1.1 301 Moved\r\nlocation: {SITE}{self.moved[path]}\r\n\r\n".encode()
            return Capture(visit, began, 0.01, 301, fields, asked, head)
        if visit.kind is not Kind.PAGE or path not in self.pages:
            return Capture(visit, began, 0.01, 404, (), asked, b"HTTP/1.1 404 No\r\n\r\n")
        body, fields = self.pages[path].encode(), (("content-type", "text/html"),)
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
        return Capture(visit, began, 0.01, 200, fields, asked, head, body, body, "192.0.2.1")

    def crawl(self, collection: Collection, **settings: Any) -> datetime:
        """Visit all pages; a moment right after it."""
        seeds = [f"{SITE}{path}" for path in (*self.pages, *self.moved)]
        outside = Outside(self.clock, self.fetch)
        given = {"delay": 0, "ip_delay": 0, "sitemaps": "never", "revisit": True} | settings
        self.clock.run(collection.crawl_async(*seeds, outside=outside, **given))
        collection.close()
        self.clock.jump(60)
        return self.now()

    def later(self, days: float) -> None:
        """Time goes by."""
        self.clock.jump(days * DAY)

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.clock.wall(), UTC)


def page(title: str, *words: str) -> str:
    """A page with a title, and with these words in a paragraph of its own."""
    return f"<title>{title}</title><h1>{title}</h1><p>{' '.join(words)}</p>"
