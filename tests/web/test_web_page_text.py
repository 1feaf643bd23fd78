"""How what a page says is shown."""

from __future__ import annotations

import pytest

from gossamer.web.page_text import written


def test_headings_code_lists_and_tables_stay_what_they_are() -> None:
    html = (
        "<h1>Keys</h1>\n<p>See <strong>all</strong>.</p>\n<pre>a\n  b &lt; c</pre>\n"
        "<ul><li>one</li></ul>\n<table>\n<tr><td>1</td></tr>\n</table>"
    )
    assert written(html, 1_000) == (html.replace("h1>", "h2>"), False)


def test_a_link_leads_to_the_kept_page_of_its_target() -> None:
    said, _ = written('<p><a href="https://example.org/?a=1&amp;b=2">x</a></p>', 100)
    assert said == '<p><a href="/page?url=https%3A%2F%2Fexample.org%2F%3Fa%3D1%26b%3D2">x</a></p>'


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<script>alert(1)</script>", "alert(1)"),
        ("<p onclick=x>a</p>", "<p>a</p>"),
        ('<a href="javascript:alert(1)">a</a>', "<a>a</a>"),
        ('<p href="https://a.example/">a</p>', "<p>a</p>"),
        ("&lt;b&gt; <img src=x>", "&lt;b&gt; "),
        ("<p><em>a</p>b</em>", "<p><em>a</em></p>b"),
        ("</div></p>a", "a"),
        ("<ul><li>a", "<ul><li>a</li></ul>"),
    ],
)
def test_only_elements_of_tagged_text_come_through_and_all_are_closed(html: str, said: str) -> None:
    assert written(html, 100)[0] == said


def test_what_is_too_long_is_cut_with_its_elements_closed() -> None:
    assert written("<ul><li>abcdef</li><li>g</li></ul>", 4) == ("<ul><li>abcd</li></ul>", True)
    assert written("<p>abcd</p>", 4) == ("<p>abcd</p>", False)


def test_what_is_cut_amid_lists_within_lists_is_closed_whole() -> None:
    html = "<ul><li>a<ul><li>bc</li></ul></li></ul>"
    assert written(html, 2) == ("<ul><li>a<ul><li>b</li></ul></li></ul>", True)
