"""Snippets and spelling."""

from __future__ import annotations

from random import Random

import pytest

from gossamer.search.snippets import LENGTH, Snippet, snippet
from gossamer.search.spelling import corrected, distance, nearest


def test_the_passage_with_most_of_the_question_is_shown() -> None:
    filler = "Nothing of interest is said here at all. " * 20
    text = f"A fish. {filler}Tropical fish live in warm water. {filler}"
    shown = snippet(text, {"tropical": 2.0, "fish": 1.0, "warm": 1.0}, None)
    assert shown.text.startswith("Tropical fish live in warm water.")
    assert [shown.text[a:b] for a, b in shown.marks] == ["Tropical", "fish", "warm"]


def test_a_page_without_the_words_shows_its_beginning() -> None:
    assert snippet("First sentence. Second one.", {"fish": 1.0}, None) == Snippet("First sentence. Second one.")
    assert snippet("", {"fish": 1.0}, None) == Snippet()


def test_a_snippet_is_short_and_its_marks_lie_within() -> None:
    random = Random(5)
    words = ["fish", "Fish,", "water.", "stone\n", "x" * 40, "東京", "a"]
    for _ in range(200):
        text = " ".join(random.choices(words, k=random.randrange(200)))
        shown = snippet(text, {"fish": 1.0, "water": 2.0}, None)
        assert len(shown.text) <= LENGTH
        assert all(shown.text[a:b].lower() in ("fish", "water") for a, b in shown.marks)
        assert list(shown.marks) == sorted(shown.marks)


def test_marks_are_elements_and_all_else_is_escaped() -> None:
    assert Snippet("a <b> fish & more", ((6, 10),)).html == "a &lt;b&gt; <mark>fish</mark> &amp; more"


@pytest.mark.parametrize(
    ("one", "other", "far"),
    [("kitten", "sitting", 3), ("form", "from", 1), ("abc", "abc", 0), ("", "ab", 2), ("recieve", "receive", 1)],
)
def test_how_far_words_are_apart(one: str, other: str, far: int) -> None:
    assert distance(one, other, 5) == far


def test_words_that_are_far_apart_are_not_measured_to_the_end() -> None:
    assert distance("abcdefgh", "zyxwvuts", 2) == 3


def test_the_nearest_and_then_the_most_frequent_is_meant() -> None:
    assert nearest("fisch", [("fish", 3), ("fists", 90), ("firsch", 1)]) == "fish"
    assert nearest("wrd", [("word", 5), ("ward", 9)]) == "ward"
    assert nearest("nothing", [("elephant", 100)]) is None


def test_known_and_short_words_are_left_alone() -> None:
    found = corrected(["fsh", "fihs", "fish"], {"fish"}.__contains__, lambda letter: [("fish", 2)])
    assert found == {"fihs": "fish"}


def test_a_long_text_is_looked_through_to_its_end_unless_its_beginning_has_all() -> None:
    filler = "Nothing of interest is said here at all. " * 200
    late = f"A fish. {filler}Tropical fish live in warm water. {filler}"
    terms = {"tropical": 2.0, "fish": 1.0, "warm": 1.0}
    shown = snippet(late, terms, None)
    assert shown.text.startswith("Tropical fish live in warm water.")
    assert [shown.text[a:b] for a, b in shown.marks] == ["Tropical", "fish", "warm"]
    assert snippet(f"Warm tropical fish. {late}", terms, None).text.startswith("Warm tropical fish.")
    unbroken = f"{'x' * 5_000}warm fish"
    assert [snippet(unbroken, terms, None).text[a:b] for a, b in snippet(unbroken, terms, None).marks] == ["fish"]
