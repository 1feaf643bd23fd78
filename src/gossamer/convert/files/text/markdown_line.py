"""A line of Markdown to a line of tagged text: code, links, pictures, emphasis. One pass, no going back."""

from __future__ import annotations

import re
from html import unescape

from gossamer import tagged
from gossamer.convert.files.page import Pointers

_TOKEN = re.compile(
    r"""
      \\(?P<escaped>[!-/:-@\[-`{-~])
    | (?P<ticks>`{1,9})(?P<code>[^`]++(?:`(?!(?P=ticks))[^`]*+)*?)(?P=ticks)(?!`)
    | !?\[(?P<words>(?:[^\[\]\\]|\\.|\[[^\[\]]*+\])*+)\]
        (?: \(\s*+<?(?P<href>[^\s<>()]*+(?:\([^\s()]*+\)[^\s<>()]*+)*+)>?(?:\s++["'(][^\n]{0,300}?["')])?\s*+\)
          | \[(?P<name>[^\[\]]*+)\] )?+
    | <(?P<address>(?:https?|mailto):[^\s<>]*+)>
    | (?P<tag></?[A-Za-z][^<>]*+>)
    | (?P<bare>https?://[^\s<>\[\]"'`]++)
    | (?P<mark>\*{1,3}|_{1,3}|~~)
    | (?P<end>\ {2,}\n|\n)
    """,
    re.VERBOSE | re.DOTALL,
)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_AFTER_ADDRESS = ".,;:!?)*_"
_SPACES = re.compile(" {3,}")
_MARKS_MOST = 50
"""Marks of emphasis that are open at the same time."""
_WORD = re.compile(r"\w")


class Inline:
    """Turns lines of one document into tagged text. `names` are the addresses that it defined."""

    def __init__(self, pointers: Pointers, names: dict[str, str]) -> None:
        self._pointers = pointers
        self._names = names

    def line(self, text: str) -> str:
        """A line; what is not Markdown in it is text."""
        return self._line(_SPACES.sub("  ", text), links=True)

    def _line(self, text: str, *, links: bool) -> str:
        parts: list[str] = []
        marks: list[tuple[str, int]] = []
        at = 0
        for token in _TOKEN.finditer(text):
            parts.append(tagged.words(unescape(text[at : token.start()])))
            at = token.end()
            if mark := token["mark"]:
                _emphasize(parts, marks, mark, inside_word=_inside_word(text, token))
            else:
                parts.append(self._token(token, links=links))
        parts.append(tagged.words(unescape(text[at:])))
        return "".join(parts)

    def _token(self, token: re.Match[str], *, links: bool) -> str:
        if token["escaped"]:
            return tagged.words(token["escaped"])
        if token["code"]:
            return tagged.code(" ".join(token["code"].split()))
        if token["words"] is not None:
            return self._link(token, links=links)
        if address := token["address"] or token["bare"]:
            return self._address(address, links=links)
        if tag := token["tag"]:
            return "<br>" if _BREAK.fullmatch(tag) else ""
        return ("<br>" if len(token["end"]) > 1 else " ") if token["end"] else ""

    def _link(self, token: re.Match[str], *, links: bool) -> str:
        words, href, name = token["words"], token["href"], token["name"]
        if token[0].startswith("!"):
            return tagged.words(words)
        if href is None:
            href = self._names.get((name or words).strip().lower())
        if href is None:
            return tagged.words("[") + self._line(words, links=links) + tagged.words("]")
        line = self._line(words, links=False)
        return self._pointers.link(line, href) if links and line.strip() else line

    def _address(self, address: str, *, links: bool) -> str:
        shown = address.rstrip(_AFTER_ADDRESS)
        line = tagged.words(shown)
        return (self._pointers.link(line, shown) if links else line) + tagged.words(address[len(shown) :])


def _inside_word(text: str, token: re.Match[str]) -> bool:
    """An underscore in the middle of a word is part of it."""
    before, after = text[token.start() - 1 : token.start()], text[token.end() : token.end() + 1]
    return token[0].startswith("_") and bool(_WORD.match(before) and _WORD.match(after))


def _emphasize(parts: list[str], marks: list[tuple[str, int]], mark: str, *, inside_word: bool) -> None:
    """Close the mark, if it is the last one that is open; otherwise open it. A mark that stays open is text."""
    if marks and marks[-1][0] == mark and not inside_word:
        _, place = marks.pop()
        inner = "".join(parts[place + 1 :])
        parts[place:] = [_marked(mark, inner)]
    else:
        if not inside_word and mark != "~~" and len(marks) < _MARKS_MOST:
            marks.append((mark, len(parts)))
        parts.append("" if mark == "~~" else tagged.words(mark))


def _marked(mark: str, line: str) -> str:
    if len(mark) != 2:
        line = tagged.emphasis(line)
    return tagged.strong(line) if len(mark) > 1 else line
