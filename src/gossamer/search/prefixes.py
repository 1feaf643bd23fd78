"""Which words begin so? A prefix stands for terms of the index.

The body has stems, so `deleti*` would meet nothing: what titles and headings say is known as it is written too, and
its stems are asked for. Where nothing begins so, a stem that the prefix begins with will do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from gossamer.index.analysis import terms
from gossamer.search.query import Atom, Clause, Group, Prefix, Query, Stems, Words, atoms

TERMS_MOST = 50
"""Of a prefix; the most frequent."""
PREFIXES_MOST = 5
"""Of a question; further ones are words as they are."""
_ENDING_MOST = 3
"""Letters that a stem may lack."""
_STEM_LEAST = 3

Beginning = Callable[[str, str], Mapping[str, int]]
"""The terms of a field that begin with something, the most frequent of them, and how many pages have each."""


class Prefixes:
    """Expands the prefixes of questions."""

    def __init__(
        self, beginning: Beginning, having: Callable[[str, str], int], languages: Sequence[str | None]
    ) -> None:
        """`having(field, term)` is how many pages have a term."""
        self._beginning = beginning
        self._having = having
        self._languages = languages

    def expanded(self, query: Query) -> tuple[Query, tuple[str, ...]]:
        """The question with terms in the place of prefixes, and the prefixes that stand for more than is asked for."""
        asked = [atom for atom, _ in atoms(query.clauses) if isinstance(atom, Prefix)]
        if not asked:
            return query, ()
        found = {prefix: self._stems(prefix) for prefix in asked[:PREFIXES_MOST]}
        cut = [prefix.text for prefix, meant in found.items() if _size(meant) > TERMS_MOST]
        meant = chain((_cut(found[prefix]) for prefix in asked[:PREFIXES_MOST]), map(_word, asked[PREFIXES_MOST:]))
        return Query(_replaced(query.clauses, meant)), tuple(cut)

    def _stems(self, prefix: Prefix) -> Atom:
        spelled = terms(prefix.text)
        if len(spelled) != 1:
            return _word(prefix)
        field = "title" if prefix.title else "address" if prefix.address else "body"
        found = Counter(self._beginning(field, spelled[0])) + self._spelled(field, spelled[0])
        best = [term for term, _ in found.most_common(TERMS_MOST + 1)] or self._shorter(field, spelled[0])
        return Stems(tuple(best), prefix.title, prefix.address)

    def _spelled(self, field: str, beginning: str) -> Counter[str]:
        """The stems of words as titles and headings have them."""
        if field == "address":
            return Counter()
        found: Counter[str] = Counter()
        for word, count in self._beginning("spelling", beginning).items():
            for stem in {stem for language in self._languages for stem in terms(word, language)}:
                found[stem] = max(found[stem], count)
        return found

    def _shorter(self, field: str, beginning: str) -> list[str]:
        """What it is when it is a word, or else the longest stem that it begins with."""
        whole = dict.fromkeys(stem for language in self._languages for stem in terms(beginning, language))
        lengths = range(len(beginning) - 1, max(len(beginning) - 1 - _ENDING_MOST, _STEM_LEAST - 1), -1)
        cut = [beginning[:length] for length in lengths]
        known = [stem for stem in whole if self._having(field, stem)]
        return known or [stem for stem in cut if self._having(field, stem)][:1]


def _word(prefix: Prefix) -> Words:
    return Words(prefix.text, title=prefix.title, address=prefix.address)


def _size(atom: Atom) -> int:
    return len(atom.terms) if isinstance(atom, Stems) else 1


def _cut(atom: Atom) -> Atom:
    return replace(atom, terms=atom.terms[:TERMS_MOST]) if isinstance(atom, Stems) else atom


def _replaced(clauses: Iterable[Clause], by: Iterator[Atom]) -> tuple[Clause, ...]:
    """Each prefix by the next, in the order of `atoms`."""
    return tuple(
        replace(clause, alternatives=tuple(_other(atom, by) for atom in clause.alternatives)) for clause in clauses
    )


def _other(atom: Atom, by: Iterator[Atom]) -> Atom:
    if isinstance(atom, Group):
        return replace(atom, clauses=_replaced(atom.clauses, by))
    return next(by) if isinstance(atom, Prefix) else atom
