"""A question in the words of the index engine: which terms in which fields, and how much each counts.

The queries are put together term by term. The parser of the engine is not asked: it drops words that a long question
repeats, and it cannot weigh a term by how rare it is in all shards together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise, takewhile

import tantivy

from gossamer.errors import InvalidQuery
from gossamer.index.anchor_index import AnchorIndex, at_level
from gossamer.index.entry import BESIDES, TEXTS
from gossamer.index.facets import field_forms, field_term
from gossamer.index.shard_index import ShardIndex
from gossamer.search.bm25f_weights import Weights
from gossamer.search.query import Atom, Clause, Field, Filter, Group, Stems
from gossamer.search.question import Question, Terms, addresses, is_free, term_of, variants
from gossamer.search.words import Word

HELPED_MOST = 20
"""Queries within each other. The engine asks each from within the one around it, and a thousand are more than a thread
has room for: the process would end."""
OTHERS = 0.1
"""What a further word with the same beginning is worth, beside the best one."""
MUST, SHOULD, NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot
NEWEST, OLDEST = tantivy.Order.Desc, tantivy.Order.Asc


@dataclass(frozen=True, slots=True)
class Part:
    """A term in a field, and the query for it: what an explanation is made of."""

    term: str
    field: str
    query: tantivy.Query


def everything() -> tantivy.Query:
    """All pages."""
    return tantivy.Query.all_query()


def stood(schema: tantivy.Schema, at: int | None) -> list[tuple[tantivy.Occur, tantivy.Query]]:
    """What was the text of its page at a moment: it had come, and had not gone."""
    if at is None:
        return []
    come, gone = (
        tantivy.Query.range_query(schema, name, tantivy.FieldType.Integer, None, at) for name in ("since", "until")
    )
    return [(MUST, tantivy.Query.const_score_query(come, 0.0)), (NOT, gone)]


def having_then(schema: tantivy.Schema, name: str, term: str, at: int) -> tantivy.Query:
    """The texts of a moment that have a term in a field."""
    return tantivy.Query.boolean_query(
        [(MUST, tantivy.Query.term_query(schema, name, term, "basic")), *stood(schema, at)]
    )


def all_then(schema: tantivy.Schema, at: int) -> tantivy.Query:
    """All texts of a moment."""
    return tantivy.Query.boolean_query(stood(schema, at))


def dated() -> tantivy.Query:
    """All texts of pages of which it is known since when they had them."""
    return tantivy.Query.exists_query("since")


class Asking:
    """Makes queries for one shard."""

    def __init__(
        self, shard_index: ShardIndex, weights: Weights, balance: Callable[[str, str], float], linking: Linking
    ) -> None:
        """`balance(field, term)` is how much rarer a term is in the texts of all shards than in a field of this one, as
        a factor; 0 when this one does not have it."""
        self._schema = shard_index.schema
        self._weights = weights
        self._balance = balance
        self._linking = linking

    def query(self, question: Question) -> tantivy.Query:
        """All that is asked for. Where that is words alone, they stand by themselves: within another query, the engine
        would look at each page that has one of them."""
        demands = self._demands(question)
        if question.words and not demands:
            return self._free(question.words)
        free = [(MUST, self._free(question.words))] if question.words else []
        return tantivy.Query.boolean_query([*free, *demands])

    def having(self, question: Question, pages: Sequence[int]) -> tantivy.Query:
        """Of these pages those that answer the question."""
        return tantivy.Query.boolean_query([*self._chosen(pages), (MUST, self.query(question))])

    def among(self, question: Question, pages: Sequence[int]) -> tantivy.Query:
        """Of these pages those that meet all demands; which of the free words they have counts, but need not be any."""
        free = (SHOULD, self._free(replace(question.words, all_of=())))
        return tantivy.Query.boolean_query([*self._chosen(pages), free, *self._demands(question)])

    def either(self, question: Question, pages: Sequence[int]) -> tantivy.Query:
        """Both of these."""
        return _any([self.query(question), self.among(question, pages)])

    def finer(self, question: Question, pages: Sequence[int]) -> tantivy.Query:
        """What else these pages have: words next to each other as in the question, and words that most pages have. Each
        is looked for in these pages by itself: beside what need not be there, the engine goes on to the next page that
        has it, whichever that is."""
        words = question.words
        pairs = [] if words.near else [self._phrase_in("body", pair, self._weights.phrase) for pair in words.pairs]
        common = [(term, count) for term, count in words.common.items() if self._balance("body", term)]
        each = [*pairs, *(self._boosted("body", term, count) for term, count in common)]
        chosen = self._chosen(pages, question.at)
        return _any([tantivy.Query.boolean_query([*chosen, (MUST, one)]) for one in each])

    def more(self, question: Question, further: Mapping[str, float], pages: Sequence[int]) -> tantivy.Query:
        """Which further terms these pages have."""
        extra = [(SHOULD, self._boosted("body", term, weight)) for term, weight in further.items()]
        return tantivy.Query.boolean_query([*self._chosen(pages, question.at), *extra])

    def _chosen(self, pages: Sequence[int], at: int | None = None) -> list[tuple[tantivy.Occur, tantivy.Query]]:
        """A query for each is five times as fast as the engine's query for a set, which walks the whole dictionary."""
        each = [(SHOULD, tantivy.Query.term_query(self._schema, "page", page, "basic")) for page in pages]
        chosen = tantivy.Query.const_score_query(tantivy.Query.boolean_query(each), 0.0)
        return [(MUST, chosen), *stood(self._schema, at)]

    def parts(self, counts: Mapping[str, float], fields: Sequence[str] = TEXTS) -> list[Part]:
        """Term by term and field by field, where there is anything."""
        return [
            Part(term, field, self._boosted(field, term, self._weights.of(field) * count))
            for term, count in counts.items()
            for field in fields
            if self._balance(field, term)
        ]

    def _free(self, words: Terms) -> tantivy.Query:
        """One flat list where one word is enough: the engine passes over what cannot be among the best then."""
        if not words.all_of:
            flat = [(SHOULD, part.query) for part in self.parts(words.counts)]
            return tantivy.Query.boolean_query([*flat, *((SHOULD, self._pair(pair)) for pair in words.close)])
        each = [(MUST, self._whole(word)) for word in words.all_of]
        besides = [(SHOULD, part.query) for part in self.parts(words.counts, BESIDES)]
        query = tantivy.Query.boolean_query([*each, *besides])
        pairs = words.pairs[:HELPED_MOST] if words.near else ()
        return _helped(query, [self._phrase_in("body", pair, self._weights.phrase) for pair in pairs])

    def _whole(self, word: Word) -> tantivy.Query:
        """The body has it, in one of its forms."""
        if word.near:
            return _any([self._pair(form) for form in word.forms])
        return _any([self._each(form, word.terms) for form in word.forms])

    def _each(self, form: Sequence[str], counts: Mapping[str, float]) -> tantivy.Query:
        every = [self._boosted("body", term, self._weights.body * counts[term]) for term in form]
        return every[0] if len(every) == 1 else tantivy.Query.boolean_query([(MUST, query) for query in every])

    def _pair(self, pair: Sequence[str]) -> tantivy.Query:
        return self._phrase_in("body", pair, 1.0)

    def _demands(self, question: Question) -> list[tuple[tantivy.Occur, tantivy.Query]]:
        """What a page must be and must not be."""
        demanded = (clause for clause in question.query.clauses if clause.negated or not is_free(clause))
        return [*stood(self._schema, question.at), *(self._demand(clause, question.languages) for clause in demanded)]

    def _demand(self, clause: Clause, languages: Sequence[str | None]) -> tuple[tantivy.Occur, tantivy.Query]:
        meant = _any([self._atom(atom, languages) for atom in clause.alternatives])
        return NOT if clause.negated else MUST, meant

    def _atom(self, atom: Atom, languages: Sequence[str | None]) -> tantivy.Query:
        if isinstance(atom, Filter):
            return tantivy.Query.const_score_query(self._filter(atom), 0.0)
        if isinstance(atom, Group):
            return self._every([self._demand(clause, languages) for clause in atom.clauses])
        if isinstance(atom, Stems):
            return self._one_of(atom)
        spelled = variants(atom.text, languages)
        if not spelled:
            raise InvalidQuery("a phrase without a word cannot be looked for")
        if atom.title:
            return _any([self._in_title(found) for found in spelled])
        if atom.address:
            return _any([self._in_address(found) for found in spelled])
        return _any([self._phrase(found) if len(found) > 1 else self._term(found[0]) for found in spelled])

    def _every(self, demands: Sequence[tuple[tantivy.Occur, tantivy.Query]]) -> tantivy.Query:
        """All of them. Where each says what not to find, it is the rest of all pages."""
        pages = tantivy.Query.const_score_query(tantivy.Query.exists_query("page"), 0.0)
        rest = [] if any(occur == MUST for occur, _ in demands) else [(MUST, pages)]
        return tantivy.Query.boolean_query([*rest, *demands])

    def _one_of(self, stems: Stems) -> tantivy.Query:
        """The best of them counts, and a little each other."""
        field = "title" if stems.title else "address" if stems.address else "body"
        each = [self._boosted(field, term, self._weights.of(field)) for term in stems.terms]
        return tantivy.Query.disjunction_max_query(each, OTHERS) if each else tantivy.Query.empty_query()

    def _in_address(self, found: tuple[str, ...]) -> tantivy.Query:
        """All of them; the address does not know in which order."""
        each = [(MUST, self._boosted("address", term, self._weights.address)) for term in found]
        return tantivy.Query.boolean_query(each)

    def _in_title(self, found: tuple[str, ...]) -> tantivy.Query:
        if len(found) > 1:
            return tantivy.Query.phrase_query(self._schema, "title", list(found))
        return self._boosted("title", found[0], self._weights.title)

    def _term(self, term: str) -> tantivy.Query:
        body, *besides = (self._boosted(field, term, self._weights.of(field)) for field in ("body", *BESIDES))
        return tantivy.Query.boolean_query([(MUST, body), *((SHOULD, query) for query in besides)])

    def _boosted(self, field: str, term: str, weight: float) -> tantivy.Query:
        plain = tantivy.Query.term_query(self._schema, field, term, "freq")
        return tantivy.Query.boost_query(plain, weight * self._balance(field, term))

    def _phrase(self, words: Sequence[str]) -> tantivy.Query:
        body, title = (self._phrase_in(name, words, 1.0) for name in ("body", "title"))
        return tantivy.Query.boolean_query([(MUST, body), (SHOULD, title)])

    def _phrase_in(self, name: str, words: Sequence[str], weight: float) -> tantivy.Query:
        plain = tantivy.Query.phrase_query(self._schema, name, list(words))
        balance = min(self._balance(name, word) for word in words)
        return tantivy.Query.boost_query(plain, weight * self._weights.of(name) * balance)

    def _filter(self, wanted: Filter) -> tantivy.Query:
        match wanted.field:
            case Field.SITE | Field.TYPE | Field.LANGUAGE:
                return tantivy.Query.term_query(self._schema, *term_of(wanted), "basic")
            case Field.LINK:
                pages = [page for url in addresses(wanted.value) for page in self._linking(url)]
                return tantivy.Query.term_set_query(self._schema, "page", pages)
            case Field.OWN:
                return self._with_field(wanted)
            case _:
                return self._dated(wanted)

    def _with_field(self, wanted: Filter) -> tantivy.Query:
        """The value as a whole, or its words one after the other within a longer one."""
        whole, words = field_forms(wanted.value)
        exact = tantivy.Query.term_query(self._schema, "place", field_term(wanted.name, whole), "basic")
        terms = [field_term(wanted.name, word) for word in words]
        if len(terms) > 1:
            return _any([exact, tantivy.Query.phrase_query(self._schema, "own", list(terms))])
        return _any([exact, *(tantivy.Query.term_query(self._schema, "own", term, "basic") for term in terms)])

    def _dated(self, wanted: Filter) -> tantivy.Query:
        day = int(datetime.fromisoformat(wanted.value).replace(tzinfo=UTC).timestamp())
        lower, upper = (None, day - 1) if wanted.field is Field.BEFORE else (day, None)
        return tantivy.Query.range_query(self._schema, "date", tantivy.FieldType.Integer, lower, upper)


