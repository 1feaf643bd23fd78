"""A walk through all views in a real browser, as a person would take it, and what a person would stumble over."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import browser as chromium
from playwright.sync_api import Browser, Page, expect

import gossamer
from gossamer.testing import Errors, MadeWeb, RobotsFiles, WebSpec
from harness.served import Served, serving

SLOW = WebSpec(seed=5, hosts=2, pages=60, names="ip", errors=Errors(missing=0.1), robots=RobotsFiles(rules=1.0))
FORGIVING = 60_000
"""Milliseconds that the browser waits for what has to come."""


@pytest.fixture(scope="module")
def browser(site: Served, served: Served) -> Iterator[Browser]:
    """It has an event loop of its own while it is open: collections are made before."""
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A window, in which no script may fail and nothing may be asked of others."""
    trouble: list[str] = []
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    found = context.new_page()
    found.set_default_timeout(FORGIVING)
    expect.set_options(timeout=FORGIVING)
    found.on("pageerror", lambda error: trouble.append(str(error)))
    found.on("console", lambda message: trouble.append(message.text) if "Content Security" in message.text else None)
    found.on("request", lambda request: trouble.append(request.url) if "127.0.0.1" not in request.url else None)
    yield found
    context.close()
    assert not trouble


def test_search_filter_sort_and_turn_pages(page: Page, served: Served) -> None:
    page.goto(served.url)
    page.locator("#q").fill("type:html")
    page.keyboard.press("Enter")
    expect(page.locator(".hit")).to_have_count(10)
    first = page.locator(".hit h2 a").first.get_attribute("href")
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("status")).to_contain_text("page 2")
    assert page.locator(".hit h2 a").first.get_attribute("href") != first
    site = page.locator(".facets a").first
    name = site.inner_text()
    site.click()
    expect(page.locator(".chip")).to_contain_text(name)
    page.get_by_role("link", name="newest").click()
    expect(page.locator(".sort [aria-current]")).to_have_text("newest")
    expect(page.locator(".chip")).to_contain_text(name)
    page.locator(".chip").click()
    expect(page.locator(".chip")).to_have_count(0)


def test_titles_come_while_one_types(page: Page, served: Served, collection: Path) -> None:
    with gossamer.open(collection) as web:
        title = web.search("type:html", 1).hits[0].title
    page.goto(served.url)
    page.locator("#q").press_sequentially(title[:4])
    expect(page.locator("#suggestions option").first).to_be_attached()


def test_a_page_and_two_of_its_versions(page: Page, site: Served) -> None:
    page.goto(f"{site.url}/?q=cascade")
    page.get_by_role("link", name="kept copy").first.click()
    expect(page.locator(".tabs [aria-current]")).to_have_text("Text")
    with gossamer.open(site.path) as web:
        changed = next(each.url for each in web.pages() if len(web.history(each.url)) > 1 and web.diff(each.url).lines)
    page.goto(f"{site.url}/page?url={changed}")
    page.get_by_role("link", name="Versions").click()
    expect(page.locator("ins").first).to_be_visible()
    page.get_by_role("link", name="Original", exact=True).click()
    expect(page.frame_locator("iframe").locator("body")).not_to_be_empty()


def test_a_broken_link_leads_to_the_page_that_has_it(page: Page, site: Served) -> None:
    page.goto(f"{site.url}/crawl")
    page.get_by_role("link", name="Broken links").click()
    source = page.locator(".breaks ul a").first
    address = source.inner_text()
    source.click()
    expect(page.locator(".page-head")).to_contain_text(address.removeprefix("https://").partition("/")[0])


def test_the_map_zooms_finds_and_leads_to_pages(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/map")
    whole = page.locator("#map").get_attribute("viewBox")
    page.get_by_role("button", name="Larger").click()
    assert page.locator("#map").get_attribute("viewBox") != whole
    page.get_by_role("button", name="All", exact=True).click()
    assert [float(each) for each in str(page.locator("#map").get_attribute("viewBox")).split()] == pytest.approx(
        [float(each) for each in str(whole).split()], abs=0.1
    )
    page.locator("#find").fill("127.0.1.2")
    expect(page.locator("#map a.met")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".chip")).to_contain_text("127.0.1.2")


