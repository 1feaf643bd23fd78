"""Terms: what a page is found by."""

from __future__ import annotations

import gc
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.index import analysis
from gossamer.index.analysis import by_pattern, split, terms, unspaced


class Same(dict[str, str]):
    def __missing__(self, word: str) -> str:
        return word


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("Running runners RAN", "en", ["run", "runner", "ran"]),
        ("Die Häuser des Hauses", "de", ["die", "haus", "des", "haus"]),
        ("chevaux cheval", "fr", ["cheval", "cheval"]),
        ("Running runners", None, ["running", "runners"]),
        ("Running", "xx", ["running"]),
        ("foo_bar-baz C++ 3.14", None, ["foo_bar", "baz", "c", "3", "14"]),
        ("東京 Tower", "ja", ["東", "京", "tower"]),
        ("ｆｕｌｌ ﬁne", None, ["full", "fine"]),
        ("नमस्ते दुनिया।", None, ["नमस्ते", "दुनिया"]),
        ("x" * 65 + " y", None, ["y"]),
        ("İstanbul", None, ["i̇stanbul"]),
        ("", "en", []),
    ],
)
def test_words_become_terms(text: str, language: str | None, found: list[str]) -> None:
    assert terms(text, language) == found


@given(st.text(max_size=300))
def test_the_compiled_way_is_the_same(text: str) -> None:
    if analysis._words is None:
        pytest.skip("there was no C compiler")
    assert split(text, Same()) == by_pattern(text, Same())


@given(st.text(alphabet=st.characters(min_codepoint=0x0D00, max_codepoint=0x3200), max_size=60))
def test_the_compiled_way_is_the_same_in_scripts_without_spaces(text: str) -> None:
    assert split(text, Same()) == by_pattern(text, Same())


def test_a_dictionary_that_fails_is_heard() -> None:
    with pytest.raises(KeyError, match="word"):
        split("a word", {"a": "a"})


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


def test_memory_for_stems_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "REMEMBERED_MOST", 100)
    known = analysis._Stems("en")
    for number in range(1_000):
        assert known[f"walking{number}"]
    assert len(known) <= 100


def test_characters_of_scripts_without_spaces_are_known() -> None:
    assert unspaced("京")
    assert not unspaced("a")
    assert not unspaced("東京")
