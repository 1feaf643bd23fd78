"""Whatever was captured becomes a page."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.convert import begin, document, finish, read
from gossamer.convert.html.links import LINKS_MOST
from gossamer.convert.sandboxed import common
from gossamer.convert.source import Source
from gossamer.model import Capture, Kind, Page, Visit

PAGE = "https://example.com/dir/page"
HTML = ("content-type", "text/html; charset=utf-8")


def captured(
    body: bytes, *headers: tuple[str, str], status: int = 200, kind: Kind = Kind.PAGE, url: str = PAGE
) -> Page:
    return read(Capture(Visit(url, kind), 0.0, 0.1, status, headers, body=body), "Gossamer/1.0 (+https://example.org)")


def test_a_page_says_all_it_has_to_say() -> None:
    body = "<title>Ä title</title><link rel=canonical href=/c><p>Text with <a href=x rel=nofollow>a link</a>".encode()
    page = captured(body, HTML)
    assert (page.url, page.media_type, page.encoding) == (PAGE, "text/html", "UTF-8")
    assert (page.title, page.text) == ("Ä title", "Text with a link")
    assert [(link.url, link.anchor, link.rel, link.place) for link in page.links] == [
        ("https://example.com/c", "", "canonical", "link"),
        ("https://example.com/dir/x", "a link", "nofollow", "a"),
    ]
    assert page.canonical == "https://example.com/c"
    assert page.digest == f"sha256:{sha256(body).hexdigest()}"
    assert (page.noindex, page.nofollow, page.noarchive, page.links_cut) == (False, False, False, False)


def test_only_the_page_as_a_whole_has_a_canonical_address() -> None:
    assert captured(b"<a rel=canonical href=x>", HTML).canonical is None
    assert captured(b"", HTML, ("link", "</c>; rel=canonical")).canonical == "https://example.com/c"


def test_header_fields_point_too() -> None:
    page = captured(b"<base href=/b/>", HTML, ("link", "<n>; rel=next"), ("refresh", "3; url=r"))
    assert [(link.url, link.place) for link in page.links] == [
        ("https://example.com/dir/n", "header"),
        ("https://example.com/dir/r", "refresh"),
    ]
    assert captured(b"%PDF-1.7", ("link", "<n>; rel=next")).links != ()


@pytest.mark.parametrize(
    ("markup", "header", "asked"),
    [
        ("", "", (False, False, False)),
        ("<meta name=robots content=noindex>", "", (True, False, False)),
        ("<meta name=ROBOTS content='NONE'>", "", (True, True, False)),
        ("<meta name=gossamer content='nofollow, noarchive'>", "", (False, True, True)),
        ("<meta name=otherbot content=none>", "otherbot: none", (False, False, False)),
        ("<meta name=robots content=index>", "noindex", (True, False, False)),
        ("", "gossamer: nofollow", (False, True, False)),
    ],
)
def test_directives_of_header_and_markup_are_taken_together(
    markup: str, header: str, asked: tuple[bool, bool, bool]
) -> None:
    page = captured(f"{markup}<a href=x>y</a>".encode(), HTML, ("x-robots-tag", header))
    assert (page.noindex, page.nofollow, page.noarchive) == asked
    assert len(page.links) == 1


@pytest.mark.parametrize("status", [301, 302, 304, 404, 500])
def test_what_is_no_success_is_kept_but_not_read(status: int) -> None:
    page = captured(b"<title>Moved</title><a href=x>here</a>", HTML, ("location", "/y"), status=status)
    assert (page.title, page.text, page.links) == ("", "", ())
    assert page.digest.startswith("sha256:")


def test_robots_txt_points_to_sitemaps() -> None:
    body = b"User-agent: *\nDisallow: /x\nSitemap: https://example.com/a.xml\nsitemap: /b.xml\n"
    page = captured(body, kind=Kind.ROBOTS)
    assert [(link.url, link.place) for link in page.links] == [
        ("https://example.com/a.xml", "robots"),
        ("https://example.com/b.xml", "robots"),
    ]
    assert "Disallow" in page.text
    assert captured(body, kind=Kind.ROBOTS, status=404).links == ()


def test_a_sitemap_lists_pages_and_further_sitemaps() -> None:
    listing = b"<urlset><url><loc>https://example.com/a</loc><lastmod>1970-01-02</lastmod></url></urlset>"
    index = b"<sitemapindex><sitemap><loc>https://example.com/s.xml</loc></sitemap></sitemapindex>"
    page = captured(gzip.compress(listing), kind=Kind.SITEMAP)
    assert [(link.url, link.place, link.modified) for link in page.links] == [
        ("https://example.com/a", "sitemap", 86_400.0)
    ]
    page = captured(index, kind=Kind.SITEMAP)
    assert [(link.url, link.place) for link in page.links] == [("https://example.com/s.xml", "sitemapindex")]


@pytest.mark.parametrize("content_type", ["application/rss+xml", "text/xml", "text/html", ""])
def test_a_feed_met_as_a_page_has_its_entries_as_links(content_type: str) -> None:
    feed = b"<?xml version='1.0'?><rss version='2.0'><channel><item><link>https://example.com/n</link></item></channel></rss>"
    page = captured(feed, *([("content-type", content_type)] if content_type else []))
    assert [link.url for link in page.links] == ["https://example.com/n"]


@pytest.mark.parametrize("content_type", ["application/xhtml+xml", "application/xml"])
def test_xhtml_is_read_past_its_empty_elements(content_type: str) -> None:
    body = (
        b"<?xml version='1.0' encoding='iso-8859-2'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title>T</title>"
        b"<script src='a > b.js' /><style/></head><body><a id='top'/><p>\xb1 <br/><a href='x'>y</a></p></body></html>"
    )
    page = captured(body, ("content-type", content_type))
    assert (page.title, page.text, page.encoding) == ("T", "ą\ny", "ISO-8859-2")
    assert [link.url for link in page.links] == ["https://example.com/dir/x"]


@pytest.mark.parametrize(
    ("data", "media_type", "read_as", "encoding", "text"),
    [
        (b"<p>\xe6", "text/html; charset=windows-1251", "text/html", "windows-1251", "ж"),
        (b"<p>caf\xe9", None, "text/html", "windows-1252", "café"),
        (b"plain\n  text \xc3\xa9", "text/plain; charset=utf-8", "text/plain", "UTF-8", "plain\n  text é"),
        (b'{"a": "\xc3\xa9"}', "application/json", "application/json", "UTF-8", "a: é"),
        (b"a,b\n1,2\n", "text/csv", "text/csv", "windows-1252", "a\tb\n1\t2"),
        (b"<a>b</a>", "application/xml", "application/xml", "UTF-8", "b"),
        (b"\x89PNG\r\n\x1a\n", None, "image/png", None, ""),
        (b"%PDF-1.4", None, "application/pdf", None, ""),
        (b"", None, "text/plain", "windows-1252", ""),
    ],
)
def test_every_kind_of_document_has_its_reader(
    data: bytes, media_type: str | None, read_as: str, encoding: str | None, text: str
) -> None:
    page = document(data, media_type)
    assert (page.media_type, page.encoding, page.text) == (read_as, encoding, text)


def test_a_type_that_must_not_be_sniffed_is_kept() -> None:
    fields = (("content-type", "image/png"), ("x-content-type-options", "nosniff"))
    assert captured(b"GIF89a", *fields).media_type == "image/png"
    assert captured(b"GIF89a", *fields[:1]).media_type == "image/gif"


def test_the_last_of_several_content_types_counts() -> None:
    page = captured(b"<p>\xe6", ("content-type", "text/plain"), ("content-type", "text/html; charset=windows-1251"))
    assert (page.media_type, page.text) == ("text/html", "ж")


def test_a_capture_without_a_body_has_no_digest() -> None:
    assert captured(b"", status=0) == Page(PAGE, "text/plain")


_TYPES = st.sampled_from(
    ["text/html", "text/plain", "application/xml", "application/xhtml+xml", "text/html;charset=\x00", ""]
)


@given(st.binary(max_size=300), _TYPES, st.text(max_size=30), st.sampled_from(list(Kind)))
def test_no_capture_is_too_odd(body: bytes, content_type: str, junk: str, kind: Kind) -> None:
    fields = [(name, junk) for name in ("link", "refresh", "x-robots-tag", "x-content-type-options")]
    page = captured(body, ("content-type", content_type), *fields, kind=kind)
    assert page.text.encode().decode() == page.text


def test_a_sitemap_that_is_met_as_a_page_has_no_more_links_than_a_page() -> None:
    listed = "".join(f"<url><loc>http://a.example/{number}</loc></url>" for number in range(LINKS_MOST + 1))
    page = document(f"<urlset>{listed}</urlset>".encode(), "application/xml", "http://a.example/map")
    assert (len(page.links), page.links_cut) == (LINKS_MOST, True)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_long_sitemap_is_read_apart_and_says_the_same(pack: Callable[[bytes], bytes]) -> None:
    entries = b"".join(b"<url><loc>https://example.com/%d</loc></url>" % n for n in range(4_000))
    body = pack(b"<urlset>" + entries + b"</urlset>")
    capture = Capture(Visit(PAGE, Kind.SITEMAP), 0.0, 0.1, 200, (("content-type", "text/xml"),), body=body)
    source = begin(capture, "Gossamer", here=256 << 10)
    assert isinstance(source, Source)
    page = finish(source, common().now(source))
    assert page == read(capture, "Gossamer")
    assert len(page.links) == 4_000


def test_a_short_sitemap_is_not_worth_the_way() -> None:
    capture = Capture(Visit(PAGE, Kind.SITEMAP), 0.0, 0.1, 200, body=b"<urlset><url><loc>/1</loc></url></urlset>")
    assert isinstance(begin(capture, "Gossamer", here=256 << 10), Page)
