"""The outline of a page says what stands where, whichever way it was made."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from gossamer.convert.html.outline import NUMBER, TAGS, Outline, count, name_hash
from gossamer.convert.html.scan import by_tree, scan

PAGE = """\
<title>no part of it</title><link rel=canonical href=c>
<body class="pageWide x"><nav hidden><a href=/home>Home</a> <a name=top>Top</a></nav>
<div id=main-42 role=main itemprop=articleBody itemtype="http://schema.org/Article/">
  <p>One, <b>two</b> <i>3.</i><script>no()</script> Four<br> five</p> <p></p>
  <noscript><a href=/n>more</a></noscript><svg><text>no</text></svg>
</div>
"""


def by_scan(page: bytes) -> Outline | None:
    return scan(page, "UTF-8").outline


def from_tree(page: bytes) -> Outline | None:
    return by_tree(page).outline


@pytest.fixture(params=[by_scan, from_tree])
def outline(request: pytest.FixtureRequest) -> Outline:
    make: Callable[[bytes], Outline | None] = request.param
    made = make(PAGE.encode())
    assert made is not None
    return made


def runs(outline: Outline) -> list[str]:
    return [outline.text[first:end].decode() for first, end in pairwise(outline.starts.tolist())]


def test_elements_stand_in_document_order(outline: Outline) -> None:
    assert " ".join(TAGS[tag] for tag in outline.tags) == "body nav a other div p b i br p svg"
    assert outline.parents.tolist() == [-1, 0, 1, 1, 0, 4, 5, 5, 5, 4, 4]
    assert outline.ends.tolist() == [11, 4, 3, 4, 11, 9, 7, 8, 9, 10, 11]


def test_runs_know_their_element_and_what_is_before_them(outline: Outline) -> None:
    assert runs(outline) == ["Home", " Top", "One, ", "two", " 3.", " Four", " five"]
    assert outline.owners.tolist() == [2, 3, 5, 6, 7, 5, 5]
    assert outline.befores.tolist() == [3, 4, 6, 7, 8, 8, 9]


def test_runs_are_counted(outline: Outline) -> None:
    assert outline.counts.tolist() == [count(run) for run in runs(outline)]
    assert outline.counts[2].tolist() == [1, 4, 1, 0, 0, 1]
    assert outline.counts[4].tolist() == [1, 2, 0, 1, 1, 0]


def test_names_are_words_of_certain_attributes(outline: Outline) -> None:
    words = [(b"c", b"page"), (b"c", b"wide"), (b"h", b"hidden"), (b"c", b"main"), (b"r", b"main")]
    words += [(b"i", b"article"), (b"i", b"body"), (b"i", b"article")]
    assert outline.names.tolist() == [name_hash(*word) for word in words]
    assert outline.named.tolist() == [0, 0, 1, 4, 4, 4, 4, 4]


def test_links_know_their_element(outline: Outline) -> None:
    assert [pointer[0] for pointer in scan(PAGE.encode(), "UTF-8").links.made] == ["c", "/home", "/n"]
    assert outline.points.tolist() == [-1, 2, 4]


@pytest.mark.parametrize("make", [by_scan, from_tree])
def test_a_page_of_nothing_is_a_body(make: Callable[[bytes], Outline | None]) -> None:
    made = make(b"")
    assert made is not None
    assert (made.tags.tolist(), made.starts.tolist(), made.counts.shape) == ([NUMBER["body"]], [0], (0, 6))


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("Two words.", [2, 9, 0, 1, 0, 1]),
        ("\u4e2d\u6587\u3002 abc\u3042", [5, 7, 0, 1, 0, 0]),
        ("\ud55c\uad6d\uc5b4 12\xa034", [3, 7, 0, 0, 4, 0]),
        ("\u0645\u0631\u062d\u0628\u0627\u060c \u061f", [2, 7, 1, 1, 0, 0]),
    ],
)
def test_scripts_without_spaces_are_counted_by_characters(text: str, row: list[int]) -> None:
    assert count(text) == row
    made = by_scan(text.encode())
    assert made is not None
    assert made.counts.tolist() == [row]