SITES_HALF = 10
"""Sites that bring half of what others can say for a page."""
OWN = 0.8
"""How much less the first site is worth than the next: it is mostly the page's own, which calls it what it is called
there anyway."""
_SITES = [2**level - OWN for level in range(8)]
_WORTH = [sites * (SITES_HALF + 1) / (sites + SITES_HALF) for sites in _SITES]
_STEPS = [more - less for less, more in pairwise([0.0, *_WORTH])]
"""What each level adds, so that n + OWN sites are worth n (k + 1) / (n + k), as in BM25 without regard to length."""


def called(
    anchor_index: AnchorIndex, counts: Mapping[str, float], told: Callable[[str], float], weight: float
) -> tantivy.Query:
    """Pages that others call so: the more sites, the better. `told` is how much a term tells."""
    searcher = anchor_index.index.searcher()
    each = []
    for term, count in counts.items():
        worth = weight * count * told(term)
        names = (at_level(term, level) for level in range(len(_STEPS)))
        each += [
            tantivy.Query.const_score_query(
                tantivy.Query.term_query(anchor_index.schema, "anchors", name, "basic"), worth * step
            )
            for name, step in zip(takewhile(partial(searcher.doc_freq, "anchors"), names), _STEPS, strict=False)
        ]
    return _any(each)


Linking = Callable[[str], Iterable[int]]
"""The fingerprints of the pages that link to an address."""


def _helped(query: tantivy.Query, others: Iterable[tantivy.Query]) -> tantivy.Query:
    """The same, with what need not be there one after the other: a union would read all that its parts have, and not
    only what a few pages have."""
    for other in others:
        query = tantivy.Query.boolean_query([(MUST, query), (SHOULD, other)])
    return query


def _any(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    if not queries:
        return tantivy.Query.empty_query()
    return queries[0] if len(queries) == 1 else tantivy.Query.boolean_query([(SHOULD, query) for query in queries])
