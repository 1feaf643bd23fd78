"""The words of a text, as they are compared: what differs only in case, spaces or punctuation is the same.

A word is a run of letters and digits. Some scripts put no spaces between words; there every character counts as a
word, so that shingles of words are shingles of characters.
"""

from __future__ import annotations

import re
from unicodedata import normalize

UNSPACED = (
    (0x0E00, 0x0EFF, "Thai, Lao"),
    (0x1000, 0x109F, "Burmese"),
    (0x1780, 0x17FF, "Khmer"),
    (0x3005, 0x3007, "Han: repetition, closing, zero"),
    (0x3040, 0x30FF, "Hiragana, Katakana"),
    (0x31F0, 0x31FF, "Katakana"),
    (0x3400, 0x4DBF, "Han"),
    (0x4E00, 0x9FFF, "Han"),
    (0xF900, 0xFAFF, "Han"),
    (0xFF66, 0xFF9F, "Katakana"),
    (0x20000, 0x3FFFF, "Han"),
)
"""First and last character of scripts without spaces between words."""

_ASCII_WORD = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"[^\W_]+")
_ALONE = re.compile("([" + "".join(f"{chr(first)}-{chr(last)}" for first, last, _ in UNSPACED) + "])")


def folded(text: str) -> str:
    """In lower case, and composed: a letter with its accent is one character."""
    return text.lower() if text.isascii() else normalize("NFC", text).lower()


def words(text: str) -> list[str]:
    """The words of a text, in their order."""
    plain = folded(text)
    if plain.isascii():
        return _ASCII_WORD.findall(plain)
    return _WORD.findall(_ALONE.sub(r" \1 ", plain))
