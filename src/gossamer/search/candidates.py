"""Pages on the way to becoming hits, and how they are put in order.

A question has hundreds of candidates, and ten are shown. So candidates are columns, taken from those of the index, and
what is shown of a page is looked up for the ten alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gossamer.search.weights import Weights

PER_SITE = 2
"""Answers of one site that stand where their scores put them."""
HELD_BACK = 0.9
"""What the score of a further one is worth beside answers of other sites."""
RANK_HALF = 5.0
"""The rank that brings half of what a rank can bring."""
YEAR = 365.25 * 86_400

Floats: TypeAlias = NDArray[np.float64]
Hits: TypeAlias = Sequence[tuple[float, Any]]
"""Scores with the addresses of documents, as the engine gives them."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Each in all columns at the same place."""

    addresses: list[tuple[int, Any]]
    """Of documents: number of the shard, and what its index calls it."""
    pages: NDArray[np.uint64]
    """Fingerprints of the addresses of pages, like the next of their sites."""
    sites: NDArray[np.uint64]
    dates: NDArray[np.int64]
    words: Floats
    """What its words are worth."""
    lacking: NDArray[np.int64]
    """0 for those that are weighed against each other first. Others come after them, whatever they are worth."""

    def then(self, others: Candidates) -> Candidates:
        """These, and after them those of others that are not among them."""
        chosen = others.without(self)
        return together((self, replace(chosen, lacking=chosen.lacking + (self.lacking.max(initial=0) + 1))))

    def and_(self, others: Candidates) -> Candidates:
        """These, and those of others that are not among them, as they are."""
        return together((self, others.without(self)))

    def without(self, others: Candidates) -> Candidates:
        """Those that are not among others."""
        return self._chosen(np.flatnonzero(~np.isin(self.pages, others.pages)))

    def windowed(self, size: int, most: int) -> Candidates:
        """The best by their words, so many of them, in windows: each comes after the one before."""
        order = np.argsort(-self.words, kind="stable")[:most]
        return replace(self._chosen(order), lacking=np.arange(len(order)) // size)

    def _chosen(self, places: NDArray[np.intp]) -> Candidates:
        return Candidates(
            [self.addresses[place] for place in places.tolist()],
            self.pages[places],
            self.sites[places],
            self.dates[places],
            self.words[places],
            self.lacking[places],
        )

    def raised(self, by: Mapping[int, float]) -> Candidates:
        """The same with more for some pages."""
        more = [by.get(page, 0.0) for page in self.pages.tolist()] if by else 0.0
        return replace(self, words=self.words + np.array(more))


def taken(shard: int, searcher: Any, hits: Hits) -> Candidates:
    """The candidates that an index found."""
    places = [place for _, place in hits]
    return Candidates(
        [(shard, place) for place in places],
        _column(searcher, "page", places, np.uint64),
        _column(searcher, "site", places, np.uint64),
        _column(searcher, "date", places, np.int64),
        np.array([score for score, _ in hits], np.float64),
        np.zeros(len(places), np.int64),
    )


def _column(searcher: Any, name: str, places: list[Any], kind: type) -> NDArray[Any]:
    return np.array([value or 0 for value in searcher.fast_field_values(name, places)], kind)


def together(parts: Iterable[Candidates]) -> Candidates:
    """Those of all shards."""
    some = list(parts)
    if len(some) == 1:
        return some[0]
    return Candidates(
        [address for part in some for address in part.addresses],
        np.concatenate([part.pages for part in some]),
        np.concatenate([part.sites for part in some]),
        np.concatenate([part.dates for part in some]),
        np.concatenate([part.words for part in some]),
        np.concatenate([part.lacking for part in some]),
    )


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate that is shown."""

    score: float
    shard: int
    address: Any
    page: int
    signs: Mapping[str, float]
    """What the score is made of."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """Candidates with all that counts for them."""

    candidates: Candidates
    links: Floats
    age: Floats

    @property
    def scores(self) -> Floats:
        return self.candidates.words + self.links + self.age

    def order(self) -> list[int]:
        """The best first; equals by their fingerprints, so that an answer is the same every time."""
        return np.lexsort((self.candidates.pages, -self.scores, self.candidates.lacking)).tolist()  # type: ignore[no-any-return]  # NumPy cannot know

    def spread(self) -> list[int]:
        """At most two of a site come before answers of other sites that are nearly as good."""
        met: Counter[int] = Counter()
        sites, scores, lacking = self.candidates.sites.tolist(), self.scores.tolist(), self.candidates.lacking.tolist()
        order = self.order()
        for place in order:
            met[sites[place]] += 1
            if met[sites[place]] > PER_SITE:
                scores[place] *= HELD_BACK
        return sorted(order, key=lambda place: (lacking[place], -scores[place]))

    def found(self, place: int) -> Found:
        """One of them."""
        shard, address = self.candidates.addresses[place]
        words, links, age = (float(c[place]) for c in (self.candidates.words, self.links, self.age))
        signs = {"words": words, "links": links, "age": age}
        return Found(words + links + age, shard, address, int(self.candidates.pages[place]), signs)


def weighed(candidates: Candidates, ranks: Sequence[float] | Floats, weights: Weights, now: float) -> Weighed:
    """What does not depend on the question is added (see `weights`)."""
    rank = np.asarray(ranks, np.float64)
    years = np.maximum(0.0, now - candidates.dates) / YEAR
    age = np.where(candidates.dates != 0, weights.fresh / (1 + years), 0.0)
    return Weighed(candidates, weights.rank * rank / (RANK_HALF + rank), age)
