"""Shadow roots that a page declares: their words and links are the page's, and nothing else changes."""

from __future__ import annotations

import pytest

from gossamer import convert
from gossamer.convert.html.shadow import unfolded
from gossamer.model import Capture, Page, Visit

CARD = (
    b"<title>Birds</title><p>Before.<bird-card><template shadowrootmode=open><style>p{}</style><h2>The heron</h2>"
    b"<a href=/heron>more</a><slot></slot></template><p>It waits.</p></bird-card><p>After."
)


def page_of(html: bytes, content_type: str = "text/html; charset=utf-8") -> Page:
    capture = Capture(Visit("http://a.test/"), 0.0, 0.0, 200, (("content-type", content_type),), body=html, wire=html)
    return convert.read(capture, "gossamer")


def test_words_and_links_of_a_declared_shadow_root_are_read() -> None:
    page = page_of(CARD)
    assert page.text.split() == ["Before.", "The", "heron", "more", "It", "waits.", "After."]
    assert [link.url for link in page.links] == ["http://a.test/heron"]
    assert "The heron" in page.html


def test_it_is_so_in_every_encoding() -> None:
    page = page_of(CARD.decode().encode("utf-16"), "text/html; charset=utf-16")
    assert "The heron" in page.text


@pytest.mark.parametrize(
    "html",
    [
        b"<template><p>shadowrootmode</p><a href=/x></a></template>",
        b"<template data-shadowrootmode=open>x</template>",
        b"<template shadowrootmode=other>x</template>",
        b"<template><b><template shadowrootmode=open>x</template></b></template>",
        b"<!-- <template shadowrootmode=open> -->",
        b"<script>'<template shadowrootmode=open>'</script>",
        b"<style>/* <template shadowrootmode=open> */",
        b"</template> shadowrootmode",
    ],
)
def test_what_declares_none_stays_as_it_is(html: bytes) -> None:
    assert unfolded(html) == html


def test_roots_within_roots_and_templates_within_roots_are_told_apart() -> None:
    html = (
        b"<a-b><template\nSHADOWROOTMODE='closed' title='a > b'>one"
        b"<c-d><template shadowrootmode=open>two</template></c-d>"
        b"<template>three</template></template></a-b>four"
    )
    assert page_of(html).text.split() == ["one", "two", "four"]


def test_words_do_not_run_together() -> None:
    html = b"<x-b><template shadowrootmode=open>New</template>price</x-b>"
    assert page_of(html).text.split() == ["New", "price"]


@pytest.mark.parametrize(
    "piece", [b'<template "', b"<!--", b"<script>", b"<template shadowrootmode=open>", b"</script "]
)
def test_a_hostile_page_costs_no_more_than_its_size(piece: bytes) -> None:
    """In a time that is squared in the length, this would not end."""
    assert unfolded(b"shadowrootmode" + piece * 200_000)
