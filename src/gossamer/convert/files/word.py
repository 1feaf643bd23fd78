"""What do DOC and RTF share? The fields of Word, and fonts that have signs where others have letters.

A field is a code, as `HYPERLINK "http://example.org/"`, then mostly a result. Of the fonts only Symbol is known;
bullets are bullets.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORDS = re.compile(r'"((?:[^"\\]|\\.)*)"?|(\\\S)|(\S+)')
_ESCAPED = re.compile(r"\\(.)")
_READING = re.compile(r"\\s\s*\\up\s*\d+\s*\(([^()]*)\)\s*[,;]\s*([^()]*)\)")
_CODE_MOST = 4_096
_FIRST = 0x20
_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
    + " " * 34
    + "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"
)


class Field:
    """A field that is being read."""

    __slots__ = ("code", "separated")

    def __init__(self, *, deep: bool = False) -> None:
        self.code = ""
        self.separated = deep
        """Its code is over, what comes now is its result. Fields that lie too deep have no code that counts."""

    def add(self, text: str) -> None:
        """More of its code."""
        if len(self.code) < _CODE_MOST:
            self.code += text


@lru_cache(maxsize=1_024)
def href_of(code: str) -> str:
    """Where a field points to; nothing for other fields, and for places within the document."""
    kind, *words = _words(code)
    if kind.upper() != "HYPERLINK":
        return ""
    place = False
    for word in words:
        if word.startswith("\\"):
            place = word == "\\l"
        elif not place:
            return word
        else:
            place = False
    return ""


def text_of(code: str) -> str:
    """What a field says that has no result: an equation is a word with its reading above it, as a rule."""
    kind, *words = _words(code)
    if kind.upper() == "EQ":
        found = _READING.search(code)
        return f"{found[2]}({found[1]})" if found else ""
    if kind.upper() == "SYMBOL" and words and words[0].isdecimal() and 31 < int(words[0][:6]) < 0xD800:
        return chr(int(words[0][:6]))
    return ""


def _words(code: str) -> list[str]:
    found = [_ESCAPED.sub(r"\1", quoted) or switch or plain for quoted, switch, plain in _WORDS.findall(code)]
    return found or [""]


def symbol(number: int) -> str:
    """The character of the font Symbol; nothing where that has none. Word adds 0xF000 to its number."""
    place = (number & 0xFF) - _FIRST
    return _SYMBOL[place].strip() if 0 <= place < len(_SYMBOL) else ""
