"""A text has what people see, and what their scripts need; nothing hides in it."""

from __future__ import annotations

import sys
from unicodedata import combining, is_normalized

import pytest

from gossamer.convert import document
from gossamer.convert.clean import clean
from gossamer.convert.invisible_characters import HALF, MARKS_MOST, ODD, PILED, UNSEEN, look, without

FLAG = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Donau\xaddampf\xadschiff", "Donaudampfschiff"),
        ("Donau\xaddampf – schiff", "Donaudampf – schiff"),
        ("very\u200blong\u2060word\ufeff – here", "verylongword – here"),
        ("\u202eabc\u202c \u2066x\u2069 \u200e\u200f\u061c – y", "abc x  – y"),
        ("f\u2061(x) – \u206a\ufff9", "f(x) – "),
        ("Auf\u200clage – w\u200do\u200drd", "Auflage – word"),
        ("می\u200cشود", "می\u200cشود"),
        ("क्\u200dष", "क्\u200dष"),
        ("\U0001f469\u200d\U0001f4bb", "\U0001f469\u200d\U0001f4bb"),
        ("ភាសា\u200bខ្មែរ", "ភាសា\u200bខ្មែរ"),
        (f"{FLAG} – flag", f"{FLAG} – flag"),
        ("read this\U000e0068\U000e0069 – or not", "read this – or not"),
        ("10\xa0000 – \xa0", "10 000 –  "),
        ("10\xa0000", "10 000"),
        ("e\u200b\u0301", "é"),
    ],
)
def test_what_is_not_seen_is_left_out_and_what_scripts_need_stays(text: str, seen: str) -> None:
    assert clean(text) == seen


def test_no_character_that_is_called_plain_could_be_written_in_another_way() -> None:
    """The compiled look asks no table of Unicode: it may call plain only what no normal form ever changes."""
    for code in range(0x80, sys.maxunicode + 1):
        character = chr(code)
        found = look(character)
        if 0xD800 <= code < 0xE000:
            assert found == HALF
        elif not found & ODD:
            assert is_normalized("NFC", f"a{character}"), hex(code)
            assert not combining(character), hex(code)


@pytest.mark.parametrize("between", ["x", "ж", "中", "é", "12345678"])
def test_a_pile_is_a_row_of_more_marks_than_any_language_has(between: str) -> None:
    most = "\u0301" * MARKS_MOST
    assert look(f"abc{most}\u0301def") & PILED
    assert look(f"{most}\U0001d165") & PILED
    others = look(f"abc{most}{between}\u0301def")
    assert not others & PILED or look("plain") & PILED, "without a compiler each text is called one"


def test_all_that_is_dropped_is_met_by_the_look() -> None:
    for code in range(0x80, sys.maxunicode + 1):
        if not 0xD800 <= code < 0xE000 and without(chr(code)) != chr(code):
            assert look(f"abcdefghi{chr(code)}jklmnopqrst") & UNSEEN, hex(code)


def test_no_break_spaces_of_a_pre_are_spaces_in_every_form() -> None:
    page = document(b"<h1>A</h1><p>Some words of a page.</p><pre>char&nbsp;*x</pre><p>b&nbsp;c", media_type="text/html")
    for said in (page.text, page.content, page.html, page.markdown):
        assert "char *x" in said
        assert "\xa0" not in said
        assert "\\xa0" not in said


def test_words_of_a_page_are_found_without_their_soft_hyphens() -> None:
    page = document(
        (
            "<title>Donau\xaddampf</title><p>Donau\xaddampf&shy;schiff und&#8203;mehr, in einem Satz."
            " <a href=/x>Schiff\xadfahrt</a>"
        ).encode(),
        media_type="text/html;charset=utf-8",
        url="http://a/",
    )
    assert page.title == "Donaudampf"
    assert page.links[0].anchor == "Schifffahrt"
    assert "Donaudampfschiff undmehr" in page.text
    assert "Donaudampfschiff undmehr" in page.html
