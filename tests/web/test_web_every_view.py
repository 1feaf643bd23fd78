"""Every view in a real browser: no serious fault of accessibility, in reach by keyboard, small, and in its place at
once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from importlib.resources import files
from typing import Any

import pytest
from browser import browser as chromium
from browser import served as serving
from made_site import PICTURED, SITE, client, views_left_out
from playwright.sync_api import Browser, Page, ViewportSize
from screenshots import PAST, full

import gossamer
from gossamer.errors import NothingFetched
from gossamer.web import page_page
from harness.seldom import seldom
from harness.served import Served

PAGE = f"/page?url={SITE}/"
VIEWS = (
    "/",
    "/?q=index",
    "/?q=index&explain=true",
    "/?q=index&sort=date",
    "/?q=index&site=example.org/guide/",
    "/?q=index&at=2026-11-01",
    "/?q=index&all_versions=true",
    "/?q=indexx",
    "/?q=nothinghasthisword",
    PAGE,
    *(f"{PAGE}&view={view}" for view in ("markdown", "original", "versions", "links", "copies")),
    f"/page?url={PICTURED}&view=screenshot",
    "/page",
    f"/cached?url={SITE}/",
    f"/cached?url={SITE}/missing",
    f"/page?url={SITE}/missing",
    "/page?url=https://nobody.example/",
    "/crawl",
    "/crawl/change",
    *(f"/crawl/confirm/{action}" for action in ("start", "retry", "pause", "stop")),
    "/hosts",
    "/hosts?sort=slow",
    "/hosts?search=nobody",
    "/host?name=example.org",
    "/broken",
    "/broken?site=nobody",
    "/map",
    "/map?colour=rank",
    "/nowhere",
)
PARTS = {"/crawl/charts", "/crawl/cluster", "/crawl/hosts", "/crawl/reasons"}
"""Of `/crawl`, for a page that is open."""
BARE = ("/", "/?q=index", "/crawl", "/hosts", "/broken", "/map")
"""Views that say something else where nothing was ever collected."""
BYTES_MOST, REQUESTS_MOST, ELEMENTS_MOST, SHIFT_MOST = 60_000, 6, 1_400, 0.1
"""What a view may take until it is complete. Shift is how far its parts move meanwhile, as browsers count it."""
SHIFT = """() => new Promise((done) => {
    let moved = 0;
    const seen = (list) => { for (const each of list.getEntries()) moved += each.value; };
    new PerformanceObserver(seen).observe({type: "layout-shift", buffered: true});
    setTimeout(() => done(moved), 100);
})"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Nothing was collected, because the only seed has not answered."""
    folder = tmp_path_factory.mktemp("bare") / "web"
    with gossamer.open(folder) as made, suppress(NothingFetched):
        made.crawl("http://127.0.1.77/", delay=0, patience=0, shards=1, allow_addresses=("127.0.0.0/8",))
    with serving(folder) as address:
        yield address


@pytest.fixture(scope="module")
def browser(site: Served, served: Served, bare: str) -> Iterator[Browser]:
    """It has an event loop of its own while it is open: collections are made before."""
    with chromium() as found:
        yield found


def test_no_view_is_left_out(site: Served) -> None:
    """Whatever has a route or a template of its own is looked at."""
    templates = {each.name for each in (files("gossamer.web") / "templates").iterdir() if each.name.endswith(".html")}
    with client(site.path) as asking:
        assert not views_left_out(asking, VIEWS) - PARTS
        pictures = [*full(f"{SITE}/", "example.org", "index").values(), *PAST.values()]
        assert not views_left_out(asking, pictures) - PARTS
        for path in VIEWS:
            asking.get(path)
        face = asking.app._app.state.face  # type: ignore[attr-defined]  # our own app
        used = {name for _, name in face.templates.cache or ()}
    assert templates <= used
    assert {each.partition("view=")[2] for each in VIEWS} > page_page.VIEWS.keys() - {"text"}


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """Our policy is set aside: where nothing may run, nothing could be asked of a view."""
    phone: ViewportSize = {"width": 390, "height": 844}
    context = browser.new_context(viewport=phone, reduced_motion="reduce", bypass_csp=True)
    yield context.new_page()
    context.close()


def require_open(view: Page) -> None:
    """No serious fault of accessibility, light or dark, and nothing is wider than a phone."""
    assert view.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    view.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
    assert not faults(view, "{iframes: false}")
    view.emulate_media(color_scheme="dark")  # nothing but colours is other than before
    assert not faults(view, "{iframes: false, runOnly: ['color-contrast']}")


def faults(view: Page, options: str) -> list[tuple[str, list[str]]]:
    found: dict[str, Any] = view.evaluate(f"axe.run(document, {options})")
    return [
        (each["id"], [node["html"][:120] for node in each["nodes"][:3]])
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("path", seldom(list(VIEWS), 2))
def test_nobody_is_kept_out(phone: Page, site: Served, path: str) -> None:
    phone.goto(f"{site.url}{path}")
    require_open(phone)


@pytest.mark.parametrize("path", seldom(list(BARE), 2))
def test_nor_where_there_is_nothing(phone: Page, bare: str, path: str) -> None:
    phone.goto(f"{bare}{path}")
    require_open(phone)


def test_where_nothing_is_collected_other_words_would_not_help(phone: Page, bare: str) -> None:
    phone.goto(f"{bare}/?q=index")
    assert phone.locator(".empty").inner_text() == "Nothing is collected yet."


@pytest.mark.parametrize("path", seldom(list(VIEWS), 3))
def test_a_view_is_small_and_stays_where_it_is(phone: Page, served: Served, site: Served, path: str) -> None:
    """Bytes are those that go over the line."""
    asked: list[int] = []
    phone.on(
        "requestfinished",
        lambda request: asked.append(0 if request.url.startswith("data:") else request.sizes()["responseBodySize"]),
    )
    phone.goto(f"{(site if SITE in path else served).url}{path}", wait_until="load")
    moved = phone.evaluate(SHIFT)
    assert sum(asked) <= BYTES_MOST
    assert len([size for size in asked if size]) <= REQUESTS_MOST
    assert phone.evaluate("document.querySelectorAll('*').length") <= ELEMENTS_MOST
    assert moved <= SHIFT_MOST


@pytest.mark.parametrize("path", seldom(list(VIEWS), 3))
def test_the_keyboard_alone_reaches_everything(phone: Page, site: Served, path: str) -> None:
    """Of buttons of which one is chosen, arrow keys reach the others."""
    phone.goto(f"{site.url}{path}")
    wanted = phone.evaluate(
        "new Set([...document.querySelectorAll('a[href], button, input:not([type=hidden]), summary, select, textarea')]"
        ".filter((each) => each.checkVisibility()).map((each) => each.type === 'radio' ? each.name : each)).size"
    )
    reached = set()
    phone.evaluate("document.activeElement.blur()")
    for _ in range(wanted + 20):
        phone.keyboard.press("Tab")
        reached.add(
            phone.evaluate(
                "(() => { const e = document.activeElement; return e === document.body ? '' : "
                "[...document.querySelectorAll('*')].indexOf(e) })()"
            )
        )
    assert len(reached - {""}) >= wanted
