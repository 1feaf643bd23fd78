"""Addresses in scripts and data: what is found, and how little besides."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from gossamer import convert
from gossamer.convert.html.guessed import ENOUGH
from gossamer.model import Page
from reference import reference

BASE = "https://example.org/a/page.html"


def read(html: str) -> Page:
    return convert.document(html.encode(), "text/html; charset=utf-8", BASE)


@pytest.mark.parametrize(
    ("html", "url", "place"),
    [
        ("<div onclick=\"location.href='/x'\">", "https://example.org/x", "script"),
        ("<div onclick=\"window.location = &quot;b?c=1&amp;d=2&quot;\">", "https://example.org/a/b?c=1&d=2", "script"),
        ("<a href=\"javascript:open.open('../up' + '/down.php')\">", "https://example.org/up/down.php", "script"),
        ("<script>function go() { location.assign('next/'); }</script>", "https://example.org/a/next/", "script"),
        ("<script>load('GET', 'list.php?from=10')</script>", "https://example.org/a/list.php?from=10", "script"),
        ("<script>a.href = \"/made\";</script>", "https://example.org/made", "script"),
        ("<li data-href='/row/1'>", "https://example.org/row/1", "data"),
        ("<b data-target-url=\"https://example.org/t\">", "https://example.org/t", "data"),
        ('<script id="__NEXT_DATA__" type="application/json">{"props":{"a":["\\/posts\\/1?x=1\\u0026y=2"]}}</script>',
         "https://example.org/posts/1?x=1&y=2", "json"),
        ("<!-- see /old/list.php, or not -->", "https://example.org/old/list.php", "comment"),
        ("<!-- made by https://example.org/b?c=1&amp;d=2 -->", "https://example.org/b?c=1&d=2", "comment"),
        ('<script>window.__INITIAL_STATE__ = {"next": "/more", "n": 1}</script>', "https://example.org/more", "json"),
    ],
)  # fmt: skip
def test_an_address_is_guessed_and_says_where_it_stood(html: str, url: str, place: str) -> None:
    page = read(f"<p>Words.</p>{html}")
    assert [(link.url, link.place) for link in page.guesses] == [(url, place)]
    assert url not in {link.url for link in page.links}


@pytest.mark.parametrize(
    "html",
    [
        "<script>location = '/a/' + name;</script>",
        "<script>location.href = base + '/b.php';</script>",
        "<script>f('https://elsewhere.example/x.php'); g('/logo.png'); h = 'a b.html'</script>",
        "<script src='/lib.php'></script>",
        "<script>{\"image\": \"/i.webp\", \"/key\": 1, \"route\": \"/post/[id]\"}</script>",
        "<pre>location.href = '/in-an-example'</pre>",
        "<!-- <a href='/taken-out.html'>x</a> -->",
        "<!-- /header --><!-- // end of /main.content --><!-- https://elsewhere.example/licence.html -->",
        "<!-- and/or.php --><!--[if IE]>/ie.html<![endif]-->",
        "<div onclick='go()' data-url='#'>",
        "<p data-href='/a/page.html'>",
        f"<script>location = '/x'</script>{'<a href=/y>y</a>' * ENOUGH}",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_page_is_not_guessed(html: str) -> None:
    assert read(f"<p>Words.</p>{html}").guesses == ()


def test_pages_made_for_crawlers_show_more_than_their_links() -> None:
    folder = reference("wivet-pages")
    linked, guessed, targets = 0, 0, 0
    for case in json.loads((folder / "cases.json").read_text()):
        page = convert.document((folder / case["file"]).read_bytes(), "text/html", case["page_url"])
        links = {link.url.partition("?")[0] for link in page.links}
        both = links | {link.url.partition("?")[0] for link in page.guesses}
        for target in case["targets"]:
            targets += 1
            linked += any(url.endswith(target["url_ends_with"]) for url in links)
            guessed += any(url.endswith(target["url_ends_with"]) for url in both)
    assert (linked, guessed, targets) == (5, 19, 24)


def test_few_addresses_are_guessed_on_pages_of_the_web() -> None:
    files = sorted((reference("trafilatura-eval") / "html").glob("*.gz"))[:100]
    assert sum(map(_guesses, files)) <= len(files) / 2


def _guesses(path: Path) -> int:
    return len(convert.document(gzip.decompress(path.read_bytes()), "text/html", "http://site.test/a").guesses)
