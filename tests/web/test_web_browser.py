"""In a real browser: a hostile page is looked at, and nothing of it runs, nothing leaves, and it leads nowhere."""

# ruff: noqa: E501  # what is hostile stands on one line
from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from browser import Stranger, browser, served
from payloads import PAYLOADS
from playwright.sync_api import Browser, Page

import gossamer
from gossamer.collection import Outside
from gossamer.convert.html.inert import Original
from gossamer.model import Capture, Visit
from gossamer.testing import VirtualClock
from gossamer.web import cached

HOST = "http://hostile.example"


def hostile(evil: str) -> str:
    """Everything that makes a browser ask somebody, run something or go somewhere."""
    return f"""<!doctype html><html><head><title>Hostile</title>
<meta http-equiv=refresh content="0;url={evil}/refresh"><base href="{evil}/base/" target=_top>
<link rel=preconnect href="{evil}"><link rel=dns-prefetch href="{evil}"><link rel=prefetch href="{evil}/prefetch">
<link rel=preload as=image href="{evil}/preload"><link rel=modulepreload href="{evil}/module">
<link rel=stylesheet href="{evil}/sheet.css"><link rel=icon href="{evil}/icon"><link rel=manifest href="{evil}/manifest">
<style>@import "{evil}/import.css"; @font-face {{ font-family: x; src: url({evil}/font) }} body {{ font-family: x;
background: url({evil}/css.png) }} p {{ background: u\\72l({evil}/escaped.png); list-style: image-set("{evil}/set.png" 1x) }}</style>
<script>document.title = "ran"; fetch("{evil}/fetch")</script><script src="{evil}/script.js"></script>
<script type=speculationrules>{{"prefetch": [{{"urls": ["{evil}/speculation"]}}]}}</script></head>
<body onload="document.title = 'ran'" background="{evil}/body.png"><h1>A hostile page</h1>
<img src="{evil}/img.png" onerror="document.title = 'ran'"><img src=x srcset="{evil}/srcset.png 1x">
<picture><source srcset="{evil}/picture.png"><img></picture><input type=image src="{evil}/input.png">
<video src="{evil}/video" poster="{evil}/poster" autoplay></video><audio src="{evil}/audio" autoplay></audio>
<iframe src="{evil}/frame"></iframe><iframe srcdoc="<script>top.document.title = 'ran'</script>"></iframe>
<object data="{evil}/object"></object><embed src="{evil}/embed"><svg onload="document.title = 'ran'"><image href="{evil}/svg.png"/>
<use href="{evil}/use.svg#x"/></svg><table background="{evil}/table.png"><tr><td>cell</td></tr></table>
<p style="background: url('{evil}/style.png')">styled</p><form action="{evil}/form"><button id=send>send</button></form>
<a id=away href="{evil}/away" ping="{evil}/ping" target=_top>away</a> <a id=script href="javascript:document.title='ran'">script</a>
<details open ontoggle="document.title = 'ran'">d</details><input autofocus onfocus="document.title = 'ran'">{"".join(PAYLOADS)}"""


@dataclass
class Watched:
    """A page of the browser, and what it has done."""

    page: Page
    requests: list[str] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", lambda dialog: self.trouble.append(dialog.message))
        self.page.on("popup", lambda popup: self.trouble.append(popup.url))
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))

    def go(self, address: str) -> None:
        self.page.goto(address, wait_until="networkidle")


@dataclass(frozen=True)
class Scene:
    """A server with a hostile page, the stranger that it names, and a browser."""

    base: str
    stranger: Stranger
    browser: Browser

    def watched(self) -> Watched:
        return Watched(self.browser.new_page())

    def require_peace(self, watched: Watched) -> None:
        origins = {urlsplit(each).netloc for each in watched.requests if not each.startswith("data:")}
        assert origins <= {urlsplit(self.base).netloc}
        assert watched.trouble == []
        assert self.stranger.callers == 0
        assert all(frame.title() != "ran" for frame in watched.page.frames)


