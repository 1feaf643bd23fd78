"""Which words does the collection have, how often, and which of them are spelled like another?

The words are those of titles and headings, as they are spelled there, which is mostly with care. Their dictionary is in
the index already, and nothing else is kept: what begins like a word is one range of it, and what has a mistake near
the beginning is few enough words to look up each. For half a million words both together take less than a
millisecond in one segment and about two in twelve, where an automaton of the engine takes 16 for one mistake and 60 for
two, and finds pages and not words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from gossamer.index.analysis import terms
from gossamer.index.faults import reading
from gossamer.index.shard_index import ShardIndex
from gossamer.search.spelling import mistaken, slipped

FEW = {6: 100, 5: 20, 4: 0}
"""Words with the same first letters that are few, by the number of these. With a letter less they are more, and reading
them takes longer than looking up the mistakes that may be at that letter."""
SLIPS, TAIL = 5, 3
"""Letters that the first of two mistakes is in, and letters at the end that the second is in at least."""
REMEMBERED = 100
"""Words."""
COUNTED = 2_000
"""Pages that have the rarer word of a pair; with more, looking through them would take too long."""


class Vocabulary:
    """The words of all shards."""

    def __init__(
        self,
        indexes: Sequence[ShardIndex],
        searchers: Sequence[Any],
        having: Callable[[str, str], Sequence[int]],
        languages: Sequence[str | None],
    ) -> None:
        """`having(field, term)` is how many pages have it, by shard."""
        self._indexes = indexes
        self._searchers = searchers
        self._having = having
        self._languages = languages
        # The same word is looked for to find what it may mean, and to say so.
        self.near = lru_cache(maxsize=REMEMBERED)(self._near)
        self.slipped = lru_cache(maxsize=REMEMBERED)(self._slipped)
        self.together = lru_cache(maxsize=REMEMBERED)(self._together)

    def pages(self, word: str) -> int:
        """How many have it, in any form."""
        return max(sum(self._having("spelling", word)), self._reduced("body", word))

    def titles(self, word: str) -> int:
        """How many pages have it in their title, in any form."""
        return self._reduced("title", word)

    def stems(self, word: str) -> set[str]:
        """What the languages of the collection make of it."""
        return {term for language in self._languages for term in terms(word, language)[:1]}

    def _reduced(self, field: str, word: str) -> int:
        return max((sum(self._having(field, stem)) for stem in self.stems(word)), default=0)

    def _near(self, word: str) -> dict[str, int]:
        """Words that may be meant, with how many titles and headings have each: all that one mistake leads to, and
        those with more mistakes that begin alike."""
        with reading():
            places, alike = self._alike(word)
            others = set(mistaken(word, places))
            found = Counter(
                {each: sum(one.doc_freq("spelling", each) for one in self._searchers) for each in others - alike.keys()}
            )
        return {each: count for each, count in chain(found.items(), alike.items()) if count and each != word}

    def _slipped(self, word: str) -> dict[str, int]:
        """The same for a long word with two mistakes, of which one is near the beginning: they begin as it would if one
        of the mistakes that are made most had not been made."""
        beginning = word[: max(SLIPS, min(len(word) - TAIL, 7))]
        found: Counter[str] = Counter()
        with reading():
            for other in set(slipped(beginning, SLIPS)) - {beginning}:
                found.update(self._beginning(other))
        return dict(found)

    def _alike(self, word: str) -> tuple[int, Counter[str]]:
        """How many letters from the beginning few words share, and those words. A short word shares too little."""
        alike: Counter[str] = Counter()
        places = len(word)
        for places in (number for number in FEW if number < len(word)):
            alike = self._beginning(word[:places])
            if len(alike) > FEW[places]:
                break
        return places, alike

    def _beginning(self, letters: str) -> Counter[str]:
        found: Counter[str] = Counter()
        for searcher in self._searchers:
            found.update(dict(searcher.terms_with_prefix("spelling", letters)))
        return found

    def titled(self, one: str, other: str) -> int:
        """How many titles have these words one after the other."""
        return self._phrases("title", one, other)

    def _together(self, one: str, other: str) -> bool:
        """Some page has these words one after the other. Where both are frequent, nobody looks."""
        return min(self.pages(one), self.pages(other)) > COUNTED or self._phrases("body", one, other) > 0

    def _phrases(self, field: str, one: str, other: str) -> int:
        variants = {tuple(terms(f"{one} {other}", language)) for language in self._languages}
        return max((self._phrased(field, phrase) for phrase in variants), default=0)

    def _phrased(self, field: str, phrase: Sequence[str]) -> int:
        if len(phrase) < 2 or not all(sum(self._having(field, term)) for term in phrase):
            return 0
        with reading():
            each = zip(self._indexes, self._searchers, strict=True)
            return sum(found.search(one.phrase(field, phrase), limit=1, count=True).count for one, found in each)
