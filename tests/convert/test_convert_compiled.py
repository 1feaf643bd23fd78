"""The compiled twin says what the tree says, or nothing."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.convert.charset.charset import encoding
from gossamer.convert.charset.decode import utf8
from gossamer.convert.fields import canonical
from gossamer.convert.html.link_targets import link_targets
from gossamer.convert.html.links import LINKS_MOST, resolved
from gossamer.convert.html.outline import Outline, from_bytes
from gossamer.convert.html.pointers import PLACES, Pointers, one_by_one
from gossamer.convert.html.scan import by_tree
from gossamer.outlinks import targets
from harness.seldom import seldom
from reference import reference

_scan = pytest.importorskip("gossamer.convert.html._scan", reason="the compiled twin was not built")
HERE = "http://example.com/a/b/page.html?x=1"


def is_read(page: bytes) -> bool:
    """Whether the twin reads the page; then it must read what the tree says."""
    found = _scan.scan(page, LINKS_MOST, True)
    if found is None:
        return False
    assert _scan.scan(page, LINKS_MOST, False) == (*found[:-1], None), page[:2_000]
    expected = by_tree(page)
    columns = expected.links.columns
    assert (*found[:2], *found[3:-3]) == (*expected[:2], *expected[3:-4]), page[:2_000]
    assert found[2] == columns, page[:2_000]
    assert _scan.pointers(columns, PLACES) == one_by_one(columns, PLACES), page[:2_000]
    lead_alike(expected.links)
    assert expected.outline is not None
    for name, ours, theirs in zip(Outline._fields, from_bytes(found[-1]), expected.outline, strict=True):
        assert np.array_equal(ours, theirs), (name, page[:2_000])
    return True


def lead_alike(pointers: Pointers) -> None:
    """Links that are made late, and what is known of them before, are those that are made at once."""
    pointed = link_targets(pointers, HERE, "windows-1252")
    found = pointed.links(())
    at_once = tuple(link._replace(content=False) for link in resolved(pointers.made, HERE, "windows-1252"))
    assert (len(found), found) == (len(at_once), at_once)
    assert [list(column) for column in targets(found)] == [list(column) for column in targets(at_once)]
    assert set("".join(link.anchor for link in at_once)) <= set(found.anchors)
    assert pointed.canonical == canonical(at_once)


def opened(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


PAGES = [
    ("article-extraction-benchmark", "html/*"),
    ("chardet-corpus", "files/**/*.gz"),
    ("cleanportaleval", "html/*"),
    ("l3s-gn1", "html/*"),
    ("link-extraction", "files/*"),
    ("readability-pages", "*/*.html.gz"),
    ("trafilatura-eval", "html/*"),
    ("wcxb-dev-sample", "html/*"),
    ("wivet-pages", "pages/*.html"),
    ("wpt-charset-pages", "pages/*.html"),
]

MOST = 100
"""Pages of each, more or less."""


@pytest.mark.parametrize(("name", "pattern"), seldom(PAGES, 2))
def test_pages_of_the_web_are_read_alike(name: str, pattern: str) -> None:
    paths = sorted(reference(name).glob(pattern))
    assert paths
    paths = paths[:: max(len(paths) // MOST, 1)]
    pages = [utf8(data, encoding(data)) for data in map(opened, paths)]
    assert sum(map(is_read, pages)) >= 0.8 * len(pages)


@pytest.mark.parametrize(("name", "field"), [("html5lib-tree", "data"), ("html5lib-tokenizer", "input")])
def test_the_cases_of_the_standard_are_read_alike(name: str, field: str) -> None:
    lines = [line for path in reference(name).glob("*.jsonl") for line in path.read_text().splitlines()]
    cases = [case[field].encode("utf-8", "surrogatepass") for case in map(json.loads, lines) if field in case]
    assert sum(map(is_read, cases)) >= 0.4 * len(cases) > 0
    for before, after in pairwise(cases):
        is_read(before + after)


@pytest.mark.parametrize(
    "markup",
    [
        "",
        "just text &amp; more",
        "<!doctype html><html lang=en><head><title>T</title><base href=/b><meta name=A content=b></head><body>x</body>",
        "<p>One<p><b>two<p>three</b> four<pre>\n a\n  b&nbsp;</pre><ul><li>a<li>b</ul><br>c",
        "<p><a href=x>one<p>two<a href=y title=t><div>three<p><img alt=p></a>four</div><title>never closed",
        "<a href=k><p><a href=x></p> <p><a>",
        "<a href=x>" + "<i>" * 45 + "<b><div><img alt=p></b><a href=y><p><img alt=q><div>t</a>",
        "<select><div>x<option>y<hr><input>z<select>",
        "<b>1<p>2</b>3</p><form><span>a</form>b</span>c<i><i><i><i>d</i></i></i></i><p>e",
        "<table><caption>c</caption><col><tr><td>a<th>b<tbody><tr><td><table><td>n</table></table>",
        "<a href=x>a<b>b</b> c<!-- -->d</a><a href=y><img><img alt=' p  q '></a><a href=1>u<a href=2>v",
        "<a href=' \n/s p ' rel='A  b' title=t>x</a><area href=a alt=b><iframe src=i title=j>z</iframe>",
        "<link rel=canonical href=c><link rel='alternate stylesheet' href=d>",
        "<meta http-equiv=Refresh content=' 0.5 ; URL = \"e f\" g'><meta http-equiv=refresh content='3,x'>",
        "<noscript><a href=n>no</a><img></noscript><svg><title>s</title><a xlink:href=l><text>t</text></a></svg>t",
        "<math><mi>x</mi><mo>=</mo></math><ruby>a<rt>b</ruby><select><option>a<option>b</select><video>v</video>w",
        "<template><a href=t>x</a><script></template></script></template>y<textarea>\n<a href=z></textarea>",
        "<script><!-- <script> </script> <a href=q> --></script><style></p></style><xmp><b></xmp>&notit; &#128; &copy",
        "<p>a\u3000\u2028 b \u3000  c\x1f\td\u3000e\r\nf\rg",
        "<a href=\"?a=1&lt=2&amp;b&copy;\" 'x=1 title='\">'>q</a>",
    ],
)
def test_ordinary_markup_needs_no_tree(markup: str) -> None:
    assert is_read(markup.encode())


@pytest.mark.parametrize(
    "data",
    [
        b"caf\xe9",
        b"zero\0byte",
        b"kept\2mark",
        b"<table>text<tr><td>x</table>",
        b"<frameset><frame src=a></frameset>",
        b"<plaintext>x",
        b"<svg><p>x",
        b"<div>" * 1_000,
    ],
)
def test_what_needs_a_tree_is_left_to_it(data: bytes) -> None:
    assert not is_read(data)


def test_links_are_cut_alike() -> None:
    kinds = (
        b"<a href=1>a</a><link rel=next href=2><area href=3><noscript><a href=4>b</a></noscript><p><a href=5>c<p>d</a>"
    )
    for count in range(7):
        assert is_read(b"<a href=x>y</a>" * (LINKS_MOST - count) + kinds)


def test_long_things_are_cut_alike() -> None:
    long = "wörter  " * 3_000
    assert is_read(
        f"<title>{long}</title><meta name=x content='{long}'><a href=x rel='{'a ' * 300}'>{long}</a>".encode()
    )
    assert is_read(f"<a href=x>{'ö' * 600}</a><a href=y>{'<i></i>' * 49}<img alt=a></a>".encode())
    assert is_read(f"<a href=y>{'<i></i>' * 48}<img alt=a></a>{'<meta name=x>' * 600}".encode())


TAGS = """\
a a a b i font p p div span li ul dl dt dd table tr td th tbody caption colgroup col h1 h2 form button select option
optgroup pre listing textarea title script style noscript iframe xmp svg math mi desc path g foreignObject template
object br hr img image input area base link meta html head body address legend ruby rt video x-y dialog nobr
basefont marquee section sub abbr"""
ATTRIBUTES = """\
href=x|href='#y'|href=" /z "|rel="No  follow"|alt='p  q'|alt|name=Robots|content="0; url=q"|http-equiv=refresh|src=f|
title=t|lang=de|xlink:href=w|type=hidden|property=og:x|rel=canonical|size=1|size=2|a='b>c'|b=c/|/|=|\"|
class="mainNav top-2 XYZ"|CLASS=é|id=a1bc|role=main|itemprop=x-name|itemtype="http://s.org/Thing//"|hidden|
aria-hidden=" TRUE"|style="x;Display : NONE"|class=a&amp;bc|
rel="a&#13;b"|content="0; url=&#13;q&#13;r"|alt="&#31;x&#13;y "|href="&#13;z"|NAME="É"|itemprop=a&#13;bc"""
TEXTS = """\
x|two words| |  |\n|\t|&nbsp;|&lt|&copy|&notit;|&#128;|&#0;|&|é|\u3000|\u2028|\x1f|\x85|\f|a<b|< |</|>|&#10;|
&#13;|&#29;|&#1;|\r\n|\r|
<!-- c -->|<!-->|<!--|--!>|-->|<![CDATA[x]]>|<?p>|</>|</ x>|<!doctype html>|<script><!-- <script></script> -->|\udcff"""

