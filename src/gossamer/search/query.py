"""What is asked for: the query language.

    foreign key            pages about these words; the more of them the better
    "foreign key"          these words, one after the other; curly quotes will do
    -oracle                not this; also NOT oracle, -"on delete", -(a b), -site:example.org
    cascade OR restrict    one of them
    cascade AND restrict   both of them
    (a OR b) AND c         parentheses; NOT goes before AND, AND before OR, OR before words that just follow each other
    index*                 words that begin so
    title:index            in the title; also title:"foreign key" and title:(foreign key), and intitle:
    inurl:docs             in the address
    site:example.org       on this site, or with a path below it: site:example.org/docs
    type:pdf               of this kind: html, pdf, text ... or a media type; also filetype:pdf
    lang:de                in this language
    before:2026-11-01      from before this day; after: from this day on; a year or a month is enough
    link:example.org/a     that links to this address
    price:30               whose field has this value or word, where a page function has given pages fields; of
                           code:30-12-12 the words one after the other

Whatever is none of these is words: people paste addresses, error messages and whole paragraphs, and want an answer.
Only what looks like a filter and cannot be one is refused, with a message that names the cure.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import TypeAlias

from gossamer.errors import InvalidQuery
from gossamer.index import words
from gossamer.search.tokens import Close, Open, Operator, Piece, Token, tokens

CHARACTERS_MOST = 10_000
"""Of a query, like the next; more is refused, because it is a document and not a question."""
CLAUSES_MOST = 1_000
PHRASES_MOST = 50


class Field(StrEnum):
    """Where a word is looked for, or what a page must be."""

    TITLE = "title"
    ADDRESS = "inurl"
    SITE = "site"
    TYPE = "type"
    LANGUAGE = "lang"
    BEFORE = "before"
    AFTER = "after"
    LINK = "link"
    OWN = ""
    """A field that a page function gave; the filter has its name."""


FIELDS = {each.value: each for each in Field if each.value} | {"intitle": Field.TITLE, "filetype": Field.TYPE}
"""By the names that may stand before a colon."""
_WORDED = {Field.TITLE, Field.ADDRESS}


@dataclass(frozen=True, slots=True)
class Words:
    """Words that stand next to each other when there are several; in the title or the address only, or anywhere."""

    text: str
    phrase: bool = False
    title: bool = False
    address: bool = False


@dataclass(frozen=True, slots=True)
class Prefix:
    """Words that begin so."""

    text: str
    title: bool = False
    address: bool = False


@dataclass(frozen=True, slots=True)
class Stems:
    """One of these terms, as the index has them: what a prefix stands for."""

    terms: tuple[str, ...]
    title: bool = False
    address: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """What a page must be."""

    field: Field
    value: str
    name: str = ""
    """Of a field that a page function gave."""


@dataclass(frozen=True, slots=True)
class Group:
    """All of these."""

    clauses: tuple[Clause, ...]
    needed: bool = False
    """It was asked for with AND: a page may lack none of its words, also where nothing else is asked for."""


Atom: TypeAlias = Words | Prefix | Stems | Filter | Group


@dataclass(frozen=True, slots=True)
class Clause:
    """One of these, or none of them."""

    alternatives: tuple[Atom, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A question, taken apart: all of these."""

    clauses: tuple[Clause, ...]

    @property
    def words(self) -> list[str]:
        """All that is asked for in words, also in phrases and as an alternative: for snippets and suggestions."""
        return [atom.text for atom, wanted in atoms(self.clauses) if wanted and isinstance(atom, Words)]

    @property
    def stems(self) -> set[str]:
        """The terms that its prefixes stand for."""
        found = (atom.terms for atom, wanted in atoms(self.clauses) if wanted and isinstance(atom, Stems))
        return {term for terms in found for term in terms}


def atoms(clauses: Sequence[Clause], wanted: bool = True) -> Iterator[tuple[Atom, bool]]:
    """All of them, each with whether it is wanted or not."""
    for clause in clauses:
        for atom in clause.alternatives:
            if isinstance(atom, Group):
                yield from atoms(atom.clauses, wanted is not clause.negated)
            else:
                yield atom, wanted is not clause.negated


def parse(text: str, is_known: Callable[[str], bool] = lambda word: True, own: Collection[str] = ()) -> Query:
    """Take a question apart. A short word behind a dash that is not known is the option of a command. `own` are names
    of fields that page functions gave."""
    if len(text) > CHARACTERS_MOST:
        raise InvalidQuery(f"the query has {len(text):,} characters; ask with at most {CHARACTERS_MOST:,}")
    clauses = _all(deque(tokens(_whole(text), {*FIELDS, *own} if own else FIELDS, is_known)))
    number = sum(_size(atom) for atom, _ in atoms(clauses))
    if number > CLAUSES_MOST:
        raise InvalidQuery(f"the query has {number:,} words; ask with at most {CLAUSES_MOST:,}")
    phrases = sum(_is_phrase(atom) for atom, _ in atoms(clauses))
    if phrases > PHRASES_MOST:
        raise InvalidQuery(f"the query has {phrases:,} phrases; ask with at most {PHRASES_MOST}")
    if not any(wanted for clause in clauses if not clause.negated for _, wanted in atoms([clause])):
        reason = "only says what not to find" if clauses else "has no words"
        raise InvalidQuery(f"the query {reason}; say what to look for")
    return Query(tuple(clauses))


def _size(atom: Atom) -> int:
    """Of words. One without spaces, as in Chinese or with dots between, may be many."""
    return max(1, sum(1 for _ in words.found(atom.text))) if isinstance(atom, Words) else 1