def made(folder: Path, body: str) -> Path:
    clock = VirtualClock()

    async def fetch(visit: Visit) -> Capture:
        await asyncio.sleep(0.01)
        status, data = (200, body.encode()) if visit.url == f"{HOST}/" else (404, b"")
        fields = (("content-type", "text/html"),)
        head = f"HTTP/1.1 {status} X\r\ncontent-type: text/html\r\n\r\n".encode()
        return Capture(visit, clock.wall(), 0.01, status, fields, b"GET /", head, data, data)

    collection = gossamer.open(folder)
    clock.run(collection.crawl_async(f"{HOST}/", outside=Outside(clock, fetch), shards=1, sitemaps="never"))
    collection.close()
    return folder


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    stranger = Stranger()
    try:
        folder = made(tmp_path_factory.mktemp("browser") / "web", hostile(f"http://{stranger.address}"))
        with served(folder) as base, browser() as opened:
            yield Scene(base, stranger, opened)
    finally:
        stranger.close()


PAGE, CACHED = (f"/{name}?url={quote(HOST + '/', safe='')}" for name in ("page", "cached"))


def test_a_kept_page_in_its_frame_runs_nothing_and_asks_nobody(scene: Scene) -> None:
    watched = scene.watched()
    watched.go(f"{scene.base}{PAGE}&view=original")
    frame = watched.page.frames[1]
    assert frame.locator("h1").first.inner_text() == "A hostile page"
    scene.require_peace(watched)


def test_nor_does_it_when_it_is_opened_by_itself(scene: Scene) -> None:
    watched = scene.watched()
    watched.go(f"{scene.base}{CACHED}")
    assert watched.page.title() == "Hostile"
    scene.require_peace(watched)


def test_a_click_in_it_leads_to_kept_pages_and_never_away(scene: Scene) -> None:
    watched = scene.watched()
    watched.go(f"{scene.base}{PAGE}&view=original")
    here = watched.page.url
    frame = watched.page.frames[1]
    frame.locator("text=send").first.click()
    frame.locator("text=script").first.click()
    frame.locator("#away").click()
    frame.wait_for_selector("text=This page is not kept here")
    assert watched.page.url == here
    scene.require_peace(watched)


def test_the_policy_alone_would_hold_it(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if something were passed on that should not be: all but the connection for a frame, which Chromium opens
    before it asks the policy, and then does not use."""

    def unchanged(original: Original, *_: object) -> str:
        lines = original.data.decode().splitlines()
        return "\n".join(line for line in lines if "<iframe" not in line)

    monkeypatch.setattr(cached, "inert", unchanged)
    watched = scene.watched()
    watched.page.goto(f"{scene.base}{PAGE}&view=original")
    watched.page.frames[1].wait_for_selector("h1")
    watched.page.wait_for_load_state("networkidle")
    assert watched.trouble == []
    assert scene.stranger.callers == 0
    assert all(frame.title() != "ran" for frame in watched.page.frames)


@pytest.mark.parametrize("view", ["text", "markdown", "versions", "links", "copies"])
def test_no_view_of_it_runs_anything(scene: Scene, view: str) -> None:
    watched = scene.watched()
    watched.go(f"{scene.base}{PAGE}&view={view}")
    assert "Hostile" in watched.page.title()
    scene.require_peace(watched)


def test_nobody_else_may_put_our_pages_into_a_frame(scene: Scene) -> None:
    watched = scene.watched()
    watched.page.set_content(f'<iframe src="{scene.base}{CACHED}"></iframe><iframe src="{scene.base}/"></iframe>')
    watched.page.wait_for_load_state("networkidle")
    assert not any("Hostile" in frame.content() for frame in watched.page.frames[1:])
    assert not any("Search" in frame.content() for frame in watched.page.frames[1:])
