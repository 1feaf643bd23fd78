"""The query language: what people type, and what is made of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import InvalidQuery
from gossamer.search.query import Clause, Field, Filter, Words, parse


def one(atom: Words | Filter, *, negated: bool = False) -> Clause:
    return Clause((atom,), negated)


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("foreign key", [one(Words("foreign")), one(Words("key"))]),
        ('"foreign key" -oracle', [one(Words("foreign key", phrase=True)), one(Words("oracle"), negated=True)]),
        ('key -"on delete"', [one(Words("key")), one(Words("on delete", phrase=True), negated=True)]),
        ("a OR b OR c d", [Clause((Words("a"), Words("b"), Words("c"))), one(Words("d"))]),
        ("or", [one(Words("or"))]),
        ("OR a OR", [one(Words("a"))]),
        ("title:index x", [one(Words("index", title=True)), one(Words("x"))]),
        ('title:"two words"', [one(Words("two words", phrase=True, title=True))]),
        ("site:Example.org/Docs", [one(Filter(Field.SITE, "example.org/docs"))]),
        ("SITE:a.org b", [one(Filter(Field.SITE, "a.org")), one(Words("b"))]),
        ("x -type:pdf", [one(Words("x")), one(Filter(Field.TYPE, "pdf"), negated=True)]),
        ("lang:de OR lang:fr", [Clause((Filter(Field.LANGUAGE, "de"), Filter(Field.LANGUAGE, "fr")))]),
        ("before:2026", [one(Filter(Field.BEFORE, "2026-01-01"))]),
        ("after:2026-3-9", [one(Filter(Field.AFTER, "2026-03-09"))]),
        ("link:http://A.org/X", [one(Filter(Field.LINK, "http://A.org/X"))]),
        ("https://a.org/b", [one(Words("https://a.org/b"))]),
        ("error: cannot open", [one(Words("error:")), one(Words("cannot")), one(Words("open"))]),
        ("std::vector c++", [one(Words("std::vector")), one(Words("c++"))]),
        ('an "unclosed phrase', [one(Words("an")), one(Words("unclosed phrase", phrase=True))]),
        ("left - right -- !", [one(Words("left")), one(Words("right"))]),
        ("well-known", [one(Words("well-known"))]),
    ],
)
def test_what_people_type_is_understood(text: str, clauses: list[Clause]) -> None:
    assert list(parse(text).clauses) == clauses


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("", "say what to look for"),
        ("- ! ?", "say what to look for"),
        ("-oracle", "only says what not to find"),
        ("before:yesterday", "write it like before:2026-11-01"),
        ("after:2026-13-40", "write it like after:"),
        ("x " * 6_000, "at most 10,000"),
        ("x " * 1_001, "at most 1,000"),
        ('site:""', "needs a value"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_its_cure(text: str, cure: str) -> None:
    with pytest.raises(InvalidQuery, match=cure):
        parse(text)


def test_the_words_that_are_wanted_leave_out_what_is_not() -> None:
    assert parse('big "red dog" -cat site:a.org title:zoo').words == ["big", "red dog", "zoo"]


@given(st.text(max_size=200))
def test_any_text_is_a_query_or_a_clear_error(text: str) -> None:
    try:
        query = parse(text)
    except InvalidQuery:
        return
    assert any(not clause.negated for clause in query.clauses)
    assert all(clause.alternatives for clause in query.clauses)
