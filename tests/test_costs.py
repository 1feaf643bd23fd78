"""No document costs more than its size: time is linear, however a page is made, on the whole way that a page goes."""

from __future__ import annotations

import random

import pytest

from gossamer import markdown
from gossamer.convert.document import document
from gossamer.convert.html.defuse import READ_MOST
from gossamer.convert.html.links import header_pointers
from gossamer.dedupe import print_of
from gossamer.frontier.worth.new_text import Memory, marks, sketch
from gossamer.frontier.worth.url_patterns import template
from gossamer.index.analysis import joined
from gossamer.search.snippets import snippet
from gossamer.store.warc.text_records import worded
from harness.costly import Make, Reader, filled, found, pages

URL = "http://a.example/b/c.html"
FAMILIES = dict(pages())


def whole_way(text: str, media_type: str = "text/html; charset=utf-8") -> None:
    """What a crawl, a build and a search do with a page."""
    page = document(text.encode("utf-8", "surrogatepass"), media_type, URL)
    worded(page, URL, 0.0, "<urn:uuid:1>")
    print_of(page.content)
    sketched = sketch(URL, page.title, page.text)
    Memory().news(sketched)
    marks(sketched)
    for link in page.links:
        template.__wrapped__(link.url)
    joined(page.content, page.language)
    snippet(page.content, {"x": 1.0}, page.language)
    markdown.written(page.html)


KNOWN = (
    *map(repr, ("<title ", "\u0301\u0327", "<ul><li>", "<a href=1>x<div>", "<a href=1>x<marquee>", "<b><div>x")),
    "links of digits",
    "<p><font size={0}>x",
)
"""Each was costly once."""
OTHERS = {
    "feed": ("application/rss+xml", "<rss><channel><item>{0}</item></channel></rss>"),
    "feed with an attribute": ("application/rss+xml", "<rss><channel><item><link {0}></item></channel></rss>"),
    "sitemap": ("application/xml", "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{0}</urlset>"),
    "text": ("text/plain; charset=utf-8", "{0}"),
    "XHTML": (
        "application/xhtml+xml; charset=utf-8",
        "<html xmlns='http://www.w3.org/1999/xhtml'><body>{0}</body></html>",
    ),
}
"""What is read in the crawler's own process besides. Other files have a process of their own, with a limit of time."""


def sample(seed: int, count: int) -> list[tuple[str, Make]]:
    return random.Random(seed).sample(sorted(FAMILIES.items(), key=lambda each: each[0]), count)


def within(kind: str) -> Reader:
    media_type, frame = OTHERS[kind]
    return lambda text: whole_way(frame.replace("{0}", text), media_type)


def test_pages_that_were_costly_once_cost_no_more_than_their_size() -> None:
    assert found(whole_way, [(name, FAMILIES[name]) for name in KNOWN], 40_000) == []


@pytest.mark.parametrize("seed", range(2))
def test_no_page_costs_more_than_its_size(seed: int) -> None:
    assert found(whole_way, sample(seed, 25), 15_000) == []


@pytest.mark.parametrize("kind", OTHERS)
def test_no_document_of_another_kind_costs_more_than_its_size(kind: str) -> None:
    assert found(within(kind), sample(7, 15), 15_000) == []


@pytest.mark.soak
def test_no_page_of_any_family_costs_more_than_its_size() -> None:
    assert found(whole_way, FAMILIES.items(), 60_000) == []


@pytest.mark.soak
@pytest.mark.parametrize("kind", OTHERS)
def test_no_document_of_any_family_costs_more_than_its_size(kind: str) -> None:
    assert found(within(kind), FAMILIES.items(), 20_000) == []


@pytest.mark.parametrize("value", ["<", ", ", ";", "<a>;", '<a>;x="', "< <", "<a>;\\"])
def test_link_headers_cost_no_more_than_their_size(value: str) -> None:
    assert found(lambda text: header_pointers([text]), [(value, lambda size: filled(value, size))], 15_000) == []


@pytest.mark.parametrize("unit", ["1.", "1", "-", "a-", "a1", "1_a", ".", "/1", ";a", "&a=1", "%41"])
@pytest.mark.parametrize("place", ["", "?"])
def test_kinds_of_addresses_cost_no_more_than_their_size(unit: str, place: str) -> None:
    def kinds(text: str) -> None:
        template.__wrapped__(f"http://a.example/a{place}{text}x")
        template.__wrapped__(f"http://a.example/{place}{text}x")

    assert found(kinds, [(unit, lambda size: filled(unit, size))], 1_500) == []


def test_a_page_with_too_much_markup_is_read_up_to_a_limit_and_says_so() -> None:
    page = document(("<p>first <a href=/kept>link</a>" + "<div><a href=1>x" * READ_MOST).encode(), "text/html", URL)
    assert page.problem == f"more markup than is read of a page: cut after {READ_MOST:,} tags"
    assert page.text.startswith("first link\nx\nx")
    assert page.links[0].url == "http://a.example/kept"
    assert document(b"<p>" + b"<b>x</b> " * READ_MOST, "text/html", URL).problem == ""
