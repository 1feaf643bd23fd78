"""What of a text counts, and what does not."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.dedupe import (
    Passages,
    bands,
    chance,
    distance,
    estimate,
    fingerprints,
    print_of,
    resemblance,
    shingles,
    simhash,
    sketch,
    text_digest,
    winnow,
    words,
)

VOCABULARY = [f"word{number}" for number in range(20_000)]


def text_of(rng: random.Random, length: int) -> list[str]:
    return rng.choices(VOCABULARY, k=length)


def edited(rng: random.Random, text: list[str], share: float) -> list[str]:
    """The same, with a run of words replaced."""
    count = round(share * len(text))
    start = rng.randrange(len(text) - count + 1)
    return [*text[:start], *text_of(rng, count), *text[start + count :]]


# ------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Hello, World!  2nd-hand", ["hello", "world", "2nd", "hand"]),
        ("snake_case", ["snake", "case"]),
        ("Größe ÉTÉ", ["größe", "été"]),
        ("e\u0301te\u0301", ["été"]),
        ("漢字 kanji", ["漢", "字", "kanji"]),
        ("東京はビール", ["東", "京", "は", "ビ", "ー", "ル"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("日本語、テスト。", ["日", "本", "語", "テ", "ス", "ト"]),
        ("\u212a", ["k"]),
        ("Привет, МИР", ["привет", "мир"]),
        ("lone \ud800 surrogate", ["lone", "surrogate"]),
    ],
)
def test_words_are_runs_of_letters_and_digits(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_shingles_of_a_script_without_spaces_are_shingles_of_characters() -> None:
    assert shingles("東京タワー", 2) == {"東 京", "京 タ", "タ ワ", "ワ ー"}


def test_a_text_shorter_than_a_shingle_is_one_shingle() -> None:
    assert shingles("two words", 3) == {"two words"}
    assert shingles("...", 3) == set()


@given(st.text())
def test_case_spaces_and_punctuation_do_not_count(text: str) -> None:
    plain = " ".join(words(text))
    assert print_of(f"  {plain}!\n") == print_of(plain) == print_of(", ".join(words(text)))
    assert text_digest(plain) == text_digest(f"«{plain}»")


def test_the_digest_sees_every_word() -> None:
    assert text_digest("one two") != text_digest("two one")
    assert text_digest("one two") != text_digest("onetwo")


# ----------------------------------------------------------------- simhash


def test_the_simhash_of_nothing_is_zero_and_of_one_word_its_hash() -> None:
    assert simhash("") == simhash("...") == 0
    assert simhash("word") == simhash("WORD word") != 0
    assert simhash("word") != simhash("words")


def test_a_small_edit_flips_few_bits_and_another_text_half_of_them() -> None:
    rng = random.Random(1)
    texts = [text_of(rng, 400) for _ in range(50)]
    near = [distance(simhash(" ".join(text)), simhash(" ".join(edited(rng, text, 0.01)))) for text in texts]
    far = [distance(simhash(" ".join(one)), simhash(" ".join(other))) for one, other in pairwise(texts)]
    assert sum(near) / len(near) < 4
    assert 28 < sum(far) / len(far) < 36


# --------------------------------------------------------------- winnowing


@given(st.lists(st.integers(0, 50), max_size=60), st.integers(1, 12))
def test_winnowing_is_the_rightmost_minimum_of_every_window(hashes: list[int], window: int) -> None:
    size = min(window, len(hashes))
    expected = set()
    for start in range(len(hashes) - size + 1 if hashes else 0):
        least = min(hashes[start : start + size])
        expected.add(max(at for at in range(start, start + size) if hashes[at] == least))
    assert [place for place, _ in winnow(hashes, window)] == sorted(expected)


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 8))
def test_a_passage_as_long_as_window_and_shingle_is_always_found(seed: int, n: int, window: int) -> None:
    rng = random.Random(seed)
    passage = text_of(rng, window + n - 1)
    one = [*text_of(rng, rng.randrange(30)), *passage, *text_of(rng, rng.randrange(30))]
    other = [*text_of(rng, rng.randrange(30)), *passage, *text_of(rng, rng.randrange(30))]
    assert fingerprints(" ".join(one), n, window) & fingerprints(" ".join(other), n, window)


def test_winnowing_keeps_about_two_of_window_and_one() -> None:
    rng = random.Random(2)
    kept = winnow([rng.getrandbits(64) for _ in range(20_000)], 9)
    assert 0.19 < len(kept) / 20_000 < 0.21


def test_passages_tells_who_is_quoted() -> None:
    rng = random.Random(3)
    pages = {name: text_of(rng, 300) for name in "abcd"}
    index: Passages[str] = Passages()
    for name, page in pages.items():
        index.add(name, fingerprints(" ".join(page)))
    quoting = [*text_of(rng, 200), *pages["c"][100:140], *text_of(rng, 200)]
    first, *rest = index.sharing(fingerprints(" ".join(quoting)))
    assert (first.name, rest) == ("c", [])
    assert 0.03 < first.resemblance < first.containment < 0.15
    assert index.sharing(fingerprints(" ".join(pages["a"])))[0].resemblance == 1.0


# ----------------------------------------------------------------- minhash


@pytest.mark.parametrize("length", [20, 60, 300, 3_000])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.6])
def test_the_estimate_is_near_the_resemblance(length: int, share: float) -> None:
    rng = random.Random(length)
    errors = []
    for _ in range(100):
        text = text_of(rng, length)
        one, other = " ".join(text), " ".join(edited(rng, text, share))
        errors.append(estimate(sketch(one), sketch(other)) - resemblance(one, other, 2))
    assert abs(sum(errors)) / len(errors) < 0.02
    deviation = (sum(error**2 for error in errors) / len(errors)) ** 0.5
    assert deviation < 1.25 * (0.25 / 256) ** 0.5


def test_equal_texts_have_equal_sketches_and_others_nothing_in_common() -> None:
    rng = random.Random(4)
    one, other = (" ".join(text_of(rng, 500)) for _ in range(2))
    assert estimate(sketch(one), sketch(one.upper())) == 1.0
    assert estimate(sketch(one), sketch(other)) < 0.05
    assert estimate(sketch(""), sketch("")) == 1.0
    assert estimate(sketch("word"), sketch("another")) == 0.0


def test_bands_let_through_what_the_curve_says() -> None:
    rng = random.Random(5)
    expected = seen = 0.0
    for _ in range(300):
        text = text_of(rng, 2_000)
        one, other = " ".join(text), " ".join(edited(rng, text, rng.choice([0.2, 0.3, 0.4])))
        expected += chance(resemblance(one, other, 2), 20, 5)
        both = zip(bands(sketch(one)), bands(sketch(other)), strict=True)
        seen += any(mine == theirs for mine, theirs in both)
    assert 100 < expected < 250
    assert abs(seen - expected) < 25
