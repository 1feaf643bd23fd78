"""A WACZ file opens in ReplayWeb.page, as an archivist opens it: by its address, and from the disk.

The player comes from npm, which takes a network: this is for `make soak`. What `make test` holds is that the directory
of the file and the headers of its entries agree (`tests/store/test_store_wacz.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import browser as chromium
from made_site import SITE, heron
from player import served, unpacked
from playwright.sync_api import Browser, Page, expect

import gossamer
from gossamer.collection.ask.export import to_path

FORGIVING = 60_000

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its folder, with the archive in it."""
    folder = tmp_path_factory.mktemp("player")
    package = unpacked(folder)
    with gossamer.open(heron(folder / "heron")) as web:
        to_path(lambda out: web.export("wacz", out), package / "web.wacz")
    return package


@pytest.fixture(scope="module")
def address(player: Path) -> Iterator[str]:
    with served(player) as there:
        yield there


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    found = context.new_page()
    found.set_default_timeout(FORGIVING)
    expect.set_options(timeout=FORGIVING)
    yield found
    context.close()


def test_it_opens_by_its_address_and_lists_every_page(page: Page, player: Path, address: str) -> None:
    page.goto(f"{address}/?source={address}/web.wacz#view=pages")
    with gossamer.open(player.parent / "heron") as web:
        expect(page.locator("wr-page-entry")).to_have_count(web.status().pages)


def test_it_opens_from_the_disk(page: Page, player: Path, address: str) -> None:
    page.add_init_script("delete window.showOpenFilePicker")  # the dialog of the system, which no test can answer
    page.goto(f"{address}/")
    page.locator("input[type=file]").set_input_files(player / "web.wacz")
    page.get_by_role("button", name="Load").click()
    expect(page.locator("wr-page-entry").first).to_be_visible()


def test_a_page_is_shown_as_it_was_and_leads_to_the_next(page: Page, address: str) -> None:
    page.goto(f"{address}/?source={address}/web.wacz#view=replay&url={SITE}/guide/foreign-keys")
    shown = page.frame_locator("replay-app-main iframe")
    expect(shown.locator("h1")).to_have_text("Foreign keys")
    shown.get_by_role("link", name="indexes").click()
    expect(shown.locator("h1")).to_have_text("Indexes")


def test_its_words_are_searched(page: Page, address: str) -> None:
    page.goto(f"{address}/?source={address}/web.wacz#view=pages&query=refuses")
    expect(page.locator("wr-page-entry").first).to_contain_text("the database refuses a row")
