"""A line of text while it is read: words with a look each, which become one line of tagged text.

Word processors cut a sentence into many runs that look alike; they are joined again, and the white space at their
edges is put outside of the marks.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from gossamer import tagged
from gossamer.convert.files.page import Pointers


class Look(NamedTuple):
    """How words look."""

    bold: bool = False
    italic: bool = False
    shift: str = ""
    """sub, sup, math or nothing."""


PLAIN = Look()


class Line:
    """Gathers the words of one line. A line break in them stays one."""

    __slots__ = ("_spans",)

    def __init__(self) -> None:
        self._spans: list[tuple[str, Look, str]] = []

    def add(self, text: str, look: Look = PLAIN, href: str = "") -> None:
        """More words, and where they point to."""
        if text:
            self._spans.append((href, look, text))

    def words(self) -> str:
        """The words alone."""
        return " ".join("".join(text for _, _, text in self._spans).split())

    def raw(self) -> str:
        """The text as it is."""
        return "".join(text for _, _, text in self._spans)

    def html(self, pointers: Pointers, *, plain: bool = False) -> str:
        """The line as tagged text; `plain` leaves the look out, as in a heading."""
        parts = []
        for href, spans in groupby(self._spans, key=itemgetter(0)):
            part = "".join(
                _marked("".join(text for _, _, text in alike), PLAIN if plain else look)
                for look, alike in groupby(spans, key=itemgetter(1))
            )
            parts.append(pointers.link(part, href) if href and part.strip() else part)
        return "".join(parts)


def _marked(text: str, look: Look) -> str:
    if look == PLAIN or not (core := text.strip()):
        return _lines(text)
    before, _, after = text.partition(core)
    marked = _lines(core)
    if look.shift:
        marked = f"<{look.shift}>{marked}</{look.shift}>"
    if look.italic:
        marked = tagged.emphasis(marked)
    if look.bold:
        marked = tagged.strong(marked)
    return _lines(before) + marked + _lines(after)


def _lines(text: str) -> str:
    return "<br>".join(map(tagged.words, text.split("\n"))) if "\n" in text else tagged.words(text)
