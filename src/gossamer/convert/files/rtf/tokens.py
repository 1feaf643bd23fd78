"""Rich Text Format cut into tokens: control words, groups, bytes of text. RTF 1.9.1, "RTF syntax".

Some control words stand for a sign, others begin a group whose text is not part of the document's: they are listed
here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    rb"\\(?:([a-zA-Z]{1,64})(-?\d{1,10})? ?|'([0-9a-fA-F]{2})|([^a-zA-Z]))|([{}])|([^\\{}\r\n\0]+)|[\r\n\0\\]",
    re.DOTALL,
)
_IN_PASSED = re.compile(rb"\\bin(?![a-zA-Z])(-?\d{1,10})? ?|\\[\\{}]|[{}]")
_WORDS_MOST = 4_000
SIGNS = {
    "tab": "\t",
    "line": "\n",
    "lbr": "\n",
    "emdash": "—",
    "endash": "–",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "~": " ",
    "_": "\u2011",
}
_PASSED = """
    colortbl filetbl revtbl rsidtbl listtable listoverridetable pgptbl xmlnstbl latentstyles themedata datastore
    colorschememapping generator pict objdata objname objclass objalias objsect objtime nonshppict shprslt sp
    bkmkstart bkmkend atnid atnauthor atndate atntime atnicn atnref atnparent atrfstart atrfend passwordhash
    xe tc txe rxe template private falt panose fname fontemb fontfile ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn
    pntxta pntxtb pnseclvl formfield mmathPr mailmerge docvar userprops category company doccomm hlinkbase keywords
    manager operator subject comment oldcprops oldpprops oldtprops oldsprops htmltag mhtmltag blipuid picprop
    background dptxbx wgrffmtfilter
"""
PASSED = frozenset(_PASSED.split())
"""Groups that are passed over."""
AROUND = frozenset({"header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"})
BOXES = frozenset({"shptxt", "dptxbxtext"})
"""Text in a drawing, which is read where the drawing stands."""
DRAWINGS = frozenset({"shpinst", "do", "shp", "shpgrp"})
"""Groups of which only what `BOXES` begin is read."""


class Token(NamedTuple):
    """One token; one of the first three is not empty."""

    word: str = ""
    """A control word, a control symbol or a brace."""
    text: bytes = b""
    escaped: bool = False
    """The text is one byte that was written as a number or behind a backslash."""
    number: int | None = None
    """The parameter of a word."""


_OPENS, _CLOSES = Token("{"), Token("}")


class Tokens:
    """All tokens of a file, in order. Binary data is passed over, as is what cannot be a token."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._words: dict[bytes, Token] = {}
        """A file has few words, and says them often."""

    def __iter__(self) -> Iterator[Token]:
        while found := _TOKEN.match(self._data, self._at):
            self._at = found.end()
            kind = found.lastindex
            if kind == 6:
                yield Token(text=found[6])
            elif kind == 5:
                yield _OPENS if found[5] == b"{" else _CLOSES
            elif kind == 3:
                yield Token(text=bytes.fromhex(found[3].decode()), escaped=True)
            elif kind == 4:
                yield _symbol(found[4])
            elif kind is not None:
                token = self._words.get(found[0]) or self._word(found)
                if token.word == "bin":
                    self._at += max(token.number or 0, 0)
                else:
                    yield token

    def pass_over(self) -> None:
        """Go to the end of the group that is open: the next token is the brace that closes it."""
        depth = 0
        while found := _IN_PASSED.search(self._data, self._at):
            sign = found[0]
            depth += (sign == b"{") - (sign == b"}")
            if depth < 0:
                self._at = found.start()
                return
            self._at = found.end() + max(int(found[1] or 0), 0)
        self._at = len(self._data)

    def _word(self, found: re.Match[bytes]) -> Token:
        token = Token(found[1].decode(), number=int(found[2]) if found[2] else None)
        if len(self._words) < _WORDS_MOST:
            self._words[found[0]] = token
        return token


def _symbol(sign: bytes) -> Token:
    """What a backslash makes of a character that is no letter."""
    if sign in b"\\{}":
        return Token(text=sign, escaped=True)
    return Token("par" if sign in b"\r\n" else sign.decode("latin-1"))
