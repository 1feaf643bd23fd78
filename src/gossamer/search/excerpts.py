"""Which paragraphs of a page answer a question? For readers who cannot take in all of it.

Each term of the question counts once in a paragraph, and the more the fewer paragraphs of the page have it. Those that
count most are given in the order of the page, with the heading that they stand under.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log
from typing import NamedTuple

from gossamer.index.analysis import terms
from gossamer.search.query import parse

_PARAGRAPH = re.compile(r"\S(?:.*\S)?(?:\n(?!\s*\n).*)*")


class Excerpt(NamedTuple):
    """A part of a text."""

    offset: int
    """Where it stands."""
    text: str


def excerpts(text: str, question: str, language: str | None, room: int) -> list[Excerpt]:
    """The paragraphs that answer best, of so many characters together; none where no word of the question is met."""
    wanted = {term for words in parse(question).words for term in terms(words, language)}
    parts = [Excerpt(found.start(), found[0].rstrip()) for found in _PARAGRAPH.finditer(text)]
    met = [wanted.intersection(terms(part.text, language)) for part in parts]
    common = Counter(term for found in met for term in found)
    worth = [sum(log(1 + len(parts) / common[term]) for term in found) for found in met]
    telling = (number for number in range(len(parts)) if worth[number] and not _is_heading(parts[number]))
    best = sorted(telling, key=lambda number: -worth[number])
    return [parts[number] for number in sorted(_fitting(parts, best, room))]


def _fitting(parts: Sequence[Excerpt], best: Sequence[int], room: int) -> Iterator[int]:
    taken: set[int] = set()
    for number in best:
        for each in (*_heading(parts, number), number):
            if each not in taken and len(parts[each].text) <= room:
                taken.add(each)
                room -= len(parts[each].text)
                yield each


def _is_heading(part: Excerpt) -> bool:
    """As Markdown has them."""
    return part.text.startswith("#")


def _heading(parts: Sequence[Excerpt], number: int) -> Iterator[int]:
    """The last one before a paragraph."""
    above = (each for each in range(number - 1, -1, -1) if _is_heading(parts[each]))
    first = next(above, None)
    if first is not None:
        yield first
