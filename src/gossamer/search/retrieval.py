"""Which pages answer a question? First by their words, then the best of them by all else.

The engine finds pages by their words. What costs more, as pairs of words and terms of the best answers, is looked for
only in the pages of a window that is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import accumulate
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gossamer.index.analysis import terms
from gossamer.index.anchor_index import AnchorIndex
from gossamer.index.entry import Shown
from gossamer.index.faults import reading
from gossamer.search import neighbors
from gossamer.search.bm25f_weights import Weights
from gossamer.search.candidates import Candidates, Weighed, identity, together
from gossamer.search.candidates import weighed as weigh
from gossamer.search.expansion import ANSWERS, GOOD, LONG, SHORT, telling
from gossamer.search.query import Field, Filter, Query
from gossamer.search.query_builder import Asking, Linking, called
from gossamer.search.question import ALL_MOST, Question, Terms, free_terms, is_free
from gossamer.search.shards import COUNTED_MOST, Shards
from gossamer.search.windows import WINDOW, Total, Window, not_counted, without

MANY = 6
"""Words of a question that is not found by its common ones."""
COMMON = 0.4
"""Share of the pages that makes a term common."""
READ_MOST = 100_000
"""Pages that the terms of a long question are met in, all terms together; what is over it counts, but finds nothing."""
ENOUGH = 10
"""With fewer pages that have all words of a question, those that lack one are answers too, however few are wanted."""
NEAR_MOST = 2_000
"""Pages that pairs of words are looked for in at once: with more, a second look at the best is faster."""
REFINED_MOST = 50
"""Of the best answers so far, those that are looked at more closely."""
CALLED_MOST = 30
"""Pages that are found by what others call them alone."""
WORDY, SPOKEN_MOST = 40, 3
"""A question of more words is asked in so many languages, the commonest: what it asks for is found by one of them."""
ALONE_MOST = 100_000
"""Pages that have the words, all words together. For fewer, handing them to threads takes longer than reading them."""


@dataclass(frozen=True, slots=True)
class SearchContext:
    """What is known of pages, their links and their texts, and the time."""

    texts: Callable[[Sequence[tuple[int, Shown]]], Sequence[str]]
    """The main contents of pages, by shard and what the index shows of them."""
    ranks: Callable[[Sequence[int]], Sequence[float]]
    """How each page ranks by its links, by fingerprint; 1 is usual."""
    linking: Linking
    now: float
    anchor_index: AnchorIndex | None = None
    """What others call the pages; None before there is a graph."""
    copies: Callable[[int], tuple[str, ...]] = lambda page: ()
    """The pages that a page stands for, by fingerprint."""
    fields: frozenset[str] = frozenset()
    """Names of fields that page functions gave, in small letters."""


class Asked(NamedTuple):
    """What was found out about a question, before anything is shown."""

    question: Question
    """As it was answered in the end."""
    found: Candidates
    before: int
    """Answers that come before these, and were not looked at."""
    total: Total
    anchors: Mapping[int, float]
    """What others call pages, in what it is worth, by fingerprint."""
    called: Sequence[int]
    """Pages that were looked for by what others call them."""


class Retrieval:
    """Finds the pages that answer, over all shards."""

    def __init__(self, shards: Shards, context: SearchContext, weights: Weights, meant: Callable[[str], str]) -> None:
        """`meant`: the word that one is a misspelling of, or the word itself."""
        self._shards = shards
        self._context = context
        self._weights = weights
        self._meant = meant

    def asked(self, query: Query, last: int, first: int = 0, least: int = ENOUGH) -> Asked:
        """Pages that have all words of a short question; after them, where these are few, those that have some. Those
        from the first up to the last are looked at."""
        depth = WINDOW * max(1, -(-last // WINDOW))
        question = self.question(query)
        if question.words.number >= MANY:
            question = question.finding(self._common(question.words.counts))
        anchors = self._called(question.words)
        windows, total, called = self._windows(question, anchors, depth)
        if total.pages < least and (looser := question.looser()):
            question = looser
            others, total, called = self._windows(question, anchors, depth)
            windows += self._other_pages(others, windows) if self._shards.past else without(others, windows)
        ends = list(accumulate(map(len, windows)))
        shown = [number for number, end in enumerate(ends) if end > first and end - len(windows[number]) < last] or [0]
        found = together([self._looked_at(windows[number]).raised(anchors).in_window(number) for number in shown])
        return Asked(question, found, ends[shown[0]] - len(windows[shown[0]]), total, anchors, called)

    def question(self, query: Query, all_most: int = ALL_MOST) -> Question:
        """Asked in all languages of the pages, unless it names some."""
        named = {
            atom.value
            for clause in query.clauses
            if not clause.negated
            for atom in clause.alternatives
            if isinstance(atom, Filter) and atom.field is Field.LANGUAGE
        }
        languages = [code for code in self._shards.known.languages if code in named] or self._shards.known.languages
        if sum(len(text.split()) for text in query.words) > WORDY:
            languages = languages[:SPOKEN_MOST]
        words = free_terms(query, self._shards.known.lexicon(languages, self._meant), all_most)
        return Question(query, words, languages, self._shards.at)

    def weighed(self, found: Candidates) -> Weighed:
        now = self._context.now if self._shards.at is None else self._shards.at / 1_000
        return weigh(found, self._context.ranks(found.pages.tolist()), self._weights, now)

    def _windows(
        self, question: Question, anchors: Mapping[int, float], depth: int
    ) -> tuple[list[Window], Total, list[int]]:
        """The answers by their words. What others call a page counts like its own words, and a page that has none of
        these is found by it alone; which pages were looked for so comes last."""
        if question.words.all_of and self._expected(question.words) < NEAR_MOST:
            question = question.near()
        queries = [asking.query(question) for asking in self._shards.askings]
        found, total = self._shards.best(queries, depth, hard=self._is_hard(question), count=self._is_counted(question))
        first = self._shards.taken(found.part(0, WINDOW))
        met = set(first.pages.tolist())
        absent = [] if self._shards.past else [page for page in anchors if page not in met][:CALLED_MOST]
        parts, called = [found.part(at, at + WINDOW) for at in range(0, len(found.addresses), WINDOW)] or [found], None
        if absent:
            more, _ = self._shards.best(
                [asking.among(question, absent) for asking in self._shards.askings], len(absent), count=False
            )
            total, called = total.and_(not_counted(more, total)), self._shards.taken(more)
            again = set(map(identity, more.addresses))
            parts[1:] = [part.without(again) for part in parts[1:]]
        windows = [Window(question, part, first, called if number == 0 else None) for number, part in enumerate(parts)]
        return windows, total, absent

    def _other_pages(self, windows: Sequence[Window], others: Sequence[Window]) -> list[Window]:
        """The same without the pages that others have."""
        met = {page for window in others for page in self._shards.taken(window.matches).pages.tolist()}
        pages = (self._shards.taken(window.matches).pages.tolist() for window in windows)
        return [
            replace(window, matches=window.matches.at([place for place, page in enumerate(some) if page not in met]))
            for window, some in zip(windows, pages, strict=True)
        ]

    def _looked_at(self, window: Window) -> Candidates:
        """What costs much is looked for in pages that are shown or might be."""
        is_first = window.matches.addresses == window.first.addresses
        found = window.first if is_first else self._shards.taken(window.matches)
        if further := self.further(window):
            found = self._shards.raised(found, range(len(found.addresses)), partial(_more, window.question, further))
        words = window.question.words
        if is_first and (words.common or (words.pairs and not words.near)):
            found = self._shards.raised(
                found, _first(found, REFINED_MOST), lambda asking, pages: asking.finer(window.question, pages)
            )
        if is_first:
            found = self._regularized(window.question, found)
        return together([window.called, found]) if window.called else found

    def _is_counted(self, question: Question) -> bool:
        """So many have one of its words that nobody will look at all; but what else is asked for may leave few."""
        words = question.words
        flat = not words.all_of and all(is_free(clause) and not clause.negated for clause in question.query.clauses)
        return not flat or max(map(self._shards.known.texts_having, words.counts), default=0) < COUNTED_MOST

    def _is_hard(self, question: Question) -> bool:
        return sum(map(self._shards.known.texts_having, question.wanted)) > ALONE_MOST

    def _expected(self, words: Terms) -> float:
        """About how many pages have enough of the words, if they were spread by chance."""
        size = max(self._shards.known.pages, 1)
        having = (max(map(self._shards.known.texts_having, word.terms), default=0) for word in words.all_of)
        return size * prod(number / size for number in having)

    def _common(self, counts: Iterable[str]) -> set[str]:
        """Terms that many of the pages have tell little, and would take most of the time of a long question. The same
        for the most frequent of many."""
        having = {term: self._shards.known.texts_having(term) for term in counts}
        rare = [term for term in having if 0 < having[term] <= COMMON * self._shards.known.pages]
        rare = rare or [term for term in having if having[term]]
        rare.sort(key=having.__getitem__)
        read = accumulate(having[term] for term in rare)
        found_by = {term for term, so_far in zip(rare, read, strict=True) if so_far <= READ_MOST} or set(rare[:1])
        return having.keys() - found_by

    def _called(self, words: Terms) -> dict[int, float]:
        counts = {**words.demanded, **words.counts}
        if self._context.anchor_index is None or not counts or not self._weights.anchors:
            return {}
        with reading():
            searcher = self._context.anchor_index.index.searcher()
            query = called(self._context.anchor_index, counts, self._shards.known.rarity, self._weights.anchors)
            hits = searcher.search(query, limit=WINDOW, count=False).hits
            pages = searcher.fast_field_values("page", [address for _, address in hits])
        return {int(page or 0): float(score) for page, (score, _) in zip(pages, hits, strict=True)}

    def further(self, window: Window) -> dict[str, float]:
        """Terms of the best answers to a long question. A long page is about more than the question, and its terms
        would mislead; so would those of a poor one."""
        found = window.first
        if window.question.words.number < LONG or not self._weights.expansion or not found.addresses:
            return {}
        order = _first(found, ANSWERS)
        best = [place for place in order if found.words[place] >= GOOD * found.words[order[0]]]
        answers = self._read(found, best).values()
        further = telling(
            list(answers), lambda term: self._shards.known.texts_having(term) / max(self._shards.known.pages, 1)
        )
        common = self._common(further)
        return {term: self._weights.expansion * weight for term, weight in further.items() if term not in common}

    def _regularized(self, question: Question, found: Candidates) -> Candidates:
        """The first answers to a long question lean on those like them, unless these are of the past, where how many
        pages had a term takes a search."""
        if question.words.number < LONG or not self._weights.cluster or self._shards.past:
            return found
        answers = self._read(found, _first(found, neighbors.ANSWERS))
        words, places = found.words.copy(), list(answers)
        rarity, weight = self._shards.known.rarity, self._weights.cluster
        words[places] = neighbors.regularized(words[places], list(answers.values()), rarity, weight)
        return replace(found, words=words)

    def _read(self, found: Candidates, places: Iterable[int]) -> dict[int, list[str]]:
        """The terms of those that are short, by their places."""
        shown = {place: self._shards.shown(*found.addresses[place]) for place in places}
        short = [place for place in shown if 0 < shown[place].length <= SHORT]
        texts = self._context.texts([(found.addresses[place][0], shown[place]) for place in short])
        return {place: _terms(text, shown[place].language) for place, text in zip(short, texts, strict=True)}


@lru_cache(maxsize=2 * neighbors.ANSWERS)
def _terms(text: str, language: str | None) -> list[str]:
    """The first answers are read for their terms and once more to be compared, and again for the next page of them."""
    return terms(text, language)


def _first(found: Candidates, most: int) -> list[int]:
    """The places of the best by their words."""
    return np.lexsort((found.pages, -found.words))[:most].tolist()  # type: ignore[no-any-return]  # NumPy cannot know


def _more(question: Question, further: Mapping[str, float], asking: Asking, pages: Sequence[int]) -> Any:
    return asking.more(question, further, pages)
