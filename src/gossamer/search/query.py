"""What is asked for: the query language.

    foreign key            pages about these words; the more of them the better
    "foreign key"          these words, one after the other
    -oracle                not this
    cascade OR restrict    one of them
    title:index            in the title; also title:"foreign key"
    site:example.org       on this site, or with a path below it: site:example.org/docs
    type:pdf               of this kind: html, pdf, text ... or a media type
    lang:de                in this language
    before:2026-11-01      from before this day; after: from this day on; a year or a month is enough
    link:example.org/a     that links to this address

Whatever is none of these is words: people paste addresses, error messages and whole paragraphs, and want an answer.
Only what looks like a filter and cannot be one is refused, with a message that names the cure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TypeAlias

from gossamer.errors import InvalidQuery

CHARACTERS_MOST = 10_000
"""Of a query, like the next; more is refused, because it is a document and not a question."""
CLAUSES_MOST = 1_000
PHRASES_MOST = 50


class Field(StrEnum):
    """Where a word is looked for, or what a page must be."""

    TITLE = "title"
    SITE = "site"
    TYPE = "type"
    LANGUAGE = "lang"
    BEFORE = "before"
    AFTER = "after"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Words:
    """Words that stand next to each other when there are several; in the title only, or anywhere."""

    text: str
    phrase: bool = False
    title: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """What a page must be."""

    field: Field
    value: str


Atom: TypeAlias = Words | Filter


@dataclass(frozen=True, slots=True)
class Clause:
    """One of these, or none of them."""

    alternatives: tuple[Atom, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A question, taken apart."""

    clauses: tuple[Clause, ...]

    @property
    def words(self) -> list[str]:
        """All that is asked for in words, also in phrases and as an alternative: for snippets and suggestions."""
        wanted = (atom for clause in self.clauses if not clause.negated for atom in clause.alternatives)
        return [atom.text for atom in wanted if isinstance(atom, Words)]


_TOKEN = re.compile(r'(-?)(?:([A-Za-z]+):)?(?:"([^"]*)"?|([^\s"]+))')
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


def parse(text: str) -> Query:
    """Take a question apart."""
    if len(text) > CHARACTERS_MOST:
        raise InvalidQuery(f"the query has {len(text):,} characters; ask with at most {CHARACTERS_MOST:,}")
    clauses = list(_joined(_tokens(_whole(text))))
    if len(clauses) > CLAUSES_MOST:
        raise InvalidQuery(f"the query has {len(clauses):,} words; ask with at most {CLAUSES_MOST:,}")
    phrases = sum(isinstance(atom, Words) and atom.phrase for clause in clauses for atom in clause.alternatives)
    if phrases > PHRASES_MOST:
        raise InvalidQuery(f"the query has {phrases:,} phrases; ask with at most {PHRASES_MOST}")
    if not any(not clause.negated for clause in clauses):
        reason = "only says what not to find" if clauses else "has no words"
        raise InvalidQuery(f"the query {reason}; say what to look for")
    return Query(tuple(clauses))


def _whole(text: str) -> str:
    """Half a character, as a command line in another encoding has it, is in no page: it becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _tokens(text: str) -> Iterator[Clause | None]:
    """Each as a clause of its own; None for an OR."""
    for minus, name, phrase, word in _TOKEN.findall(text):
        if word == "OR" and not minus and not name:
            yield None
            continue
        atom = _atom(name, phrase, word)
        if atom is not None:
            yield Clause((atom,), negated=bool(minus))


def _atom(name: str, phrase: str, word: str) -> Atom | None:
    value = phrase or word
    if name.lower() in Field.__members__.values() and not word.startswith("//"):
        field = Field(name.lower())
        return Words(value, bool(phrase), title=True) if field is Field.TITLE else _filter(field, value)
    text = value if not name else f"{name}:{value}"
    return Words(text, bool(phrase)) if re.search(r"\w", text) else None


def _filter(field: Field, value: str) -> Filter:
    if not value:
        raise InvalidQuery(f"{field}: needs a value right after the colon, without a space")
    if field in (Field.BEFORE, Field.AFTER):
        return Filter(field, _day(field, value))
    return Filter(field, value if field is Field.LINK else value.lower())


def _day(field: Field, value: str) -> str:
    """A year or a month begins with its first day."""
    match = _DAY.fullmatch(value)
    try:
        if match is None:
            raise ValueError
        return date(int(match[1]), int(match[2] or 1), int(match[3] or 1)).isoformat()
    except ValueError:
        raise InvalidQuery(f"{field}:{value} is no day; write it like {field}:2026-11-01 or {field}:2026") from None


def _joined(tokens: Iterator[Clause | None]) -> Iterator[Clause]:
    """Put the alternatives of an OR into one clause. An OR with nothing on one side means nothing."""
    last: Clause | None = None
    joining = False
    for token in tokens:
        if token is None:
            joining = last is not None
        elif joining and last is not None and last.negated == token.negated:
            last, joining = Clause(last.alternatives + token.alternatives, last.negated), False
        else:
            if last is not None:
                yield last
            last, joining = token, False
    if last is not None:
        yield last
