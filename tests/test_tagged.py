"""Tagged text is valid whatever is written, and its words can be had without the tags."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer import tagged
from gossamer.tagged import Writer, code, emphasis, link, plain, plain_within, strong, words
from valid_tagged import check

TEXT = st.text(st.sampled_from("ab <>&\"'\n\t*é"), max_size=6)
LINE = st.one_of(
    TEXT.map(words),
    TEXT.map(code),
    st.builds(lambda text, href: link(words(text), href), TEXT, TEXT),
    TEXT.map(lambda text: strong(emphasis(words(text)))),
)
CALL = st.one_of(
    st.tuples(st.just("heading"), st.integers(-1, 9), LINE),
    st.tuples(st.sampled_from(["paragraph", "quote"]), LINE),
    st.tuples(st.just("pre"), TEXT),
    st.tuples(st.just("item"), LINE, st.integers(0, 4), st.booleans()),
    st.tuples(st.just("table"), st.lists(st.lists(LINE, max_size=3), max_size=3), st.booleans()),
)


def write(calls: list[tuple[object, ...]]) -> str:
    writer = Writer()
    for name, *arguments in calls:
        if name == "item":
            line, depth, ordered = arguments
            writer.item(line, depth, ordered=ordered)
        elif name == "table":
            rows, head = arguments
            writer.table(rows, head=head)
        else:
            getattr(writer, str(name))(*arguments)
    return writer.html()


@given(st.lists(CALL, max_size=12))
def test_whatever_is_written_is_valid(calls: list[tuple[object, ...]]) -> None:
    check(write(calls))


@given(st.lists(CALL, max_size=6), TEXT)
def test_the_words_of_a_part_of_some_bytes_are_those_of_its_text(calls: list[tuple[object, ...]], around: str) -> None:
    html, beside = write(calls), around.encode()
    data = beside + html.encode() + beside
    assert plain_within(data, len(beside), len(data) - len(beside)) == plain(html)
    strange = f"<unknown>{html}"
    assert plain_within(strange.encode(), 0, len(strange.encode())) == plain(strange)


def test_lists_stand_in_the_item_before() -> None:
    writer = Writer()
    for depth, word in ((0, "a"), (1, "b"), (2, "c"), (0, "d")):
        writer.item(word, depth)
    writer.item("e", ordered=True)
    writer.paragraph("f")
    assert writer.html().replace("\n", "") == (
        "<ul><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li><li>d</li></ul><ol><li>e</li></ol><p>f</p>"
    )


def test_blocks_without_a_word_are_left_out() -> None:
    writer = Writer()
    writer.heading(1, " ")
    writer.paragraph(link(" ", "http://a.b/"))
    writer.quote("")
    writer.pre(" \n ")
    writer.item("")
    writer.table([["", " "], []])
    assert writer.html() == ""


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h1>A &amp; b</h1>\n<p>c\n  d</p>", "A & b\nc d"),
        ("<p>a <em> b</em>c<br>d</p>", "a bc\nd"),
        ("<pre>a\n  b &lt;c&gt;<br>d</pre><p>e</p>", "a\n  b <c>\nd\ne"),
        ("<ul><li>a<ul><li>b</li></ul></li></ul>", "a\nb"),
        ("<dl><dt>a</dt><dd>b</dd></dl>", "a\nb"),
        ("<table>\n<tr><th>a</th><th> b </th></tr>\n<tr><td></td><td>c  d</td><td></td></tr></table>", "a\tb\n\tc d"),
        ('<p>x<a href="http://a.b/?c&amp;d">y</a></p>', "xy"),
        ("", ""),
    ],
)
def test_the_words_come_in_lines(html: str, text: str) -> None:
    assert plain(html) == text


@given(st.lists(CALL, max_size=8))
def test_no_word_is_lost_or_made_up(calls: list[tuple[object, ...]]) -> None:
    html = write(calls)
    without_inline = re.sub(r"</?(?:a|em|strong|code)\b[^>]*>", "", html)
    assert plain(html).split() == unescape(re.sub("<[^>]*>", " ", without_inline)).split()


PIECES = st.sampled_from(
    [
        *("<p>", "</p>", "<pre>", "</pre>", "<tr>", "</tr>", "<td>", "</td>", "<th>", "</th>", "<br>", "<li>", "</ul>"),
        *('<a href="http://x.test/?a=1&amp;b">', "</a>", "<em>", "</code>", "<h2>", "</table>", "</blockquote>"),
        *(
            "a",
            "b ",
            " ",
            "  ",
            "\n",
            "\t",
            "\r",
            "\f",
            "\u00a0",
            "é",
            "&amp;",
            "&lt;",
            "&#x27;",
            "&quot;",
            "&copy;",
            "&",
        ),
        *("<", ">", "<x>", "<td colspan=2>", "</", "!", "#", '"', "%", "\0", "\ud800", "東", "&#x41;", "&ampx", "< p>"),
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_the_compiled_way_gives_the_same_words(html: str) -> None:
    assert tagged.plain(html) == tagged.by_splitting(html)


def test_the_compiled_way_reads_what_we_write() -> None:
    if tagged._plain is None:
        pytest.skip("there was no C compiler")
    html = '<h1>A &amp; B!</h1>\n<p>One <a href="http://x.test/">two</a>, "three"<br>four</p>\n<pre>a\n\t&lt;b</pre>'
    html += "\n<table><tr><th>x</th><td></td></tr><tr><td>1</td><td>2</td></tr></table>"
    assert tagged._plain.plain(html) == 'A & B!\nOne two, "three"\nfour\na\n\t<b\nx\n1\t2'
    assert tagged._plain.plain("<p>&copy;</p>") is None
