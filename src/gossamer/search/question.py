"""What does a question ask for? Its words as terms in the languages of the collection, which of them must be there, and
the terms of its filters.

How the index is asked for them is in `query_builder`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import log

from gossamer.errors import InvalidURL
from gossamer.index.analysis import terms
from gossamer.search.query import Clause, Field, Filter, Group, Query, Words
from gossamer.search.words import Lexicon, Word, words
from gossamer.urls.paths import canonical

ALL_MOST = 2
"""Words of a question that a page must have all of. With more, a page that lacks one may be meant."""
PAIRED_MOST = 6
"""Words of a question, but for function words, in which neighbours count for more; a longer one is a description."""
_INDEXED = {Field.SITE: "place", Field.TYPE: "type", Field.LANGUAGE: "language"}
FUNCTION = 0.5
"""What a function word counts."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The words of a question that may be absent, as terms with what each counts."""

    counts: Mapping[str, float]
    pairs: Sequence[tuple[str, str]] = ()
    """Those that stand next to each other in the question: where they do so in a page, it counts for more."""
    close: Sequence[tuple[str, str]] = ()
    """Pairs of characters that are words only next to each other."""
    all_of: Sequence[Word] = ()
    """Words that a page must have; none when one of all is enough."""
    common: Mapping[str, float] = field(default_factory=dict)
    """Those that too many pages have: they count, but nothing is found by them."""
    near: bool = False
    """Pairs are looked for in all pages that are found, and not in the best of them only."""
    number: int = 0
    """Of words, but for function words."""
    demanded: Mapping[str, float] = field(default_factory=dict)
    """Those that were asked for with AND: others may call the page so."""

    def __bool__(self) -> bool:
        return bool(self.counts or self.close)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked for, with its terms in the languages of the collection."""

    query: Query
    words: Terms
    languages: Sequence[str | None]
    at: int | None = None
    """The moment it is asked of, in milliseconds since 1970; None: all that the indexes have."""

    @property
    def wanted(self) -> set[str]:
        """All terms that are asked for, also in phrases and as alternatives."""
        demanded = set(self.query.words) - set(free_texts(self.query))
        spelled = {term for text in demanded for each in variants(text, self.languages) for term in each}
        return spelled.union(self.query.stems, self.words.counts, self.words.common, *self.words.close)

    def finding(self, common: Collection[str]) -> Question:
        """The same, found by the terms that are not common."""
        counts = self.words.counts
        kept = {term: count for term, count in counts.items() if term not in common}
        others = {**self.words.common, **{term: counts[term] for term in common}}
        return replace(self, words=replace(self.words, counts=kept, common=others))

    def looser(self) -> Question | None:
        """The same for pages that lack some of the words; None when one is enough already."""
        return replace(self, words=replace(self.words, all_of=())) if self.words.all_of else None

    def near(self) -> Question:
        """The same, with its pairs looked for in all pages that are found."""
        return replace(self, words=replace(self.words, near=True))


def free_terms(query: Query, lexicon: Lexicon, all_most: int = ALL_MOST) -> Terms:
    """What is asked for in words that may be absent. One or two must be there, or as many as `all_most`; of more any is
    enough."""
    every = words(free_texts(query), lexicon)
    told, grammar = ([word for word in every if word.is_function is each] for each in (False, True))
    if not any(word.near or any(map(lexicon.having, word.terms)) for word in told):
        told, grammar = every, []  # it is all there is
    demanded = words([text for text, is_demanded in _in_order(query) if is_demanded], lexicon)
    beside = words([text for text, _ in _in_order(query)], lexicon) if demanded else every
    telling = [word for word in beside if not word.is_function] if demanded else told
    pairs = [(one[-1], other[0]) for one, other in _neighbours(beside, telling)] if len(telling) <= PAIRED_MOST else []
    return Terms(
        _tamed(told),
        tuple(dict.fromkeys(pairs)),
        tuple(dict.fromkeys((word.forms[0][0], word.forms[0][1]) for word in told if word.near)),
        tuple(told) if len(told) <= all_most else (),
        {term: FUNCTION * count for term, count in _tamed(grammar).items()},
        number=len(told),
        demanded=_tamed(demanded),
    )


def free_texts(query: Query) -> list[str]:
    """What is asked for in words that may be absent, as it was written."""
    return [text for text, is_demanded in _in_order(query) if not is_demanded]


def _in_order(query: Query) -> Iterator[tuple[str, bool]]:
    """All that is asked for in single words, each with whether it is demanded: it was joined to others with AND."""
    for clause in query.clauses:
        (atom, *others) = clause.alternatives
        joined = isinstance(atom, Group) and atom.needed and not others
        for part in atom.clauses if isinstance(atom, Group) and joined and not clause.negated else (clause,):
            first = part.alternatives[0]
            if is_free(part) and not part.negated and isinstance(first, Words):
                yield first.text, joined


def _neighbours(every: Sequence[Word], told: Sequence[Word]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Words one after the other, of which at least one tells something; and the parts of names."""
    for word in every:
        yield from (((one,), (other,)) for one, other in pairwise(word.in_order) if not word.near)
    for one, other in pairwise(every):
        if not (one.near or other.near) and (one in told or other in told):
            yield one.in_order, other.in_order


def _tamed(told: Sequence[Word]) -> dict[str, float]:
    """A word that is asked for twice counts for more, but not twice as much."""
    met: Counter[str] = Counter()
    counts: dict[str, float] = {}
    for word in told:
        met.update(word.terms.keys())
        for term, count in word.terms.items():
            counts[term] = max(counts.get(term, 0.0), count)
    return {term: count * (1 + log(met[term])) for term, count in counts.items()}


def is_free(clause: Clause) -> bool:
    """A single word that is neither a phrase nor a filter nor bound to a field: a page may lack it."""
    (atom, *others) = clause.alternatives
    return not others and isinstance(atom, Words) and not (atom.phrase or atom.title or atom.address)


def variants(text: str, languages: Sequence[str | None]) -> list[tuple[str, ...]]:
    """The terms of a text as each language reduces it."""
    found = dict.fromkeys(tuple(terms(text, language)) for language in languages)
    return [each for each in found if each]


def term_of(wanted: Filter) -> tuple[str, str]:
    """The field of the index and the term in it, for what is a site, a type or a language."""
    value = wanted.value
    if wanted.field is Field.SITE:
        value = (
            value.removeprefix("file://")
            .removeprefix("https://")
            .removeprefix("http://")
            .removeprefix("*.")
            .strip("/.")
        )
    return _INDEXED[wanted.field], value


def has_term(wanted: Filter) -> bool:
    """It is one of these."""
    return wanted.field in _INDEXED


def addresses(text: str) -> list[str]:
    """What an address may mean: without a scheme that of https and that of http."""
    whole = [text] if "://" in text else [f"{scheme}://{text}" for scheme in ("https", "http")]
    try:
        return [canonical(each) for each in whole]
    except InvalidURL:
        return []
