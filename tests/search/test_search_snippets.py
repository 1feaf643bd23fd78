"""What is shown of a page."""

from __future__ import annotations

from array import array
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.index.analysis import packed_places, terms
from gossamer.model import Hit
from gossamer.search import passages
from gossamer.search.snippets import JOINT, LENGTH, Snippet, marks_in, snippet

FILLER = "Nothing of interest is said here at all. "
QUESTION = {"tropical": 2.0, "fish": 1.0, "warm": 1.0}
SAID = ("fish", "Fish,", "water.", "stone\n", "x" * 40, "東京", "a", "fishing", "e\u0301te\u0301", "👩\u200d👧", "ไม่")
TEXTS = st.lists(st.sampled_from(SAID), max_size=250).map(" ".join)
ANY = st.text(st.characters(codec="utf-8"), max_size=600)


def words(shown: Snippet) -> list[str]:
    return [shown.text[start:end] for start, end in shown.marks]


def test_the_passage_with_most_of_the_question_is_shown() -> None:
    text = f"A fish. {FILLER * 20}Tropical fish live in warm water. {FILLER * 20}"
    shown = snippet(text, QUESTION, None)
    assert shown.text.startswith("Tropical fish live in warm water.")
    assert words(shown) == ["Tropical", "fish", "warm"]


def test_a_page_without_the_words_shows_its_beginning() -> None:
    assert snippet("First sentence. Second one.", {"fish": 1.0}, None) == Snippet("First sentence. Second one.")
    assert snippet("", {"fish": 1.0}, None) == snippet("", {}, None) == Snippet()
    assert snippet(FILLER * 50, {"fish": 1.0}, None).text == (FILLER * 5).strip()


def test_a_passage_keeps_its_words_when_its_sentence_begins_far_before_them() -> None:
    lead = "which is a matter that people who keep animals in their houses have discussed for years, "
    text = f"{FILLER * 3}There are {lead}tropical things, {'and so on and so on, ' * 6}then fish at last. {FILLER * 3}"
    shown = snippet(text, {"tropical": 2.0, "fish": 1.0}, None)
    assert words(shown) == ["tropical", "fish"]
    assert len(shown.text) <= LENGTH


def test_words_that_stand_apart_are_shown_in_two_passages() -> None:
    text = f"Tropical plants need light. {FILLER * 30}A fish needs water. {FILLER * 30}"
    shown = snippet(text, QUESTION, None)
    one, other = shown.text.split(JOINT)
    assert one.startswith("Tropical plants need light.")
    assert "A fish needs water." in other
    assert words(shown) == ["Tropical", "fish"]


def test_two_short_passages_may_have_more_of_the_question_than_a_long_one() -> None:
    text = f"A tropical fish. {FILLER * 4}Fish again. {FILLER * 4}Warm water. {FILLER * 4}"
    wanted = {"tropical": 1.0, "fish": 1.0, "warm": 1.0, "water": 1.0}
    assert {word.lower() for word in words(snippet(text, wanted, None))} == set(wanted)


def test_a_sentence_is_preferred_to_a_list_of_links_and_to_code() -> None:
    links = "Home\nTropical Fish\nAbout Us\nContact\nShop\nFish Food\n"
    code = "fish = {tropical: [1, 2]}; if (fish == null) { return fish_list[tropical]; }\n"
    sentence = "A tropical fish is happy in warm water."
    text = f"{links}{FILLER * 10}{code}{FILLER * 10}{sentence} {FILLER * 10}"
    assert sentence in snippet(text, {"tropical": 1.0, "fish": 1.0}, None).text


def test_words_near_each_other_are_preferred() -> None:
    apart = f"Tropical storms are dangerous. {FILLER * 3}A fish is not. "
    text = f"{apart}{FILLER * 10}Some tropical fish are red. {FILLER * 10}"
    assert "tropical fish" in snippet(text, {"tropical": 1.0, "fish": 1.0}, None).text


def test_a_word_that_tells_little_is_marked_but_decides_nothing() -> None:
    text = f"The the the fish. {FILLER * 10}A tropical fish swims. {FILLER * 10}The end."
    shown = snippet(text, {"the": 0.01, "tropical": 3.0, "fish": 2.0}, None)
    assert JOINT not in shown.text
    assert "tropical fish" in shown.text
    assert [word.lower() for word in words(snippet("The fish.", {"the": 0.01, "fish": 2.0}, None))] == ["the", "fish"]


def test_a_long_text_is_looked_through_to_its_end_unless_its_beginning_has_all() -> None:
    late = f"A fish. {FILLER * 200}Tropical fish live in warm water. {FILLER * 200}"
    shown = snippet(late, QUESTION, None)
    assert shown.text.startswith("Tropical fish live in warm water.")
    assert words(shown) == ["Tropical", "fish", "warm"]
    assert snippet(f"Warm tropical fish. {late}", QUESTION, None).text.startswith("Warm tropical fish.")
    assert words(snippet(f"{'x' * 5_000}warm fish", QUESTION, None)) == ["fish"]


