"""What does a browser see of a page, and whom does it ask for that? On the web, and in a replay that shows it in a
frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil

from playwright.sync_api import Browser, FloatRect, Page, ViewportSize

SIZE: ViewportSize = {"width": 900, "height": 900}
PYWB = "#replay_iframe"
SETTLED = 500.0
"""Milliseconds after which a page that asks for nothing more is as it is."""


@dataclass
class Shown:
    """Pictures of pages, and what the browser asked for while it showed them."""

    pictures: dict[str, bytes] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def look(browser: Browser, addresses: Iterable[tuple[str, str]], frame: str = "") -> Shown:
    """At pages, each by its name and address, by a browser that has seen nothing before. In a replay they are in a
    `frame`."""
    shown, context = Shown(), browser.new_context(viewport=SIZE)
    page = context.new_page()
    page.on("request", lambda request: shown.asked.append(request.url))
    page.on("response", lambda answer: shown.missing.append(answer.url) if answer.status >= 400 else None)
    for name, address in addresses:
        page.goto("about:blank")
        page.set_viewport_size(SIZE)
        page.goto(address, wait_until="networkidle")
        if frame:
            page.frame_locator(frame).locator("body").wait_for(state="attached")
            page.wait_for_load_state("networkidle")
            page.wait_for_timeout(SETTLED)
        shown.pictures[name] = page.screenshot(clip=_place(page, frame) if frame else None)
        shown.said[name] = (page.frame_locator(frame) if frame else page).locator("body").inner_text()
    context.close()
    return shown


def _place(page: Page, frame: str) -> FloatRect:
    """Where the page is shown, as large as it was on the web. Where a banner ends may be no whole number."""
    if frame == PYWB:  # its banner hangs over the page when its title is long
        page.add_style_tag(content=f"body * {{ visibility: hidden }} {PYWB} {{ visibility: visible !important }}")
    box = page.locator(frame).bounding_box()
    now = page.viewport_size
    assert box is not None
    assert now is not None
    width = SIZE["width"] + now["width"] - round(box["width"])
    height = SIZE["height"] + now["height"] - int(box["height"]) + 1
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_timeout(SETTLED)
    box = page.locator(frame).bounding_box()
    assert box is not None
    return {"x": ceil(box["x"]), "y": ceil(box["y"]), "width": SIZE["width"], "height": SIZE["height"]}
