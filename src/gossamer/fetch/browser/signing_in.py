"""How does one log in where only a browser can? By the steps that the user has written down, within that site alone.

The browser has no network of its own (`chromium`): each request is made by us, with the guard, the limits and the delay
of the crawl, and only to places that the login was given for. So whatever runs in the page, the password goes nowhere
else. As with other logins robots.txt is not asked, for the user has named the page, and nothing of it is archived. The
cookies that come of it, also those that scripts have set, go into the jar of the crawl; the browser is closed.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.errors import InvalidURL
from gossamer.fetch.browser.chromium import start
from gossamer.fetch.browser.rendering import DRESSING, NEEDLESS, handed_on
from gossamer.fetch.logins import Account, Asking, Step
from gossamer.fetch.redirects import target
from gossamer.model import URL, Capture, Kind, Visit
from gossamer.urls import keys, normalize

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page, Request, Route

STEP_SECONDS, STEP_DELAYS = 30.0, 20
"""What a step may take: so long, and so many delays of the crawl besides."""
REQUESTS = 100
HOPS = 5


@dataclass(frozen=True, slots=True)
class Reach:
    """What a login may do."""

    asking: Asking
    covers: Callable[[URL], bool]
    """May an address be asked for?"""
    heard: Callable[[Capture], None]
    """Takes in the cookies that an answer sets."""
    pause: float
    """Seconds between two requests."""


async def sign_in(account: Account, reach: Reach) -> str:
    """Log in. In words what went wrong; empty when all steps were done."""
    chromium = await start()
    try:
        context = await chromium.browser.new_context(service_workers="block", accept_downloads=False)
        return await _Way(account, reach, context).walk()
    finally:
        await chromium.close()


class _Way:
    """One login, step by step."""

    def __init__(self, account: Account, reach: Reach, context: BrowserContext) -> None:
        self._account = account
        self._reach = reach
        self._context = context
        self._turn = asyncio.Lock()
        self._left = REQUESTS

    async def walk(self) -> str:
        """To its end, or to the first step that fails. What is said of that has no secret in it, for no step has."""
        from playwright.async_api import Error

        await self._context.route("**/*", self._answer)
        await self._context.route_web_socket("**/*", lambda socket: socket.close())
        page = await self._context.new_page()
        seconds = STEP_SECONDS + STEP_DELAYS * self._reach.pause
        for number, step in enumerate((Step("open", self._account.url), *self._account.steps)):
            try:
                async with asyncio.timeout(seconds):
                    await self._do(page, step, seconds * 1_000)
            except (Error, TimeoutError):
                which = f"step {number}" if number else "its page"
                return f"{which} ({step.does} {step.what}) was not done in {seconds:g} s"
        await self._take_cookies()
        return ""

    async def _do(self, page: Page, step: Step, most: float) -> None:
        match step.does:
            case "open":
                await page.goto(step.what, wait_until="domcontentloaded", timeout=most)
            case "user" | "password":
                text = self._account.user if step.does == "user" else self._account.password
                await page.fill(step.what, text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
            case "click":
                await page.click(step.what, timeout=most, no_wait_after=True)
            case _:
                await page.wait_for_selector(step.what, timeout=most)

    # ----------------------------------------------------- what it asks for

    async def _answer(self, route: Route) -> None:
        from playwright.async_api import Error

        with suppress(Error):  # the page is gone
            capture = await self._brought(route.request)
            if capture is None:
                await route.abort("aborted")
                return
            fields = handed_on(capture)
            if values := capture.header_values("set-cookie"):
                fields["set-cookie"] = "\n".join(values)
            if (led_to := target(capture)) is None:
                await route.fulfill(status=capture.status, headers=fields, body=capture.body)
            else:  # where a server leads the browser would go without asking us
                fields = {**fields, "content-type": "text/html"}
                await route.fulfill(headers=fields, body=f"<script>location.replace({json.dumps(led_to)})</script>")

    async def _brought(self, request: Request) -> Capture | None:
        """The answer. Where a server leads is asked for here too, unless it is a page: that gets another address."""
        needless = request.resource_type in NEEDLESS | DRESSING or request.method not in ("GET", "POST")
        if needless or self._left <= 0:
            return None
        try:
            url = normalize(request.url)
        except InvalidURL:
            return None
        capture = await self._asked(url, request if request.method == "POST" else None, request)
        for _ in range(HOPS):
            led_to = target(capture) if capture and not request.is_navigation_request() else None
            if led_to is None:
                break
            capture = await self._asked(led_to, None, request)
        return capture

    async def _asked(self, url: URL, sent: Request | None, request: Request) -> Capture | None:
        if not self._reach.covers(url):
            return None
        self._left -= 1
        page = request.frame.page.url
        async with self._turn:
            await asyncio.sleep(self._reach.pause)
            await self._take_cookies()
            if sent is not None:
                fields = {name: value for name, value in sent.headers.items() if _is_sent_along(name)}
                capture = await self._reach.asking.submit(url, page, sent.post_data_buffer or b"", fields)
            elif request.is_navigation_request():
                capture = await self._reach.asking(Visit(url))
            else:
                capture = await self._reach.asking(Visit(url, Kind.RESOURCE, referrer=page))
            self._reach.heard(capture)
        return capture if capture.status and not capture.failure else None

    async def _take_cookies(self) -> None:
        """Those of the browser, as if the site had set them with an answer: its scripts may have."""
        scheme = self._account.url.partition("://")[0]
        port = keys.authority(self._account.url)[len(keys.host(self._account.url)) :]
        for each in await self._context.cookies():
            domain = each["domain"].removeprefix(".")
            parts = [f"{each['name']}={each['value']}", f"Path={each['path']}"]
            parts += [f"Domain={domain}"] if each["domain"].startswith(".") else []
            parts += ["Secure"] if each["secure"] else []
            parts += [f"Max-Age={round(each['expires'] - time.time())}"] if each["expires"] > 0 else []
            visit = Visit(f"{scheme}://{domain}{port}{each['path']}")
            field = "; ".join(parts).encode("utf-8", "replace").decode("latin-1")  # as it would come with an answer
            self._reach.heard(Capture(visit, 0.0, 0.0, 200, (("set-cookie", field),)))


def _is_sent_along(name: str) -> bool:
    """What the body is, and fields of the page's own, such as a token against forged requests."""
    return name == "content-type" or name.startswith("x-")