def test_a_text_without_blanks_is_cut_between_characters() -> None:
    text = "東京タワーは高いです。" * 60
    shown = snippet(text, {"高": 1.0}, "ja")
    assert LENGTH // 2 < len(shown.text) <= LENGTH
    assert set(words(shown)) == {"高"}
    for cluster in ("👩\u200d👩\u200d👧", "e\u0301", "🇩🇪", "👍🏽", "\u1100\u1161\u11a8"):
        for before in ("", "a", "ab"):
            whole = before + cluster * ((LENGTH - len(before)) // len(cluster))
            assert snippet(before + cluster * 300, {"x": 1.0}, None).text == whole


@given(TEXTS, st.sampled_from([None, "en"]))
def test_a_snippet_is_short_is_of_the_page_and_its_marks_are_of_the_question(text: str, language: str | None) -> None:
    wanted = {"fish": 1.0, "water": 2.0, "京": 0.5}
    check(text, wanted, snippet(text, wanted, language), language)


@given(ANY, st.lists(st.text(max_size=3), max_size=3))
def test_the_same_of_any_text(text: str, some: list[str]) -> None:
    wanted = dict.fromkeys((term for each in some for term in terms(each)), 1.0)
    check(text, wanted, snippet(text, wanted, None), None)


def check(text: str, wanted: dict[str, float], shown: Snippet, language: str | None) -> None:
    assert len(shown.text) <= LENGTH
    assert all(part in text.replace("\n", " ") for part in shown.text.split(JOINT))
    end = 0
    for start, stop in shown.marks:
        assert end <= start < stop <= len(shown.text)
        assert set(terms(shown.text[start:stop], language)) <= wanted.keys()
        end = stop


@given(st.integers(0, 10_000))
def test_no_word_is_lost_that_a_passage_was_chosen_for(seed: int) -> None:
    """As many words of the question are marked as stand together anywhere."""
    random = Random(seed)
    said = random.choices(["fish", "water", "stone"], k=6) + random.choices(["and", "so.", "on\n", "long" * 8], k=150)
    random.shuffle(said)
    text = " ".join(said)
    met = [(at, word) for word in ("fish", "water", "stone") for at in starts(text, word)]
    best = max(len({other for there, other in met if at <= there <= at + LENGTH - len(other)}) for at, _ in met)
    shown = snippet(text, {"fish": 1.0, "water": 1.0, "stone": 1.0}, None)
    assert len(set(words(shown))) >= best
    assert all(word in [*said, "on", "so"] for word in shown.text.replace(JOINT, " ").replace(".", "").split())


def starts(text: str, word: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(word, at)]


def test_marks_are_elements_and_all_else_is_escaped() -> None:
    hit = Hit("http://a.org/", "Fish & <b>", "a <b> fish & more", 1.0, ((6, 10),), title_marks=((0, 4),))
    assert hit.snippet_html == "a &lt;b&gt; <mark>fish</mark> &amp; more"
    assert hit.title_html == "<mark>Fish</mark> &amp; &lt;b&gt;"


def test_the_words_of_a_title_are_marked() -> None:
    assert marks_in("Fishes & fishing", ["fish"], "en") == ((0, 6), (9, 16))
    assert marks_in("", ["fish"], "en") == ()


PLACES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 30), st.integers(0, 4)), max_size=60)


@given(PLACES, st.lists(st.sampled_from((0.0, 0.1, 1.0, 2.3)), min_size=5, max_size=5), st.integers(0, 300))
def test_the_compiled_way_finds_the_same_passages(
    steps: list[tuple[int, int, int]], weights: list[float], width: int
) -> None:
    if passages._passages is None:
        pytest.skip("there was no C compiler")
    found, at = array("i"), 0
    for step, length, term in steps:
        at += step
        found.extend((at, at + length, term))
    places = found.tobytes()
    assert passages._looked(places, tuple(weights), width) == passages.by_looking(places, weights, width)


def test_a_place_of_a_term_without_a_weight_is_refused() -> None:
    if passages._passages is None:
        pytest.skip("there was no C compiler")
    places = packed_places("a fish", None, ("water", "fish"))
    with pytest.raises(ValueError, match="no weight"):
        passages._looked(places, (1.0,), 220)


@pytest.mark.parametrize("space", ["\n", " "])
def test_words_beyond_what_was_looked_through_are_marked_whole_where_they_are_shown(space: str) -> None:
    said = snippet(f"heron{space}" * 10_000, {"heron": 1.0}, "en")
    assert {said.text[start:end] for start, end in said.marks} == {"heron"}
    assert len(said.marks) == said.text.count("heron")
