"""What comes out of Markdown."""

from __future__ import annotations

import pytest

from gossamer.convert import document
from gossamer.convert.files.text.markdown import BRACKETS_MOST, LENGTH_MOST
from gossamer.model import Page

URL = "https://example.com/docs/readme.md"


def read(text: str) -> Page:
    return document(text.encode(), "text/markdown; charset=utf-8", URL)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# One #\n\nTwo\n===\n\nThree\n---\n", "<h1>One</h1>\n<h1>Two</h1>\n<h2>Three</h2>"),
        ("a\nb\n\nc  \nd", "<p>a b</p>\n<p>c<br>d</p>"),
        ("```python\nif x:\n    y < 1\n```\nafter", "<pre>if x:\n    y &lt; 1</pre>\n<p>after</p>"),
        ("~~~\nopen to the end", "<pre>open to the end</pre>"),
        ("    indented\n      code\n", "<pre>indented\n  code</pre>"),
        ("> said\n> again\n\nnot", "<blockquote><p>said again</p></blockquote>\n<p>not</p>"),
        ("***\n\n- - -\nx", "<p>x</p>"),
        (
            "a | b\n--|--\n1 | `x\\|y`\n",
            "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td><code>x|y</code></td></tr>\n</table>",
        ),
        ("<!-- hidden\n\n-->x <b>bold</b> <br> y", "<p>x bold <br> y</p>"),
    ],
)
def test_blocks(text: str, html: str) -> None:
    assert read(text).html == html


def test_lists_have_their_depth() -> None:
    text = "* one\n  goes on\n    1. inner\n    2. second\n* [x] two\n\n  more\n\nafter"
    assert read(text).html.replace("\n", "") == (
        "<ul><li>one goes on<ol><li>inner</li><li>second</li></ol></li><li>two</li><li>more</li></ul><p>after</p>"
    )


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            "**bold** and *it* and ***both***",
            "<strong>bold</strong> and <em>it</em> and <em><strong>both</strong></em>",
        ),
        ("snake_case_name and __init__", "snake_case_name and <strong>init</strong>"),
        ("2 * 3 * 4 ** 5", "2 * 3 * 4 ** 5"),
        ("`a * b` \\* &amp; &lt;", "<code>a * b</code> * &amp; &lt;"),
        ("![a cat](cat.png) ~~old~~", "a cat old"),
        ("[x](b.md 'title')", '<a href="https://example.com/docs/b.md">x</a>'),
        (
            "[**x**][ref] and [ref]",
            '<a href="http://r.example/"><strong>x</strong></a> and <a href="http://r.example/">ref</a>',
        ),
        ("<http://a.example/?b&c>", '<a href="http://a.example/?b&amp;c">http://a.example/?b&amp;c</a>'),
        ("see http://a.example/x.", 'see <a href="http://a.example/x">http://a.example/x</a>.'),
        ("[not a link] and [a](#here)", "[not a link] and a"),
    ],
)
def test_lines(text: str, html: str) -> None:
    assert read(f"{text}\n\n[ref]: http://r.example/\n").html == f"<p>{html}</p>"


def test_links_are_links_like_any_other() -> None:
    page = read("[here](../a) [![picture](p.png)](http://b.example/)")
    assert [(link.url, link.anchor) for link in page.links] == [
        ("https://example.com/a", "here"),
        ("http://b.example/", "picture"),
    ]


def test_what_stands_before_the_text_says_what_it_is() -> None:
    page = read('---\ntitle: "The title"\nauthor: Ada\ndate: 2001-09-09T01:46:40Z\n---\n# Heading\n')
    assert (page.title, page.author, page.published) == ("The title", "Ada", 1e9)
    assert page.html == "<h1>Heading</h1>"
    assert read("x\n\n## Only heading").title == "Only heading"


def test_markdown_is_known_by_its_name_and_by_its_looks() -> None:
    text = b"# A\n\nSome [link](http://a.example/) here.\n"
    assert document(text, "text/plain", URL).media_type == "text/markdown"
    assert document(text).media_type == "text/markdown"
    assert document(text, "text/plain").media_type == "text/plain"


def test_what_stands_in_lists_and_quotes_is_read() -> None:
    text = "1. one\n\n   ```\n   code\n   ```\n\n2. two\n\n> ## said\n> - item\n>   [x](/y)\n\n<div>\n\n*in* it\n</div>"
    assert read(text).html.replace("\n", "") == (
        "<ol><li>one</li></ol><pre>code</pre><ol><li>two</li></ol><h2>said</h2>"
        '<ul><li>item <a href="https://example.com/y">x</a></li></ul><p><em>in</em> it</p>'
    )


def test_no_word_of_a_deep_list_is_lost() -> None:
    page = read("".join("  " * depth + f"- item{depth}\n" for depth in range(25)))
    assert page.text.split() == [f"item{depth}" for depth in range(25)]


@pytest.mark.parametrize("sign", ["[a](http://b.example/) ", "words "])
def test_what_is_longer_than_any_document_of_people_is_plain_text(sign: str) -> None:
    page = read(sign * (BRACKETS_MOST + 1 if "[" in sign else LENGTH_MOST // 4) + "\n\nand *so* on")
    assert page.text.endswith("and *so* on")
    assert "were read as what they are; the rest was taken for text" in page.problem


@pytest.mark.parametrize("sign", ["[", "*a ", "> ", "`", "- ", "![", "[a](", "<a", "\\", "| ", "[a]: b\n"])
def test_signs_without_end_are_bounded(sign: str) -> None:
    assert len(read(sign * 20_000).html) < 1_000_000
