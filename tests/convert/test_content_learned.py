"""The learned method on pages of all kinds; what is around their content says so in many ways."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from content_of import kept, outline_of
from made_pages import SENTENCES, article, documentation, listing, page, product, thread

from gossamer.convert.content import neural
from gossamer.convert.content.blocks import HEADINGS, split, standing_in
from gossamer.convert.content.heuristics import density
from gossamer.convert.content.learned import Model, by_arrays, learned, likely
from gossamer.convert.content.marks import hashes, numbered, score
from gossamer.convert.content.neural import KINDS, learned_weights
from gossamer.convert.html.outline import Outline, by_tree

MODULE = importlib.import_module("gossamer.convert.content.learned")  # the package has a function of that name
CALMS = (2.0, 2.7, 3.0)
AROUND = ("cookies", "Opinion", "Imprint", "All rights reserved")
needs_twin = pytest.mark.skipif(score is None, reason="the compiled twin was not built")


@pytest.mark.parametrize(
    ("made", "inside", "outside"),
    [
        (article, SENTENCES, ("story that you may like", "First!")),
        (thread, SENTENCES, ()),
        (product, ("lasts a lifetime", "can be washed"), ()),
        (listing, SENTENCES, ()),
        (documentation, ("close it when", "print(file.read())", "as a string"), ()),
    ],
)
def test_content_is_kept_and_what_is_around_it_is_not(
    made: Callable[[], bytes], inside: tuple[str, ...], outside: tuple[str, ...]
) -> None:
    found = kept(made(), "learned")
    assert [part for part in inside if part not in found] == []
    assert [part for part in (*outside, *AROUND) if part in found] == []


def test_a_page_tells_its_kind() -> None:
    assert {learned(outline_of(made())).kind for made in (article, thread, documentation)} <= set(KINDS)
    assert learned(outline_of(article())).kind == "article"
    assert density(outline_of(article())).kind == ""


def test_the_weights_are_small() -> None:
    assert Path(neural.__file__).with_name("weights.npz").stat().st_size < 500_000


def test_a_tiny_page_is_its_own_content() -> None:
    assert kept(b"<h1>It works!</h1><p>This is the default page of this server.</p>", "learned")


def test_a_page_of_links_alone_is_not_empty() -> None:
    assert kept(b"<ul>" + b"".join(b"<li><a href=/%d>Link %d</a>" % (n, n) for n in range(40)) + b"</ul>", "learned")


def test_text_between_breaks_is_content_too() -> None:
    found = kept(page("<table><tr><td>" + "<br><br>".join(SENTENCES * 2) + "</td></tr></table>"), "learned")
    assert all(sentence in found for sentence in SENTENCES)
    assert "cookies" not in found


def test_content_in_a_language_without_spaces_is_found() -> None:
    sentence = "市议会周二投票决定修复旧桥，该桥自春季洪水以来一直关闭。工程师多年来一直警告说，桥墩已经磨损。"
    found = kept(page(f"<div class=article-content>{f'<p>{sentence}</p>' * 8}</div>"), "learned")
    assert sentence in found
    assert "Imprint" not in found


def made_outlines() -> Iterator[Outline]:
    for made in (article(), thread(), product(), listing(), documentation(), b"<p>x", b"x<br>y", b"<a href=/>1</a>"):
        yield outline_of(made)
    chance = random.Random(7)
    tags = ("div", "p", "span", "a href=/", "b class='x y'", "li", "ul id=menu", "h1", "h3", "td", "table", "br", "img")
    texts = ("", " ", "word ", "Some words, and more. ", "Ünïcödé “quoted” text – ", "中文。")
    for _ in range(60):
        parts = []
        for _ in range(chance.randrange(1, 120)):
            tag = chance.choice(tags)
            parts += (f"<{tag}>" if chance.random() < 0.6 else f"</{tag.split()[0]}>", chance.choice(texts))
        found = by_tree("".join(parts).encode())
        if found is not None and len(found.owners):
            yield found


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([9, 9, -9, -1.5], [True, True, False, False]),
        ([-1, -8, -9, -1.5], [True, False, False, True]),
        ([-200, -400, -400, -400], [True, False, False, False]),
        ([6, -2, 6, -9], [True, True, True, False]),
        ([6, -2, 0, 6], [True, True, True, True]),
        ([6, -2, -3, 6], [True, False, False, True]),
        ([6, -1, -1, -1, -1, -1, 6], [True, False, False, False, False, False, True]),
    ],
    ids=["understood", "doubtful", "hopeless", "one between", "two between", "one bad between", "many between"],
)
def test_the_less_a_page_is_understood_the_more_of_it_is_kept(scores: list[float], expected: list[bool]) -> None:
    words = np.full(len(scores), 50, np.float32)
    assert likely(np.array(scores, np.float32), words, 2.0).tolist() == expected


@needs_twin
def test_the_compiled_twin_says_the_same_as_arrays() -> None:
    weights = learned_weights()
    model = Model(weights)
    for outline in made_outlines():
        found, expected = model.scored(outline), by_arrays(outline, weights)
        assert np.array_equal(found.numbers, expected.numbers)
        assert np.array_equal(found.words, expected.words)
        np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-3, atol=1e-2)
        np.testing.assert_allclose(model.kinds(found.page), model.kinds(expected.page), atol=1e-2)


@needs_twin
def test_the_compiled_twin_keeps_the_same_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(6)
    pages = [(chance.normal(-2, 6, size), chance.integers(0, 90, size)) for size in range(1, 200)]
    blocks = [(scores.astype(np.float32), words.astype(np.float32)) for scores, words in pages]
    found = [likely(*page, calm).tolist() for page in blocks for calm in CALMS]
    monkeypatch.setattr(MODULE, "score", None)
    assert found == [likely(*page, calm).tolist() for page in blocks for calm in CALMS]


@needs_twin
def test_the_compiled_twin_finds_the_same_blocks_and_headings() -> None:
    for outline in made_outlines():
        numbers, headings = numbered(outline)
        assert np.array_equal(numbers, split(outline).numbers)
        assert np.array_equal(headings, standing_in(outline, HEADINGS))


@needs_twin
def test_the_compiled_twin_makes_the_same_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    text = " a block\n\n \t\r another é\x0b\x0c ".encode()
    begins, ends = np.array([0, 9, 9, 0], np.int32), np.array([9, len(text), 11, 0], np.int32)
    found = hashes(text, begins, ends)
    monkeypatch.setattr("gossamer.convert.content.marks.score", None)
    assert found.tolist() == hashes(text, begins, ends).tolist()
    assert found[2] == found[3] == 0xCBF29CE484222325, "FNV-1a of nothing"


@needs_twin
def test_weights_of_another_shape_are_refused() -> None:
    weights = learned_weights()
    outline = next(made_outlines())
    with pytest.raises(ValueError, match="another shape"):
        Model(weights._replace(dense=weights.dense[:-1])).scored(outline)


@pytest.mark.parametrize("limit", ["ELEMENTS_MOST", "RUNS_MOST"])
def test_a_very_large_page_is_left_to_density(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(MODULE, limit, 10)
    outline = outline_of(article())
    assert np.array_equal(learned(outline).keep, density(outline).keep)


def test_deep_and_long_pages_are_scored_in_bounded_time() -> None:
    for made in (b"<div>" * 3_000 + b"words " * 50, b"<p>some words</p>" * 20_000, b"<span class=a>x" * 5_000):
        outline = outline_of(made)
        assert len(learned(outline).keep) == len(outline.owners)
