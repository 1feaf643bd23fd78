"""RTF: text in the encodings of its fonts, lists, tables, notes and links, and nothing that is not to be read."""

from __future__ import annotations

import pytest

from gossamer.convert import document
from gossamer.model import Page


def read(body: str, head: str = "") -> Page:
    fonts = r"{\f0 Arial;}{\f1\fcharset204 Arial;}{\f2\fcharset128 Mincho;}{\f3\fcharset2 Symbol;}"
    data = rf"{{\rtf1\ansi\ansicpg1252\deff0{{\fonttbl{fonts}}}{head} {body}}}"
    page = document(data.encode("latin-1"), url="https://example.com/a.rtf")
    assert page.media_type == "application/rtf"
    assert page.problem == ""
    return page


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"Gr\'fc\'dfe", "Grüße"),
        (r"{\f1 \'cc\'e5\'f2\'ee\'e4}", "Метод"),
        (r"{\f2 \'93\'fa\'96\'7b}", "日本"),
        (r"{\f2 \'93\'fa\'96\{}", "日本"),
        (r"{\f3 abg}", "αβγ"),
        (r"\u8364?5", "€5"),
        (r"\uc2\u8364\'80\'80 5", "€5".replace("€5", "€ 5")),
        (r"\uc0\u8364 5", "€5"),
        (r"{\uc3\u26085 abc}x", "日x"),
        (r"\u-10187?\u-8960?", "\U0001d500"),
        (r"a\~b\_c\-d", "a b‑cd"),
        (r"\ldblquote x\rdblquote\emdash y", "“x”—y"),
        (r"\{braces\} and \\", "{braces} and \\"),
        (r"one\line two", "one\ntwo"),
        (r"seen{\v  hidden}{\deleted  gone}", "seen"),
        (r"{\*\unknown nothing}{\pict\pngblip 89504e47}{\object{\*\objdata 0105}{\result shown}}", "shown"),
        (r"{\upr{ascii}{\*\ud{\u26085 ?}}}", "日"),
        ("before\\bin5 {{}}} after", "before after"),
    ],
)
def test_text_is_read_as_it_is_meant(body: str, text: str) -> None:
    assert read(body).text == text


def test_paragraphs_headings_and_looks() -> None:
    head = r"{\stylesheet{\s1 heading 1;}{\s2\outlinelevel1 Own;}}"
    body = r"\pard\s1 Title\par\pard\s2 Part\par\pard plain {\b bold} {\i slanted} x{\super 2}\par"
    page = read(body, head)
    assert page.html == (
        "<h1>Title</h1>\n<h2>Part</h2>\n<p>plain <strong>bold</strong> <em>slanted</em> x<sup>2</sup></p>"
    )
    assert page.title == "Title"


def test_items_have_the_number_that_is_printed() -> None:
    item = r"\pard{{\listtext {}\tab}}\ilvl{} {}\par"
    page = read(item.format("1)", 0, "one") + item.format("a.", 1, "sub") + item.format(r"\'95", 0, "bullet"))
    assert page.text.split("\n") == ["1) one", "a. sub", "bullet"]
    assert page.html.count("<li>") == 3


def test_links_are_links() -> None:
    field = r'{\field{\*\fldinst{HYPERLINK "http://example.org/a"}}{\fldrslt{\b the} link}} and text'
    page = read(field)
    assert page.html == '<p><a href="http://example.org/a"><strong>the</strong> link</a> and text</p>'
    assert [(link.url, link.anchor) for link in page.links] == [("http://example.org/a", "the link")]


def test_tables_have_rows_and_cells() -> None:
    row = r"\trowd\cellx100\cellx200\pard\intbl {}\cell {}\cell\row"
    page = read(rf"before\par{row.format('a', 'b')}{row.format('c', 'd')}\pard after\par")
    table = "<table>\n<tr><td>a</td><td>b</td></tr>\n<tr><td>c</td><td>d</td></tr>\n</table>"
    assert page.html == f"<p>before</p>\n{table}\n<p>after</p>"


def test_notes_comments_and_headers_follow_the_text() -> None:
    head = r"{\header Above\par}{\footer Below\par}"
    note = r"{\super\chftn{\footnote\pard{\super\chftn} The note.}}"
    page = read(rf"Text{note} goes on.{{\*\annotation Really?}}\par Last\par", head)
    assert page.text.split("\n") == ["Text[1] goes on.", "Last", "[1] The note.", "Really?", "Above", "Below"]
    assert "<blockquote><p>Really?</p></blockquote>" in page.html


def test_text_boxes_are_read_once_and_where_they_stand() -> None:
    box = (
        r"{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt \pard In a box\par}}{\shprslt{\*\do{\dptxbxtext In a box\par}}}}"
    )
    assert read(rf"Before\par{box}After\par").text == "Before\nIn a box\nAfter"


def test_title_author_and_dates() -> None:
    times = r"{\creatim\yr2001\mo9\dy9\hr1\min46}{\revtim\yr2001\mo9\dy9\hr1\min47}"
    page = read("x", rf"{{\info{{\title Title}}{{\author Ada}}{{\operator Bob}}{{\subject None}}{times}}}")
    assert (page.title, page.author, page.text) == ("Title", "Ada", "x")
    assert (page.published, page.modified) == (999_999_960, 1_000_000_020)


@pytest.mark.parametrize(
    "body",
    [
        "{" * 200_000,
        "}" * 200_000,
        r"{\field" * 50_000,
        r"{\footnote" * 20_000,
        r"\cell" * 100_000,
        r"\bin99999999999 x",
    ],
    ids=["open", "close", "fields", "notes", "cells", "binary"],
)
def test_files_that_never_end_end(body: str) -> None:
    page = document(rf"{{\rtf1 before {body}".encode())
    assert page.text.startswith("before")
    assert len(page.html) < 5 * len(body) + 1_000


def test_what_follows_the_outermost_group_is_no_text() -> None:
    assert document(b"{\\rtf1 text}\0garbage").text == "text"


@pytest.mark.parametrize(
    "passed",
    [
        r"{\pict {\*\blipuid 00}\'7d\{\}\\}",
        r"{\*\themedata {a{b}}\bin3 }}}}",
        r"{\*\unheard \binary }",
        "{\\colortbl;\\red0;\\\n}",
        r"{\*\datastore {\u125 \uc0 ?}}",
    ],
)
def test_a_group_that_is_passed_over_ends_where_it_ends(passed: str) -> None:
    assert read(f"before {passed}behind").text == "before behind"
