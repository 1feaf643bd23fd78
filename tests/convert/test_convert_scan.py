"""What is read from an HTML page, however broken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.convert.html.defuse import TAGS_MOST, bounded, tame
from gossamer.convert.html.scan import Scan, scan
from gossamer.convert.html.tree import parse


def read(markup: str) -> Scan:
    return scan(markup.encode(), "UTF-8")


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>One <b>two</b><i>three</i>, four", "One twothree, four"),
        ("<p>a</p><p>b</p>", "a\nb"),
        ("<div>a</div>b<div>c</div>", "a\nb\nc"),
        ("a<br>b<hr>c", "a\nb\nc"),
        ("<p>\n  a\n\n  b\t c  d&nbsp;&nbsp;e\n</p>", "a b c d e"),
        ("<b>a</b> <i>b</i><u> </u>c", "a b c"),
        ("<p>a<!-- x -->b<!-- --> <!-- -->c", "ab c"),
        ("<p>&nbsp;</p><p>a</p><p> </p><p>b", "a\nb"),
        ("<ul><li>a<li>b<ul><li>c</ul>d</ul>", "a\nb\nc\nd"),
        ("<table><tr><td>a<td>b<tr><th>c</table>", "a\nb\nc"),
        ("<pre>\n  if x:\n\n    <b>y</b>  z\n</pre> after  that", "  if x:\n\n    y  z\nafter that"),
        ("<p>before<pre>\ta\tb</pre>", "before\n\ta\tb"),
        ("<x-card>a</x-card><x-card>b</x-card>", "ab"),
        ("a<script>if (a<b) c</script><style>d{}</style><template>e</template>f", "af"),
        ("a<noscript><p>b</noscript><p>c", "a\nc"),
        ("a<svg><title>c</title><text>d</text></svg>e", "ae"),
        ("a<textarea>b</textarea><iframe>c</iframe><video>d</video><title>e</title>f", "af"),
        ("a<select><option>b<option>c</select>", "a\nb\nc"),
        ("<head><title>t</title></head><body>a<img alt=b>c<wbr>d", "acd"),
        ("a\0b&#0;c&#xD800;d", "ab\ufffdc\ufffdd"),
        ("a<!-- never closed <p>b", "a"),
        ("a<p", "a"),
        ("1 < 2 &lt; 3 &amp;amp; &unknown;", "1 < 2 < 3 &amp; &unknown;"),
        ("<a href=x>link</a>", "link"),
        ("<frameset><frame src=a><noframes>b</noframes></frameset>", ""),
        ("", ""),
    ],
)
def test_text_has_a_line_for_each_block(markup: str, text: str) -> None:
    assert read(markup).text.strip(" ") == text.strip(" ")


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        ("<title> A\n  title </title><title>Another</title>", "A title"),
        ("<svg><title>Icon</title></svg><title>Page</title>", "Page"),
        ("<title>a<b>c</title>", "a<b>c"),
        ("<p>none", ""),
    ],
)
def test_the_title_is_the_pages_own(markup: str, title: str) -> None:
    assert read(markup).title == title


@pytest.mark.parametrize(
    ("markup", "links"),
    [
        ("<a href=x>An <b>anchor</b></a>", [("x", "An anchor", "", "a")]),
        ("<a href=' \nx y '>\n a\n b </a>", [("x y", "a b", "", "a")]),
        ("<a href=x><div>Name</div><div>Price</div></a>", [("x", "Name Price", "", "a")]),
        ("<a href=x><style>p{}</style>Word</a>", [("x", "Word", "", "a")]),
        ("<a href=x><span><img><img alt=' A\n picture '></span></a>", [("x", "A picture", "", "a")]),
        ("<a href=x>text<img alt=picture></a>", [("x", "text", "", "a")]),
        ("<a href=x rel='NoFollow  UGC'>y</a>", [("x", "y", "nofollow ugc", "a")]),
        ("<a href=#top>y</a><a href=''>y</a><a>y</a><a href=' #z'>y</a>", []),
        ("<a href=x>1</a><a href=x>2</a>", [("x", "1", "", "a"), ("x", "2", "", "a")]),
        ("<map><area href=x alt=Here rel=nofollow></map>", [("x", "Here", "nofollow", "area")]),
        ("<frameset><frame src=a title=b><frame></frameset>", [("a", "b", "", "frame")]),
        ("<iframe src=a></iframe>", [("a", "", "", "iframe")]),
        ("<noscript><a href=x>y</a></noscript>", [("x", "y", "", "a")]),
        ("<svg><a xlink:href=x><text>y</text></a></svg>", [("x", "y", "", "a")]),
        ("<link rel=Canonical href=x><link rel=stylesheet href=y>", [("x", "", "canonical", "link")]),
        ("<link rel='alternate stylesheet' href=x><link rel=next href=y>", [("y", "", "next", "link")]),
        ("<link rel=alternate title=Feed href=x>", [("x", "Feed", "alternate", "link")]),
        ("<meta http-equiv=Refresh content='5; url=x'>", [("x", "", "", "refresh")]),
        ("<meta http-equiv=refresh content=5>", []),
        ("<script>'<a href=x>'</script><!-- <a href=x> --><textarea><a href=x></textarea>", []),
        ("<a href=x>unclosed <a href=y>also", [("x", "unclosed", "", "a"), ("y", "also", "", "a")]),
    ],
)
def test_links_are_found_with_anchor_rel_and_place(markup: str, links: list[tuple[str, ...]]) -> None:
    assert list(read(markup).links.made) == links


def test_what_the_head_says_is_read() -> None:
    found = read(
        "<html lang=de-AT><base target=x><base href=/b/><base href=/c/><meta name=Robots content='noindex'>"
        "<meta property=og:title content=T><meta name=empty><meta charset=utf-8>"
    )
    assert found.language == "de-AT"
    assert found.base == "/b/"
    assert found.metas == (("robots", "noindex"), ("og:title", "T"), ("empty", ""))


def test_long_things_are_cut() -> None:
    found = read(f"<title>{'t' * 9_000}</title><a href=x>{'word ' * 9_000}</a>")
    assert len(found.title) == 2_000
    assert len(found.links.made[0][1]) == 500


def test_more_links_than_the_limit_are_said_to_be_cut() -> None:
    whole, cut = (read("".join(f"<a href={each}>x</a>" for each in range(count))) for count in (5_000, 5_001))
    assert (len(whole.links), whole.links_cut) == (5_000, False)
    assert (len(cut.links), cut.links_cut) == (5_000, True)
    pieces = read("".join(f"<p><a href={each}>x</a></p>" for each in range(30_000)))
    assert (len(pieces.links), pieces.links_cut) == (5_000, True)


def test_legacy_encodings_are_read() -> None:
    found = scan("<title>Привет</title><a href=/мир>мир</a>".encode("windows-1251"), "windows-1251")
    assert (found.title, found.links.made) == ("Привет", (("/мир", "мир", "", "a"),))
    assert scan("<p>日本</p>".encode("utf-16-le"), "UTF-16LE").text == "日本"


def test_a_long_page_read_in_pieces_says_what_it_says_as_a_whole() -> None:
    rows = [f"<tr><td>cell {n} <b>bold</b></td><td><a href='/{n}'>link {n}</a></td></tr>" for n in range(4_500)]
    page = f"<html lang=en><title>T</title><script>'<p>'</script><table>{''.join(rows)}</table>".encode()
    assert page.count(b"<") > 2 * TAGS_MOST
    assert len(tame(page)) > 2
    found = scan(page, "UTF-8")
    lines = [line for n in range(4_500) for line in (f"cell {n} bold", f"link {n}")]
    assert found.text.splitlines() == lines
    assert [link[:2] for link in found.links.made] == [(f"/{n}", f"link {n}") for n in range(4_500)]
    assert (found.title, found.language) == ("T", "en")


def test_ordinary_pages_are_not_touched_before_parsing() -> None:
    page = b'<p>A <b class=x>bold</b> word, <i>a</i> picture <img src="data:' + b"A/" * 9_000 + b'">, text.</p>'
    assert tame(page * 20) == [page * 20]


def test_ordinary_pages_with_thousands_of_tags_are_read_in_one_piece() -> None:
    item = b"<li class=\"a b\"><B title='x'>One</B> <i class=two>two</i> <a href=/%d>three</a></li>"
    page = b"<ul>" + b"".join(item % number for number in range(900)) + b"</ul>"
    assert bounded(page).pieces == [page], "which nobody has looked at before"


@pytest.mark.parametrize("tag", [b"<font size=%d>", b"<font a=\"'\" b='>%d'>", b'<b a" b="x" c=">%d">', b"<b><i %d>"])
def test_formatting_piles_up_only_so_far_however_it_is_written(tag: bytes) -> None:
    page = b"".join(b"<p>" + tag % number + b"x" * 300 + b"</p>" for number in range(1_000))
    pieces = [parse(piece).root for piece in bounded(page).pieces]
    assert sum(1 for root in pieces if root is not None for _ in root.traverse()) < 100_000, "of half a million"


HOSTILE = Path(__file__).with_name("hostile_pages.py")


def test_pages_made_to_choke_a_parser_take_bounded_memory_and_time() -> None:
    """In a process of its own, which the system ends when it takes more than a gigabyte or two minutes of CPU."""
    done = subprocess.run([sys.executable, str(HOSTILE)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


SOUP = """\
<p>|</p>|<b a=1>|</b>|<a href=x>|</a>|<table>|<tr>|<td>|</table>|<svg>|</svg>|<style>|</style>|<title>|</title>|
<pre>|</pre>|<noscript>|</noscript>|<!--|-->|<script>|</script>|<template>|</template>|<math>|<mi>|<form>|<br>|<frameset>|
<object>|</object>|<textarea>|<video>|</video>|<iframe>|<foreignObject>|<desc>|<head>|</body>|</html>|<select>|<option>|
<plaintext>|<xmp>|<![CDATA[|<?x|\0|\2|\x1f|&#xd800;|&amp;|text|é|\ud800"""


@settings(max_examples=300)
@given(st.lists(st.sampled_from(SOUP.split("|")), max_size=60))
def test_no_soup_of_tags_is_too_odd(parts: list[str]) -> None:
    found = scan("".join(parts).encode("utf-8", "surrogatepass"), "UTF-8")
    assert found.text.encode().decode() == found.text
    assert "\0" not in found.text


@given(st.binary(max_size=400), st.sampled_from(["UTF-8", "windows-1252", "UTF-16LE", "EUC-JP", "replacement"]))
def test_no_bytes_are_too_odd(data: bytes, encoding: str) -> None:
    scan(data, encoding).text.encode()
