"""The query language: what people type, and what is made of it."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import InvalidQuery
from gossamer.search.query import CHARACTERS_MOST, Atom, Clause, Field, Filter, Group, Prefix, Words, atoms, parse


def one(atom: Atom, *, negated: bool = False) -> Clause:
    return Clause((atom,), negated)


def both(*words: str, needed: bool = True) -> Group:
    return Group(tuple(one(Words(word)) for word in words), needed)


def free(*words: str) -> list[Clause]:
    return [one(Words(word)) for word in words]


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
    ("text", "clauses"),
    [
        ("red AND blue", [one(both("red", "blue"))]),
        ("red AND blue green", [one(both("red", "blue")), *free("green")]),
        ("red AND blue OR green AND grey", [Clause((both("red", "blue"), both("green", "grey")))]),
        ("red (blue OR green)", [*free("red"), Clause((Words("blue"), Words("green")))]),
        ("(red blue) OR green", [Clause((both("red", "blue", needed=False), Words("green")))]),
        ("(red blue) green", free("red", "blue", "green")),
        ("((red) (blue))", free("red", "blue")),
        ("red NOT blue", [*free("red"), one(Words("blue"), negated=True)]),
        ("red AND NOT blue", [one(Group((one(Words("red")), one(Words("blue"), negated=True)), needed=True))]),
        ("red -(blue OR green)", [*free("red"), Clause((Words("blue"), Words("green")), negated=True)]),
        ("red -(blue green)", [*free("red"), one(both("blue", "green", needed=False), negated=True)]),
        ("red OR NOT blue", [Clause((Words("red"), Group((one(Words("blue"), negated=True),))))]),
        ("red NOT NOT blue", free("red", "blue")),
        ("title:(red OR blue)", [Clause((Words("red", title=True), Words("blue", title=True)))]),
        ("site:(a.org OR b.org)", [Clause((Filter(Field.SITE, "a.org"), Filter(Field.SITE, "b.org")))]),
        ("AND red AND", free("red")),
        ("red OR AND blue", [Clause((Words("red"), Words("blue")))]),
    ],
)
def test_operators_and_parentheses_have_their_usual_order(text: str, clauses: list[Clause]) -> None:
    assert list(parse(text).clauses) == clauses


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("git pull --rebase", ["git", "pull", "--rebase"]),
        ("-fsanitize=address use after free", ["-fsanitize=address", "use", "after", "free"]),
        ("ls -l", ["ls", "-l"]),
        ("gcc -O2 -std=c++20", ["gcc", "-O2", "-std=c++20"]),
        ("exit code -1", ["exit", "code", "-1"]),
        ("lower by -0.5", ["lower", "by", "-0.5"]),
        ("pre-commit hook", ["pre-commit", "hook"]),
        ("column NOT NULL", ["column", "NOT", "NULL"]),
        ("NOT NULL constraint failed", ["NOT", "NULL", "constraint", "failed"]),
        ("PLEASE DO NOT FEED THE BEARS", ["PLEASE", "DO", "NOT", "FEED", "THE", "BEARS"]),
        ("printf(x) (see below).", ["printf(x)", "see", "below"]),
        ("a) first b) second :)", ["a", "first", "b", "second"]),
        ("((((open", ["open"]),
        ("closed))))", ["closed"]),
        ("() empty", ["empty"]),
        ('a 5" disk drive', ["a", "5", "disk", "drive"]),
        ("f* ** *", ["f*"]),
        ("std:(a b)", ["std", "a", "b"]),
        ("note: this", ["note:", "this"]),
        ("and or not", ["and", "or", "not"]),
        ("rm -rf /", ["rm", "-rf"]),
        ("gcc -Wall -Wextra -O2 main.c", ["gcc", "-Wall", "-Wextra", "-O2", "main.c"]),
        ("ps -aux | grep python", ["ps", "-aux", "grep", "python"]),
        ("git commit --amend -author", ["git", "commit", "--amend", "-author"]),
    ],
)
def test_what_people_paste_is_words(text: str, words: list[str]) -> None:
    assert list(parse(text).clauses) == free(*words)


def test_a_few_letters_behind_a_dash_that_no_title_has_are_an_option() -> None:
    known = {"sql", "css"}.__contains__
    assert list(parse("tar -xzf -rf", known).clauses) == free("tar", "-xzf", "-rf")
    for word in ("sql", "css", "cat", "oracle", "Windows"):
        assert list(parse(f"tar -{word}", known).clauses) == [*free("tar"), one(Words(word), negated=True)]


@pytest.mark.parametrize("text", ["漢字" * 600, "ab." * 3_000, " ".join(["a:b:c:d:e"] * 300)])
def test_words_without_spaces_are_counted_too(text: str) -> None:
    with pytest.raises(InvalidQuery, match="at most 1,000"):
        parse(text)


@pytest.mark.parametrize("word", ["oracle", "2016", "猫", "e-mail", "c++"])
def test_a_dash_before_a_word_leaves_it_out(word: str) -> None:
    assert list(parse(f"x -{word}").clauses) == [one(Words("x")), one(Words(word), negated=True)]


@pytest.mark.parametrize("quotes", ["“”", "„“", "„”", "«»", "»«", "＂＂"])
def test_quotes_of_all_countries_are_quotes(quotes: str) -> None:
    assert parse(f"x -{quotes[0]}red dog{quotes[1]}") == parse('x -"red dog"')


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("intitle:zoo", "title:zoo"),
        ("filetype:PDF", "type:pdf"),
        ("INURL:docs", "inurl:docs"),
    ],
)
def test_a_field_has_the_names_that_people_know(text: str, same: str) -> None:
    assert parse(text) == parse(same)


def test_a_demand_that_is_repeated_is_made_once_and_a_word_counts_each_time() -> None:
    assert parse('"a b" x site:a.org x "a b" site:a.org') == parse('"a b" x site:a.org x')
    assert parse("a OR re* OR a OR re*") == parse("a OR re*")


def test_a_star_behind_two_letters_is_a_prefix() -> None:
    assert list(parse("fo* title:ba*").clauses) == [one(Prefix("fo")), one(Prefix("ba", title=True))]


@pytest.mark.parametrize(
    "part",
    ["(", ")", "(a", "a)", "-(", ")(", '"', "*", "a*", "a* ", "NOT ", '"a" ', "(a OR ", "a AND (b OR ", "-", "x:"],
)
def test_a_question_of_nothing_but_marks_ends_as_any_other(part: str) -> None:
    with suppress(InvalidQuery):  # which is an answer too
        parse((part * CHARACTERS_MOST)[:CHARACTERS_MOST])


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("", "say what to look for"),
        ("- ! ?", "say what to look for"),
        ("-oracle", "only says what not to find"),
        ("NOT oracle", "only says what not to find"),
        ("-red OR -blue", "only says what not to find"),
        ("-(red -blue)", "only says what not to find"),
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


MARKS = ["(", ")", "-", "*", '"', "“", "”", " ", "AND", "OR", "NOT", "title:", "site:", "word", "WORD", "a", "=", "."]


@given(st.text(max_size=200) | st.lists(st.sampled_from(MARKS), max_size=40).map("".join))
def test_any_text_is_a_query_or_a_clear_error(text: str) -> None:
    try:
        query = parse(text)
    except InvalidQuery:
        return
    assert any(not clause.negated for clause in query.clauses)
    assert all(clause.alternatives for clause in query.clauses)
    assert any(wanted for _, wanted in atoms(query.clauses))
