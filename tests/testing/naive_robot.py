"""The simplest honest crawler: all it knows of a made web is what it serves, and which addresses are traps."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from gossamer.model import Capture, Link, Visit
from gossamer.testing import MadeWeb

TRIES = 4


class _Reader(HTMLParser):
    def __init__(self, base: str) -> None:
        super().__init__()
        self.base = base
        self.links: list[Link] = []
        self.robots = ""
        self._anchor: dict[str, str | None] | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        if tag == "a":
            self._anchor = found
        if tag == "meta" and found.get("name") == "robots":
            self.robots = found["content"] or ""

    def handle_data(self, data: str) -> None:
        if self._anchor is not None:
            target = urljoin(self.base, self._anchor["href"] or "")
            self.links.append(Link(target, data, self._anchor.get("rel") or ""))
            self._anchor = None


def decoded(capture: Capture) -> str:
    """The text of a page, by byte order mark, header or meta element."""
    if capture.body.startswith(b"\xff\xfe"):
        return capture.body[2:].decode("utf-16le")
    declared = (capture.header("content-type") or "").encode() + capture.body[:1024]
    found = re.search(rb'charset="?([\w-]+)', declared)
    return capture.body.decode(found[1].decode() if found else "utf-8")


def links_of(capture: Capture) -> list[Link]:
    """All links of a page, as it is served."""
    return _read(capture).links


def _read(capture: Capture) -> _Reader:
    reader = _Reader(capture.visit.url)
    reader.feed(decoded(capture))
    return reader


class Robot:
    """Follows every link that it may follow, and gives up on an address after a few tries."""

    def __init__(self, web: MadeWeb, *, sitemaps: bool = True) -> None:
        self.web = web
        self.sitemaps = sitemaps
        self.pages: dict[str, Capture] = {}
        self._rules: dict[str, str | None] = {}
        self._waiting: deque[str] = deque([web.seed])
        self._met: set[str] = set()

    async def crawl(self) -> set[str]:
        """The addresses of all pages that answered 200."""
        while self._waiting:
            url = self._waiting.popleft()
            if url not in self._met and not self.web.is_trap(url):
                self._met.add(url)
                await self._visit(url)
        return set(self.pages)

    async def _visit(self, url: str, hops: int = 0) -> None:
        if not await self._may(url):
            return
        capture = await persistent(self.web.fetch, url)
        if capture.status in (301, 302, 303, 307, 308) and hops < 10:
            await self._visit(urljoin(url, capture.header("location") or ""), hops + 1)
        elif capture.status == 200 and capture.failure is None:
            self.pages[url] = capture
            self._waiting.extend(_to_follow(capture))

    async def _may(self, url: str) -> bool:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._rules:
            self._rules[origin] = await self._read_rules(origin)
            await self._read_sitemaps(self._rules[origin] or "")
        rules = self._rules[origin]
        return rules is not None and _allows(rules, parts.path)

    async def _read_rules(self, origin: str) -> str | None:
        capture = await persistent(self.web.fetch, f"{origin}/robots.txt")
        if capture.status == 301:
            capture = await persistent(self.web.fetch, urljoin(origin, capture.header("location") or ""))
        if capture.status >= 500:
            return None
        return capture.body.decode() if capture.status == 200 else ""

    async def _read_sitemaps(self, text: str) -> None:
        waiting = re.findall(r"(?m)^Sitemap: (.*)$", text) if self.sitemaps else []
        for sitemap in waiting:
            body = (await self.web.fetch(Visit(sitemap))).body.decode()
            found = re.findall("<loc>(.*?)</loc>", body)
            (waiting if "<sitemapindex" in body else self._waiting).extend(found)


async def persistent(fetch: Callable[[Visit], Awaitable[Capture]], url: str) -> Capture:
    """Ask again while the answer is a fault that may pass."""
    for _ in range(TRIES):
        capture = await fetch(Visit(url))
        if capture.failure is None and capture.status < 500:
            break
    return capture


def _to_follow(capture: Capture) -> Iterator[str]:
    page = _read(capture)
    if "nofollow" not in page.robots and capture.header("x-robots-tag") != "nofollow":
        yield from (link.url for link in page.links if "nofollow" not in link.rel)


def _allows(rules: str, path: str) -> bool:
    """The longest rule wins."""
    found = re.findall(r"(?m)^(Allow|Disallow): (.*)$", rules)
    longest = max((rule for rule in found if path.startswith(rule[1])), key=lambda rule: len(rule[1]), default=None)
    return longest is None or longest[0] == "Allow"
