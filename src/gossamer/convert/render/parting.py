"""Which words stand apart on a page though no white space is between them?

`<a>Terms</a><a>Privacy</a>` and `<span>2025</span><span>2h 11m</span>` are two things each: the style of the page puts
room between them, and a reader sees two words where the letters alone make one. So a space is put between the words of
two elements that follow each other, neither of which stands in the other.

What one element parts from the text around it is left as it is: an initial, an index, half a word in bold. So are
halves of a word that an editor tore apart, `<span>c</span><span>omparison</span>`: a piece is one letter, or the second
goes on with a small letter where elements are for looks only; links, buttons and times are things of their own.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import BREAKS, standing_in
from gossamer.convert.html.outline import NUMBER, TAGS, WIDE, Outline

Mask = NDArray[np.bool_]

_WORD = np.zeros(256, np.bool_)
"""By the first byte of a character, or the last: it may be one of a word."""
_WORD[[*b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", *range(0x80, 256)]] = True
_AS_WRITTEN = np.isin(np.arange(len(TAGS)), [NUMBER["pre"], NUMBER["math"]])
_FOR_LOOKS = frozenset(
    NUMBER[name] for name in ("b", "em", "font", "i", "mark", "other", "small", "span", "strong", "u")
)
_BOUND = frozenset((NUMBER["sub"], NUMBER["sup"]))
"""They belong to the word before them, whatever that stands in."""
_UP_MOST = 12
"""Elements between two words and what holds both."""
_WITHOUT_SPACES = re.compile(f"[{WIDE}]")


def parted(outline: Outline, keep: Mask) -> Outline:
    """The outline with a space before each run that is kept and stands apart from the kept one before it."""
    places = _touching(outline, keep)
    if not len(places):
        return outline
    if _AS_WRITTEN[outline.tags].any():
        places = places[~standing_in(outline, _AS_WRITTEN)[places]]
    page = _Page(outline)
    apart = [place for place in places.tolist() if page.is_apart(place)]
    return _with_spaces(outline, apart) if apart else outline


def _touching(outline: Outline, keep: Mask) -> NDArray[np.intp]:
    """The runs that go on, byte for byte, with a word of another element."""
    owners = outline.owners
    places: NDArray[np.intp] = (keep[1:] & keep[:-1] & (owners[1:] != owners[:-1])).nonzero()[0] + 1
    text, begins = np.frombuffer(outline.text, np.uint8), outline.starts.take(places)
    touching = _WORD.take(text.take(begins))
    touching &= _WORD.take(text.take(begins - 1))
    return places[touching]


class _Page:
    """A page in plain numbers."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._tags = outline.tags.tobytes()
        self._parents = outline.parents.data
        self._ends = outline.ends.data
        self._breaks = BREAKS.tobytes()

    def is_apart(self, place: int) -> bool:
        """Whether a run stands apart from the one before it."""
        outline = self._outline
        before, owner = outline.owners[place - 1 : place + 1].tolist()
        since = self._tags[outline.befores[place - 1] : outline.befores[place]]
        if not self._are_beside(before, owner) or any(self._breaks[tag] for tag in since):
            return False
        first, second = self._text(place - 1), self._text(place)
        if not (first[-1].isalnum() and second[0].isalnum()) or _is_letter(first) or _is_letter(second):
            return False
        if _WITHOUT_SPACES.match(first[-1]) or _WITHOUT_SPACES.match(second[0]):
            return False
        return not second[0].islower() or not {self._tags[before], self._tags[owner]} <= _FOR_LOOKS

    def _are_beside(self, one: int, other: int) -> bool:
        """Whether neither of two elements stands in the other, and no line begins or ends between them."""
        if one <= other < self._ends[one] or other <= one < self._ends[other]:
            return False
        return self._is_bare(one, other) and self._is_bare(other, one)

    def _is_bare(self, element: int, other: int) -> bool:
        """Whether nothing between an element and what holds another one too says that they are no two words."""
        for _ in range(_UP_MOST):
            if element <= other < self._ends[element]:
                return True
            tag = self._tags[element]
            if self._breaks[tag] or tag in _BOUND:
                return False
            element = self._parents[element]
        return False

    def _text(self, run: int) -> str:
        begin, end = self._outline.starts[run : run + 2].tolist()
        return self._outline.text[begin:end].decode().strip()


def _is_letter(text: str) -> bool:
    return len(text) == 1 and text.isalpha()


def _with_spaces(outline: Outline, places: list[int]) -> Outline:
    """The outline with a space before these runs."""
    begins = [0, *outline.starts[places].tolist(), len(outline.text)]
    text = b" ".join(outline.text[begin:end] for begin, end in pairwise(begins))
    added = np.zeros(len(outline.starts), np.int32)
    added[np.array(places) + 1] = 1
    return outline._replace(text=text, starts=outline.starts + added.cumsum(dtype=np.int32))
