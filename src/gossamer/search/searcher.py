"""All shards are asked; their answers are merged, weighed by links and age, and shown with the best passage."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import accumulate, chain, islice
from math import prod
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gossamer.index.analysis import terms
from gossamer.index.shard_index import AnchorIndex, ShardIndex, Shown, reading, shown_of, unpanicked
from gossamer.model import Hit
from gossamer.search.asking import Asking, Linking, Question, Terms, called, free_terms, is_free
from gossamer.search.candidates import Candidates, Found, Weighed, taken, together, weighed
from gossamer.search.expansion import ANSWERS, GOOD, LONG, SHORT, telling
from gossamer.search.facets import Facets, counted
from gossamer.search.hints import HINTS_MOST, hints
from gossamer.search.prefixes import TERMS_MOST, Prefixes
from gossamer.search.query import Field, Filter, Query, parse
from gossamer.search.snippets import marks_in, snippet
from gossamer.search.sorting import BEST, Sort, by_date, dated, sort_of
from gossamer.search.statistics import Statistics
from gossamer.search.suggestion import meant, suggestion
from gossamer.search.vocabulary import Vocabulary
from gossamer.search.weights import Weights

WINDOW = 200
"""Answers that are weighed together by links and age. The next so many follow in the same way, so that the order of
answers does not depend on how many of them are asked for."""
COUNTED_MOST = 1_000
"""Pages that have a word. With more, they are not counted: the engine passes over those that cannot be among the
best."""
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
REFINED_MOST = 30
"""Of the best answers so far, those that are looked at more closely."""
CALLED_MOST = 30
"""Pages that are found by what others call them alone."""
HELD_MOST = 10
"""Answers that had to stand back, of which the sites are named."""
ASKED_AT_ONCE = 8
"""Shards, over all questions that are being answered."""
ALONE_MOST = 100_000
"""Pages that have the words, all words together. For fewer, handing them to threads takes longer than reading them."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SearchContext:
    """What a search needs besides the index."""

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


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found."""

    hits: list[Hit]
    total: int
    suggestion: str | None = None
    """The question as it may have been meant."""
    is_least: bool = False
    """There are more than `total`."""
    hints: tuple[str, ...] = ()
    """Why it may find less than was meant, as a type that no page has: a sentence each."""
    more_from: tuple[str, ...] = ()
    """Sites with further answers as good as these, which stand behind those of other sites."""
    facets: Facets | None = None
    """How many pages of each site, type, language and year; None where nobody asked."""
    seconds: float = 0.0
    """What it took."""

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


class Total(NamedTuple):
    """How many pages were found, or how many at least."""

    pages: int
    is_least: bool = False

    def and_(self, others: int) -> Total:
        """With some more; where nobody has counted, it stays the least that there are."""
        return self if self.is_least else Total(self.pages + others)


class Asked(NamedTuple):
    """What was found out about a question, before anything is shown."""

    question: Question
    """As it was answered in the end."""
    found: Candidates
    total: Total
    anchors: Mapping[int, float]
    """What others call pages, in what it is worth, by fingerprint."""


class Searcher:
    """Answers questions over the indexes of all shards as they are now."""

    def __init__(self, indexes: Sequence[ShardIndex], context: SearchContext, weights: Weights | None = None) -> None:
        self._indexes = indexes
        self._context = context
        self._weights = weights or Weights()
        self._known = Statistics(indexes)
        self._searchers = self._known.searchers
        self._askings = [
            Asking(shard_index, self._weights, partial(self._known.balance, number), context.linking)
            for number, shard_index in enumerate(indexes)
        ]
        self._pool = ThreadPoolExecutor(ASKED_AT_ONCE) if len(indexes) > 1 else None

    @property
    def languages(self) -> Sequence[str | None]:
        """Those that pages are written in, the commonest first."""
        return self._known.languages

    @property
    def indexes(self) -> Sequence[ShardIndex]:
        """The indexes that are asked."""
        return self._indexes

    def search(
        self, text: str, number: int = 10, offset: int = 0, *, sort: str = Sort.RELEVANCE, facets: bool = False
    ) -> Answer:
        """The pages that answer best, or the newest that answer."""
        began, last = perf_counter(), number + offset
        query, cut = self._prefixes.expanded(parse(text))
        order = sort_of(sort)
        by_worth = order is Sort.RELEVANCE
        question, found, total, more_from = self._best(query, last) if by_worth else self._dated(query, last, order)
        return Answer(
            self._hits(found[offset:], question),
            total.pages,
            self._suggestion(text, query),
            total.is_least,
            hints=tuple(
                islice(hints(query, cut, total.pages, self._known.pages_having, self._known.values), HINTS_MOST)
            ),
            more_from=more_from,
            facets=counted(self._searchers, self._queries(question)) if facets else None,
            seconds=perf_counter() - began,
        )

    def _best(self, query: Query, last: int) -> tuple[Question, list[Found], Total, tuple[str, ...]]:
        asked = self._asked(query, last)
        best = self._weighed(asked.found)
        order, plain = best.spread()[:last], best.order()[:last]
        held = [asked.found.addresses[place] for place in sorted(set(plain) - set(order))[:HELD_MOST]]
        more_from = dict.fromkeys(self._shown(*address).site for address in held)
        return asked.question, [best.found(place) for place in order], asked.total, tuple(more_from)

    def _dated(self, query: Query, last: int, sort: Sort) -> tuple[Question, list[Found], Total, tuple[str, ...]]:
        question = self._question(query)
        if question.words.number < LONG:
            question, found, total = dated(question, self._queries, self._searchers, last, sort)
            return question, found, Total(total), ()
        asked = self._asked(query, BEST)
        best = self._weighed(asked.found)
        chosen = best.order()[:BEST]
        places = by_date(best.candidates.dates[chosen].tolist(), sort)[:last]
        return asked.question, [best.found(chosen[place]) for place in places], Total(len(chosen)), ()

    def _queries(self, question: Question) -> list[Any]:
        """Of each shard."""
        return [asking.query(question) for asking in self._askings]

    def explained(self, text: str, number: int) -> list[tuple[Hit, dict[str, float]]]:
        """Hits, each with what its score is made of: terms in fields, what others call it, links, age."""
        asked = self._asked(self._prefixes.expanded(parse(text))[0], number)
        best = self._weighed(asked.found)
        first = [best.found(place) for place in best.spread()[:number]]
        signs = [self._signs(each, asked) for each in first]
        return list(zip(self._hits(first, asked.question), signs, strict=True))

    def _signs(self, each: Found, asked: Asked) -> dict[str, float]:
        signs: dict[str, float] = {}
        for part in self._askings[each.shard].parts(asked.question.words.counts):
            with suppress(ValueError), unpanicked():  # the engine's way to say that the term is not there
                told = json.loads(part.query.explain(self._searchers[each.shard], each.address).to_json())
                signs[f"{part.term} in {part.field}"] = float(told["value"])
        own = sum(signs.values())
        anchors = asked.anchors.get(each.page, 0.0)
        further = each.signs["words"] - own - anchors
        more = {"anchors": anchors, "phrases and further terms": further, **each.signs}
        return signs | {name: value for name, value in more.items() if name != "words" and abs(value) > 1e-6}

    def ranking(self, text: str, depth: int) -> list[tuple[str, float]]:
        """Addresses with scores, the best first: for measuring. Not spread over sites."""
        best = self._weighed(self._asked(self._prefixes.expanded(parse(text))[0], depth, least=depth).found)
        found = (best.found(place) for place in best.order()[:depth])
        return [(self._shown(each.shard, each.address).url, each.score) for each in found]

    # ------------------------------------------------------------------ asking

    def _asked(self, query: Query, wanted: int, least: int = ENOUGH) -> Asked:
        """Pages that have all words of a short question; after them, where these are few, those that have some."""
        depth = WINDOW * max(1, -(-wanted // WINDOW))
        question = self._question(query)
        if question.words.number >= MANY:
            question = question.finding(self._common(question.words.counts))
        anchors = self._called(question.words)
        found, total = self._with_anchors(question, anchors, *self._answered(question, depth))
        if total.pages < least and (looser := question.looser()):
            question = looser
            more, total = self._with_anchors(question, anchors, *self._answered(question, depth))
            found = found.then(more)
        return Asked(question, found, total, anchors)

    def _question(self, query: Query) -> Question:
        """Asked in all languages of the pages, unless it names some."""
        named = {
            atom.value
            for clause in query.clauses
            if not clause.negated
            for atom in clause.alternatives
            if isinstance(atom, Filter) and atom.field is Field.LANGUAGE
        }
        languages = [code for code in self._known.languages if code in named] or self._known.languages
        return Question(query, free_terms(query, self._known.lexicon(languages, self._meant)), languages)

    def _answered(self, question: Question, depth: int) -> tuple[Candidates, Total]:
        """What its own words say for a page. A long question is asked again with the terms of its best answers."""
        if self._expected(question.words) < NEAR_MOST:
            question = question.near()
        queries, hard = [asking.query(question) for asking in self._askings], self._is_hard(question)
        if question.words.number >= LONG and self._weights.expansion:
            further = self._further(self._all(queries, 3 * ANSWERS, hard=hard, count=False)[0])
            queries = [asking.more(one, further) for asking, one in zip(self._askings, queries, strict=True)]
        found, total = self._all(queries, depth, hard=hard, count=self._is_counted(question))
        return self._refined(question.words, found).windowed(WINDOW, depth), total

    def _is_counted(self, question: Question) -> bool:
        """So many have one of its words that nobody will look at all; but what else is asked for may leave few."""
        words = question.words
        flat = not words.all_of and all(is_free(clause) and not clause.negated for clause in question.query.clauses)
        return not flat or max(map(self._known.texts_having, words.counts), default=0) < COUNTED_MOST

    def _expected(self, words: Terms) -> float:
        """About how many pages have enough of the words, if they were spread by chance."""
        size = max(self._known.pages, 1)
        having = (max(map(self._known.texts_having, word.terms), default=0) for word in words.all_of)
        return size * prod(number / size for number in having)

    def _common(self, counts: Iterable[str]) -> set[str]:
        """Terms that many of the pages have tell little, and would take most of the time of a long question. The same
        for the most frequent of many."""
        having = {term: self._known.texts_having(term) for term in counts}
        rare = [term for term in having if 0 < having[term] <= COMMON * self._known.pages]
        rare = rare or [term for term in having if having[term]]
        rare.sort(key=having.__getitem__)
        read = accumulate(having[term] for term in rare)
        found_by = {term for term, so_far in zip(rare, read, strict=True) if so_far <= READ_MOST} or set(rare[:1])
        return having.keys() - found_by

    def _refined(self, words: Terms, found: Candidates) -> Candidates:
        """What costs much and decides little is looked for in the best answers only."""
        if not (words.common or (words.pairs and not words.near)) or not found.addresses:
            return found
        pages: list[list[int]] = [[] for _ in self._askings]
        first = np.argsort(-found.words, kind="stable")[:WINDOW]
        for place in first[np.lexsort((found.pages[first], -found.words[first]))][:REFINED_MOST].tolist():
            pages[found.addresses[place][0]].append(int(found.pages[place]))
        finer = [asking.finer(words, some) for asking, some in zip(self._askings, pages, strict=True)]
        return found.raised(dict(chain.from_iterable(self._each(self._worth, finer))))

    def _with_anchors(
        self, question: Question, anchors: Mapping[int, float], found: Candidates, total: Total
    ) -> tuple[Candidates, Total]:
        """What others call a page counts like its own words; a page that has none of these is found by it alone."""
        met = set(found.pages[found.lacking == 0].tolist())
        absent = [page for page in anchors if page not in met][:CALLED_MOST]
        if absent:
            queries = [asking.among(question, absent) for asking in self._askings]
            more, _ = self._all(queries, len(absent), count=True)
            found, total = more.and_(found), total.and_(_not_counted(more, total))
        return found.raised(anchors), total

    def _called(self, words: Terms) -> dict[int, float]:
        if self._context.anchor_index is None or not words.counts or not self._weights.anchors:
            return {}
        with reading():
            searcher = self._context.anchor_index.index.searcher()
            query = called(self._context.anchor_index, words.counts, self._known.rarity, self._weights.anchors)
            hits = searcher.search(query, limit=WINDOW, count=False).hits
            pages = searcher.fast_field_values("page", [address for _, address in hits])
        return {int(page or 0): float(score) for page, (score, _) in zip(pages, hits, strict=True)}

    def _all(self, queries: Sequence[Any], depth: int, *, hard: bool = False, count: bool) -> tuple[Candidates, Total]:
        answers = self._each(partial(self._one, depth, count), queries, hard=hard)
        number = sum(total for _, total in answers) if count else COUNTED_MOST
        return together(found for found, _ in answers), Total(number, not count)

    def _each(self, ask: Callable[[int, Any], T], queries: Sequence[Any], *, hard: bool = False) -> list[T]:
        """What is hard is asked of all shards at once, of the first by who asks; else of one after the other."""
        if not hard or self._pool is None:
            return [ask(shard, query) for shard, query in enumerate(queries)]
        others = self._pool.map(ask, range(1, len(queries)), queries[1:])
        return [ask(0, queries[0]), *others]

    def _is_hard(self, question: Question) -> bool:
        return sum(map(self._known.texts_having, question.wanted)) > ALONE_MOST

    def _worth(self, shard: int, query: Any) -> list[tuple[int, float]]:
        """Pages with their scores, and nothing else."""
        searcher = self._searchers[shard]
        with reading():
            hits = searcher.search(query, limit=REFINED_MOST, count=False).hits
            pages = searcher.fast_field_values("page", [address for _, address in hits])
        return [(int(page or 0), score) for page, (score, _) in zip(pages, hits, strict=True)]

    def _one(self, depth: int, count: bool, shard: int, query: Any) -> tuple[Candidates, int]:
        searcher = self._searchers[shard]
        with reading():
            result = searcher.search(query, limit=depth, count=count)
            return taken(shard, searcher, result.hits), (result.count or 0) if count else 0  # type: ignore[attr-defined]  # the types of the engine lack it

    def _further(self, found: Candidates) -> dict[str, float]:
        """Terms of the best answers. A long one is about more than the question, and its terms would mislead; so would
        those of a poor one."""
        order = np.lexsort((found.pages, -found.words))[:ANSWERS].tolist()
        best = [place for place in order if found.words[place] >= GOOD * found.words[order[0]]]
        shown = [self._shown(*found.addresses[place]) for place in best]
        shards = (found.addresses[place][0] for place in best)
        texts = self._context.texts(list(zip(shards, shown, strict=True)))
        short = [(text, each.language) for text, each in zip(texts, shown, strict=True) if len(text) <= SHORT]
        answers = [terms(text, language) for text, language in short]
        further = telling(answers, lambda term: self._known.texts_having(term) / max(self._known.pages, 1))
        common = self._common(further)
        return {term: self._weights.expansion * weight for term, weight in further.items() if term not in common}

    def _weighed(self, found: Candidates) -> Weighed:
        return weighed(found, self._context.ranks(found.pages.tolist()), self._weights, self._context.now)

    # ----------------------------------------------------------------- showing

    def _hits(self, found: Sequence[Found], question: Question) -> list[Hit]:
        weights = {term: self._known.rarity(term) for term in sorted(question.wanted - question.words.common.keys())}
        shown = [self._shown(each.shard, each.address) for each in found]
        texts = self._context.texts([(each.shard, page) for each, page in zip(found, shown, strict=True)])
        return [self._hit(*one, weights) for one in zip(found, shown, texts, strict=True)]

    def _hit(self, each: Found, shown: Shown, text: str, weights: Mapping[str, float]) -> Hit:
        part = snippet(text, weights, shown.language)
        about = (shown.site, shown.language, shown.date, self._context.copies(each.page))
        document = (shown.media_type, shown.size, shown.published, shown.fetched)
        title = marks_in(shown.title, weights, shown.language)
        return Hit(shown.url, shown.title, part.text, each.score, part.marks, *about, *document, title)

    def _shown(self, shard: int, address: Any) -> Shown:
        with reading():
            row = self._searchers[shard].doc(address).get_first("shown")
        return shown_of(row)

    def _suggestion(self, text: str, query: Query) -> str | None:
        return suggestion(text, query, self._vocabulary)

    @cached_property
    def _meant(self) -> Callable[[str], str]:
        return lru_cache(maxsize=1_000)(partial(meant, words=self._vocabulary))

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self._indexes, self._searchers, self._known.having, self._known.languages)

    @cached_property
    def _prefixes(self) -> Prefixes:
        beginning = lru_cache(maxsize=1_000)(partial(self._known.beginning_with, most=TERMS_MOST + 1))
        return Prefixes(beginning, self._known.pages_having, self._known.languages)


def _not_counted(called: Candidates, total: Total) -> int:
    """How many of the pages that are found by what others call them are not among those that were counted. Where all of
    these have been looked at, none is; else those may be that have some of the words."""
    return len(called.addresses) if total.pages <= WINDOW else int((called.words == 0).sum())
