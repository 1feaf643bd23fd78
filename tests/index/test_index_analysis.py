"""Terms: what a page is found by."""

from __future__ import annotations

import gc
import tracemalloc
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from string import ascii_lowercase

import pytest
import Stemmer  # type: ignore[import-not-found]  # it has no types
from hypothesis import given
from hypothesis import strategies as st

from gossamer.index import analysis, words
from gossamer.index.analysis import APART, STEMMERS, joined, packed_places, terms, unspaced
from gossamer.index.token_filters import NAMES_OF_ONE_PIECE, forms, reduced
from gossamer.index.words import ByPattern, Place
from reference import ROOT


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("Running runners RAN", "en", ["run", "runner", "ran"]),
        ("Die Häuser des Hauses", "de", ["die", "haus", "des", "haus"]),
        ("chevaux cheval", "fr", ["cheval", "cheval"]),
        ("Running runners", None, ["running", "runners"]),
        ("Running", "xx", ["running"]),
        ("foo_bar-baz C++ 3.14", None, ["foo", "bar", "baz", "c++", "3", "14"]),
        ("東京 Tower", "ja", ["東", "京", "tower"]),
        ("ｆｕｌｌ ﬁne", None, ["full", "fine"]),
        ("नमस्ते दुनिया।", None, ["नमस्ते", "दुनिया"]),
        ("x" * 65 + " y", None, ["y"]),
        ("İstanbul", None, ["istanbul"]),
        ("____ -- ...", None, []),
        ("", "en", []),
    ],
)
def test_words_become_terms(text: str, language: str | None, found: list[str]) -> None:
    assert terms(text, language) == found


TEXTS = st.one_of(
    st.text(max_size=300),
    st.text(alphabet="abAB_09 .-é東ж", max_size=300),
    st.text(alphabet="aB1_ .-+#(\xad\u2011\u0301é東", max_size=150),
    st.lists(st.sampled_from(("ab", "C", "É", "x" * 20, *"-._# ", "++", "\u200d")), max_size=40).map("".join),
    st.text(alphabet=st.characters(min_codepoint=0x0D00, max_codepoint=0x3200), max_size=60),
)


@given(st.lists(TEXTS, max_size=4), st.integers(1, 20))
def test_the_compiled_way_is_the_same(texts: list[str], most: int) -> None:
    if words.Stems is ByPattern:
        pytest.skip("there was no C compiler")
    pieces = None
    for stem in (str, lambda word: word[2:], lambda word: word * 3, _apart, partial(reduced, stem=_shorter)):
        if isinstance(stem, partial):
            pieces = NAMES_OF_ONE_PIECE
        one, other = words.Stems(stem, most, 0, pieces), ByPattern(stem, most)
        assert [one.joined(text) for text in texts] == [other.joined(text) for text in texts]
        wanted = tuple(other.joined(" ".join(texts)).split(" ")[::2])
        parts = _parts if pieces is None else _parts_of(_shorter, wanted)
        assert [one.met(text, wanted, parts) for text in texts] == [other.met(text, wanted, parts) for text in texts]


@given(st.lists(TEXTS, max_size=4), st.lists(TEXTS, max_size=2), st.sampled_from((None, "de", "en")))
def test_words_that_are_passed_over_from_afar_are_none_of_those_that_are_wanted(
    texts: list[str], others: list[str], language: str | None
) -> None:
    """Plain words are told by their first letters; what has signs or other letters within is read."""
    known, slow = analysis._stems(language), ByPattern(partial(reduced, stem=analysis._stem(language)), 100)
    wanted = tuple(dict.fromkeys(known.joined(" ".join((*texts[::2], *others))).replace(APART, " ").split()))
    parts = _parts_of(analysis._stem(language), wanted)
    for text in (*texts, " ".join(texts), "-".join(texts), ".".join(texts)):
        assert known.met(text, wanted, parts) == slow.met(text, wanted, parts)
        first, last = len(text) // 3, len(text) - len(text) // 4
        assert known.met(text, wanted, parts, first, last) == slow.met(text, wanted, parts, first, last)


def _parts_of(stem: Callable[[str], str], wanted: Sequence[str]) -> Callable[[str], tuple[Place, ...]]:
    """What tells where the wanted parts of a name stand in it. The compiled way asks for those that are not ASCII."""
    numbers = {term: number for number, term in reversed(list(enumerate(wanted)))}

    def parts(name: str) -> tuple[Place, ...]:
        plain = words.written(name)
        found = forms(plain, stem)
        if len(plain) != len(name) or len(found.spans) == 1:
            return ()
        return tuple(analysis._within(zip(found.spans, found.parts, found.lesser, strict=True), numbers))

    return parts


def _parts(name: str) -> tuple[tuple[int, int, int], ...]:
    """Of some names two, of others none."""
    return ((0, 1, 7), (len(name) - 1, len(name), 3)) if len(name) % 2 else ()


def _shorter(word: str) -> str:
    return word[:-1] if len(word) % 2 else word


def _apart(word: str) -> str:
    """Some terms in order and some apart, or only those."""
    return word.replace("-", " ").replace("a", "") + APART * (len(word) % 3) + word.replace("b", " ")


