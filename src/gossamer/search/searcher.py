"""Questions over all shards: they are parsed, answered, and what is found is shown with its best passage."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from itertools import chain, islice
from time import perf_counter
from typing import Any, NamedTuple

from gossamer.index.analysis import terms
from gossamer.index.entry import Shown
from gossamer.index.faults import unpanicked
from gossamer.index.shard_index import ShardIndex
from gossamer.model import Hit
from gossamer.printable import timestamp
from gossamer.search.answer import Answer
from gossamer.search.bm25f_weights import Weights
from gossamer.search.candidates import Found
from gossamer.search.expansion import LONG
from gossamer.search.facets import Facets, counted
from gossamer.search.hints import HINTS_MOST, hints, slips
from gossamer.search.past import TEXTS_MOST, Span, breaks, each_once, earliest, spans, spans_of
from gossamer.search.prefixes import TERMS_MOST, Prefixes
from gossamer.search.query import Query, parse
from gossamer.search.query_builder import everything
from gossamer.search.question import Question
from gossamer.search.retrieval import Asked, Retrieval, SearchContext
from gossamer.search.shards import Shards
from gossamer.search.snippets import marks_in, snippet
from gossamer.search.sorting import BEST, Sort, by_date, dated, sort_of
from gossamer.search.suggestion import meant, suggestion
from gossamer.search.vocabulary import Vocabulary
from gossamer.search.windows import Total
from gossamer.urls import keys

TOLD_MOST = 20
"""Words that a page must have all of for `answering`; of a longer question, which is a description, any is enough."""
HELD_MOST = 10
"""Answers that had to stand back, of which the sites are named."""


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
        """`past` and `at` are as of `Shards`."""
        self._context = context
        self.weights = weights or Weights()
        """What the signs of a good answer count."""
        self._shards = Shards(indexes, self.weights, context.linking, past=past, at=at)
        self._retrieval = Retrieval(self._shards, context, self.weights, lambda word: self._meant(word))

    @property
    def languages(self) -> Sequence[str | None]:
        """Those that pages are written in, the commonest first."""
        return self._shards.known.languages

    @property
    def indexes(self) -> Sequence[ShardIndex]:
        """The indexes that are asked."""
        return self._shards.indexes

    @property
    def searchers(self) -> Sequence[Any]:
        """Of the engine, one for each of them."""
        return self._shards.searchers

    def composition(self) -> Facets:
        """How many pages there are of each site, type, language and year."""
        return counted(self._shards.searchers, [everything()] * len(self._shards.searchers))

    def search(
        self, text: str, number: int = 10, offset: int = 0, *, sort: str = Sort.RELEVANCE, facets: bool = False
    ) -> Answer:
        """The pages that answer best, or the newest that answer."""
        began, last = perf_counter(), number + offset
        query, cut = self._parsed(text)
        order = sort_of(sort)
        chosen = self._best(query, last, offset) if order is Sort.RELEVANCE else self._dated(query, last, order, offset)
        total = chosen.total
        told = chain(
            hints(text, query, cut, total.pages, self._shards.known.pages_having, self._shards.known.values),
            slips(query, total.pages, self._context.fields),
        )
        hits = self._hits(chosen.found, chosen.question)
        return Answer(
            self._spanned(hits, chosen, text) if self._shards.past else hits,
            total.pages,
            self._suggestion(text, query),
            total.is_least,
            hints=(*self._too_early(), *islice(told, HINTS_MOST)),
            more_from=chosen.more_from,
            facets=counted(self._shards.searchers, self._found_by_any(chosen)) if facets else None,
            seconds=perf_counter() - began,
            at=None if self._shards.at is None else self._shards.at / 1_000,
        )

    def explained(self, text: str, number: int) -> list[tuple[Hit, dict[str, float]]]:
        """Hits, each with what its score is made of: terms in fields, what others call it, links, age."""
        asked = self._retrieval.asked(self._parsed(text)[0], number)
        best = self._retrieval.weighed(asked.found)
        first = [best.found(place) for place in best.spread()[:number]]
        signs = [self._signs(each, asked) for each in first]
        return list(zip(self._hits(first, asked.question), signs, strict=True))

    def ranking(self, text: str, depth: int, *, spread: bool = False) -> list[tuple[str, float]]:
        """Addresses with scores, the best first: for measuring. Not spread over sites, unless that is asked for."""
        best = self._retrieval.weighed(self._retrieval.asked(self._parsed(text)[0], depth, least=depth).found)
        order = best.spread() if spread else best.order()
        found = (best.found(place) for place in order[:depth])
        return [(self._shards.shown(each.shard, each.address).url, each.score) for each in found]

    def answering(self, text: str) -> Callable[[int, Sequence[str]], set[str]]:
        """What tells of some addresses of a shard which of their pages answer a question, in the strict sense: a page
        has all of its words, however many they are, and is all that is demanded. It is for who is told of pages and
        has not looked at the others, so a page that lacks a word is none, nor one that only others call so."""
        question = self._retrieval.question(self._parsed(text)[0], all_most=TOLD_MOST)

        def told(shard: int, urls: Sequence[str]) -> set[str]:
            names = {keys.fingerprint(url): url for url in urls}
            query = self._shards.askings[shard].having(question, list(names))
            return {names[page] for page in self._shards.worth(shard, query, len(names)) if page in names}

        return told

    def said(self, text: str, url: str) -> list[Span]:
        """From when to when a page had all words of a question, in the order of time."""
        question = self._retrieval.question(self._parsed(text)[0], all_most=TOLD_MOST)
        return spans(self._shards.askings, self._shards.searchers, question, keys.fingerprint(url))

    def _parsed(self, text: str) -> tuple[Query, tuple[str, ...]]:
        """The question, and prefixes of it that stand for more than is asked for."""
        return self._prefixes.expanded(parse(text, self._is_titled, self._context.fields))

    def _is_titled(self, word: str) -> bool:
        """A title or a heading has it."""
        return any(self._shards.known.pages_having("spelling", term) for term in terms(word))

    def _best(self, query: Query, last: int, offset: int) -> Chosen:
        asked = self._retrieval.asked(query, last, offset)
        best = self._retrieval.weighed(asked.found)
        most = last - asked.before
        order, plain = best.spread()[:most], best.order()[:most]
        held = [asked.found.addresses[place] for place in sorted(set(plain) - set(order))[:HELD_MOST]]
        more_from = dict.fromkeys(self._shards.shown(*address).site for address in held)
        found = [best.found(place) for place in order[max(0, offset - asked.before) :]]
        return Chosen(asked.question, found, asked.total, tuple(more_from), asked.called)

    def _dated(self, query: Query, last: int, sort: Sort, offset: int) -> Chosen:
        question = self._retrieval.question(query)
        if question.words.number < LONG:
            most = TEXTS_MOST if self._shards.past else last
            question, found, total = dated(question, self._queries, self._shards.searchers, most, sort)
            if self._shards.past:
                found, total = each_once(found, total)
            return Chosen(question, found[offset:last], Total(total))
        asked = self._retrieval.asked(query, BEST)
        best = self._retrieval.weighed(asked.found)
        chosen = best.order()[:BEST]
        places = by_date(best.candidates.dates[chosen].tolist(), sort)[offset:last]
        return Chosen(asked.question, [best.found(chosen[place]) for place in places], Total(len(chosen)))

    def _queries(self, question: Question) -> list[Any]:
        """Of each shard."""
        return [asking.query(question) for asking in self._shards.askings]

    def _found_by_any(self, chosen: Chosen) -> list[Any]:
        """Of each shard, what finds the pages by their words or by what others call them."""
        question, called = chosen.question, chosen.called
        return [
            asking.either(question, called) if called else asking.query(question) for asking in self._shards.askings
        ]

    def _signs(self, each: Found, asked: Asked) -> dict[str, float]:
        signs: dict[str, float] = {}
        for part in self._shards.askings[each.shard].parts(asked.question.words.counts):
            with suppress(ValueError), unpanicked():  # the engine's way to say that the term is not there
                told = json.loads(part.query.explain(self._shards.searchers[each.shard], each.address).to_json())
                signs[f"{part.term} in {part.field}"] = float(told["value"])
        own = sum(signs.values())
        anchors = asked.anchors.get(each.page, 0.0)
        further = each.signs["words"] - own - anchors
        more = {
            "anchors": anchors,
            "words beside each other, forms of them, and answers like it": further,
            **each.signs,
        }
        return signs | {name: value for name, value in more.items() if name != "words" and abs(value) > 1e-6}

    # ----------------------------------------------------------------- showing

    def _hits(self, found: Sequence[Found], question: Question) -> list[Hit]:
        weights = {
            term: self._shards.known.rarity(term) for term in sorted(question.wanted - question.words.common.keys())
        }
        shown = [self._shards.shown(each.shard, each.address) for each in found]
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
        if self._shards.at is not None:
            found = [spans_of(self._shards.searchers[each.shard], [each.address]) for each in chosen.found]
        else:
            told = partial(spans, self._shards.askings, self._shards.searchers)
            strict = self._retrieval.question(self._parsed(text)[0], all_most=TOLD_MOST)
            found = [told(strict, each.page) or told(chosen.question, each.page) for each in chosen.found]
        return [
            replace(hit, since=each[0].since, until=each[-1].until, breaks=breaks(each))
            for hit, each in zip(hits, found, strict=True)
        ]

    def _too_early(self) -> Iterator[str]:
        """There was no page yet."""
        first = earliest(self._shards.searchers) if self._shards.at is not None else None
        if self._shards.at is not None and first is not None and self._shards.at < first:
            yield f"the collection has no page from before {timestamp(first / 1_000)}"

    def _suggestion(self, text: str, query: Query) -> str | None:
        return suggestion(text, query, self._vocabulary)

    @cached_property
    def _meant(self) -> Callable[[str], str]:
        return lru_cache(maxsize=1_000)(partial(meant, words=self._vocabulary))

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(
            self._shards.indexes, self._shards.searchers, self._shards.known.having, self._shards.known.languages
        )

    @cached_property
    def _prefixes(self) -> Prefixes:
        beginning = lru_cache(maxsize=1_000)(partial(self._shards.known.beginning_with, most=TERMS_MOST + 1))
        return Prefixes(beginning, self._shards.known.pages_having, self._shards.known.languages)
