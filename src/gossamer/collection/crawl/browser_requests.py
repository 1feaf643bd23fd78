"""How does what a page needs come here, when a browser renders it? By the same way and the same rules as pages.

Each request goes through the fetcher of the crawl, with its guard, its limits and its archive; robots.txt holds for it,
and its host is left alone as long as for any other (`frontier/polite/browser_requests`). One host has one such request
at a time. What many pages of a site share, its scripts and styles, is asked for once and remembered.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace

from gossamer.collection.crawl.outside import Fetch
from gossamer.collection.crawl.requisites import PUBLIC
from gossamer.convert.document import digest_of
from gossamer.convert.type import mime
from gossamer.errors import InvalidURL
from gossamer.frontier.answer.outcome import Act, judge
from gossamer.frontier.polite.browser_requests import Errands
from gossamer.frontier.rules import Resolve
from gossamer.model import Capture, Kind, Page, Visit
from gossamer.urls import Patterns, keys, normalize

HOPS = 5
"""Redirects that are followed."""
WAIT_MOST = 60.0
"""Seconds after which a page goes without."""
REMEMBERED_BYTES = 32 << 20
NOTHING = Patterns(())
SHARED = ("javascript", "ecmascript", "css", "image/", "font")
"""What pages share, by its media type."""


class Remembered:
    """What many pages of a host ask for, as far as there is room for it; the oldest go first.

    Each host has its own: what was sent to its pages with a login is for no other's.
    """

    def __init__(self, most: int = REMEMBERED_BYTES) -> None:
        self._most = most
        self._octets = 0
        self._captures: dict[tuple[str, str], Capture] = {}

    def get(self, page: Capture, url: str) -> Capture | None:
        """What came from there before, for a page of the same host."""
        return self._captures.get((keys.origin(page.visit.url), url))

    def add(self, page: Capture, url: str, capture: Capture) -> None:
        """Keep it, if it is something that is shared."""
        said, key = capture.header("content-type") or "", (keys.origin(page.visit.url), url)
        if capture.status != 200 or not any(each in said for each in SHARED) or key in self._captures:
            return
        self._captures[key] = capture
        self._octets += len(capture.body)
        while self._octets > self._most:
            self._octets -= len(self._captures.pop(next(iter(self._captures))).body)


@dataclass(frozen=True, slots=True)
class Asking:
    """Everything that pages of a crawl may ask for goes through one of these."""

    fetch: Fetch
    errands: Errands
    keep: Callable[[Capture, Page], None]
    """Takes what came into the archive."""
    remembered: Remembered
    turns: defaultdict[str, asyncio.Lock]
    """By host."""
    excluded: Patterns = NOTHING
    """Addresses that are never to be asked for."""
    addresses: Resolve | None = None
    """Where a host is; None where no private address was opened."""
    signs_out: Callable[[str, str], bool] | None = None
    """Would an address end the session of the crawl?"""

    async def __call__(self, page: Capture, url: str, method: str) -> Capture | None:
        """What a page asks for; None where it may not be asked for, or nothing came."""
        began = url
        for _ in range(HOPS + 1):
            try:
                url = normalize(url)
            except InvalidURL:
                return None
            if self._is_closed(url) or await self._leads_inside(page, url):
                return None
            if method == "GET" and (found := self.remembered.get(page, url)):
                return found
            capture = await self._asked(Visit(url, Kind.RESOURCE, method, referrer=page.visit.url))
            if capture is None or capture.failure or not capture.status:
                return None
            outcome = judge(capture, wanted=lambda _: True)
            if outcome.act is not Act.REDIRECT:
                self.remembered.add(page, normalize(began), capture)
                return capture
            url = outcome.target
        return None

    def _is_closed(self, url: str) -> bool:
        return bool(self.excluded.match(url)) or (self.signs_out is not None and self.signs_out(url, ""))

    async def _leads_inside(self, page: Capture, url: str) -> bool:
        """From a page of the public web to a private address that was opened: for others, not for that page."""
        if self.addresses is None or page.address is None or PUBLIC.refusal(page.address):
            return False
        found, _ = await self.addresses(keys.host(url))
        return any(map(PUBLIC.refusal, found))

    async def _asked(self, visit: Visit) -> Capture | None:
        async with self.turns[keys.host(visit.url)]:
            if not await self._allowed(visit):
                return None
            return await self._brought(visit)

    async def _allowed(self, visit: Visit) -> bool:
        """By the robots.txt of its origin, which is asked for where nobody has it."""
        allowed = self.errands.allows(visit.url)
        if allowed is None:
            origin = keys.origin(visit.url)
            capture = await self._followed(Visit(f"{origin}/robots.txt", Kind.RESOURCE, referrer=visit.referrer))
            if capture is None:
                return False
            self.errands.learn(origin, capture)
            allowed = self.errands.allows(visit.url)
        return bool(allowed)

    async def _followed(self, visit: Visit) -> Capture | None:
        for _ in range(HOPS):
            capture = await self._brought(visit)
            outcome = judge(capture, wanted=lambda _: True) if capture is not None else None
            if outcome is None or outcome.act is not Act.REDIRECT:
                return capture
            visit = replace(visit, url=outcome.target)
        return await self._brought(visit)

    async def _brought(self, visit: Visit) -> Capture | None:
        wait = self.errands.wait(visit.url)
        if wait > WAIT_MOST:
            return None
        await asyncio.sleep(wait)
        capture = await self.fetch(visit)
        self.errands.done(capture)
        said = mime.extract(capture.header_values("content-type"))
        kind = said.essence if said else "application/octet-stream"
        self.keep(capture, Page(visit.url, kind, digest=digest_of(capture.body) if capture.body else ""))
        return capture
