"""HTML that Outlook has wrapped into RTF: [MS-OXRTFEX]. What it was made of is taken out again.

Tags stand in groups that begin with `htmltag`, the text between them is plain RTF, and what was added so that readers
of RTF have something to show stands between `htmlrtf` and `htmlrtf0`.
"""

from __future__ import annotations

import re

from gossamer.convert.files.rtf.fonts import Fonts
from gossamer.convert.files.rtf.tokens import Tokens

_WRAPPED = re.compile(rb"\\fromhtml1?\b")
_WITHIN = 4_096
_SIGNS = {"par": "\n", "line": "\n", "tab": "\t", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”"}
_SIGNS |= {"bullet": "•", "endash": "–", "emdash": "—", "~": "\xa0", "_": "\u2011"}
_SKIPPED_MOST = 16


def html_within(rtf: bytes) -> str:
    """The HTML; nothing, if there is none."""
    if not _WRAPPED.search(rtf[:_WITHIN]):
        return ""
    return _Unwrapping().unwrap(rtf)


class _Unwrapping:
    def __init__(self) -> None:
        self._fonts = Fonts()
        self._parts: list[str] = []
        self._stack: list[tuple[bool, bool, int | None, int]] = []
        self._silent = False
        """In a group whose text is not HTML."""
        self._added = False
        """What comes now was added for readers of RTF."""
        self._font: int | None = None
        self._replaced, self._skip = 1, 0
        self._starred = False

    def unwrap(self, rtf: bytes) -> str:
        for token in Tokens(rtf):
            if token.text:
                text, self._skip = token.text[self._skip :], max(self._skip - len(token.text), 0)
                self._say(self._fonts.decode(text, self._font))
            elif token.word == "{":
                self._stack.append((self._silent, self._added, self._font, self._replaced))
            elif token.word == "}":
                self._skip = 0
                if self._stack:
                    self._silent, self._added, self._font, self._replaced = self._stack.pop()
            else:
                self._obey(token.word, token.number)
        return "".join(self._parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _say(self, text: str) -> None:
        if not self._silent and not self._added:
            self._parts.append(text)

    def _obey(self, word: str, number: int | None) -> None:
        starred, self._starred = self._starred, word == "*"
        if word == "htmlrtf":
            self._added = number != 0
        elif word in _SIGNS:
            self._say(_SIGNS[word])
        elif word == "u":
            self._say(chr((number or 0) & 0xFFFF))
            self._skip = min(self._replaced, _SKIPPED_MOST)
        elif word == "uc":
            self._replaced = max(number or 0, 0)
        elif word in ("fonttbl", "colortbl", "stylesheet", "info", "pntext", "pict") or (starred and word != "htmltag"):
            self._silent = True
        else:
            self._look(word, number or 0)

    def _look(self, word: str, number: int) -> None:
        if word == "f":
            self._font = number
            self._fonts.begin(number)
        elif word == "fcharset":
            self._fonts.charset(number)
        elif word == "ansicpg":
            self._fonts.code_page(number)
