"""All shards are asked; their answers are merged, weighed by links and age, and shown with the best passage."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import accumulate, chain
from math import prod
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gossamer.index.analysis import STEMMERS, terms
from gossamer.index.shard_index import AnchorIndex, ShardIndex, Shown, reading, shown_of, unpanicked
from gossamer.model import Hit
from gossamer.search.asking import Asking, Linking, Question, Terms, called, free_terms, rarity
from gossamer.search.candidates import Candidates, Found, Weighed, taken, together, weighed
from gossamer.search.expansion import ANSWERS, LONG, TERMS_READ, telling
from gossamer.search.query import Query, parse
from gossamer.search.snippets import marks_in, snippet
from gossamer.search.suggestion import suggestion
from gossamer.search.vocabulary import Vocabulary
from gossamer.search.weights import Weights

DEPTH = 40
"""Answers of each shard that are weighed by links and age."""
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
ASKED_AT_ONCE = 8
"""Shards, over all questions that are being answered."""
ALONE_MOST = 100_000
"""Pages that have the words, all words together. For fewer, handing them to threads takes longer than reading them."""
_LANGUAGE_LEAST = 0.02
"""Share of the pages that makes a language one of the collection's."""


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

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


class Asked(NamedTuple):
    """What was found out about a question, before anything is shown."""

    question: Question
    """As it was answered in the end."""
    found: Candidates
    total: int
    anchors: Mapping[int, float]
    """What others call pages, in what it is worth, by fingerprint."""


