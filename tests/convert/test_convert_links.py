"""Links lead where browsers would go."""

from __future__ import annotations

import json

import pytest

from gossamer.convert import document
from gossamer.convert.html.links import header_pointers, refresh_pointers, resolved
from reference import reference

PAGE = "http://example.com/dir/page.html"


def urls(markup: str, url: str | None = PAGE) -> list[str]:
    return [link.url for link in document(markup.encode(), "text/html; charset=utf-8", url).links]


def test_every_link_of_the_reference_is_found() -> None:
    folder = reference("link-extraction")
    for case in json.loads((folder / "cases.json").read_text()):
        page = document((folder / case["file"]).read_bytes(), "text/html", case["page_url"])
        found = {(link.url, link.anchor) for link in page.links}
        wanted = {(url.partition("#")[0], text) for url, text in case["links_unique_in_order"]}
        described = {("http://example.com/sample1.html", "")}  # an area, which has a description instead of text
        assert wanted - found <= described
        assert {url for url, _ in wanted} <= {url for url, _ in found}


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        (
            "linkextractor_latin1.html",
            [
                "http://example.com/sample_%C3%B1.html",
                "http://example.com/sample_%C3%A1.html",
                "http://example.com/sample_%C3%B6.html?price=%C2%A332&%C2%B5=unit",
            ],
        ),
        (
            "linkextractor_noenc.html",
            ["http://example.com/sample_%C3%B1.html", "http://example.com/sample_%E2%82%AC.html"],
        ),
        (
            "linkextractor_no_href.html",
            [f"http://example.com/{path}" for path in ("author/Albert-Einstein", "page/1/", "page/3/", "page/4/")],
        ),
    ],
)
def test_addresses_are_written_as_browsers_write_them(file: str, wanted: list[str]) -> None:
    data = (reference("link-extraction") / "files" / file).read_bytes()
    assert [link.url for link in document(data, "text/html", "http://example.com/index").links] == wanted


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ("<a href=x.html>", ["http://example.com/dir/x.html"]),
        ("<a href=../x#y>", ["http://example.com/x"]),
        ("<a href='?a=1'>", ["http://example.com/dir/page.html?a=1"]),
        ("<a href=//other.example/>", ["http://other.example/"]),
        ("<base href=/other/><a href=x>", ["http://example.com/other/x"]),
        ("<a href=x><base href=/late/>", ["http://example.com/late/x"]),
        ("<base href=javascript:1><a href=x>", ["http://example.com/dir/x"]),
        ("<a href=javascript:void(0)><a href=mailto:a@b.c><a href=tel:1><a href=data:,x><a href=ftp://a/>", []),
        ("<a href='http://[bad'><a href='http://'><a href='https://ok.example'>", ["https://ok.example/"]),
        ("<a href='?q=ü'>", ["http://example.com/dir/page.html?q=%C3%BC"]),
    ],
)
def test_links_are_joined_to_the_base_of_the_page(markup: str, found: list[str]) -> None:
    assert urls(markup) == found


def test_without_an_address_only_absolute_links_are_kept() -> None:
    assert urls("<a href=x><a href=http://example.org/y>", None) == ["http://example.org/y"]


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("windows-1251", "http://example.com/%D0%B6?q=%E6&r=%26%2326085%3B"),
        ("Shift_JIS", "http://example.com/%D0%B6?q=%84w&r=%93%FA"),
        ("UTF-16LE", "http://example.com/%D0%B6?q=%D0%B6&r=%E6%97%A5"),
        ("UTF-8", "http://example.com/%D0%B6?q=%D0%B6&r=%E6%97%A5"),
    ],
)
def test_a_query_is_written_in_the_encoding_of_its_page(encoding: str, found: str) -> None:
    pointed = [("/ж?q=ж&r=日#ж", "", "", "a")]
    assert [link.url for link in resolved(pointed, PAGE, encoding)] == [found]


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        (['<x>; rel="next"'], [("x", "", "next", "header")]),
        (["<x>;rel=next, <y> ; REL = prev"], [("x", "", "next", "header"), ("y", "", "prev", "header")]),
        (['<x>; rel="Canonical  next"; title="A, \\"b\\""'], [("x", 'A, "b"', "canonical next", "header")]),
        (["<x,y>; rel=alternate", "<z>; rel=next"], [("x,y", "", "alternate", "header"), ("z", "", "next", "header")]),
        (["<x>; rel=next; rel=prev"], [("x", "", "next", "header")]),
        (["<x>; rel=preload; as=style, <y>; rel=stylesheet"], []),
        (["<x>; rel=canonical; anchor=/other"], []),
        (["<x>", "x; rel=next", "<x; rel=next", "", ",,;;", '<x>; rel="next'], [("x", "", "next", "header")]),
    ],
)
def test_link_headers_are_read(fields: list[str], found: list[tuple[str, ...]]) -> None:
    assert header_pointers(fields) == found


def test_refreshes_to_the_page_itself_are_no_links() -> None:
    assert refresh_pointers(["5", "nonsense", "5; url=x"]) == [("x", "", "", "refresh")]


def test_a_hostile_link_header_ends() -> None:
    for part in ("<", "<x>;", '<x>; a="', '<x>; rel="\\', ",", "<x>; rel=next,"):
        header_pointers([part * 20_000])