@pytest.mark.parametrize("language", [None, "en", "de", "tr"])
def test_the_compiled_way_is_the_same_for_texts_of_the_web(language: str | None) -> None:
    if words.Stems is ByPattern:
        pytest.skip("there was no C compiler")
    texts = [path.read_text("utf-8", "replace")[:50_000] for path in sorted(ROOT.glob("wcxb-dev-sample/html/*"))[:6]]
    if not texts:
        pytest.skip("the pages are not there")
    slow = ByPattern(partial(reduced, stem=analysis._stem(language)), 100_000)
    for text in texts:
        assert joined(text, language) == slow.joined(text)
        wanted = tuple(sorted(set(terms(text, language)))[::20])
        parts = _parts_of(analysis._stem(language), wanted)
        assert analysis._stems(language).met(text, wanted, parts) == slow.met(text, wanted, parts)


@pytest.mark.parametrize("language", [None, *STEMMERS])
def test_words_are_found_where_they_stand_in_every_language(language: str | None) -> None:
    """Also by the shortcut that looks at first letters: it holds in all languages but those that are excepted."""
    random = Random(f"starts {language}")
    text = " ".join(_made(random) for _ in range(3_000))
    wanted = tuple(dict.fromkeys(terms(text, language)[::50]))
    stem = STEMMERS.get(language or "")
    slow = ByPattern(Stemmer.Stemmer(stem, 0).stemWord if stem else str, 10_000)
    assert packed_places(text, language, wanted) == slow.met(text.lower(), wanted, lambda _: ())


@pytest.mark.parametrize("language", [None, "en"])
def test_words_that_begin_otherwise_than_their_stems_are_found(language: str | None) -> None:
    """All beginnings of two letters with endings that are taken off, also twice: `dying` is found by `die`."""
    ends = ("", *"sdgye", "ed", "ing", "ying", "edly", "ingly", "ings", "ly", "ies", "ied", "eed", "ness", "ation")
    made = {first + second + end for first in ascii_lowercase for second in ("", *ascii_lowercase) for end in ends}
    text = " ".join(sorted(made))
    slow = ByPattern(partial(reduced, stem=analysis._stem(language)), 100_000)
    for number in range(5):
        wanted = ("die", "tie", "e", *Random(number).sample(sorted({*terms(text, language)}), 40))
        assert analysis._stems(language).met(text, wanted, _parts) == slow.met(text, wanted, _parts)


def _made(random: Random) -> str:
    start = random.choice(("", "ge", "be", "me", "di", "ter", "h", "mb", "bhf", "dj", "dz", "un", "al", "ke", "n", "t"))
    body = "".join(random.choices(ascii_lowercase, k=random.randint(1, 6)))
    word = start + body + random.choice(("", "s", "ing", "en", "ung", "di", "ler", "kan", "i", "ement", "os", "ovat"))
    return random.choice((word, word.upper(), word.title()))


def test_many_words_are_remembered_each_with_its_own_stem() -> None:
    asked: list[str] = []

    def turned(word: str) -> str:
        asked.append(word)
        return word[::-1]

    known = words.Stems(turned, 50_000)
    each = [f"{number}{'x' * (number % 40)}é"[: 1 + number % 60] + str(number) for number in range(20_000)]
    each = list(dict.fromkeys(each))
    for _ in range(2):
        assert known.joined(" ".join(each)).split() == [word[::-1] for word in each if len(word) <= 64]
    assert len(asked) < 1.01 * len(each)


def test_a_stemmer_that_fails_is_heard() -> None:
    with pytest.raises(KeyError, match="word"):
        words.Stems({"a": "a"}.__getitem__, 10).joined("a word")
    with pytest.raises(TypeError):
        words.Stems(len, 10).joined("word")  # type: ignore[arg-type]  # it gives no text


def test_a_stem_is_not_kept_alive_by_the_compiled_way() -> None:
    text = "some words of a text that is read again and again " * 50
    terms(text, "en")
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(200):
            terms(text, "en")
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < 50_000


def test_memory_for_stems_is_bounded() -> None:
    known = words.Stems(str.lower, 100)
    tracemalloc.start()
    try:
        for number in range(5_000):
            assert known.joined(f"Walking{number}") == f"walking{number}"
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < 100_000


def test_memory_for_stems_is_bounded_over_all_languages() -> None:
    """Pages of words that nobody has used before, each held to be of another language."""
    if words.Stems is ByPattern:
        pytest.skip("there was no C compiler")
    analysis._stems.cache_clear()
    tracemalloc.start()
    try:
        for language, count in (("en", 150_000), ("de", 10_000), ("fr", 10_000), (None, 10_000)):
            terms(" ".join(f"{number:x}w" for number in range(count)), language)
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        analysis._stems.cache_clear()
    assert grown < 24_000_000


def test_stems_of_common_words_are_remembered_among_words_that_come_once() -> None:
    asked: Counter[str] = Counter()

    def stem(word: str) -> str:
        asked[word] += 1
        return word

    known = words.Stems(stem, 4_096)
    for number in range(200):
        known.joined("the of and " + " ".join(f"w{number}x{each}" for each in range(100)))
    assert asked["the"] + asked["of"] + asked["and"] < 60


def test_characters_of_scripts_without_spaces_are_known() -> None:
    assert unspaced("京")
    assert not unspaced("a")
    assert not unspaced("東京")
