"""Which pages does a browser render while a crawl runs, and what becomes of what it makes of them?

Between fetching a page and reading it: a page that is worth it (`frontier/worth/rendering`) goes through the browser
(`fetch/browser`), and what that made of it is part of the capture from then on, is kept with it and is what is read.
With `auto` both are read and compared, and what is learned of the kind of its address is kept in rows.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gossamer import convert
from gossamer.collection.crawl.browser_requests import Asking, Remembered
from gossamer.collection.crawl.outside import Fetch
from gossamer.fetch.browser.rendering import Renderer
from gossamer.fetch.memory_budget import Held
from gossamer.frontier.worth.rendering import Renders, Said, gained, has_scripts, is_decided, is_poor, said
from gossamer.model import HTML, Capture, Kind, Page, Visit
from gossamer.plan import Plan
from gossamer.printable import log
from gossamer.store.commits import Commits
from gossamer.store.table.table import Table
from gossamer.urls.safe_regex import patterns

if TYPE_CHECKING:
    from gossamer.collection.crawl.stages import Keeper
    from gossamer.frontier.polite.browser_requests import Errands
    from gossamer.frontier.rules import Resolve


class Rendering:
    """The browser of a shard, and what decides who goes through it."""

    def __init__(
        self,
        plan: Plan,
        table: Table,
        fetch: Fetch,
        errands: Errands,
        kept: Callable[[Capture, Page], None],
        addresses: Resolve | None,
        signs_out: Callable[[str, str], bool] | None,
    ) -> None:
        """`kept` takes what pages have asked for into the archive, `addresses` says where a host is, where that
        matters, `signs_out` which addresses would log the crawl out."""
        self._always = plan.render == "always"
        self._agent = plan.as_identity().product
        self._plain = fetch
        self._renders = Renders(table)
        self._renderer = Renderer(plan.html_bytes, screenshots=plan.screenshots)
        self._pictures_of_all = self._always and plan.screenshots
        turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._ask = Asking(fetch, errands, kept, Remembered(), turns, patterns(plan.exclude), addresses, signs_out)

    async def fetch(self, visit: Visit) -> Capture:
        """What came, and what a browser has made of it where that is worth it."""
        capture = await self._plain(self._unconditional(visit))
        if not is_page(capture) or not (self._pictures_of_all or has_scripts(capture.body)):
            return capture
        return await self._rendered(capture) if self._always else await self._judged(capture)

    def _unconditional(self, visit: Visit) -> Visit:
        """That the document has not changed says nothing of what its scripts make of it."""
        if not (visit.etag or visit.modified) or not (self._always or self._renders.pays(visit.url)):
            return visit
        return replace(visit, etag=None, modified=None)

    async def close(self) -> None:
        """No more pages."""
        await self._renderer.close()

    async def _judged(self, capture: Capture) -> Capture:
        url = capture.visit.url
        row = self._renders.meets(url)
        decided = is_decided(row)
        if decided is None and self._renders.is_left(url, row, capture.body):
            return capture
        plain = self._said(capture) if decided is not False else None
        if plain is None:
            return capture
        if decided is None and not is_poor(plain, row):
            self._renders.says_enough(url, plain)
            return capture
        if decided is None and not self._renders.is_tried(url, plain):
            return capture
        rendered = await self._rendered(capture)
        found = self._said(rendered) if rendered.rendered else None
        if found is not None:
            self._renders.learn(url, gained=gained(plain, found))
        return rendered

    async def _rendered(self, capture: Capture) -> Capture:
        seen = await self._renderer(capture, partial(self._ask, capture))
        return replace(capture, rendered=seen.html, screenshot=seen.screenshot) if seen.html else capture

    def _said(self, capture: Capture) -> Said | None:
        """What a page says. Whatever is odd about it is reported when it is read for good."""
        try:
            page = convert.begin(capture, self._agent, content=None)
        except Exception as error:
            log.info("%s cannot be compared: %r", capture.visit.url, error)
            return None
        return said(page) if isinstance(page, Page) else None


def is_page(capture: Capture) -> bool:
    """Is it a web page that has come as a whole?"""
    visit, sent = capture.visit, (capture.header("content-type") or "").partition(";")[0].strip().lower()
    whole = capture.status == 200 and not capture.failure and not capture.truncated and capture.source is None
    return whole and visit.kind is Kind.PAGE and visit.method == "GET" and sent in HTML


def keeping(keeper: Keeper, commits: Commits, held: Held) -> Callable[[Capture, Page], None]:
    """Into the archive with what a page has asked for. It is done with then: nobody takes it back."""

    def keep(capture: Capture, page: Page) -> None:
        with commits.whole():
            keeper.keep(capture, page)
        held.free(capture.visit)

    return keep
