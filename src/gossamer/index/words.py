"""Where are the words of a text? Runs of letters and digits, and those that belong together: `utf-8`, `Node.js`, `C++`.

A chain is made of words with a hyphen or a dot between. `++` behind a word belongs to it, `#` behind a single letter,
and a dot before one where nothing else stands (`.NET`). A chain that is too long is no name: its words stand alone. So
do characters of scripts without spaces. What is not seen, and the points of Arabic and Hebrew, is left out of a word.

What a word gives is asked for when it is met first, and remembered. It is some terms with spaces between, and others
behind a NUL: those stand behind the whole text (see `token_filters`).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from functools import lru_cache
from sys import maxsize
from typing import TypeAlias

from gossamer.lazy import pattern

try:
    from gossamer.index._words import Stems as Compiled
except ImportError:
    Compiled = None  # type: ignore[assignment,misc]  # the module is not there

LONGEST = 64
"""Characters of a word or a chain. What is longer is a blob."""
CHAIN_MOST = 8
"""Words of a chain."""
APART = "\0"
"""Between terms in the order of the text and others. No phrase has it."""
_ALONE = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_CLINGS = r"\u0300-\u036f\u0900-\u0963\u0966-\u0dff"
_UNSEEN = (
    r"\xad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    r"\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    r"\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)
_HYPHENS = r"\-\u2010\u2011"
_OPENS = r"\x00-\x20\xa0(\[{\"'`/*"
"""What may stand before the dot of a name that begins with one."""
_LETTER = rf"(?![{_ALONE}])[\w{_CLINGS}]"
_RUN = rf"{_LETTER}(?:{_LETTER}|[{_UNSEEN}]|(?!))*+"
_ASCII_RUN = r"\w++"
_DOTTED = rf"(?:(?<![^{_OPENS}])\.(?=[A-Za-z]))?"
_PLUSES = r"(?:\+\+(?!\+))?"
_CHAIN = pattern(rf"[{_ALONE}]|{_DOTTED}({_RUN})(?:[{_HYPHENS}.]({_RUN})|(?!))*+{_PLUSES}")
_LINK = pattern(rf"{_DOTTED}({_RUN}){_PLUSES}()")
_ASCII_CHAIN = pattern(rf"{_DOTTED}({_ASCII_RUN})(?:[-.]({_ASCII_RUN})|(?!))*+{_PLUSES}", re.ASCII)
"""The same for a text in ASCII, as most questions are. The other takes longer to compile than to answer one."""
_BETWEEN = pattern(f"[{_HYPHENS}.]")
_IN_WORD = pattern(_LETTER)
_LEFT_OUT = pattern(f"[{_UNSEEN}]+")
_HYPHEN = pattern(f"[{_HYPHENS}]")
_IS_ALONE = pattern(f"[{_ALONE}]")


def found(text: str) -> Iterator[tuple[int, int, str]]:
    """The words and chains of a text: begin, end, and how each is written without what is left out."""
    for match in (_ASCII_CHAIN if text.isascii() else _CHAIN).finditer(text):
        begin, end = match.start(), _end(match)
        if end - begin <= LONGEST and len(_BETWEEN.findall(text, begin + 1, end)) < CHAIN_MOST:
            yield begin, end, written(text[begin:end])
        else:
            yield from ((begin, end, written(text[begin:end])) for begin, end in _links(match))


def _links(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The words of a chain that is none."""
    for each in _LINK.finditer(match.string, match.start(), match.end()):
        begin, end = each.start(), _end(each) if each.end() == match.end() else each.end()
        if end - begin <= LONGEST:
            yield begin, end


def _end(match: re.Match[str]) -> int:
    """With the sign of C# and its like."""
    text, end = match.string, match.end()
    last = match[2] or match[1] or ""
    if text[end : end + 1] != "#" or len(last) != 1 or not last.isascii() or not last.isalpha():
        return end
    return end if text[end - 1] == "+" or _IN_WORD.match(text, end + 1) else end + 1


def written(token: str) -> str:
    """Without what is left out, and with one kind of hyphen."""
    return token if token.isascii() else _HYPHEN.sub("-", _LEFT_OUT.sub("", token))


def unspaced(term: str) -> bool:
    """It is a character of a script without spaces."""
    return len(term) == 1 and not term.isascii() and _IS_ALONE.match(term) is not None


def counts(word: str) -> bool:
    """It is a word, and not a vowel sign of a script without spaces."""
    return not unspaced(word) or word.isalnum()


Place: TypeAlias = tuple[int, int, int]
"""Where a term stands, from and to, and which of those that were asked for it is."""


class ByPattern:
    """The words of texts, each as a function reduces it: without the compiled module, which does the same."""

    def __init__(
        self,
        stem: Callable[[str], str],
        most: int,
        same_start: int = 0,
        pieces: frozenset[str] | None = None,
    ) -> None:
        """The stems of `most` words are remembered. The compiled module need not ask for most of them: `same_start`
        promises that the stem of an ASCII word begins as the word does, but for capitals: with the same letter, or with
        the same two, unless it has less than seven and ends in d, g, s or y. `pieces` promises that names in ASCII give
        what `forms.reduced` makes of them, where these are names of one piece."""
        self._stem = lru_cache(maxsize=most)(stem)

    def joined(self, text: str) -> str:
        """The terms of a text with a space between, those in its order first."""
        ordered, others = [], []
        for _, _, terms in self._each(text):
            stems, _, more = terms.partition(APART)
            ordered.append(stems)
            others.append(more)
        return f" {APART} ".join(filter(None, (" ".join(filter(None, some)) for some in (ordered, others))))

    def met(
        self,
        text: str,
        terms: tuple[str, ...],
        parts: Callable[[str], tuple[Place, ...]],
        start: int = 0,
        end: int = maxsize,
    ) -> bytes:
        """Where words with some of the terms stand in a text: begin, end, and which is the first of them, for each
        three numbers of 32 bits. A name gives several terms in the order of the text: `parts` tells where those of them
        stand in it that are wanted; if none is, it is all of it. The words are those from `start` to `end`."""
        numbers = {term: number for number, term in reversed(list(enumerate(terms)))}
        found = array("i")
        text = text[start:end]
        for begin, stop, stems in self._each(text):
            first = next((each for each in stems.replace(APART, " ").split(" ") if each and each in numbers), None)
            if first is None:
                continue
            within = parts(text[begin:stop]) if " " in stems.partition(APART)[0] else ()
            for one, other, number in within or ((0, stop - begin, numbers[first]),):
                found.extend((start + begin + one, start + begin + other, number))
        return found.tobytes()

    def _each(self, text: str) -> Iterator[tuple[int, int, str]]:
        return ((begin, end, self._stem(word)) for begin, end, word in found(text) if counts(word))


Reduced = ByPattern | Compiled
Stems: type[Reduced] = ByPattern if Compiled is None else Compiled