def _is_phrase(atom: Atom) -> bool:
    """It costs what a phrase costs; so does a value of several words that is looked for in a field."""
    if isinstance(atom, Filter):
        return atom.field is Field.OWN and len(re.findall(r"\w+", atom.value)) > 1
    return isinstance(atom, Words) and atom.phrase


def dangling(text: str) -> Iterator[str]:
    """The operators of a question that have nothing on one side, and so mean nothing."""
    if not any(each.name in text for each in (Operator.AND, Operator.OR)):
        return  # most questions, and taking one apart a second time is dear
    around = [None, *tokens(_whole(text), FIELDS), None]
    for before, each, after in zip(around, around[1:], around[2:], strict=False):
        if each in (Operator.AND, Operator.OR):
            nothing_before = before is None or isinstance(before, Open | Operator)
            if nothing_before or after is None or isinstance(after, Close):
                yield each.name


def _whole(text: str) -> str:
    """Half a character, as a command line in another encoding has it, is in no page: it becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# ------------------------------------------------------------------------- grammar
# all = either*   either = both (OR both)*   both = one (AND one)*   one = NOT* (atom | "(" all ")")


def _all(rest: deque[Token], field: str = "") -> list[Clause]:
    """What just follows each other. Parentheses alone change nothing."""
    found: list[Clause] = []
    while rest and not isinstance(rest[0], Close):
        clause = _either(rest, field)
        if clause is None:
            continue
        first = clause.alternatives[0]
        loose = len(clause.alternatives) == 1 and isinstance(first, Group) and not first.needed and not clause.negated
        found += first.clauses if loose and isinstance(first, Group) else [clause]
    return list(_once(found))


def _once(clauses: Iterable[Clause]) -> Iterator[Clause]:
    """A demand that is repeated says nothing new. A word does: it counts for more."""
    met: set[Clause] = set()
    for clause in clauses:
        first = clause.alternatives[0]
        is_word = len(clause.alternatives) == 1 and isinstance(first, Words) and not first.phrase
        if is_word or clause not in met:
            yield clause
        met.add(clause)


def _either(rest: deque[Token], field: str) -> Clause | None:
    found = _joined(rest, field, Operator.OR)
    if len(found) < 2:
        return found[0] if found else None
    return Clause(tuple(dict.fromkeys(atom for clause in found for atom in _as_atoms(clause))))


def _as_atoms(clause: Clause) -> tuple[Atom, ...]:
    return (Group((clause,)),) if clause.negated else clause.alternatives


def _both(rest: deque[Token], field: str) -> Clause | None:
    found = _joined(rest, field, Operator.AND)
    if len(found) < 2:
        return found[0] if found else None
    return Clause((Group(tuple(dict.fromkeys(found)), needed=True),))


def _joined(rest: deque[Token], field: str, by: Operator) -> list[Clause]:
    """An operator with nothing on one side means nothing."""
    part = _both if by is Operator.OR else _one
    found = [part(rest, field)]
    while rest and rest[0] is by:
        rest.popleft()
        found.append(part(rest, field))
    return [clause for clause in found if clause is not None]


def _one(rest: deque[Token], field: str) -> Clause | None:
    negated = False
    while rest and isinstance(rest[0], Operator):
        negated ^= rest.popleft() is Operator.NOT
    if not rest or isinstance(rest[0], Close):
        return None
    token = rest.popleft()
    if isinstance(token, Piece):
        atom = _atom(token, field)
        clause = Clause((atom,)) if atom is not None else None
    else:
        clause = _within(rest, token.name or field if isinstance(token, Open) else field)
    negated ^= isinstance(token, Piece | Open) and token.negated
    return replace(clause, negated=not clause.negated) if clause is not None and negated else clause


def _within(rest: deque[Token], field: str) -> Clause | None:
    """What is in parentheses."""
    found = _all(rest, field)
    rest.popleft()
    if len(found) < 2:
        return found[0] if found else None
    return Clause((Group(tuple(found)),))


# --------------------------------------------------------------------------- atoms


def _atom(piece: Piece, within: str) -> Atom | None:
    field = FIELDS.get(piece.name or within)
    if field is None and (name := piece.name or within):
        if not re.search(r"\w", piece.text):
            raise InvalidQuery(f"{name}: needs a value right after the colon, without a space")
        return Filter(Field.OWN, piece.text, name)
    if field is not None and field not in _WORDED:
        return _filter(field, piece.text)
    where = (field is Field.TITLE, field is Field.ADDRESS)
    if not re.search(r"\w", piece.text):
        return None
    if not piece.phrase and re.fullmatch(r"\w{2,}\*", piece.text):
        return Prefix(piece.text[:-1], *where)
    return Words(piece.text, piece.phrase, *where)


def _filter(field: Field, value: str) -> Filter:
    if not value:
        raise InvalidQuery(f"{field}: needs a value right after the colon, without a space")
    if field in (Field.BEFORE, Field.AFTER):
        return Filter(field, _day(field, value))
    return Filter(field, value if field is Field.LINK else value.lower())


_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


def _day(field: Field, value: str) -> str:
    """A year or a month begins with its first day."""
    match = _DAY.fullmatch(value)
    try:
        if match is None:
            raise ValueError
        return date(int(match[1]), int(match[2] or 1), int(match[3] or 1)).isoformat()
    except ValueError:
        raise InvalidQuery(f"{field}:{value} is no day; write it like {field}:2026-11-01 or {field}:2026") from None
