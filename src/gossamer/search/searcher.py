"""All shards are asked; their answers are merged, weighed by links and age, and shown with the best passage."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import accumulate, islice
from math import prod
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gossamer.index.analysis import terms
from gossamer.index.anchor_index import AnchorIndex
from gossamer.index.entry import Shown, shown_of
from gossamer.index.faults import reading, unpanicked
from gossamer.index.shard_index import ShardIndex
from gossamer.model import Hit
from gossamer.search.answer import Answer
from gossamer.search.asking import (
    ALL_MOST,
    Asking,
    Linking,
    Question,
    Terms,
    called,
    everything,
    free_terms,
    is_free,
)
from gossamer.search.candidates import (
    Candidates,
    Found,
    Hits,
    Matches,
    Weighed,
    best,
    identity,
    taken,
    together,
    weighed,
)
from gossamer.search.expansion import ANSWERS, GOOD, LONG, SHORT, telling
from gossamer.search.facets import Facets, counted
from gossamer.search.hints import HINTS_MOST, hints
from gossamer.search.past import TEXTS_MOST, Span, begun_by, each_once, earliest, once, spans, spans_of
from gossamer.search.prefixes import TERMS_MOST, Prefixes
from gossamer.search.query import Field, Filter, Query, parse
from gossamer.search.snippets import marks_in, snippet
from gossamer.search.sorting import BEST, Sort, by_date, dated, sort_of
from gossamer.search.statistics import Statistics
from gossamer.search.suggestion import meant, suggestion
from gossamer.search.vocabulary import Vocabulary
from gossamer.search.weights import Weights
from gossamer.shown import timestamp
from gossamer.urls import keys

WINDOW = 200
"""Answers by their words that are weighed together by all else. The next so many follow in the same way, so that the
order of answers does not depend on how many of them are asked for, and only those that are shown are looked at."""
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
REFINED_MOST = 50
"""Of the best answers so far, those that are looked at more closely."""
CALLED_MOST = 30
"""Pages that are found by what others call them alone."""
TOLD_MOST = 20
"""Words that a page must have all of for `answering`; of a longer question, which is a description, any is enough."""
WORDY, SPOKEN_MOST = 40, 3
"""A question of more words is asked in so many languages, the commonest: what it asks for is found by one of them."""
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
    fields: frozenset[str] = frozenset()
    """Names of fields that page functions gave, in small letters."""


class Total(NamedTuple):
    """How many pages were found, or how many at least."""

    pages: int
    is_least: bool = False

    def and_(self, others: int) -> Total:
        """With some more; where nobody has counted, it stays the least that there are."""
        return self if self.is_least else Total(self.pages + others)


@dataclass(frozen=True, slots=True)
class Window:
    """Answers that are weighed against each other, and before all further ones."""

    question: Question
    """That they answer."""
    matches: Matches
    first: Candidates
    """Of all answers to the question, the best by their words."""
    called: Candidates | None = None
    """Besides, those that are found by what others call them."""

    def __len__(self) -> int:
        return len(self.matches.addresses) + (len(self.called.addresses) if self.called else 0)


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


class Chosen(NamedTuple):
    """What is shown of it."""

    question: Question
    found: list[Found]
    total: Total
    more_from: tuple[str, ...] = ()
    called: Sequence[int] = ()


class Searcher:
    """Answers questions over the indexes of all shards as they are now."""

    def __init__(
        self,
        indexes: Sequence[ShardIndex],
        context: SearchContext,
        weights: Weights | None = None,
        *,
        past: bool = False,
        at: float | None = None,
    ) -> None:
        """`past`: the indexes also have what pages said before, so that a page may be in them several times. Then it
        answers of all times, or of a moment."""
        self._past = past
        self._at = None if at is None else begun_by(at)
        self._indexes = indexes
        self._context = context
        self._weights = weights or Weights()
        self._known = Statistics(indexes, self._at, past=past)
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

    @property
    def weights(self) -> Weights:
        """What the signs of a good answer count."""
        return self._weights

    @property
    def searchers(self) -> Sequence[Any]:
        """Of the engine, one for each of them."""
        return self._searchers

    def composition(self) -> Facets:
        """How many pages there are of each site, type, language and year."""
        return counted(self._searchers, [everything()] * len(self._searchers))

    def search(
        self, text: str, number: int = 10, offset: int = 0, *, sort: str = Sort.RELEVANCE, facets: bool = False
    ) -> Answer:
        """The pages that answer best, or the newest that answer."""
        began, last = perf_counter(), number + offset
        query, cut = self._parsed(text)
        order = sort_of(sort)
        chosen = self._best(query, last, offset) if order is Sort.RELEVANCE else self._dated(query, last, order, offset)
        total = chosen.total
        told = hints(text, query, cut, total.pages, self._known.pages_having, self._known.values)
        hits = self._hits(chosen.found, chosen.question)
        return Answer(
            self._spanned(hits, chosen, text) if self._past else hits,
            total.pages,
            self._suggestion(text, query),
            total.is_least,
            hints=(*self._too_early(), *islice(told, HINTS_MOST)),
            more_from=chosen.more_from,
            facets=counted(self._searchers, self._found_by_any(chosen)) if facets else None,
            seconds=perf_counter() - began,
            at=None if self._at is None else self._at / 1_000,
        )

    def _parsed(self, text: str) -> tuple[Query, tuple[str, ...]]:
        """The question, and prefixes of it that stand for more than is asked for."""
        return self._prefixes.expanded(parse(text, self._is_titled, self._context.fields))

    def _is_titled(self, word: str) -> bool:
        """A title or a heading has it."""
        return any(self._known.pages_having("spelling", term) for term in terms(word))

    def _found_by_any(self, chosen: Chosen) -> list[Any]:
        """Of each shard, what finds the pages by their words or by what others call them."""
        question, called = chosen.question, chosen.called
        return [asking.either(question, called) if called else asking.query(question) for asking in self._askings]

    def _best(self, query: Query, last: int, offset: int) -> Chosen:
        asked = self._asked(query, last, offset)
        best = self._weighed(asked.found)
        most = last - asked.before
        order, plain = best.spread()[:most], best.order()[:most]
        held = [asked.found.addresses[place] for place in sorted(set(plain) - set(order))[:HELD_MOST]]
        more_from = dict.fromkeys(self._shown(*address).site for address in held)
        found = [best.found(place) for place in order[max(0, offset - asked.before) :]]
        return Chosen(asked.question, found, asked.total, tuple(more_from), asked.called)

    def _dated(self, query: Query, last: int, sort: Sort, offset: int) -> Chosen:
        question = self._question(query)
        if question.words.number < LONG:
            most = TEXTS_MOST if self._past else last
            question, found, total = dated(question, self._queries, self._searchers, most, sort)
            if self._past:
                found, total = each_once(found, total)
            return Chosen(question, found[offset:last], Total(total))
        asked = self._asked(query, BEST)
        best = self._weighed(asked.found)
        chosen = best.order()[:BEST]
        places = by_date(best.candidates.dates[chosen].tolist(), sort)[offset:last]
        return Chosen(asked.question, [best.found(chosen[place]) for place in places], Total(len(chosen)))

    def _queries(self, question: Question) -> list[Any]:
        """Of each shard."""
        return [asking.query(question) for asking in self._askings]

    def explained(self, text: str, number: int) -> list[tuple[Hit, dict[str, float]]]:
        """Hits, each with what its score is made of: terms in fields, what others call it, links, age."""
        asked = self._asked(self._parsed(text)[0], number)
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
        more = {"anchors": anchors, "words beside each other, and forms of them": further, **each.signs}
        return signs | {name: value for name, value in more.items() if name != "words" and abs(value) > 1e-6}

    def ranking(self, text: str, depth: int, *, spread: bool = False) -> list[tuple[str, float]]:
        """Addresses with scores, the best first: for measuring. Not spread over sites, unless that is asked for."""
        best = self._weighed(self._asked(self._parsed(text)[0], depth, least=depth).found)
        order = best.spread() if spread else best.order()
        found = (best.found(place) for place in order[:depth])
        return [(self._shown(each.shard, each.address).url, each.score) for each in found]

    def answering(self, text: str) -> Callable[[int, Sequence[str]], set[str]]:
        """What tells of some addresses of a shard which of their pages answer a question, in the strict sense: a page
        has all of its words, however many they are, and is all that is demanded. It is for who is told of pages and
        has not looked at the others, so a page that lacks a word is none, nor one that only others call so."""
        question = self._question(self._parsed(text)[0], all_most=TOLD_MOST)

        def told(shard: int, urls: Sequence[str]) -> set[str]:
            names = {keys.fingerprint(url): url for url in urls}
            query = self._askings[shard].having(question, list(names))
            return {names[page] for page in self._worth(shard, query, len(names)) if page in names}

        return told

    # ------------------------------------------------------------------ asking

    def _asked(self, query: Query, last: int, first: int = 0, least: int = ENOUGH) -> Asked:
        """Pages that have all words of a short question; after them, where these are few, those that have some. Those
        from the first up to the last are looked at."""
        depth = WINDOW * max(1, -(-last // WINDOW))
        question = self._question(query)
        if question.words.number >= MANY:
            question = question.finding(self._common(question.words.counts))
        anchors = self._called(question.words)
        windows, total, called = self._windows(question, anchors, depth)
        if total.pages < least and (looser := question.looser()):
            question = looser
            others, total, called = self._windows(question, anchors, depth)
            windows += self._other_pages(others, windows) if self._past else _without(others, windows)
        ends = list(accumulate(map(len, windows)))
        shown = [number for number, end in enumerate(ends) if end > first and end - len(windows[number]) < last] or [0]
        found = together([self._looked_at(windows[number]).raised(anchors).in_window(number) for number in shown])
        return Asked(question, found, ends[shown[0]] - len(windows[shown[0]]), total, anchors, called)

    def _question(self, query: Query, all_most: int = ALL_MOST) -> Question:
        """Asked in all languages of the pages, unless it names some."""
        named = {
            atom.value
            for clause in query.clauses
            if not clause.negated
            for atom in clause.alternatives
            if isinstance(atom, Filter) and atom.field is Field.LANGUAGE
        }
        languages = [code for code in self._known.languages if code in named] or self._known.languages
        if sum(len(text.split()) for text in query.words) > WORDY:
            languages = languages[:SPOKEN_MOST]
        words = free_terms(query, self._known.lexicon(languages, self._meant), all_most)
        return Question(query, words, languages, self._at)

    def _windows(
        self, question: Question, anchors: Mapping[int, float], depth: int
    ) -> tuple[list[Window], Total, list[int]]:
        """The answers by their words. What others call a page counts like its own words, and a page that has none of
        these is found by it alone; which pages were looked for so comes last."""
        if question.words.all_of and self._expected(question.words) < NEAR_MOST:
            question = question.near()
        queries = [asking.query(question) for asking in self._askings]
        found, total = self._all(queries, depth, hard=self._is_hard(question), count=self._is_counted(question))
        first = self._taken(found.part(0, WINDOW))
        met = set(first.pages.tolist())
        absent = [] if self._past else [page for page in anchors if page not in met][:CALLED_MOST]
        parts, called = [found.part(at, at + WINDOW) for at in range(0, len(found.addresses), WINDOW)] or [found], None
        if absent:
            more, _ = self._all([asking.among(question, absent) for asking in self._askings], len(absent), count=False)
            total, called = total.and_(_not_counted(more, total)), self._taken(more)
            again = set(map(identity, more.addresses))
            parts[1:] = [part.without(again) for part in parts[1:]]
        windows = [Window(question, part, first, called if number == 0 else None) for number, part in enumerate(parts)]
        return windows, total, absent

    def _other_pages(self, windows: Sequence[Window], others: Sequence[Window]) -> list[Window]:
        """The same without the pages that others have."""
        met = {page for window in others for page in self._taken(window.matches).pages.tolist()}
        pages = (self._taken(window.matches).pages.tolist() for window in windows)
        return [
            replace(window, matches=window.matches.at([place for place, page in enumerate(some) if page not in met]))
            for window, some in zip(windows, pages, strict=True)
        ]

    def _looked_at(self, window: Window) -> Candidates:
        """What costs much is looked for in pages that are shown or might be."""
        is_first = window.matches.addresses == window.first.addresses
        found = window.first if is_first else self._taken(window.matches)
        if further := self._further(window):
            found = self._raised(found, range(len(found.addresses)), partial(_more, window.question, further))
        words = window.question.words
        if is_first and (words.common or (words.pairs and not words.near)):
            order = np.lexsort((found.pages, -found.words))[:REFINED_MOST].tolist()
            found = self._raised(found, order, lambda asking, pages: asking.finer(window.question, pages))
        return together([window.called, found]) if window.called else found

    def _raised(
        self, found: Candidates, places: Iterable[int], query: Callable[[Asking, Sequence[int]], Any]
    ) -> Candidates:
        """Some of them count for more, by what a query says of their pages."""
        pages: list[list[int]] = [[] for _ in self._askings]
        for place in places:
            pages[found.addresses[place][0]].append(int(found.pages[place]))
        worth: dict[int, float] = {}
        for shard, some in enumerate(pages):
            worth |= self._worth(shard, query(self._askings[shard], some), len(some)) if some else {}
        return found.raised(worth)

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

    def _called(self, words: Terms) -> dict[int, float]:
        counts = {**words.demanded, **words.counts}
        if self._context.anchor_index is None or not counts or not self._weights.anchors:
            return {}
        with reading():
            searcher = self._context.anchor_index.index.searcher()
            query = called(self._context.anchor_index, counts, self._known.rarity, self._weights.anchors)
            hits = searcher.search(query, limit=WINDOW, count=False).hits
            pages = searcher.fast_field_values("page", [address for _, address in hits])
        return {int(page or 0): float(score) for page, (score, _) in zip(pages, hits, strict=True)}

    def _all(self, queries: Sequence[Any], depth: int, *, hard: bool = False, count: bool) -> tuple[Matches, Total]:
        most = max(depth, TEXTS_MOST) if self._past else depth
        answers = self._each(partial(self._one, most, count), queries, hard=hard)
        number = sum(total for _, total in answers) if count else COUNTED_MOST
        found, total = best([hits for hits, _ in answers], most), Total(number, not count)
        return self._once(found, total, depth) if self._past else (found, total)

    def _once(self, found: Matches, total: Total, depth: int) -> tuple[Matches, Total]:
        """Each page once. Where not all texts were looked at, there are so many pages at least."""
        kept = once(found, self._taken(found).pages.tolist())
        return kept.part(0, depth), Total(len(kept.addresses), total.is_least or total.pages > len(found.addresses))

    def _taken(self, matches: Matches) -> Candidates:
        with reading():
            return taken(self._searchers, matches)

    def _each(self, ask: Callable[[int, Any], T], queries: Sequence[Any], *, hard: bool = False) -> list[T]:
        """What is hard is asked of all shards at once, of the first by who asks; else of one after the other."""
        if not hard or self._pool is None:
            return [ask(shard, query) for shard, query in enumerate(queries)]
        others = self._pool.map(ask, range(1, len(queries)), queries[1:])
        return [ask(0, queries[0]), *others]

    def _is_hard(self, question: Question) -> bool:
        return sum(map(self._known.texts_having, question.wanted)) > ALONE_MOST

    def _worth(self, shard: int, query: Any, most: int) -> dict[int, float]:
        """Pages with what a query says for them."""
        searcher = self._searchers[shard]
        with reading():
            hits = searcher.search(query, limit=most, count=False).hits
            pages = searcher.fast_field_values("page", [address for _, address in hits])
        found = zip(pages, hits, strict=True)
        return {int(page or 0): score for page, (score, _) in reversed([*found])}

    def _one(self, depth: int, count: bool, shard: int, query: Any) -> tuple[Hits, int]:
        with reading():
            result = self._searchers[shard].search(query, limit=depth, count=count)
            return result.hits, (result.count or 0) if count else 0  # type: ignore[attr-defined]  # the types of the engine lack it

    def _further(self, window: Window) -> dict[str, float]:
        """Terms of the best answers to a long question. A long page is about more than the question, and its terms
        would mislead; so would those of a poor one."""
        found = window.first
        if window.question.words.number < LONG or not self._weights.expansion or not found.addresses:
            return {}
        order = np.lexsort((found.pages, -found.words))[:ANSWERS].tolist()
        best = [found.addresses[place] for place in order if found.words[place] >= GOOD * found.words[order[0]]]
        shown = [(shard, self._shown(shard, address)) for shard, address in best]
        short = [(shard, page) for shard, page in shown if 0 < page.length <= SHORT]
        texts = self._context.texts(short)
        answers = [terms(text, page.language) for text, (_, page) in zip(texts, short, strict=True)]
        further = telling(answers, lambda term: self._known.texts_having(term) / max(self._known.pages, 1))
        common = self._common(further)
        return {term: self._weights.expansion * weight for term, weight in further.items() if term not in common}

    def _weighed(self, found: Candidates) -> Weighed:
        now = self._context.now if self._at is None else self._at / 1_000
        return weighed(found, self._context.ranks(found.pages.tolist()), self._weights, now)

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

    def _spanned(self, hits: Sequence[Hit], chosen: Chosen, text: str) -> list[Hit]:
        """With when the page said it: of a moment the text of then, of all times the first and the last that has all
        words, or as many as the hit."""
        if self._at is not None:
            found = [spans_of(self._searchers[each.shard], [each.address]) for each in chosen.found]
        else:
            told = partial(spans, self._askings, self._searchers)
            strict = self._question(self._parsed(text)[0], all_most=TOLD_MOST)
            found = [told(strict, each.page) or told(chosen.question, each.page) for each in chosen.found]
        return [replace(hit, since=each[0].since, until=each[-1].until) for hit, each in zip(hits, found, strict=True)]

    def _too_early(self) -> Iterator[str]:
        """There was no page yet."""
        first = earliest(self._searchers) if self._at is not None else None
        if self._at is not None and first is not None and self._at < first:
            yield f"the collection has no page from before {timestamp(first / 1_000)}"

    def said(self, text: str, url: str) -> list[Span]:
        """From when to when a page had all words of a question, in the order of time."""
        question = self._question(self._parsed(text)[0], all_most=TOLD_MOST)
        return spans(self._askings, self._searchers, question, keys.fingerprint(url))

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


def _more(question: Question, further: Mapping[str, float], asking: Asking, pages: Sequence[int]) -> Any:
    return asking.more(question, further, pages)


def _without(windows: Sequence[Window], others: Sequence[Window]) -> list[Window]:
    """The same without what others have."""
    met = {identity(address) for window in others for part in _parts(window) for address in part.addresses}
    return [
        replace(
            window,
            matches=window.matches.without(met),
            called=window.called.without(met) if window.called else None,
        )
        for window in windows
    ]


def _parts(window: Window) -> list[Matches | Candidates]:
    return [window.matches, window.called] if window.called else [window.matches]


def _not_counted(called: Matches, total: Total) -> int:
    """How many of the pages that are found by what others call them are not among those that were counted. Where all of
    these have been looked at, none is; else those may be that have some of the words."""
    return len(called.addresses) if total.pages <= WINDOW else int((called.words == 0).sum())
