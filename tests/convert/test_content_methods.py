"""The textbook's methods, and what a block is."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from content_of import kept, outline_of

from gossamer.convert.content import METHODS
from gossamer.convert.content.blocks import ranges, split
from gossamer.convert.content.heuristics import heaviest, is_content, longest

PAGE = b"""<body><nav><ul><li><a href=/a>Home</a><li><a href=/b>News</a><li><a href=/c>Contact us</a></ul></nav>
<div><p>%s</p><p>%s</p></div><div><a href=/d>One more link</a> <a href=/e>and another of them</a></div></body>""" % (
    b"This is a long paragraph with many words, and it goes on and on until there is no doubt about it. " * 3,
    b"And here is the second, which is as long as the first was and says as little as that did, in a way. " * 3,
)


def texts(page: bytes) -> list[str]:
    """The text of each block."""
    outline = outline_of(page)
    blocks = split(outline)
    bounds = outline.starts[np.append(blocks.firsts, len(outline.owners))].tolist()
    return [outline.text[a:b].decode().strip() for a, b in pairwise(bounds)]


def test_a_block_is_what_stands_between_two_ends_of_lines() -> None:
    assert texts(b"<p>a <b>b</b> c</p>d<br>e<ul><li>f<li>g</ul>h<pre>i\n j</pre>") == [
        *("a b c", "d", "e", "f", "g", "h"),
        "i\n j",
    ]


def test_text_after_a_block_within_another_is_a_block_of_its_own() -> None:
    assert texts(b"<div>a<p>b</p>c<span>d</span></div>e") == ["a", "b", "cd", "e"]


def test_a_container_is_the_nearest_ancestor_with_more_blocks() -> None:
    outline = outline_of(b"<div><section><div><p>a</p></div><p>b</p></section></div><p>c</p>")
    around = ranges(outline, split(outline))
    assert around.counts.tolist() == [3, 2, 2, 1, 1, 1, 1]
    assert around.firsts.tolist() == [0, 0, 0, 0, 0, 1, 2]
    assert around.ups.tolist() == [0, 0, 0, 2, 2, 2, 0]


def test_the_plateau_of_the_textbook() -> None:
    assert longest([1, 1, 0, 0, 1, 0, 0, 0, 1, 1]) == (2, 7, 9)


def test_a_page_of_words_is_all_plateau_and_one_of_tags_has_next_to_none() -> None:
    assert longest([0] * 7) == (0, 6, 7)
    first, last, _ = longest([1] * 7)
    assert first == last


def test_the_plateau_is_the_best_interval_of_all() -> None:
    chance = random.Random(4)
    for _ in range(300):
        tags = [chance.randrange(2) for _ in range(chance.randrange(1, 40))]
        spans = [(first, last) for first in range(len(tags)) for last in range(first, len(tags))]
        best = max(sum(tags[:a]) + sum(1 - t for t in tags[a : b + 1]) + sum(tags[b + 1 :]) for a, b in spans)
        first, last, worth = longest(tags)
        assert worth == best
        assert worth == sum(tags[:first]) + (last + 1 - first - sum(tags[first : last + 1])) + sum(tags[last + 1 :])


def test_the_heaviest_of_several_equal_intervals_is_the_first() -> None:
    assert heaviest([3, -5, 3, -5, 3]) == (0, 0, 3.0)


@pytest.mark.parametrize(
    ("words", "links", "expected"),
    [
        ((50, 50, 50), (0, 0.34, 0), False),
        ((4, 16, 15), (0, 0, 0), False),
        ((5, 16, 15), (0, 0, 0), True),
        ((4, 17, 15), (0, 0, 0), True),
        ((4, 16, 16), (0, 0, 0), True),
        ((9, 40, 17), (0.56, 0, 0), False),
        ((9, 41, 17), (0.56, 0, 0), True),
        ((9, 40, 18), (0.56, 0, 0), True),
    ],
)
def test_density_decides_as_the_tree_of_the_paper(
    words: tuple[int, ...], links: tuple[float, ...], expected: bool
) -> None:
    assert bool(is_content(np.array(words, np.int32), np.array(links))[1]) is expected


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_paragraphs_between_lists_of_links(method: str) -> None:
    found = kept(PAGE, method)
    assert "This is a long paragraph" in found
    assert "And here is the second" in found
    assert "News" not in found


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("page", [b"<p>x", b"<a href=/>x</a>", b"x", b"<p>\xe4\xb8\xad\xe6\x96\x87</p>" * 3])
def test_every_method_answers_for_pages_of_a_word(method: str, page: bytes) -> None:
    outline = outline_of(page)
    assert METHODS[method](outline).keep.shape == (len(outline.owners),)
