"""Did you mean? The question as it may have been meant, in the collection's own words.

A word that no page has is corrected, or taken as two that were run together. So is one that very few have when
another, one letter away, is far more frequent. Two words that are one in the titles of the collection become one. All
else of the question stays as it was written: capitals, quotes, operators, filters, and what is not to be found.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple, Protocol

from gossamer.index.analysis import places, terms
from gossamer.search.query import FIELDS, Field, Query
from gossamer.search.spelling import CORRECTED_MOST, SHORTEST, nearest, parted, reach
from gossamer.search.tokens import Close, Open, Piece, tokens

WORDS_MOST = 40
"""Words of a question that are looked at."""
RARE = 10
"""Pages that have a word which may be a mistake all the same, if it has more letters than the shortest."""
FAR_MORE = 50
"""How often another word must be met for each time that this one is."""
RARER = 20
"""How many titles must have two words as one for each that has them as two."""
PART = 3
"""Letters of each of two words that are one, or the other way round."""
TITLES = 3
"""Titles that have a word in one piece, before others are told to write it so."""


class Words(Protocol):
    """What is asked about words: see `vocabulary.Vocabulary`."""

    def pages(self, word: str) -> int: ...

    def titles(self, word: str) -> int: ...

    def stems(self, word: str) -> set[str]: ...

    def near(self, word: str) -> dict[str, int]: ...

    def slipped(self, word: str) -> dict[str, int]: ...

    def titled(self, one: str, other: str) -> int: ...

    def together(self, one: str, other: str) -> bool: ...


class Spot(NamedTuple):
    """Where a word stands in a question, and the term that it is."""

    start: int
    end: int
    term: str


def suggestion(text: str, query: Query, words: Words) -> str | None:
    """The question with its mistakes corrected; None when there is none."""
    spots = _spots(text, query)
    changes = dict(_in_one_piece(text, spots, words))
    meant = _corrected([spot for spot in spots if not any(_overlap(spot, other) for other in changes)], words)
    changes |= {spot: meant[spot.term] for spot in spots if spot.term in meant}
    for spot in sorted(changes, reverse=True):
        written = _written_like(text[spot.start : spot.end], changes[spot])
        text = text[: spot.start] + written + text[spot.end :]
    return text if changes else None


def _spots(text: str, query: Query) -> list[Spot]:
    """The words that are looked for: not those of filters, of what is not wanted, or of beginnings (`foo*`). Where a
    name has parts, the parts."""
    wanted = tuple(dict.fromkeys(term for part in query.words for term in terms(part)))
    found = [
        Spot(piece.start + begin, piece.start + end, wanted[number])
        for piece in _pieces(text)
        for begin, end, number in places(piece.text, None, wanted)
        if piece.text[end : end + 1] != "*"
    ]
    kept: list[Spot] = []
    for spot in sorted(found[:WORDS_MOST], key=lambda spot: spot.end - spot.start):
        if not any(_overlap(spot, other) for other in kept):
            kept.append(spot)
    return sorted(kept)


def _pieces(text: str) -> Iterator[Piece]:
    """Words and phrases that are looked for."""
    within: list[bool] = []
    for token in tokens(text, FIELDS):
        if isinstance(token, Open):
            within.append(_is_sought(token))
        elif isinstance(token, Close):
            within.pop()
        elif isinstance(token, Piece) and _is_sought(token) and all(within):
            yield token


def _is_sought(token: Piece | Open) -> bool:
    """It may be anywhere, or in the title."""
    return not token.negated and FIELDS.get(token.name, Field.TITLE) is Field.TITLE


def _overlap(one: Spot, other: Spot) -> bool:
    return one.start < other.end and other.start < one.end


def _in_one_piece(text: str, spots: list[Spot], words: Words) -> Iterator[tuple[Spot, str]]:
    """Words that stand next to each other and are one in the titles."""
    end = 0
    for one, other in pairwise(spots):
        if one.start < end or text[one.end : other.start] != " " or min(len(one.term), len(other.term)) < PART:
            continue
        whole = one.term + other.term
        titles = words.titles(whole) if whole.isalpha() else 0
        if titles >= TITLES and words.titled(one.term, other.term) * RARER <= titles:
            end = other.end
            yield Spot(one.start, end, whole), whole


def _corrected(spots: list[Spot], words: Words) -> dict[str, str]:
    """For each term that may be a mistake what is meant."""
    found: dict[str, str] = {}
    looked_up = 0
    for term in dict.fromkeys(spot.term for spot in spots if reach(spot.term)):
        pages = words.pages(term)
        if pages <= (RARE if len(term) > SHORTEST and term.isalpha() else 0) and looked_up < CORRECTED_MOST:
            looked_up += 1
            if other := _more_frequent(term, pages, words) if pages else meant(term, words):
                found[term] = other
    return found


def meant(term: str, words: Words) -> str:
    """What a term that no page has stands for; nothing when that is not known. One mistake, two words, two mistakes: in
    this order. A rare word may be a mistake of somebody else."""
    most, candidates = reach(term), words.near(term)
    meant = nearest(term, candidates, most)
    if meant.far != 1 and (parts := _parts(term, words)):
        return parts
    if most > 1 and candidates.get(meant.word, 0) <= RARE:
        meant = max(meant, nearest(term, words.slipped(term), most, most))
    return meant.word


def _parts(term: str, words: Words) -> str:
    """The two words that it is, of which the rarer is the most frequent, if they are met together."""
    each = ((words.pages(one), words.pages(other), one, other) for one, other in parted(term, PART))
    *_, one, other = max(each, key=lambda both: min(both[:2]), default=("", ""))
    return f"{one} {other}" if one and words.together(one, other) else ""


def _more_frequent(term: str, pages: int, words: Words) -> str:
    """A word that begins alike, is no other form of it, and is met far more often."""
    stems = words.stems(term)
    candidates = {other: count for other, count in words.near(term).items() if other[0] == term[0]}
    other = nearest(term, candidates, 1).word
    if not other or stems & words.stems(other) or words.pages(other) < FAR_MORE * pages:
        return ""
    return other


def _written_like(word: str, other: str) -> str:
    """In the capitals of the word that it stands for."""
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other[0].upper() + other[1:] if word[0].isupper() else other
