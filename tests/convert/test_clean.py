"""All text that comes out is valid Unicode in normal form C, without NULs."""

from __future__ import annotations

import sys
import unicodedata
from unicodedata import combining, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.convert import document
from gossamer.convert.clean import MARKS_WITHIN, clean, cleaned
from gossamer.convert.invisible_characters import MARKS_MOST
from gossamer.model import Link, Page


@pytest.mark.parametrize(
    ("text", "better"),
    [
        ("", ""),
        ("plain", "plain"),
        ("a\0b", "ab"),
        ("cafe\u0301", "café"),
        ("\u1112\u1161\u11ab", "한"),
        ("\u212b", "Å"),
        ("x\ud800y", "x\ufffdy"),
        ("\ud83d\ude00", "😀"),
    ],
)
def test_text_is_valid_and_composed(text: str, better: str) -> None:
    assert clean(text) == better


def test_what_is_in_order_is_not_copied() -> None:
    for text in ("plain", "café, naïve", "日本語"):
        assert clean(text) is text
    page = Page(title="plain", text="café", links=(Link("http://a/", "b"),))
    assert cleaned(page) is page


def test_every_text_of_a_page_is_cleaned() -> None:
    said = "e\u0301\0"
    page = cleaned(
        Page(title=said, text=said, content=said, html=f"<p>{said}</p>", author=said, links=(Link("http://a/", said),))
    )
    assert {page.title, page.text, page.content, page.author, page.links[0].anchor} == {"é"}
    assert page.html == "<p>é</p>"


def test_no_tag_is_destroyed_by_an_accent_behind_it() -> None:
    page = cleaned(Page(html="<p>\u0338 e\u0301</p>"))
    assert page.html == "<p>&#824; é</p>"


def test_documents_come_out_clean() -> None:
    page = document(
        "<title>Cafe\u0301</title><a href=/x>re\u0301sume\u0301</a>".encode(), "text/html;charset=utf-8", "http://a/"
    )
    assert (page.title, page.text, page.links[0].anchor) == ("Café", "résumé", "résumé")
    assert document(b"a\0b", "text/plain;charset=utf-8").text == "ab"


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=50))
def test_whatever_it_was_it_is_valid(text: str) -> None:
    better = clean(text)
    assert better.encode().decode() == better
    assert unicodedata.is_normalized("NFC", better)
    assert "\0" not in better


def test_a_pile_of_accents_is_cut_to_what_any_language_has() -> None:
    assert clean("x" + "\u0301\u0327" * 500 + "y") == normalize("NFC", "x" + "\u0301\u0327" * (MARKS_MOST // 2) + "y")
    half = "\u0301\u0327" * (MARKS_MOST // 4 + 1)
    assert clean(f"x{half}\u200b{half}y") == normalize("NFC", "x" + "\u0301\u0327" * (MARKS_MOST // 2) + "y")
    below, above = range(MARKS_WITHIN[0]), range(MARKS_WITHIN[1], sys.maxunicode + 1)
    assert not any(combining(chr(point)) for part in (below, above) for point in part)
