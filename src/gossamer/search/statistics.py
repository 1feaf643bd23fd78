"""What is known about terms? How many pages of all shards have one, in which languages, and how rare it is.

Of a moment of the past, texts and their languages are counted as they stood then; titles and addresses are not, because
nothing is weighed by their numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any

from gossamer.index.analysis import STEMMERS
from gossamer.index.faults import reading
from gossamer.index.shard_index import ShardIndex
from gossamer.search.query_builder import all_then, having_then
from gossamer.search.words import Lexicon, rarity

REMEMBERED = 10_000
"""Terms."""
COUNTED = ("body", "language")
"""Fields that are counted as they stood at a moment."""
VALUES_MOST = 5_000
"""Sites, types or languages that another one may be meant by."""


class Statistics:
    """Of the indexes as they are now, or of what stood in them at a moment, in milliseconds since 1970.

    With those of the `past` the sizes are as the engine counts them: how many of their rows were replaced differs much.
    """

    def __init__(self, indexes: Sequence[ShardIndex], at: int | None = None, *, past: bool = False) -> None:
        self._at = at
        with reading():
            self.searchers = [shard_index.index.searcher() for shard_index in indexes]
            self.sizes = [searcher.num_docs for searcher in self.searchers]
        if past:
            self.sizes = [shard_index.rows for shard_index in indexes]
        self._indexes = indexes
        self.pages = sum(self.sizes if at is None else self._counted([all_then(each.schema, at) for each in indexes]))
        self.having = lru_cache(maxsize=REMEMBERED)(self._count_having)
        self.had = lru_cache(maxsize=REMEMBERED)(self._count_then)
        self.balance = lru_cache(maxsize=REMEMBERED)(self._balance)
        self.spoken = lru_cache(maxsize=REMEMBERED)(self._is_spoken)

    def pages_having(self, name: str, term: str) -> int:
        """How many pages have a term in a field."""
        return sum(self.having(name, term) if self._at is None or name not in COUNTED else self.had(name, term))

    def texts_having(self, term: str) -> int:
        """How many pages have a term."""
        return self.pages_having("body", term)

    def rarity(self, term: str) -> float:
        """How much a term tells."""
        return rarity(self.pages, min(self.pages, self.texts_having(term)))

    def lexicon(self, languages: Sequence[str | None], meant: Callable[[str], str]) -> Lexicon:
        """What a question in these languages may be asked in. `meant` corrects a word that no page has."""
        return Lexicon(self.pages, self.texts_having, languages, self.spoken, meant)

    @cached_property
    def languages(self) -> list[str | None]:
        """Those that pages are written in, the commonest first; None when some are in one whose words stay as they
        are."""
        counts: dict[str | None, int] = {code: self.pages_having("language", code) for code in STEMMERS}
        counts[None] = self.pages - sum(counts.values())
        if counts[None] <= 0:  # pages that were replaced since still count for their languages
            counts[None] = int(self._has_others())
        return sorted((code for code in counts if counts[code] > 0), key=lambda code: -counts[code]) or [None]

    def _has_others(self) -> bool:
        """Are there pages in a language whose words stay as they are?"""
        with reading():
            return any(
                searcher.search(index.spoken_in_none(STEMMERS), limit=1, count=False).hits
                for index, searcher in zip(self._indexes, self.searchers, strict=True)
            )

    def beginning_with(self, name: str, letters: str, most: int) -> dict[str, int]:
        """The terms of a field that begin so, the most frequent of each shard."""
        counts: Counter[str] = Counter()
        with reading():
            for searcher in self.searchers:
                counts.update(dict(searcher.terms_with_prefix(name, letters, limit=most)))
        return dict(counts.most_common(most))

    def values(self, name: str) -> list[str]:
        """The terms of a field, the most frequent first."""
        return list(self.beginning_with(name, "", VALUES_MOST))

    def _count_then(self, name: str, term: str) -> list[int]:
        assert self._at is not None, "a moment"
        return self._counted([having_then(each.schema, name, term, self._at) for each in self._indexes])

    def _counted(self, queries: Sequence[Any]) -> list[int]:
        with reading():
            both = zip(self.searchers, queries, strict=True)
            return [searcher.search(query, limit=1).count or 0 for searcher, query in both]  # type: ignore[attr-defined]  # the types of the engine lack it

    def _count_having(self, name: str, term: str) -> list[int]:
        with reading():
            return [searcher.doc_freq(name, term) for searcher in self.searchers]

    def _balance(self, shard: int, name: str, term: str) -> float:
        """How much rarer a term is in the texts of all shards than in a field of one, as a factor; 0 when that one does
        not have it."""
        having = self.having(name, term)[shard]
        return self.rarity(term) / rarity(self.sizes[shard], min(self.sizes[shard], having)) if having else 0.0

    def _is_spoken(self, term: str, language: str | None) -> bool:
        """Do pages of a language have a term? Of one whose words stay as they are it is not known."""
        if language is None or not self.texts_having(term):
            return bool(self.texts_having(term))
        query = self._indexes[0].spoken(term, language)
        with reading():
            return any(searcher.search(query, limit=1, count=False).hits for searcher in self.searchers)
