"""Letters that TeX writes as commands, and accents on letters."""

from __future__ import annotations

import unicodedata

ACCENTS = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    '"': "\u0308",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    "c": "\u0327",
    "v": "\u030c",
    "u": "\u0306",
    "H": "\u030b",
    "k": "\u0328",
    "r": "\u030a",
    "d": "\u0323",
}
LETTERS = {
    "ss": "ß",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "o": "ø",
    "O": "Ø",
    "aa": "å",
    "AA": "Å",
    "l": "ł",
    "L": "Ł",
    "i": "ı",
    "j": "ȷ",
    "dots": "…",
    "ldots": "…",
    "textellipsis": "…",
    "S": "§",
    "copyright": "©",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "BibTeX": "BibTeX",
    "textbackslash": "\\",
    "textasciitilde": "~",
    "quad": " ",
    "textendash": "–",
    "textemdash": "—",
    "euro": "€",
    "pounds": "£",
    "degree": "°",
    "textbar": "|",
    "and": ", ",
}


def accented(line: str, accent: str) -> str:
    """Only a letter can bear one."""
    letter = {"ı": "i", "ȷ": "j"}.get(line, line)
    return unicodedata.normalize("NFC", letter[0] + ACCENTS[accent]) + letter[1:] if letter[:1].isalpha() else line