START = st.builds(
    lambda tag, attributes: f"<{' '.join((tag, *attributes))}>",
    st.sampled_from(TAGS.split()),
    st.lists(st.sampled_from(ATTRIBUTES.split("|")), max_size=3),
)
END = st.sampled_from(TAGS.split()).map("</{}>".format)


@settings(max_examples=500)
@given(st.lists(st.one_of(START, END, st.sampled_from(TEXTS.split("|"))), max_size=30))
def test_no_soup_of_tags_is_read_otherwise(parts: list[str]) -> None:
    is_read("".join(parts).encode("utf-8", "surrogateescape"))


@given(st.binary(max_size=300))
def test_no_bytes_are_read_otherwise(data: bytes) -> None:
    is_read(data)


def test_the_twin_tells_where_linked_data_is() -> None:
    tag = b"<script type=application/ld+json>"
    page = b"<!-- %s{}</script> --><p>x</p>%s{}</script><noscript>%s{}</script></noscript>%s{}</script>"
    within = b"<p>x" + page.partition(b"<p>x")[2] % (tag, tag, tag)
    begin, end = _scan.scan(page % (tag, tag, tag, tag) + b"<!-- ld+json -->", LINKS_MOST, True)[-2]
    looked_at = (page % (tag, tag, tag, tag))[begin:end]
    assert within.partition(b"<script ")[2].startswith(looked_at)
    assert looked_at.count(b"ld+json") == 3
    assert looked_at.endswith(b"ld+json")
    _, end = _scan.scan(page.replace(b"<p>", b"\r\n<p>") % (tag, tag, tag, tag), LINKS_MOST, True)[-2]
    assert end > len(page) + 4 * len(tag), "where line ends are changed, places are not those of the page"


def test_the_twin_takes_bytes_only() -> None:
    with pytest.raises(TypeError):
        _scan.scan("text", 1, True)
