"""Markdown that says what the tagged text says, as an independent parser of CommonMark reads it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from gossamer.markdown import titled, written
from gossamer.model import Page
from gossamer.tagged import plain

PARSER = MarkdownIt("commonmark").enable("table")


def text_of(tokens: Iterable[Token]) -> str:
    """The words of parsed Markdown. Tags that stand for themselves are no words; a line end parts words."""
    parts: list[str] = []
    for token in tokens:
        if token.type == "inline":
            parts += (text_of(token.children or ()), " ")
        elif token.type in ("softbreak", "hardbreak") or token.content == "<br>":
            parts.append(" ")
        elif token.type != "html_inline":
            parts.append(token.content)
    return "".join(parts)


def read(markdown: str) -> list[Token]:
    return PARSER.parse(markdown)


def spaced(text: str) -> str:
    return " ".join(text.split())


def count(markdown: str, kind: str) -> int:
    return sum(token.type == kind for token in read(markdown))


def inline(markdown: str, kind: str) -> list[Token]:
    return [child for token in read(markdown) for child in token.children or () if child.type == kind]


# ------------------------------------------------------------ what it looks like


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("", ""),
        ("<p></p><ul><li> </li></ul><table><tr><td></td></tr></table><pre>\n</pre>", ""),
        ("<h2>Two  words</h2>\n<p>And\nmore.</p>", "## Two words\n\nAnd more.\n"),
        ("<p>One<br>two<br><br>three</p>", "One\\\ntwo\n\nthree\n"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c\n"),
        ("<ol><li>a</li><li>b<p>c</p></li><li>d</li></ol>", "1. a\n2. b\n\n   c\n\n3. d\n"),
        ("<ul><li>a</li></ul><ul><li>b</li></ul>", "- a\n\n* b\n"),
        ("<ol>" + "<li>x</li>" * 10 + "</ol>", "".join(f"{number}. x\n" for number in range(1, 11))),
        ("<dl><dt>Term</dt><dd>What it is.</dd></dl>", "- **Term**\n\n  What it is.\n"),
        ("<blockquote><p>a</p><p>b</p></blockquote><p>c</p>", "> a\n>\n> b\n\nc\n"),
        ("<blockquote><ul><li>a</li></ul></blockquote>", "> - a\n"),
        ("<pre>if a &lt; b:\n    <code>c</code>\n\n</pre>", "```\nif a < b:\n    c\n```\n"),
        ("<pre>```\nx\n````</pre>", "`````\n```\nx\n````\n`````\n"),
        ("<ul><li><pre>a\n\nb</pre></li></ul>", "- ```\n  a\n\n  b\n  ```\n"),
        (
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td></tr></table>",
            "| a | b |\n| --- | --- |\n| 1\\|2 |\n",
        ),
        ("<table><tr><td><p>a</p><p>b</p></td><td>c<br>d</td></tr></table>", "| a<br>b | c<br>d |\n| --- | --- |\n"),
        ("<p>A <strong>bold </strong>word, <em> a</em>nd <code>x = 1</code></p>", "A **bold** word, *a*nd `x = 1`\n"),
        ("<p><em>a</em><em>b</em> <strong><em>c</em></strong><em></em></p>", "*ab* ***c***\n"),
        ("<p><code>a``b`c</code> <code>`</code></p>", "```a``b`c``` `` ` ``\n"),
        ("<p>H<sub>2</sub>O, x<sup>2</sup></p>", "H<sub>2</sub>O, x<sup>2</sup>\n"),
        (
            '<p>See<a href="http://a.b/c_(d)?e=1&amp;f"> here [1]</a>.</p>',
            "See [here \\[1\\]](http://a.b/c_\\(d\\)?e=1&f).\n",
        ),
        ('<p>a <a href="http://a.b/"></a>b</p>', "a b\n"),
    ],
)
def test_blocks_and_lines_are_written_as_people_write_them(html: str, markdown: str) -> None:
    assert written(html) == markdown


@pytest.mark.parametrize(
    "text",
    [
        "5 * 3 and a_name, x ~ y, 1 < 2 & 3 > 2, #1, C#, a - b, a + b, [1] and (2), e.g. a\\b, AT&T!",
        "- is a dash, I say".removeprefix("- "),
        "2024 was warm. 3.5 is a number",
    ],
)
def test_characters_that_are_no_markup_stay_as_they_are(text: str) -> None:
    assert written(f"<p>{escape(text, quote=False)}</p>") == f"{text}\n"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "# a",
            "#",
            "###### b",
            "> c",
            "- d",
            "-",
            "+ e",
            "* f",
            "1. g",
            "23) h",
            "7.",
            "---",
            "- - -",
            "* * *",
            "_ _ _",
        ),
        *(
            "===",
            "~~~",
            "```",
            "``` x",
            ":--",
            "|---|",
            "--- | ---",
            "***",
            "___",
            "[a]: b",
            "[ ] c",
            "<div>",
            "<!-- d",
        ),
        *(
            "*a*",
            "**b**",
            "_c_",
            "__d__",
            "`e`",
            "[f](g)",
            "![h](i)",
            "<a@b.c>",
            "<http://d>",
            "&amp;",
            "&#65;",
            "&#x41;",
        ),
        *(
            "\\*",
            "\\\\",
            "\\",
            "a\\",
            "~~k~~",
            "</b>",
            "<?php",
            "a*b*c",
            "*",
            "_",
            "!",
            "]",
            "[",
            "a|b",
            "|",
            "\\|",
            "`",
        ),
    ],
)
def test_text_that_looks_like_markup_stays_text(text: str) -> None:
    escaped = escape(text, quote=False)
    for html in (
        f"<p>{escaped}</p>",
        f"<p>a<br>{escaped}</p>",
        f"<p>{escaped}<br>a</p>",
        f"<p>a | b<br>{escaped}</p>",
        f"<ul><li>{escaped}</li></ul>",
        f"<h2>{escaped}</h2>",
        f"<h2>a {escaped}</h2>",
        f"<blockquote>{escaped}</blockquote>",
        f"<table><tr><td>{escaped}</td><td>x</td></tr></table>",
        f"<p>{escaped}<em>(b)</em>{escaped}</p>",
        f'<p>{escaped}<a href="http://a.b/">{escaped}</a>{escaped}</p>',
        f"<p><strong>{escaped}</strong></p>",
        f"<p><code>{escaped}</code> {escaped}</p>",
        f"<table><tr><td><code>{escaped}</code></td></tr></table>",
    ):
        assert spaced(text_of(read(written(html)))) == spaced(plain(html)), html


# ------------------------------------------------------------ what it means


def test_the_parts_of_a_document_are_seen_by_a_parser() -> None:
    items = "<li>one</li><li>two<ol><li>deep</li></ol></li>"
    table = "<table><tr><th>h</th></tr><tr><td>d</td></tr></table>"
    markdown = written(
        f"<h1>T</h1><ul>{items}</ul><ul>{items}</ul><blockquote>q{table}</blockquote><pre>p</pre>{table}"
    )
    kinds = {
        "heading_open": 1,
        "bullet_list_open": 2,
        "ordered_list_open": 2,
        "list_item_open": 6,
        "blockquote_open": 1,
        "table_open": 2,
        "th_open": 2,
        "td_open": 2,
        "fence": 1,
    }
    assert {kind: count(markdown, kind) for kind in kinds} == kinds


@pytest.mark.parametrize(
    "href",
    [
        "http://a.b/",
        "http://a.b/c_(d",
        "http://a.b/c)d?e=*f*&copy;=1",
        "http://a.b/ä?x=<y>",
        "http://a.b/\\x|y`z",
        "http://a.b/[c]",
        "mailto:a@b.c",
    ],
)
def test_links_point_where_they_pointed(href: str) -> None:
    line = f'a*<a href="{escape(href)}">*b*</a>!<a href="{escape(href)}">c</a>'
    for html in (f"<p>{line}</p>", f"<table><tr><td>{line}</td></tr></table>"):
        found = inline(written(html), "link_open")
        assert [token.attrs["href"] for token in found] == [PARSER.normalizeLink(href)] * 2


def test_code_stays_as_it_is_in_blocks_and_lines() -> None:
    program = "a  *b* `c` \\| <d> &amp;\n\n    ```\n\tx  |  y"
    assert [token.content for token in read(written(f"<pre>{escape(program)}</pre>")) if token.type == "fence"] == [
        program + "\n"
    ]
    line = program.partition("\n")[0]
    for html in ("<p><code>{}</code></p>", "<table><tr><td><code>{}</code></td></tr></table>"):
        assert [token.content for token in inline(written(html.format(escape(line))), "code_inline")] == [line]


@pytest.mark.parametrize(
    ("line", "strong", "em"),
    [
        ("a <strong>b</strong> c", 1, 0),
        ("<strong>a</strong><em>b</em><strong>c</strong>", 2, 0),
        ("<em>a <strong>b</strong></em> <strong><em>c</em></strong>d", 2, 2),
        ("un<em>frigging</em>believable", 0, 1),
        ("<strong>note:</strong> x, <strong>(a)</strong>", 2, 0),
        ('<strong>see <a href="http://a.b/">b</a></strong>', 1, 0),
    ],
)
def test_emphasis_is_seen(line: str, strong: int, em: int) -> None:
    markdown = written(f"<p>{line}</p>")
    assert (len(inline(markdown, "strong_open")), len(inline(markdown, "em_open"))) == (strong, em)


def test_emphasis_that_would_not_be_seen_leaves_no_stars() -> None:
    assert written("<p>a<strong>:b</strong> <em>c.</em>d</p>") == "a:b c.d\n"


# ------------------------------------------------------------ whatever it is given

WORDS = st.text(st.sampled_from("ab1 .,*_`#>-+|[](){}<&;!\\~=:/\"'\n\xa0é€—字"), max_size=8).map(
    lambda text: escape(text, quote=False)
)
LINES = st.recursive(
    WORDS | st.just("<br>") | WORDS.map("<code>{}</code>".format),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag.partition(' ')[0]}>",
        st.sampled_from(['a href="http://a.b/"', "em", "strong", "sub", "sup"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=5,
)
LINE = st.lists(LINES, max_size=4).map("".join)


def within(*tags: str) -> st.SearchStrategy[str]:
    return st.builds(lambda tag, line: f"<{tag}>{line}</{tag}>", st.sampled_from(tags), LINE)


ROW = st.lists(within("td", "th"), min_size=1, max_size=3).map(lambda cells: f"<tr>{''.join(cells)}</tr>")
LEAF = st.one_of(
    within("h1", "h3", "h6", "p", "pre"), st.lists(ROW, max_size=3).map(lambda rows: f"<table>{''.join(rows)}</table>")
)


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    blocks = st.lists(inner, max_size=3).map("".join)
    item = st.builds("<li>{}{}</li>".format, LINE, blocks)
    term = st.builds("<dt>{}</dt><dd>{}</dd>".format, LINE, blocks)
    return st.one_of(
        blocks.map("<blockquote>{}</blockquote>".format),
        st.lists(item, max_size=3).map(lambda items: f"<ul>{''.join(items)}</ul>"),
        st.lists(item, max_size=3).map(lambda items: f"<ol>{''.join(items)}</ol>"),
        st.lists(term, max_size=3).map(lambda terms: f"<dl>{''.join(terms)}</dl>"),
    )


DOCUMENT = st.lists(st.recursive(LEAF, nested, max_leaves=4), max_size=3).map("\n".join)


@settings(max_examples=60, deadline=None)
@given(DOCUMENT)
def test_every_word_survives_and_nothing_else_appears(html: str) -> None:
    assert spaced(text_of(read(written(html)))) == spaced(plain(html))


@settings(deadline=None)
@given(st.text(st.sampled_from('<>/aeiplrthdcou 1="&;\n'), max_size=60))
def test_any_text_gives_some_markdown(html: str) -> None:
    assert isinstance(written(html), str)


@pytest.mark.parametrize("tag", ["ul><li", "ol", "blockquote", "em", "a", "table", "dl><dt", "code", "sub", "p"])
def test_depth_and_length_cost_no_more_than_they_must(tag: str) -> None:
    deep = f"<{tag}>" * 5_000 + "x"
    assert len(written(deep + "<p>word</p>" * 5_000)) < 40 * 5_000 * 10
    assert written(f"<{tag}>x" * 5_000).count("x") == 5_000


def test_a_page_has_its_content_as_markdown() -> None:
    assert Page(html="<h1>T</h1>\n<p>w</p>").markdown == "# T\n\nw\n"


def test_a_title_is_not_said_twice() -> None:
    assert titled("<h2>The <em>heron</em></h2>\n<p>It wades.</p>", "The heron").startswith("<h2>")
    assert titled("<h2>Intro</h2>", "A & B") == "<h1>A &amp; B</h1>\n<h2>Intro</h2>"
    assert titled("<p>x</p>\n<h1>Own</h1>", "Other").startswith("<p>")
