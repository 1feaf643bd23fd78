"""A WACZ file opens in ReplayWeb.page, as an archivist opens it: by its address, and from the disk.

The player comes from npm, which takes a network: this is for `make soak`. What `make test` holds is that the directory
of the file and the headers of its entries agree (`tests/store/test_store_wacz.py`).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from browser import browser as chromium
from made_site import SITE, heron
from playwright.sync_api import Browser, Page, expect

import gossamer
from gossamer.collection.ask.export import to_path

PLAYER = "replaywebpage@2.4.6"
"""Its files are built: none of the packages that it names are needed."""
FORGIVING = 60_000
LOCAL = "127.0.0.1"

pytestmark = pytest.mark.soak


class Ranges(SimpleHTTPRequestHandler):
    """Files of a folder, also in part, as the player asks for them."""

    def do_GET(self) -> None:
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        path = Path(self.translate_path(self.path))
        if asked is None or not path.is_file():
            super().do_GET()
            return
        data = path.read_bytes()
        first, last = int(asked[1]), min(int(asked[2] or len(data)), len(data) - 1)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.send_header("Content-Length", str(last - first + 1))
        self.end_headers()
        self.wfile.write(data[first : last + 1])

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its folder, with the archive in it."""
    folder = tmp_path_factory.mktemp("player")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is missing; `apt-get install npm` brings it")
    fetched = subprocess.run([npm, "pack", PLAYER], cwd=folder, capture_output=True, timeout=120, check=False)
    if fetched.returncode:
        pytest.skip(f"npm does not give {PLAYER}: {fetched.stderr.decode()[-200:]}")
    with tarfile.open(next(folder.glob("*.tgz"))) as packed:
        packed.extractall(folder, filter="data")
    with gossamer.open(heron(folder / "heron")) as web:
        to_path(lambda out: web.export("wacz", out), folder / "package" / "web.wacz")
    return folder / "package"


@pytest.fixture(scope="module")
def address(player: Path) -> Iterator[str]:
    with ThreadingHTTPServer((LOCAL, 0), partial(Ranges, directory=str(player))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{LOCAL}:{server.server_port}"
        server.shutdown()


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
