"""How many of the links of WIVET's pages are found, as they were sent and with a browser? (github.com/bedirhan/wivet)

Its pages hide links in scripts and events. The libraries of some are not part of the material (jQuery, YUI, Ext), so
five of the 24 cannot be found by anybody. Two are targets of forms that are sent by POST, which is never done, and two
stand in comments: they are guesses (tests/convert/test_guessed.py), and no links.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gossamer
from collection.scripted_site import scripted_site
from crawler_process import with_room
from reference import reference
from web.browser import chromium

NAME = "http://wivet.test"
LIBRARIES = {"11_1f2e4", "13_10ad3", "17_143ef", "17_2da76", "18_1a2f3"}
SENT = {"15_1c95a", "7_16a9c"}
COMMENTS = {"8_1b6e1", "8_2b6f1"}
PLAIN = {"12_1a2cf", "14_1eeab", "20_1e833", "2_1f84b", "2_2b7a3"}


def found(folder: Path, tmp_path: Path, render: str) -> set[str]:
    """The targets that a page links to, by what was read of it, or that it has asked for."""
    cases = json.loads((folder / "cases.json").read_text())
    pages = {f"/{case['file']}": (folder / case["file"]).read_text() for case in cases}
    with scripted_site(pages) as site, gossamer.open(with_room(tmp_path / render)) as web:
        site.pages = {path: body.replace(NAME, site.origin) for path, body in pages.items()}
        seeds = [f"{site.origin}{path}" for path in pages]
        settings = {"allow_addresses": ("127.0.0.1",), "delay": 0.0, "shards": 1, "patience": 0.0}
        web.crawl(*seeds, scope="page", render=render, **settings)
        met = {link.url for each in web.pages() for link in each.links} | set(site.paths())
    targets = [target for case in cases for target in case["targets"]]
    return {target["id"] for target in targets if any(target["url_ends_with"] in url for url in met)}


@pytest.mark.soak
def test_a_browser_finds_the_links_that_scripts_and_events_hide(tmp_path: Path) -> None:
    folder = reference("wivet-pages")
    chromium()
    everything = {t["id"] for case in json.loads((folder / "cases.json").read_text()) for t in case["targets"]}
    assert found(folder, tmp_path, "never") - COMMENTS == PLAIN
    assert found(folder, tmp_path, "always") - COMMENTS == everything - LIBRARIES - SENT - COMMENTS