class Searcher:
    """Answers questions over the indexes of all shards as they are now."""

    def __init__(self, indexes: Sequence[ShardIndex], context: SearchContext, weights: Weights | None = None) -> None:
        self._indexes = indexes
        self._context = context
        self._weights = weights or Weights()
        with reading():
            self._searchers = [shard_index.index.searcher() for shard_index in indexes]
            self._sizes = [searcher.num_docs for searcher in self._searchers]
        self._having = lru_cache(maxsize=10_000)(self._count_having)
        balance = lru_cache(maxsize=10_000)(self._balance)
        self._askings = [
            Asking(shard_index, self._weights, partial(balance, number), context.linking)
            for number, shard_index in enumerate(indexes)
        ]
        self._pool = ThreadPoolExecutor(ASKED_AT_ONCE) if len(indexes) > 1 else None

    @property
    def indexes(self) -> Sequence[ShardIndex]:
        """The indexes that are asked."""
        return self._indexes

    def search(self, text: str, number: int = 10, offset: int = 0) -> Answer:
        """The pages that answer best."""
        asked = self._asked(parse(text), number + offset)
        best = self._weighed(asked.found)
        chosen = [best.found(place) for place in best.spread()[offset : offset + number]]
        return Answer(self._hits(chosen, asked.question), asked.total, self._suggestion(text, asked.question.query))

    def explained(self, text: str, number: int) -> list[tuple[Hit, dict[str, float]]]:
        """Hits, each with what its score is made of: terms in fields, what others call it, links, age."""
        asked = self._asked(parse(text), number)
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
        best = self._weighed(self._asked(parse(text), depth, least=depth).found)
        found = (best.found(place) for place in best.order()[:depth])
        return [(self._shown(each.shard, each.address).url, each.score) for each in found]

    # ------------------------------------------------------------------ asking

    def _asked(self, query: Query, wanted: int, least: int = 1) -> Asked:
        """Pages that have all words, then those that lack one if there are not as many as are wanted, then those that
        have but one if there are fewer than the least."""
        depth = max(DEPTH, 2 * wanted)
        question = Question(query, free_terms(query, self.languages), self.languages)
        if len(question.words.counts) >= LONG:
            question = question.finding(self._common(question.words.counts))
        anchors = self._called(question.words, depth)
        found, total = self._with_anchors(question, anchors, *self._answered(question, depth))
        while total < (max(ENOUGH, wanted) if len(question.words.needs) > 2 else least):
            if (looser := question.looser()) is None:
                break
            question = looser
            if question.words.needed == 1:
                anchors = self._called(question.words, depth)
            more, total = self._with_anchors(question, anchors, *self._answered(question, depth))
            found = found.then(more)
        return Asked(question, found, total, anchors)

    def _answered(self, question: Question, depth: int) -> tuple[Candidates, int]:
        """What its own words say for a page. A long question is asked again with the terms of its best answers."""
        if self._expected(question.words) < NEAR_MOST:
            question = question.near()
        queries, hard = [asking.query(question) for asking in self._askings], self._is_hard(question)
        if len(question.words.counts) + len(question.words.common) >= LONG and self._weights.expansion:
            further = self._further(self._all(queries, ANSWERS, hard=hard)[0])
            queries = [asking.more(one, further) for asking, one in zip(self._askings, queries, strict=True)]
        found, total = self._all(queries, depth, hard=hard)
        return self._refined(question.words, found), total

    def _expected(self, words: Terms) -> float:
        """About how many pages have enough of the words, if they were spread by chance."""
        size = max(sum(self._sizes), 1)
        shares = sorted((sum(self._having("body", term)) / size for term in words.counts), reverse=True)
        return size * prod(shares[: words.needed])

    def _common(self, counts: Iterable[str]) -> set[str]:
        """Terms that many of the pages have tell little, and would take most of the time of a long question. The same
        for the most frequent of many."""
        having = {term: sum(self._having("body", term)) for term in counts}
        rare = [term for term in having if having[term] <= COMMON * sum(self._sizes)] or list(having)
        rare.sort(key=having.__getitem__)
        read = accumulate(having[term] for term in rare)
        found_by = {term for term, so_far in zip(rare, read, strict=True) if so_far <= READ_MOST} or set(rare[:1])
        return having.keys() - found_by

    def _refined(self, words: Terms, found: Candidates) -> Candidates:
        """What costs much and decides little is looked for in the best answers only."""
        if not (words.common or (words.pairs and not words.near)) or not found.addresses:
            return found
        pages: list[list[int]] = [[] for _ in self._askings]
        for place in np.argsort(-found.words, kind="stable")[:REFINED_MOST].tolist():
            pages[found.addresses[place][0]].append(int(found.pages[place]))
        finer = [asking.finer(words, some) for asking, some in zip(self._askings, pages, strict=True)]
        return found.raised(dict(chain.from_iterable(self._each(self._worth, finer))))

    def _with_anchors(
        self, question: Question, anchors: Mapping[int, float], found: Candidates, total: int
    ) -> tuple[Candidates, int]:
        """What others call a page counts like its own words; a page that has none of these is found by it alone."""
        met = set(found.pages.tolist())
        absent = [page for page in anchors if page not in met][:CALLED_MOST]
        if absent:
            more, number = self._all([asking.among(question, absent) for asking in self._askings], len(absent))
            found, total = together((found, more)), total + number
        return found.raised(anchors), total

    def _called(self, words: Terms, depth: int) -> dict[int, float]:
        if self._context.anchor_index is None or not words.counts or not self._weights.anchors:
            return {}
        with reading():
            searcher = self._context.anchor_index.index.searcher()
            query = called(self._context.anchor_index, words, self._weights.anchors)
            hits = searcher.search(query, limit=depth, count=False).hits
            pages = searcher.fast_field_values("page", [address for _, address in hits])
        return {int(page or 0): float(score) for page, (score, _) in zip(pages, hits, strict=True)}

    def _all(self, queries: Sequence[Any], depth: int, *, hard: bool = False) -> tuple[Candidates, int]:
        answers = self._each(partial(self._one, depth), queries, hard=hard)
        return together(found for found, _ in answers), sum(total for _, total in answers)

    def _each(self, ask: Callable[[int, Any], T], queries: Sequence[Any], *, hard: bool = False) -> list[T]:
        """What is hard is asked of all shards at once, of the first by who asks; else of one after the other."""
        if not hard or self._pool is None:
            return [ask(shard, query) for shard, query in enumerate(queries)]
        others = self._pool.map(ask, range(1, len(queries)), queries[1:])
        return [ask(0, queries[0]), *others]

    def _is_hard(self, question: Question) -> bool:
        return sum(sum(self._having("body", term)) for term in question.wanted) > ALONE_MOST

    def _worth(self, shard: int, query: Any) -> list[tuple[int, float]]:
        """Pages with their scores, and nothing else."""
        searcher = self._searchers[shard]
        with reading():
            hits = searcher.search(query, limit=REFINED_MOST, count=False).hits
            pages = searcher.fast_field_values("page", [address for _, address in hits])
        return [(int(page or 0), score) for page, (score, _) in zip(pages, hits, strict=True)]

    def _one(self, depth: int, shard: int, query: Any) -> tuple[Candidates, int]:
        searcher = self._searchers[shard]
        with reading():
            result = searcher.search(query, limit=depth, count=True)
            return taken(shard, searcher, result.hits), result.count  # type: ignore[attr-defined]  # the types of the engine lack it

    def _further(self, found: Candidates) -> dict[str, float]:
        """Terms of the best answers."""
        best = np.lexsort((found.pages, -found.words))[:ANSWERS].tolist()
        shown = [self._shown(*found.addresses[place]) for place in best]
        shards = (found.addresses[place][0] for place in best)
        texts = self._context.texts(list(zip(shards, shown, strict=True)))
        answers = [terms(text, each.language)[:TERMS_READ] for text, each in zip(texts, shown, strict=True)]
        further = telling(answers, lambda term: sum(self._having("body", term)) / max(sum(self._sizes), 1))
        common = self._common(further)
        return {term: self._weights.expansion * weight for term, weight in further.items() if term not in common}

    def _weighed(self, found: Candidates) -> Weighed:
        return weighed(found, self._context.ranks(found.pages.tolist()), self._weights, self._context.now)

    # ----------------------------------------------------------------- showing

    def _hits(self, found: Sequence[Found], question: Question) -> list[Hit]:
        size = max(sum(self._sizes), 1)
        marked = sorted(question.wanted - question.words.common.keys())
        weights = {term: rarity(size, min(size, sum(self._having("body", term)))) for term in marked}
        shown = [self._shown(each.shard, each.address) for each in found]
        texts = self._context.texts([(each.shard, page) for each, page in zip(found, shown, strict=True)])
        return [self._hit(*one, weights) for one in zip(found, shown, texts, strict=True)]

    def _hit(self, each: Found, shown: Shown, text: str, weights: Mapping[str, float]) -> Hit:
        part = snippet(text, weights, shown.language)
        about = (shown.site, shown.language, shown.date, self._context.copies(each.page))
        title = marks_in(shown.title, weights, shown.language)
        return Hit(shown.url, shown.title, part.text, each.score, part.marks, *about, title)

    def _shown(self, shard: int, address: Any) -> Shown:
        with reading():
            row = self._searchers[shard].doc(address).get_first("shown")
        return shown_of(row)

    def _suggestion(self, text: str, query: Query) -> str | None:
        return suggestion(text, query, Vocabulary(self._indexes, self._searchers, self._having, self.languages))

    # -------------------------------------------------------------- statistics

    @cached_property
    def languages(self) -> list[str | None]:
        """Those that many pages are written in; None when many are in one whose words stay as they are."""
        pages = max(sum(self._sizes), 1)
        counts: dict[str | None, int] = {code: sum(self._having("language", code)) for code in STEMMERS}
        counts[None] = pages - sum(counts.values())
        return sorted(
            (code for code in counts if counts[code] >= _LANGUAGE_LEAST * pages), key=lambda code: -counts[code]
        )

    def _count_having(self, name: str, term: str) -> list[int]:
        with reading():
            return [searcher.doc_freq(name, term) for searcher in self._searchers]

    def _balance(self, shard: int, name: str, term: str) -> float:
        """A term that is rare in one shard only must not count for more there."""
        having = self._having(name, term)
        if not having[shard]:
            return 0.0
        return rarity(sum(self._sizes), sum(having)) / rarity(self._sizes[shard], having[shard])
