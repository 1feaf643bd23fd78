"""What is shown of a page: the passage that answers best, with the words of the question marked.

Where the words are apart, it is two passages. All words that a passage was chosen for are in the snippet; what room
there is goes to the beginning of the sentence first, and then to what follows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gossamer.index.analysis import packed_places, places
from gossamer.index.words import Place
from gossamer.search import cuts
from gossamer.search.passages import Passage, best, terms_in, unpacked

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
    met, parts = _parts(text, tuple(weights), tuple(_telling(weights.values())), language)
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
) -> tuple[bytes, list[tuple[int, int]]]:
    """Where the terms stand in as much of the text as was looked through, and the parts of it that are shown."""
    wanted = {term for term, weight in enumerate(weights) if weight}
    met, start = b"", 0
    for most in LOOKED_THROUGH:
        end = _cut(text, start, most)
        met += packed_places(text, language, terms, start, end)
        is_last = len(text) <= end or most == LOOKED_THROUGH[-1]
        has_all = is_last or wanted <= terms_in(met)
        chosen = best(text, met, weights, LENGTH, whole=not is_last) if has_all else None
        if chosen is not None and (is_last or wanted <= chosen.terms):
            parts = _around_all(text, met, chosen, weights)
            shown = max(last for _, last in parts)
            return met + (packed_places(text, language, terms, end, shown) if shown > end else b""), parts
        if is_last:
            break
        start = end
    return met, [(0, cuts.end(text, 0, LENGTH))]


def _cut(text: str, start: int, most: int) -> int:
    """Where the part that begins at a place ends: between two words, unless all of it is one."""
    if len(text) <= most:
        return len(text)
    return max(text.rfind(" ", start, most), text.rfind("\n", start, most)) + 1 or most


def _around_all(text: str, met: bytes, chosen: Passage, weights: Sequence[float]) -> list[tuple[int, int]]:
    one, *others = sorted(_in_order(text, met, chosen, weights))
    if not others:
        return [_around(text, one, LENGTH, 0, len(text))]
    (other,) = others
    spare = (LENGTH - len(JOINT) - _length(one) - _length(other)) // 2
    first = _around(text, one, _length(one) + spare, 0, other.start)
    return [first, _around(text, other, _length(other) + spare, first[1], len(text))]


def _in_order(text: str, met: bytes, chosen: Passage, weights: Sequence[float]) -> list[Passage]:
    """The passages that are shown. Two short ones may have more of the question than a long one."""
    telling = sum(map(bool, weights))
    if len(chosen.terms) == telling or sum(1 for term in terms_in(met) if weights[term]) == len(chosen.terms):
        return [chosen]
    pairs = [[chosen, *_second(text, met, chosen, weights)]]
    if len(pairs[0]) == 1 and (short := best(text, met, weights, SHORT)):
        pairs.append([short, *_second(text, met, short, weights)])
    return max(pairs, key=lambda pair: sum(weights[term] for passage in pair for term in passage.terms))


def _second(text: str, met: bytes, chosen: Passage, weights: Sequence[float]) -> list[Passage]:
    """A passage with what the first one lacks, if there is room."""
    width = LENGTH - len(JOINT) - _length(chosen) - 2 * CONTEXT
    others = [0.0 if term in chosen.terms else weight for term, weight in enumerate(weights)]
    second = best(text, met, others, width) if width >= CONTEXT else None
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


def _shown(text: str, parts: Sequence[tuple[int, int]], met: bytes) -> Snippet:
    said: list[str] = []
    marks: list[Place] = []
    numbers, length = unpacked(met), 0
    begins = numbers[::3]
    for start, end in parts:
        start += len(text[start:end]) - len(text[start:end].lstrip())
        by = length - start
        within = numbers[3 * bisect_left(begins, start) : 3 * bisect_left(begins, end)]
        threes = zip(within[::3], within[1::3], within[2::3], strict=True)
        marks += [(by + begin, by + stop, term) for begin, stop, term in threes if stop <= end]
        said.append(text[start:end].replace("\n", " "))
        length += end - start + len(JOINT)
    return Snippet(JOINT.join(said), _apart(marks))


def _apart(marks: Iterable[Place]) -> Marks:
    """Marks that overlap, as those of a name and its parts, are one."""
    found: list[tuple[int, int]] = []
    for start, end, _ in marks:
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)
