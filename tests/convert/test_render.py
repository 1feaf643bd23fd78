"""What is kept of a page is written as tagged text: valid, complete, with the structure it stood in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gossamer.convert.html.outline import NUMBER, Outline, by_tree
from gossamer.convert.render import compiled, inside, written
from gossamer.convert.render.compiled import links_inside
from gossamer.convert.render.page import tagged
from gossamer.tagged import plain
from valid_tagged import check


def rendered(page: str, dropped: Sequence[str] = ()) -> str:
    """All of a page but the runs with these words. A link points to `http://x/` and its number."""
    outline = by_tree(page.encode())
    assert outline is not None
    bounds = zip(outline.starts[:-1], outline.starts[1:], strict=True)
    keep = np.array([outline.text[first:end].decode().strip() not in dropped for first, end in bounds], bool)
    hrefs = {int(number): f"http://x/{number}" for number in np.flatnonzero(outline.tags == NUMBER["a"])}
    return both_say(outline, keep, hrefs)


def both_say(outline: Outline, keep: NDArray[np.bool_], hrefs: Mapping[int, str]) -> str:
    """Tagged text, which is the same by way of the compiled twin and without it."""
    html = tagged(outline, keep, hrefs)
    check(html)
    assert written(outline, keep, hrefs) == (html, plain(html))
    assert inside(outline, keep) == tuple(links_inside(outline, keep).tolist())
    return html


@pytest.mark.parametrize(
    ("page", "html"),
    [
        ("", ""),
        ("<h2>a <b>b</b></h2>c", "<h2>a b</h2><p>c</p>"),
        ("<div>a<div>b</div>c</div>", "<p>a</p><p>b</p><p>c</p>"),
        ("<div>a<hr>b</div>", "<p>a</p><p>b</p>"),
        ("<p>a<br>b<br> <br>c", "<p>a<br>b</p><p>c</p>"),
        ("a<span> b</span>c &lt;d&gt; &amp;", "<p>a bc &lt;d&gt; &amp;</p>"),
        ("<b>a<i>b</i></b><i>c</i>", "<p><strong>a<em>b</em></strong><em>c</em></p>"),
        ("<b>a<p>b</p></b>", "<p><strong>a</strong></p><p><strong>b</strong></p>"),
        ("<b>a<strong>b</strong></b>", "<p><strong>ab</strong></p>"),
        ("<kbd>a</kbd><sub>b</sub><sup>c</sup>", "<p><code>a</code><sub>b</sub><sup>c</sup></p>"),
        ("<a href=q>a<h3>b</h3></a>", '<p><a href="http://x/1">a</a></p><h3><a href="http://x/1">b</a></h3>'),
        ("<a name=q>a</a>", "<p>a</p>"),
        ("<ul><li>a<li>b<ul><li>c</ul>d</ul>", "<ul><li>a</li><li>b<ul><li>c</li></ul><p>d</p></li></ul>"),
        ("<ol><div><li>a</div>b</ol>", "<ol><li>a<p>b</p></li></ol>"),
        ("<ul><li>a</li><ul><li>b</ul></ul>", "<ul><li>a<ul><li>b</li></ul></li></ul>"),
        ("<ul><ul><li>b</ul></ul>", "<ul><li><ul><li>b</li></ul></li></ul>"),
        ("<li>a<li>b", "<p>a</p><p>b</p>"),
        ("<li>a<section><li>b", "<p>a</p><p>b</p>"),
        ("<menu><li>a</menu>", "<ul><li>a</li></ul>"),
        ("<dl><dt>a<p>b</p></dt><dd>c<p>d</dl>", "<dl><dt>a b</dt><dd>c<p>d</p></dd></dl>"),
        ("<dl>a<div><dt>b<dd>c</div></dl>", "<dl><dd>a</dd><dt>b</dt><dd>c</dd></dl>"),
        ("<dt>a<dd>b", "<p>a</p><p>b</p>"),
        ("<blockquote>a<ul><li>b</ul></blockquote>", "<blockquote><p>a</p><ul><li>b</li></ul></blockquote>"),
        ("<figure><img><figcaption>a</figcaption></figure>", "<p>a</p>"),
        ("<pre>\n a\n\n  <b>b</b>&lt;<div>c</div>d<br>e\n</pre>", "<pre> a\n\n  b&lt;\nc\nd\ne</pre>"),
        ("<ul><li><pre>a</pre>b</ul>", "<ul><li><pre>a</pre><p>b</p></li></ul>"),
        (f"<h1>a{'<p>word' * 500}", "<p>a</p>" + "<p>word</p>" * 500),
    ],
)
def test_structure_stays(page: str, html: str) -> None:
    found = rendered(page)
    if "<pre>" not in html:
        found = found.replace("\n", "")
    assert found.replace("\n<", "<") == html


@pytest.mark.parametrize(
    ("page", "html"),
    [
        (
            "<table><tr><th>a<td>b<tr><th>c<td>d</table>",
            "<table><tr><th>a</th><td>b</td></tr><tr><th>c</th><td>d</td></tr></table>",
        ),
        (
            "<table><thead><tr><td>a<td>b<tbody><tr><td><td><p>c</table>",
            "<table><tr><td>a</td><td>b</td></tr><tr><td></td><td>c</td></tr></table>",
        ),
        (
            "<table><caption>t</caption><tr><td>a<td>b<tr><td>c<br>x<td>d<ul><li>e<li>f</table>",
            "<p>t</p><table><tr><td>a</td><td>b</td></tr><tr><td>c<br>x</td><td>d<br>e<br>f</td></tr></table>",
        ),
        ("<table><tr><td>a<tr><td>b</table>", "<p>a</p><p>b</p>"),
        ("<table><tr><td>a<td>b</table>", "<p>a</p><p>b</p>"),
        ("<table><tr><td>a<td>b<tr><td>c<td><h2>d</table>", "<p>a</p><p>b</p><p>c</p><h2>d</h2>"),
        ("<table><tr><td>a<td>b<tr><td>c<td><table><tr><td>d</table></table>", "<p>a</p><p>b</p><p>c</p><p>d</p>"),
    ],
)
def test_tables_of_data_are_tables_and_others_are_not(page: str, html: str) -> None:
    assert rendered(page).replace("\n", "") == html


def test_long_cells_make_a_layout() -> None:
    rows = f"<tr><td>a<td>{'word ' * 200}" * 2
    assert "<table>" not in rendered(f"<table>{rows}</table>")


def test_what_is_dropped_leaves_nothing() -> None:
    page = "<ul><li>x<li><b>a</b> x <i>x</i><li>b<p>x</p>c</ul><h2>x</h2><table><tr><td>x</table><p>d<em>x</em>e"
    assert rendered(page, dropped=["x"]).replace("\n", "") == (
        "<ul><li><strong>a</strong></li><li>b<p>c</p></li></ul><p>d e</p>"
    )


def test_cells_without_words_hold_their_place() -> None:
    html = rendered("<table><tr><td>x<td>a<tr><td>b<td>c<tr><td>d<td>e<tr><td>x<td>x</table>", dropped=["x"])
    assert [row.count("<td>") for row in html.split("<tr>")[1:]] == [2, 2, 2]


TAGS = """
a b i p div span li ul ol menu dl dt dd table tr td th tbody thead caption h1 h2 h3 pre blockquote br hr section code
sub figure figcaption form button select option center body article"""
SOUP = st.lists(
    st.one_of(
        st.sampled_from(TAGS.split()).map(lambda tag: "<a href=x>" if tag == "a" else f"<{tag}>"),
        st.sampled_from(TAGS.split()).map("</{}>".format),
        st.sampled_from(["x", "two words", " ", "\n", "&lt;", "&amp;", "é", "\x1f", "&nbsp;", "\u2003", "<svg>s"]),
    ),
    max_size=40,
).map("".join)


@given(SOUP, st.randoms(use_true_random=False))
def test_no_soup_gives_what_is_not_valid(page: str, random: object) -> None:
    outline = by_tree(page.encode())
    assert outline is not None
    keep = np.array([random.random() < 0.7 for _ in outline.owners], bool)  # type: ignore[attr-defined]
    both_say(outline, keep, {})


@given(SOUP)
def test_no_word_is_lost(page: str) -> None:
    outline = by_tree(page.encode())
    assert outline is not None
    letters = Counter("".join(outline.text.decode().split()))
    assert Counter("".join(plain(rendered(page)).split())) == letters


@pytest.mark.parametrize("tags", ["<ul><li>", "<div><h1>", "<blockquote>", "<table><td>", "<b><p>", "<span>", "<dl>"])
def test_depth_is_bounded(tags: str) -> None:
    html = rendered(f"{tags}x" * 2_000)
    assert html.count("x") == 2_000
    assert len(html) < 200_000


def test_the_twin_was_built() -> None:
    pytest.importorskip("gossamer.convert.render._render", reason="the compiled twin was not built")
    assert compiled._render is not None


def test_without_the_twin_the_same_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_render", None)
    assert rendered("<ul><li>a &amp; <a href=/>b</a></ul>") == '<ul>\n<li>a &amp; <a href="http://x/3">b</a></li></ul>'


def test_addresses_are_escaped() -> None:
    outline = by_tree(b"<a href=x>a</a>")
    assert outline is not None
    html = both_say(outline, np.ones(1, bool), {1: "http://x/?a=1&b='\"<é>"})
    assert html == '<p><a href="http://x/?a=1&amp;b=&#x27;&quot;&lt;é&gt;">a</a></p>'
