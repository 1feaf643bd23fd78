"""What is shown of a page: the passage that answers best, with the words of the question marked.

Where the words are apart, it is two passages. All words that a passage was chosen for are in the snippet; what room
there is goes to the beginning of the sentence first, and then to what follows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gossamer.index.analysis import places
from gossamer.search import cuts
from gossamer.search.passages import Mark, Passage, best

LENGTH = 220
"""Characters of a snippet, at most."""
JOINT = " … "
"""Between two passages."""
SHORT = 70
"""Characters that the words of the first of two passages take, if one passage has too few of them."""
CONTEXT = 40
"""Characters that each of two passages has besides the words that it was chosen for."""
TELLING = 0.1
"""A word that tells less than this share of what another tells has no passage of its own."""
LOOKED_THROUGH = (4_000, 20_000, 200_000)
"""Characters of a page that are looked through: if a passage in the first ones has all terms, there is no need for the
others."""

Marks = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage or two, and where in it the words of the question stand."""

    text: str = ""
    marks: Marks = ()


def snippet(text: str, weights: Mapping[str, float], language: str | None) -> Snippet:
    """The best of a text in a language. `weights` is what each term of the question tells."""
    met, parts = _parts(text, tuple(weights), _telling(weights.values()), language)
    return _shown(text, parts, met)


def _telling(weights: Collection[float]) -> list[float]:
    """Words such as "the" are marked, but no passage is chosen for them; they are 0 then."""
    least = TELLING * max(weights, default=0.0)
    return [weight if weight >= least else 0.0 for weight in weights]


def marks_in(text: str, terms: Iterable[str], language: str | None) -> Marks:
    """Where terms of the question stand in a short text, such as a title."""
    return _apart(places(text, language, tuple(terms)))


def _parts(
    text: str, terms: tuple[str, ...], weights: Sequence[float], language: str | None
) -> tuple[list[Mark], list[tuple[int, int]]]:
    """Where the terms stand in as much of the text as was looked through, and the parts of it that are shown."""
    wanted = {term for term, weight in enumerate(weights) if weight}
    met: list[Mark] = []
    start = 0
    for most in LOOKED_THROUGH:
        end = text.rfind(" ", start, most) + 1 or most if len(text) > most else len(text)
        met += _met(text, start, end, terms, language)
        is_last = len(text) <= end or most == LOOKED_THROUGH[-1]
        has_all = is_last or wanted <= {mark[2] for mark in met}
        chosen = best(text, met, weights, LENGTH, whole=not is_last) if has_all else None
        if chosen is not None and (is_last or wanted <= chosen.terms):
            return met, _around_all(text, met, chosen, weights)
        if is_last:
            break
        start = end
    return met, [(0, cuts.end(text, 0, LENGTH))]


def _around_all(text: str, met: Sequence[Mark], chosen: Passage, weights: Sequence[float]) -> list[tuple[int, int]]:
    one, *others = sorted(_in_order(text, met, chosen, weights))
    if not others:
        return [_around(text, one, LENGTH, 0, len(text))]
    (other,) = others
    spare = (LENGTH - len(JOINT) - _length(one) - _length(other)) // 2
    first = _around(text, one, _length(one) + spare, 0, other.start)
    return [first, _around(text, other, _length(other) + spare, first[1], len(text))]


def _in_order(text: str, met: Sequence[Mark], chosen: Passage, weights: Sequence[float]) -> list[Passage]:
    """The passages that are shown. Two short ones may have more of the question than a long one."""
    telling = sum(map(bool, weights))
    if len(chosen.terms) == telling or len({mark[2] for mark in met if weights[mark[2]]}) == len(chosen.terms):
        return [chosen]
    pairs = [[chosen, *_second(text, met, chosen, weights)]]
    if len(pairs[0]) == 1 and (short := best(text, met, weights, SHORT)):
        pairs.append([short, *_second(text, met, short, weights)])
    return max(pairs, key=lambda pair: sum(weights[term] for passage in pair for term in passage.terms))


def _met(text: str, start: int, end: int, terms: tuple[str, ...], language: str | None) -> list[Mark]:
    found = places(text[start:end], language, terms)
    return [(start + begin, start + stop, term) for begin, stop, term in found] if start else found


def _second(text: str, met: Sequence[Mark], chosen: Passage, weights: Sequence[float]) -> list[Passage]:
    """A passage with what the first one lacks, if there is room."""
    width = LENGTH - len(JOINT) - _length(chosen) - 2 * CONTEXT
    others = [mark for mark in met if mark[2] not in chosen.terms] if width >= CONTEXT else []
    second = best(text, others, weights, width)
    return [second] if second else []


def _length(passage: Passage) -> int:
    return passage.end - passage.start


def _around(text: str, passage: Passage, room: int, least: int, most: int) -> tuple[int, int]:
    """A passage with what stands before and after it, between two places and in so many characters."""
    back = max(least, passage.end - room, passage.start - LENGTH // 2)
    start = cuts.sentence_before(text, back, passage.start)
    if start is None or start < least:
        start = cuts.start(text, max(back, passage.start - CONTEXT), passage.start)
    end = cuts.end(text, passage.end, min(most, start + room))
    earlier = cuts.sentence_after(text, max(least, end - room), start)
    return (start if earlier is None else max(least, min(start, earlier))), end


def _shown(text: str, parts: Sequence[tuple[int, int]], met: Sequence[Mark]) -> Snippet:
    said: list[str] = []
    marks: list[Mark] = []
    length = 0
    for start, end in parts:
        start += len(text[start:end]) - len(text[start:end].lstrip())
        by = length - start
        within = met[bisect_left(met, (start,)) : bisect_left(met, (end,))]
        marks += [(by + begin, by + stop, term) for begin, stop, term in within if stop <= end]
        said.append(text[start:end].replace("\n", " "))
        length += end - start + len(JOINT)
    return Snippet(JOINT.join(said), _apart(marks))


def _apart(marks: Iterable[Mark]) -> Marks:
    """Marks that overlap, as those of a name and its parts, are one."""
    found: list[tuple[int, int]] = []
    for start, end, _ in marks:
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)
