"""What strangers wrote does nothing to a terminal, and JSON stays the same value."""

from __future__ import annotations

import json
import logging
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer import printable
from gossamer.cli.out import complain

BIDI = {"\u061c", "\u200e", "\u200f", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}
TEXTS = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from(
            ["\x1b", "\x9b", "\x7f", "\x85", "\u202e", "\u2066", "\u2028", "\ufeff", "\udcff", "\r", *BIDI]
        ),
    )
)


def is_harmful(character: str) -> bool:
    return character in BIDI or unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")


@given(TEXTS)
def test_nothing_that_is_shown_moves_a_cursor_or_turns_words_around(said: str) -> None:
    assert not [each for each in printable.text(said) if is_harmful(each) and each not in "\n\t"]
    assert not [each for each in printable.line(said) if is_harmful(each)]
    printable.text(said).encode()


@given(TEXTS)
def test_json_has_none_of_it_and_the_same_value(said: str) -> None:
    told = printable.json({"said": said, said: [said]})
    assert not [each for each in told if is_harmful(each)]
    whole = "".join("\ufffd" if unicodedata.category(each) == "Cs" else each for each in said)
    assert json.loads(told) == ({"said": [whole]} if whole == "said" else {"said": whole, whole: [whole]})


def test_json_has_no_number_without_an_end() -> None:
    told = printable.json({"a": [float("inf"), (1.5, float("-inf"))], "b": {"c": float("nan")}, "d": 1e308})
    assert json.loads(told, parse_constant=pytest.fail) == {"a": [None, [1.5, None]], "b": {"c": None}, "d": 1e308}


def test_what_scripts_need_stays() -> None:
    for said in ("می\u200cخواهم", "👩\u200d👩\u200d👧", "東京\u3000タワー", "10\u00a0km", "Straße\n\tund mehr"):
        assert printable.text(said) == said


@pytest.mark.parametrize(
    ("said", "told"), [("\x1b[2J", r"\x1b[2J"), ("\x9b2J", r"\x9b2J"), ("\u202eabc", r"\u202eabc"), ("a\rb", r"a\rb")]
)
def test_an_escape_says_what_was_there(said: str, told: str) -> None:
    assert printable.text(said) == told
    assert printable.json(said) in (f'"{told}"', f'"{told}"'.replace(r"\x", r"\u00"))


def test_letters_without_a_shape_are_seen() -> None:
    for each in "\u034f\u115f\u1160\u180e\u3164\uffa0\ufffe\uffff\U0001d173\U0001d17a":
        assert each not in printable.text(f"a{each}b") + printable.line(each)
        assert each not in printable.json(each)
        assert json.loads(printable.json(each)) == each
    assert printable.text("Silben\u00adtrennung") == "Silben\u00adtrennung"


def test_what_is_logged_is_harmless(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("gossamer").warning("%s could not be read: %r", "http://a/\x9b2J\u202e", ValueError("\x1b"))
    assert caplog.messages == [r"http://a/\x9b2J\u202e could not be read: ValueError('\x1b')"]


def test_a_complaint_repeats_no_endless_word(capsys: pytest.CaptureFixture[str]) -> None:
    address = f"http://a.test/{'x' * 2_000}"
    complain(f"{address}: and '{'y' * 16_000}' is wrong; mend it")
    said = capsys.readouterr().err
    assert said.startswith(f"gossamer: {address}: and 'yyy")
    assert said.endswith("... (16,002 characters) is wrong; mend it\n")
    assert len(said) < 3_000
