"""The compiled twin measures every text as NumPy does."""

from __future__ import annotations

import gzip
import importlib
import json
import random
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.dedupe import simhash_minhash
from gossamer.dedupe.shingles import UNSPACED, folded
from gossamer.dedupe.simhash_minhash_numpy import measure
from reference import reference

_prints = pytest.importorskip("gossamer.dedupe._prints", reason="the compiled twin was not built")


def assert_alike(text: str) -> None:
    assert _prints.measure(folded(text)) == measure(text), text[:500]


@settings(max_examples=300)
@given(st.text(max_size=200))
def test_any_text_is_measured_alike(text: str) -> None:
    assert_alike(text)


ODD = [*"ab éßİー々漢字กขាက𠀀Ａｱ한١²_-", "word", "\u0301", "\ud800", "\x00"]


@given(st.lists(st.sampled_from(ODD)))
def test_texts_of_many_scripts_are_measured_alike(parts: list[str]) -> None:
    assert_alike("".join(parts))


def test_every_character_is_of_a_word_or_not_for_both() -> None:
    assert_alike(" ".join(map(chr, range(0x40000))))


def test_the_bounds_of_scripts_are_the_same() -> None:
    for first, last, _ in UNSPACED:
        assert_alike("".join(f"a{chr(code)}b" for code in (first - 1, first, last, last + 1)))


def test_long_texts_are_measured_alike() -> None:
    rng = random.Random(1)
    assert_alike(" ".join(f"w{rng.randrange(50_000)}" for _ in range(200_000)))
    assert_alike("word " * 100_000)
    assert_alike("a" * 1_000_000)


def test_articles_are_measured_alike() -> None:
    with gzip.open(reference("near-dup-articles") / "docs.jsonl.gz", "rt") as file:
        for line in file:
            assert_alike(json.loads(line)["text"])


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError):
        _prints.measure(b"bytes")


def test_without_the_twin_numpy_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gossamer.dedupe._prints", None)
    monkeypatch.delattr("gossamer.dedupe._prints", raising=False)
    try:
        assert importlib.reload(simhash_minhash).measure is measure
    finally:
        monkeypatch.undo()
        importlib.reload(simhash_minhash)
    assert simhash_minhash.measure is not measure
