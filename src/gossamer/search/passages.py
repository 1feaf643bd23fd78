"""Which part of a page answers a question?

The one with the most different terms of the question, the rare ones first. Of those that are about equal it is the one
where they stand near each other, in a sentence, in prose and not in a list of links or in code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gossamer.index.words import Place

try:
    from gossamer.search import _passages
except ImportError:
    _passages = None  # type: ignore[assignment]  # the module is not there

SLACK, LITTLE = 0.05, 1e-9
"""Parts that have so much less of the question than the best are about equal to it."""
COMPARED_MOST = 5
"""Parts that are about equal, and are looked at."""
TRIED_MOST = 60
"""Places where one may begin."""
AROUND = 60
"""Characters before and after that are looked at too."""
NEAR, SENTENCE, COVER = 0.5, 0.25, 4.0
"""What it counts that the terms stand near each other, that no sentence ends between them, and how many there are;
prose counts 1."""
_NOISE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ{}[]<>=|;_/\\#*$@~^`+\xb7\xbb\xa9"
"""Capitals, and signs of Latin-1."""
_NOISY, _LINE = 3, 12
"""Characters of prose that one of those outweighs, and one line that ends."""


class Passage(NamedTuple):
    """A part of a text that has some terms, and no shorter one there has them."""

    start: int
    end: int
    terms: frozenset[int]


Parts = tuple[float, Sequence[tuple[int, int, frozenset[int], float]]]
"""The most that any part of a text tells, and the parts that tell about as much: from and to, the terms of each, and
what they tell."""


def best(text: str, places: bytes, weights: Sequence[float], width: int, *, whole: bool = False) -> Passage | None:
    """The part that answers best, of at most so many characters. `places` are those of `packed_places`. A term that
    weighs nothing does not count. Where the `whole` question is wanted, there may be none."""
    top, parts = _looked(places, tuple(weights), width)
    if whole and top < sum(weights) - LITTLE:
        return None
    chosen, best_worth = None, -1.0
    for start, end, terms, cover in parts:
        worth = COVER * cover / (top or 1) + _worth(text, start, end, width)
        if worth > best_worth + LITTLE:
            chosen, best_worth = Passage(start, end, terms), worth
    return chosen


def unpacked(places: bytes) -> memoryview[int]:
    """Their numbers, one after the other."""
    return memoryview(places).cast("i")


def terms_in(places: bytes) -> set[int]:
    """All terms that are met."""
    return set(unpacked(places)[2::3])


def _looked(places: bytes, weights: tuple[float, ...], width: int) -> Parts:
    if _passages is None:
        return by_looking(places, weights, width)
    return _passages.parts(places, weights, width, (SLACK, LITTLE, TRIED_MOST, COMPARED_MOST, AROUND))


def by_looking(places: bytes, weights: Sequence[float], width: int) -> Parts:
    """Without the compiled module, which does the same."""
    numbers = unpacked(places).tolist()
    threes = zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)
    marks = [mark for mark in threes if weights[mark[2]]]
    covers = _covers(marks, weights, width)
    top = max(covers, default=0.0)
    return top, [(*passage, cover) for passage, cover in _about_equal(marks, covers, top * (1 - SLACK) - LITTLE, width)]


def _covers(marks: Sequence[Place], weights: Sequence[float], width: int) -> list[float]:
    """What the terms tell together that stand within the width, from each mark on."""
    covers: list[float] = []
    within = [0] * len(weights)
    total, last, number = 0.0, 0, len(marks)
    for first, (start, _, term) in enumerate(marks):
        while last < number and (marks[last][1] <= start + width or last <= first):
            here = marks[last][2]
            if not within[here]:
                total += weights[here]
            within[here] += 1
            last += 1
        covers.append(total)
        within[term] -= 1
        if not within[term]:
            total -= weights[term]
    return covers


def _about_equal(
    marks: Sequence[Place], covers: Sequence[float], least: float, width: int
) -> Iterator[tuple[Passage, float]]:
    """The earlier first."""
    compared, before = 0, -AROUND
    firsts = (first for first, cover in enumerate(covers) if cover >= least)
    for _, first in zip(range(TRIED_MOST), firsts, strict=False):
        passage = _passage(marks, first, width)
        if passage is not None and (len(passage.terms) > 1 or passage.start >= before + AROUND):
            yield passage, covers[first]
            compared, before = compared + 1, passage.start
            if compared == COMPARED_MOST:
                return


def _passage(marks: Sequence[Place], first: int, width: int) -> Passage | None:
    """What begins with a mark; None when its term comes again before the others have come all."""
    start, end, begins = marks[first]
    limit, met, again = start + width, {begins}, False
    for at in range(first + 1, len(marks)):
        _, stop, term = marks[at]
        if stop > limit:
            break
        if term == begins:
            again = True
        elif term not in met:
            if again:
                return None
            met.add(term)
            end = max(end, stop)
    return Passage(start, end, frozenset(met))


def _worth(text: str, start: int, end: int, width: int) -> float:
    """What speaks for a part besides its terms."""
    whole = not any(sign in text[start:end] for sign in ("\n", ". "))
    prose = _prose(text[max(0, start - AROUND) : end + AROUND])
    return prose + NEAR * (1 - (end - start) / width) + SENTENCE * whole


def _prose(part: str) -> float:
    """How much it looks like sentences: few capitals and signs, long lines."""
    plain = part.encode("latin-1", "replace")
    noise = _NOISY * (len(plain) - len(plain.translate(None, _NOISE))) + _LINE * part.count("\n")
    return 1 - min(1.0, noise / len(part)) if part else 0.0
