"""Pages on the way to becoming hits, and how they are put in order.

A question has hundreds of candidates, and ten are shown. So candidates are columns, taken from those of the index, and
what is shown of a page is looked up for the ten alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gossamer.search.bm25f_weights import Weights

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
class Matches:
    """What the engine found, the best first, before anything is looked up of a page."""

    addresses: list[tuple[int, Any]]
    """Of documents: number of the shard, and what its index calls it."""
    words: Floats
    """What its words are worth, by that of the engine."""

    def part(self, first: int, last: int) -> Matches:
        """Some of them, by their places."""
        return Matches(self.addresses[first:last], self.words[first:last])

    def at(self, places: Sequence[int]) -> Matches:
        """Those at these places."""
        return Matches([self.addresses[place] for place in places], self.words[list(places)])

    def without(self, others: set[Identity]) -> Matches:
        """Those that are not among others."""
        return self.at([place for place, address in enumerate(self.addresses) if identity(address) not in others])


Identity: TypeAlias = tuple[int, int, int]
"""Shard, segment and number of a document. What the engine calls it cannot be a member of a set."""


def identity(address: tuple[int, Any]) -> Identity:
    """Of a document."""
    shard, place = address
    return shard, place.segment_ord, place.doc


def best(hits: Sequence[Hits], most: int) -> Matches:
    """The best of all shards, equals in the order of the shards."""
    addresses = [(shard, place) for shard, some in enumerate(hits) for _, place in some]
    words = np.array([score for some in hits for score, _ in some], np.float64)
    order = np.argsort(-words, kind="stable")[:most]
    return Matches([addresses[place] for place in order.tolist()], words[order])


@dataclass(frozen=True, slots=True)
class Candidates:
    """Each in all columns at the same place."""

    addresses: list[tuple[int, Any]]
    pages: NDArray[np.uint64]
    """Fingerprints of the addresses of pages, like the next of their sites."""
    sites: NDArray[np.uint64]
    dates: NDArray[np.int64]
    words: Floats
    """What its words are worth."""
    window: NDArray[np.int64]
    """Those of one window are weighed against each other. Those of the next come after them, whatever they are
    worth."""

    def without(self, others: set[Identity]) -> Candidates:
        """Those that are not among others."""
        kept = [place for place, address in enumerate(self.addresses) if identity(address) not in others]
        return Candidates(
            [self.addresses[place] for place in kept],
            self.pages[kept],
            self.sites[kept],
            self.dates[kept],
            self.words[kept],
            self.window[kept],
        )

    def raised(self, by: Mapping[int, float]) -> Candidates:
        """The same with more for some pages."""
        if not by:
            return self
        return replace(self, words=self.words + np.array([by.get(page, 0.0) for page in self.pages.tolist()]))

    def in_window(self, number: int) -> Candidates:
        """All of them in one window."""
        return replace(self, window=np.full(len(self.addresses), number, np.int64))


def taken(searchers: Sequence[Any], matches: Matches) -> Candidates:
    """What is looked up of pages, for the order they are shown in."""
    shards = np.array([shard for shard, _ in matches.addresses], np.intp)
    pages, sites = np.zeros(len(shards), np.uint64), np.zeros(len(shards), np.uint64)
    dates = np.zeros(len(shards), np.int64)
    for shard, searcher in enumerate(searchers):
        where = np.flatnonzero(shards == shard)
        places = [matches.addresses[place][1] for place in where.tolist()]
        if places:
            pages[where] = _column(searcher, "page", places)
            sites[where] = _column(searcher, "site", places)
            dates[where] = _column(searcher, "date", places)
    return Candidates(matches.addresses, pages, sites, dates, matches.words, np.zeros(len(shards), np.int64))


def _column(searcher: Any, name: str, places: Sequence[Any]) -> list[int]:
    return [value or 0 for value in searcher.fast_field_values(name, places)]


def together(parts: Sequence[Candidates]) -> Candidates:
    """All of several."""
    if len(parts) == 1:
        return parts[0]
    return Candidates(
        [address for part in parts for address in part.addresses],
        np.concatenate([part.pages for part in parts]),
        np.concatenate([part.sites for part in parts]),
        np.concatenate([part.dates for part in parts]),
        np.concatenate([part.words for part in parts]),
        np.concatenate([part.window for part in parts]),
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


@dataclass(frozen=True)
class Weighed:
    """Candidates with all that counts for them."""

    candidates: Candidates
    links: Floats
    age: Floats

    @cached_property
    def scores(self) -> Floats:
        return self.candidates.words + self.links + self.age

    def order(self) -> list[int]:
        """The best first; equals by their fingerprints, so that an answer is the same every time."""
        return self._order.tolist()  # type: ignore[no-any-return]  # NumPy cannot know

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.lexsort((self.candidates.pages, -self.scores, self.candidates.window))

    def spread(self) -> list[int]:
        """At most two of a site come before answers of other sites that are nearly as good."""
        order = self._order
        held = _places_among_equals(self.candidates.sites[order]) >= PER_SITE
        scores = self.scores[order] * np.where(held, HELD_BACK, 1.0)
        again = np.lexsort((-scores, self.candidates.window[order]))
        return order[again].tolist()  # type: ignore[no-any-return]  # as above

    def found(self, place: int) -> Found:
        """One of them."""
        shard, address = self.candidates.addresses[place]
        words, links, age = (float(c[place]) for c in (self.candidates.words, self.links, self.age))
        signs = {"words": words, "links": links, "age": age}
        return Found(words + links + age, shard, address, int(self.candidates.pages[place]), signs)


def _places_among_equals(values: NDArray[np.uint64]) -> NDArray[np.intp]:
    """For each how many before it are the same."""
    order = np.argsort(values, kind="stable")
    grouped = values[order]
    begins = np.flatnonzero(np.concatenate(([True], grouped[1:] != grouped[:-1]))[: len(values)])
    sizes = np.diff(np.append(begins, len(values)))
    places = np.empty(len(values), np.intp)
    places[order] = np.arange(len(values)) - np.repeat(begins, sizes)
    return places


def weighed(candidates: Candidates, ranks: Sequence[float] | Floats, weights: Weights, now: float) -> Weighed:
    """What does not depend on the question is added (see `bm25f_weights`)."""
    rank = np.asarray(ranks, np.float64)
    years = np.maximum(0.0, now - candidates.dates) / YEAR
    age = np.where(candidates.dates != 0, weights.fresh / (1 + years), 0.0)
    return Weighed(candidates, weights.rank * rank / (RANK_HALF + rank), age)