def test_a_crawl_is_watched_paused_resumed_and_given_more_seeds(page: Page, tmp_path: Path) -> None:
    folder = tmp_path / "live"
    with MadeWeb(SLOW).serve() as web:
        settings = ("--scope", "any", "--delay", "0.5", "--allow-address", "127.0.0.0/8", "--shards", "2", "-q")
        command = [sys.executable, "-m", "gossamer", "crawl", str(folder), web.seed, *settings]
        crawl = subprocess.Popen(command)
        try:
            while not (folder / "plan.toml").exists() or _pages(folder) < 2:
                assert crawl.poll() is None
                page.wait_for_timeout(200)
            with serving(folder) as running:
                page.goto(f"{running.url}/crawl")
                pages = page.locator('[data-live="pages"]')
                before = pages.inner_text()
                expect(pages).not_to_have_text(before)
                expect(page.locator('[data-live="state"]')).to_contain_text("Running")
                page.get_by_role("link", name="Pause").click()
                expect(page.get_by_role("heading", name="Pause?")).to_be_visible()
                page.get_by_role("button", name="Pause").click()
                expect(page.locator('[data-live="state"]')).to_contain_text("Paused")
                page.get_by_role("link", name="Resume").click()
                page.get_by_role("button", name="Resume").click()
                expect(page.locator('[data-live="state"]')).to_contain_text("Running")
                page.get_by_role("link", name="Seeds and settings").click()
                page.get_by_label("Addresses, one a line").fill("http://127.0.1.77/")
                page.get_by_role("button", name="Add").click()
                expect(page.get_by_text("The seeds are added.")).to_be_visible()
                # the host that does not answer is followed to its reason
                expect(page.get_by_role("link", name="All hosts")).to_be_visible()
                _wait_for_host(page, running, "127.0.1.77")
                page.goto(f"{running.url}/host?name=127.0.1.77")
                expect(page.locator("main")).to_contain_text("127.0.1.77")
                page.goto(f"{running.url}/crawl/confirm/stop")
                page.get_by_role("button", name="Stop").click()
                expect(page.locator('[data-live="state"]')).to_contain_text("At rest")
                expect(page.get_by_role("link", name="Crawl on")).to_be_visible()
                expect(page.get_by_role("link", name="Stop")).to_have_count(0)
                expect(page.get_by_text("is asked to stop")).to_have_count(0)
            expect(page.locator(".told")).to_have_text("The server has ended.")
            expect(page.get_by_role("link", name="Crawl on")).to_have_count(0)
            expect(page.locator('[data-live="state"]')).to_contain_text("At rest")
        finally:
            crawl.wait(60)
    with gossamer.open(folder) as made:
        assert not made.verify().problems


def test_the_first_view_is_whole_when_one_answer_has_come(browser: Browser, site: Served) -> None:
    """Nothing else may be fetched, and still it looks as it should."""
    context = browser.new_context()
    view = context.new_page()
    asked: list[str] = []
    view.on("request", lambda request: None if request.url.startswith("data:") else asked.append(request.resource_type))
    view.route("**/*", lambda route, request: route.continue_() if request.is_navigation_request() else route.abort())
    for path in ("/", "/?q=index", "/crawl"):
        asked.clear()
        view.goto(f"{site.url}{path}", wait_until="load")
        assert asked[0] == "document"
        assert set(asked[1:]) <= {"script", "eventsource", "fetch"}
        assert view.evaluate("getComputedStyle(document.body).fontFamily") == view.evaluate(
            "getComputedStyle(document.documentElement).getPropertyValue('--body').trim()"
        )
        assert view.locator("img").first.evaluate("(image) => image.complete && image.naturalWidth > 0")
    context.close()


def _pages(folder: Path) -> int:
    try:
        with gossamer.open(folder) as web:
            return web.status().pages
    except gossamer.GossamerError:
        return 0


def _wait_for_host(page: Page, running: Served, host: str) -> None:
    for _ in range(150):
        if running.get(f"/host?name={host}").status == 200:
            return
        page.wait_for_timeout(200)
    raise AssertionError(f"{host} was never met")
