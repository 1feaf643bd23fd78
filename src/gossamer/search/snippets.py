"""The passage of a page that answers best, with the words of the question marked.

Passages are runs of words. The best has the most different terms of the question, the rare ones first; where two are
equal, the earlier one. It begins where a sentence does, if one begins nearby.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from gossamer.index.analysis import places

LENGTH = 220
"""Characters of a snippet, or a few more."""
TEXT_MOST = 200_000
"""Characters of a page that are looked through."""
BEGINNING = 4_000
"""Characters that are looked through first: if a passage there has all terms, there is no need for the others."""
_SENTENCE = re.compile(r"[.!?\n]\s+")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage and where in it the words of the question stand."""

    text: str = ""
    marks: tuple[tuple[int, int], ...] = ()

    @property
    def html(self) -> str:
        """With `mark` elements; all else escaped."""
        pieces: list[str] = []
        end = 0
        for start, stop in self.marks:
            pieces += (escape(self.text[end:start]), "<mark>", escape(self.text[start:stop]), "</mark>")
            end = stop
        return "".join((*pieces, escape(self.text[end:])))


def snippet(text: str, weights: Mapping[str, float], language: str | None) -> Snippet:
    """The best passage of a text in a language. `weights` is what each term of the question tells."""
    cut = text.rfind(" ", 0, BEGINNING) + 1 if len(text) > BEGINNING else 0
    met = _met(text, slice(0, cut or BEGINNING), weights, language)
    first = _best(met, weights)
    if len(text) > BEGINNING and not _whole(met, first, weights):
        met += _met(text, slice(cut or BEGINNING, TEXT_MOST), weights, language)
        first = _best(met, weights)
    start = _sentence(text, met[first][0]) if met else 0
    return _cut(text, start, met)


def _met(text: str, part: slice, weights: Mapping[str, float], language: str | None) -> list[tuple[int, int, str]]:
    """Where the terms stand in a part of a text."""
    terms, start = tuple(weights), part.start
    found = places(text[part], language, terms)
    return [(start + begin, start + end, terms[number]) for begin, end, number in found]


def _whole(met: list[tuple[int, int, str]], first: int, weights: Mapping[str, float]) -> bool:
    """The passage that begins with a mark has all terms."""
    return len({term for _, end, term in met[first:] if end <= met[first][0] + LENGTH}) == len(weights)


def _best(met: list[tuple[int, int, str]], weights: Mapping[str, float]) -> int:
    """The number of the mark that the best passage begins with."""
    best, where, first = -1.0, 0, 0
    within: dict[str, int] = {}
    total, last = 0.0, 0
    for first, (start, _, term) in enumerate(met):
        while last < len(met) and met[last][1] <= start + LENGTH:
            name = met[last][2]
            within[name] = within.get(name, 0) + 1
            total += weights[name] if within[name] == 1 else 0.1 * weights[name] / within[name]
            last += 1
        if total > best + 1e-9:
            best, where = total, first
        total -= weights[term] if within[term] == 1 else 0.1 * weights[term] / within[term]
        within[term] -= 1
    return where


def _sentence(text: str, at: int) -> int:
    """Where the sentence begins that this place is in; at least where a word does."""
    nearby = max(0, at - LENGTH // 2)
    ends = [match.end() for match in _SENTENCE.finditer(text, nearby, at)]
    if ends:
        return ends[-1]
    return 0 if nearby == 0 else text.find(" ", nearby, at) + 1 or at


def _cut(text: str, start: int, met: list[tuple[int, int, str]]) -> Snippet:
    end = min(len(text), start + LENGTH)
    if end < len(text):
        end = max(text.rfind(" ", start + LENGTH // 2, end), start + LENGTH // 2) if " " in text[start:end] else end
    marks = tuple((begin - start, stop - start) for begin, stop, _ in met if start <= begin and stop <= end)
    return Snippet(text[start:end].replace("\n", " "), marks)
