"""`gossamer show` prints a page in any of its forms, from what was kept when it was crawled."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from shutil import rmtree

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Outside
from gossamer.model import Capture, Page, Visit
from gossamer.testing import VirtualClock

URL = "http://example.org/bread"
WORDS = "Flour, water, salt and time become a loaf of good bread when the oven is hot enough for it. " * 3
BODY = (
    "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>On bread</title><nav><a href=/menu>Menu</a></nav>"
    f"<article><h1>On bread</h1>{''.join(f'<p>{WORDS} <a href=/{n}>more {n}</a></p>' for n in range(6))}</article>"
    "<footer>Imprint \x1b[2J</footer>"
).encode()
Show = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A collection of one page."""
    clock = VirtualClock()

    async def fetch(visit: Visit) -> Capture:
        found = visit.url == URL
        head = b"HTTP/1.1 %s\r\nContent-Type: text/html\r\n\r\n" % (b"200 OK" if found else b"404 Not Found")
        body = BODY if found else b""
        fields = (("content-type", "text/html"),)
        return Capture(visit, clock.wall(), 0.1, 200 if found else 404, fields, b"", head, body, body)

    with gossamer.open(tmp_path / "web") as collection:
        clock.run(collection.crawl_async(URL, scope="page", sitemaps="never", outside=Outside(clock, fetch)))
    return tmp_path / "web"


@pytest.fixture
def show(folder: Path, capsys: pytest.CaptureFixture[str]) -> Show:
    def run(*arguments: str) -> str:
        assert main(["show", str(folder), URL, *arguments]) == 0
        return capsys.readouterr().out

    return run


def test_text_is_the_main_content_and_full_is_all_of_it(show: Show) -> None:
    assert show().startswith("On bread\n")
    assert show() == show("--as", "text")
    assert "Imprint" not in show()
    assert "Imprint" in show("--full")
    assert "\x1b" not in show("--full")


def test_html_is_a_page_of_its_own_and_markdown_reads_like_one(show: Show) -> None:
    html = show("--as", "html")
    assert html.startswith("<!DOCTYPE html>\n<html")
    assert '<a href="http://example.org/3">more 3</a>' in html
    markdown = show("--as", "markdown")
    assert markdown.startswith("# On bread\n\nFlour, water")
    assert "[more 3](http://example.org/3)" in markdown


def test_links_say_where_they_stand(show: Show) -> None:
    lines = [line.split("\t") for line in show("--as", "links").splitlines()]
    assert ["http://example.org/menu", "Menu", "", "around"] in lines
    assert ["http://example.org/3", "more 3", "", "content"] in lines


def test_headers_and_bytes_are_as_they_came(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    main(["show", str(folder), URL, "--as", "headers"])
    assert capsysbinary.readouterr().out == b"HTTP/1.1 200 OK\nContent-Type: text/html\n"
    main(["show", str(folder), URL, "--as", "raw"])
    assert capsysbinary.readouterr().out == BODY


def test_json_has_all_words_and_the_main_content(show: Show) -> None:
    told = json.loads(show("--json"))
    assert "Imprint" in told["text"]
    assert "Imprint" not in told["content"]


def test_full_is_for_text_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(folder), URL, "--as", "markdown", "--full"]) == 2
    assert "--full is for --as text" in capsys.readouterr().err


def test_what_was_kept_is_shown_and_what_is_lost_is_read_again(
    show: Show, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = show("--full")
    monkeypatch.setattr("gossamer.convert.read", lambda *_, **__: Page(URL, text="read again", title="Now"))
    assert show("--full") == before
    rmtree(folder / "shards" / "00" / "texts")
    assert show("--full") == "Now\n\nread again\n"


def test_what_came_in_the_place_of_a_page_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robots = "http://example.org/robots.txt"
    assert main(["show", str(folder), robots, "--as", "headers"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("HTTP/1.1 404 Not Found")
    assert "robots.txt: is no page; the server answered 404" in said.err
    assert main(["show", str(folder), robots, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == 404
    assert main(["show", str(folder), "http://example.org/never"]) == 8
    with gossamer.open(folder) as web:
        assert web.answer(robots).capture.body == b""
        assert web.answer(URL, datetime(2100, 1, 1)).status == 200  # it is one of UTC
