"""All shards are asked, and their answers become one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from gossamer.index.entry import Shown, shown_of
from gossamer.index.faults import reading
from gossamer.index.shard_index import ShardIndex
from gossamer.search.bm25f_weights import Weights
from gossamer.search.candidates import Candidates, Hits, Matches
from gossamer.search.candidates import best as merged
from gossamer.search.candidates import taken as values
from gossamer.search.past import TEXTS_MOST, begun_by, once
from gossamer.search.query_builder import Asking, Linking
from gossamer.search.statistics import Statistics
from gossamer.search.windows import Total

if TYPE_CHECKING:
    from concurrent.futures import Executor

COUNTED_MOST = 1_000
"""Pages that have a word. With more, they are not counted: the engine passes over those that cannot be among the
best."""
ASKED_AT_ONCE = 8
"""Shards, over all questions that are being answered."""

T = TypeVar("T")


class Shards:
    """The indexes of all shards as they are now."""

    def __init__(
        self,
        indexes: Sequence[ShardIndex],
        weights: Weights,
        linking: Linking,
        *,
        past: bool = False,
        at: float | None = None,
    ) -> None:
        """`past`: the indexes also have what pages said before, so that a page may be in them several times. Then they
        answer of all times, or of a moment."""
        self.past = past
        self.at = None if at is None else begun_by(at)
        self.indexes = indexes
        self.known = Statistics(indexes, self.at, past=past)
        self.searchers = self.known.searchers
        self.askings = [
            Asking(shard_index, weights, partial(self.known.balance, number), linking)
            for number, shard_index in enumerate(indexes)
        ]

    @cached_property
    def _pool(self) -> Executor:
        from concurrent.futures import ThreadPoolExecutor  # for hard questions alone

        return ThreadPoolExecutor(ASKED_AT_ONCE)

    def best(self, queries: Sequence[Any], depth: int, *, hard: bool = False, count: bool) -> tuple[Matches, Total]:
        most = max(depth, TEXTS_MOST) if self.past else depth
        answers = self._each(partial(self._one, most, count), queries, hard=hard)
        number = sum(total for _, total in answers) if count else COUNTED_MOST
        found, total = merged([hits for hits, _ in answers], most), Total(number, not count)
        return self._once(found, total, depth) if self.past else (found, total)

    def _once(self, found: Matches, total: Total, depth: int) -> tuple[Matches, Total]:
        """Each page once. Where not all texts were looked at, there are so many pages at least."""
        kept = once(found, self.taken(found).pages.tolist())
        return kept.part(0, depth), Total(len(kept.addresses), total.is_least or total.pages > len(found.addresses))

    def taken(self, matches: Matches) -> Candidates:
        with reading():
            return values(self.searchers, matches)

    def raised(
        self, found: Candidates, places: Iterable[int], query: Callable[[Asking, Sequence[int]], Any]
    ) -> Candidates:
        """Some of them count for more, by what a query says of their pages."""
        pages: list[list[int]] = [[] for _ in self.askings]
        for place in places:
            pages[found.addresses[place][0]].append(int(found.pages[place]))
        worth: dict[int, float] = {}
        for shard, some in enumerate(pages):
            worth |= self.worth(shard, query(self.askings[shard], some), len(some)) if some else {}
        return found.raised(worth)

    def worth(self, shard: int, query: Any, most: int) -> dict[int, float]:
        """Pages with what a query says for them."""
        searcher = self.searchers[shard]
        with reading():
            hits = searcher.search(query, limit=most, count=False).hits
            pages = searcher.fast_field_values("page", [address for _, address in hits])
        found = zip(pages, hits, strict=True)
        return {int(page or 0): score for page, (score, _) in reversed([*found])}

    def shown(self, shard: int, address: Any) -> Shown:
        with reading():
            row = self.searchers[shard].doc(address).get_first("shown")
        return shown_of(row)

    def _each(self, ask: Callable[[int, Any], T], queries: Sequence[Any], *, hard: bool = False) -> list[T]:
        """What is hard is asked of all shards at once, of the first by who asks; else of one after the other."""
        if not hard or len(self.indexes) < 2:
            return [ask(shard, query) for shard, query in enumerate(queries)]
        others = self._pool.map(ask, range(1, len(queries)), queries[1:])
        return [ask(0, queries[0]), *others]

    def _one(self, depth: int, count: bool, shard: int, query: Any) -> tuple[Hits, int]:
        with reading():
            result = self.searchers[shard].search(query, limit=depth, count=count)
            return result.hits, (result.count or 0) if count else 0  # type: ignore[attr-defined]  # the types of the engine lack it
