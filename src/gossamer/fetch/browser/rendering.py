"""How is one page rendered? It is handed to a browser that can reach nothing, and so is all that it asks for.

The document is the one that was fetched already. What its scripts ask for is asked for by us (`Ask`), by our rules, and
only with GET and HEAD. Pictures and fonts have no words: they are asked for only where a picture of the page is wanted,
and media never. A page may not go elsewhere: where it wants to go is noted, and becomes a link. When it is quiet it is
scrolled to its end a few times, and is asked for more where it offers that. At last, when nothing can be asked for any
more, what it does on a click is looked at for further addresses.

Each page has a context of its own: no cookie, no storage and no worker of one page is met by another. Time is bounded:
what does not answer is given up. A browser that has crashed or does not close a page is killed, and its pages are tried
once more in another.
"""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gossamer.fetch.browser.chromium import Chromium, start
from gossamer.fetch.browser.page_scripts import CONTENT, LINKS, MORE, PRELUDE, QUIET, SCROLL, WAKE
from gossamer.model import Capture
from gossamer.printable import log

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Page, Route, WebSocketRoute

Ask: TypeAlias = Callable[[str, str], Awaitable[Capture | None]]
"""address, method -> what came; None where it may not be asked for, or nothing came."""

PAGES = 4
"""Pages that are rendered at once."""
PAGES_EACH = 500
"""After so many another browser takes over: what it leaks, it leaks no longer."""
TRIES = 2
OTHERS = 4
"""How often a page is tried again because of another one, on which its browser hung."""
LOOK_EVERY = 0.1
REQUESTS = 100
"""That a page may make."""
SCROLLS, CLICKS = 4, 4
ADDRESSES = 500
"""That it may want to go to."""
DRESSING = frozenset({"image", "font"})
"""What is asked for only for a screenshot, as Playwright calls it."""
DRESSING_REQUESTS = 30
"""Of these, which are no part of the others: with a second between them a page has half a minute."""
NEEDLESS = frozenset({"media", "texttrack", "eventsource", "manifest", "ping", "cspviolationreport"})
"""What is never asked for."""
WIDEST, HIGHEST = 1280, 5000
"""Points that a screenshot has at most: as wide as the window, and seven of its heights."""
QUALITY = 60
"""Of the JPEG, of 100."""
PICTURE_BYTES = 4 << 20
METHODS = frozenset({"GET", "HEAD"})
NOBODY = "https://nobody.invalid"
"""An origin that no page has."""
_NOT_HANDED_ON = frozenset(
    {"content-encoding", "content-length", "transfer-encoding", "connection", "set-cookie", "refresh"}
)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited for a page, in seconds."""

    longest: float = 120.0
    """In all, with what it waits for."""
    answers: float = 8.0
    """A page that does not say within this time how it stands hangs."""
    settles: float = 5.0
    """In which it becomes quiet, not counting the time in which it waits for us."""
    closes: float = 5.0
    """A browser that does not close a page within this time hangs."""


class Seen(NamedTuple):
    """What a browser has made of a page; nothing where it could not."""

    html: bytes = b""
    """In UTF-8."""
    screenshot: bytes = b""
    """A JPEG, where one was wanted."""


class Unresponsive(Exception):
    """The browser does not do what it is told."""


class Hung(Unresponsive):
    """The same, because of what the page does."""


class Renderer:
    """One browser, started when the first page needs it. It belongs to the event loop of that page."""

    def __init__(
        self,
        most: int,
        patience: Patience = Patience(),  # noqa: B008  # a frozen value
        begin: Callable[[], Awaitable[Chromium]] | None = None,
        *,
        screenshots: bool = False,
    ) -> None:
        """`most` characters of a page are taken."""
        self._most = most
        self._patience = patience
        self._screenshots = screenshots
        self._begin = begin or partial(start, images=screenshots)
        self._chromium: Chromium | None = None
        self._slots = asyncio.Semaphore(PAGES)
        self._one = asyncio.Lock()
        self._hung_in: Chromium | None = None
        """The last browser that was killed because a page made it hang."""
        self._open = self._served = 0

    async def __call__(self, capture: Capture, ask: Ask) -> Seen:
        """What the browser makes of a page."""
        from playwright.async_api import Error

        async with self._slots:
            tries = others = 0
            while tries < TRIES and others < OTHERS:
                chromium: Chromium | None = None
                try:
                    chromium = await self._running()
                    return await self._render(chromium.browser, capture, ask)
                except Hung:
                    self._hung_in = chromium
                    await self._give_up(chromium)
                    break
                except (Error, TimeoutError, Unresponsive, OSError) as error:
                    if chromium is not None and chromium.is_alive and not isinstance(error, Unresponsive):
                        log.info("%s could not be rendered: %s", capture.visit.url, str(error).partition("\n")[0])
                        return Seen()  # it is the page
                    is_mine = chromium is None or chromium is not self._hung_in
                    tries, others = tries + is_mine, others + (not is_mine)
                    await self._give_up(chromium)
        log.warning("%s: the browser could not be brought to render it, so it is kept as sent", capture.visit.url)
        return Seen()

    async def close(self) -> None:
        """No more pages."""
        await self._give_up(self._chromium)

    async def _running(self) -> Chromium:
        async with self._one:
            if self._chromium is not None and (not self._chromium.is_alive or self._is_spent()):
                await self._chromium.close()
                self._chromium = None
            if self._chromium is None:
                self._chromium, self._served = await self._begin(), 0
            return self._chromium

    def _is_spent(self) -> bool:
        return self._served >= PAGES_EACH and self._open == 0

    async def _give_up(self, chromium: Chromium | None) -> None:
        """This one will not be used again, unless another has seen to that."""
        if chromium is not None:
            chromium.kill()
            async with self._one:
                if self._chromium is chromium:
                    self._chromium = None
                    await chromium.close()

    async def _render(self, browser: Browser, capture: Capture, ask: Ask) -> Seen:
        self._open += 1
        self._served += 1
        try:
            one = _Rendering(capture, ask, self._most, self._patience, screenshot=self._screenshots)
            return await one.run(browser)
        finally:
            self._open -= 1


class _Rendering:
    """One page in the browser."""

    def __init__(self, capture: Capture, ask: Ask, most: int, patience: Patience, *, screenshot: bool) -> None:
        self._capture = capture
        self._screenshot = screenshot
        self._ask = ask
        self._most = most
        self._patience = patience
        self._hung = False
        self._handed = False
        """The document itself."""
        self._closed = False
        """Nothing more may be asked for."""
        self._left = {False: REQUESTS, True: DRESSING_REQUESTS if screenshot else 0}
        """Requests that it may make, and of these for what it is dressed with."""
        self._waiting = 0
        self._wanted: dict[str, None] = {}
        """Where it wanted to go."""

    async def run(self, browser: Browser) -> Seen:
        try:
            async with asyncio.timeout(self._patience.answers):
                context = await browser.new_context(service_workers="block", accept_downloads=False)
        except TimeoutError:
            raise Unresponsive from None
        try:
            async with asyncio.timeout(self._patience.longest):
                return await self._in(context)
        except TimeoutError:
            self._hung = True
            raise
        finally:
            self._closed = True
            await self._close(context)

    async def _close(self, context: BrowserContext) -> None:
        try:
            async with asyncio.timeout(self._patience.closes):
                await context.unroute_all(behavior="ignoreErrors")
                await context.close()
        except TimeoutError:
            raise (Hung if self._hung else Unresponsive) from None

    async def _in(self, context: BrowserContext) -> Seen:
        await context.add_init_script(PRELUDE)
        await context.route("**/*", self._answer)
        await context.route_web_socket("**/*", _refuse)
        page = await context.new_page()
        context.on("page", lambda other: _background(other.close()))
        page.on("dialog", lambda dialog: _background(dialog.dismiss()))
        brake = await context.new_cdp_session(page)
        await page.goto(self._capture.visit.url, wait_until="commit", timeout=self._patience.answers * 1_000)
        try:
            await self._settle(page)
            await self._look_for_more(page)
        except TimeoutError:
            self._hung = True
            await self._stop_scripts(brake)
        html = str(await self._run(page, CONTENT, self._most))
        screenshot = await self._look(page, brake) if self._screenshot else b""
        found = await self._wake(page, brake)
        return Seen(with_addresses(html, found).encode("utf-8", "replace"), screenshot)

    async def _look_for_more(self, page: Page) -> None:
        for _ in range(SCROLLS):
            before = await self._run(page, SCROLL)
            await self._settle(page)
            if await self._run(page, "() => document.documentElement.scrollHeight") <= before:
                break
        for _ in range(CLICKS):
            if not await self._run(page, MORE):
                break
            await self._settle(page)

    async def _look(self, page: Page, brake: CDPSession) -> bytes:
        """A picture of it from its top on. A page that does not hold still for that is kept without."""
        from playwright.async_api import Error

        with suppress(Error, TimeoutError):
            await self._run(page, "() => window.scrollTo(0, 0)")
            async with asyncio.timeout(self._patience.answers):
                whole = (await brake.send("Page.getLayoutMetrics"))["cssContentSize"]
                width, height = min(whole["width"], WIDEST), min(whole["height"], HIGHEST)
                clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
                wanted = {"format": "jpeg", "quality": QUALITY, "clip": clip, "captureBeyondViewport": True}
                picture = b64decode((await brake.send("Page.captureScreenshot", wanted))["data"])
            return picture if len(picture) <= PICTURE_BYTES else b""
        return b""

    async def _wake(self, page: Page, brake: CDPSession) -> list[str]:
        """Addresses that are not in the document. A page that hangs on the way has been read already."""
        from playwright.async_api import Error

        self._closed = True
        try:
            known = set(await self._run(page, LINKS, False))
            await self._run(page, WAKE)
            await asyncio.sleep(LOOK_EVERY)
            for each in await self._run(page, LINKS, True):
                if each not in known:
                    self._note(each)
        except TimeoutError:
            self._hung = True
            await self._stop_scripts(brake)
        except Error:
            pass
        return list(self._wanted)

    async def _stop_scripts(self, brake: CDPSession) -> None:
        """The one that runs, and all after it: what hangs can be read then, and closed."""
        from playwright.async_api import Error

        disabling = asyncio.ensure_future(_quietly(brake.send("Emulation.setScriptExecutionDisabled", {"value": True})))
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(self._patience.closes):
                while not disabling.done():
                    await brake.send("Runtime.terminateExecution")
                    await asyncio.wait([disabling], timeout=LOOK_EVERY)
        disabling.cancel()

    async def _run(self, page: Page, script: str, argument: Any = None) -> Any:
        async with asyncio.timeout(self._patience.answers):
            return await page.evaluate(script, argument)

    async def _settle(self, page: Page) -> None:
        """Until it is quiet, for a while. As long as it waits for us, nothing is expected of it."""
        spent = 0.0
        while spent < self._patience.settles:
            await asyncio.sleep(LOOK_EVERY)  # first: what a scroll brings about begins a moment later
            if not self._waiting:
                spent += LOOK_EVERY
                if await self._run(page, QUIET):
                    return

    # ----------------------------------------------------- what it asks for

    async def _answer(self, route: Route) -> None:
        from playwright.async_api import Error

        capture = await self._brought(route)
        try:
            if capture is None:
                await route.abort("aborted")  # any other word would put an error in the place of the page
            else:
                await route.fulfill(status=capture.status, headers=handed_on(capture), body=capture.body)
        except Error:  # the page is gone; Playwright waits for a word all the same
            with suppress(Error):
                await route.fallback()

    async def _brought(self, route: Route) -> Capture | None:
        request = route.request
        if request.is_navigation_request():
            return self._navigated(request.url, request.method)
        needless = request.resource_type in NEEDLESS or request.method not in METHODS
        dressing = request.resource_type in DRESSING
        if needless or self._closed or not self._left[dressing] or not request.url.startswith(("http:", "https:")):
            return None
        self._left[dressing] -= 1
        self._waiting += 1
        try:
            return await self._ask(request.url, request.method)
        finally:
            self._waiting -= 1

    def _navigated(self, url: str, method: str) -> Capture | None:
        """The document itself, once. Wherever else it goes, or a frame of it, it does not get there."""
        if not self._handed:
            self._handed = True
            return self._capture
        if method == "GET":
            self._note(url)
        return None

    def _note(self, url: str) -> None:
        if len(self._wanted) < ADDRESSES and url.startswith(("http:", "https:")):
            self._wanted[url] = None


def with_addresses(html: str, addresses: Iterable[str]) -> str:
    """The document, and behind it where its scripts wanted to go."""
    links = "".join(f'<a href="{escape(each)}"></a>' for each in addresses)
    return f'{html}\n<nav hidden title="addresses that scripts wanted to open">{links}</nav>\n' if links else html


def handed_on(capture: Capture) -> dict[str, str]:
    """The header fields, by which the browser decides who may read it. Playwright would let anybody, where it is not
    said who may."""
    fields: dict[str, str] = {}
    for name, value in capture.headers:
        if name not in _NOT_HANDED_ON:
            fields[name] = f"{fields[name]}, {value}" if name in fields else value
    fields.setdefault("access-control-allow-origin", NOBODY)
    return fields


def _refuse(socket: WebSocketRoute) -> None:
    _background(socket.close())


_tasks: set[asyncio.Task[None]] = set()
"""The event loop itself does not hold them."""


def _background(work: Awaitable[object]) -> None:
    task = asyncio.ensure_future(_quietly(work))
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


async def _quietly(work: Awaitable[object]) -> None:
    from playwright.async_api import Error

    with suppress(Error):
        await work
