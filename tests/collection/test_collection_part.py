"""Which pages are meant by sites, patterns and a question: all of them must agree, and nothing means all."""

from __future__ import annotations

import pytest

from gossamer.collection.ask.selection import BY_FIELD, BY_PAGE, Part
from gossamer.errors import UsageError

A, BELOW, ALIKE, OTHER = "http://a.test/x", "http://www.a.test/y", "http://ba.test/x", "http://c.test/y"
ALL = (A, BELOW, ALIKE, OTHER)


def meant(part: Part, found: frozenset[str] = frozenset()) -> list[str]:
    is_meant = part.chosen(lambda query: set(found) if query == "words" else set())
    return [url for url in ALL if is_meant(url)]


def test_nothing_that_is_asked_means_all_pages() -> None:
    assert not Part()
    assert meant(Part()) == list(ALL)


def test_a_site_means_its_host_and_those_below_it_and_no_name_that_ends_alike() -> None:
    assert meant(Part(sites=("a.test",))) == [A, BELOW]
    assert meant(Part(sites=("http://www.a.test/any", "C.test"))) == [BELOW, OTHER]


def test_one_of_several_patterns_has_to_be_in_an_address() -> None:
    assert meant(Part(include=("/x$",))) == [A, ALIKE]
    assert meant(Part(include=("^http://c", "www"))) == [BELOW, OTHER]


def test_a_question_means_the_pages_that_it_finds() -> None:
    assert meant(Part(query="words"), frozenset({BELOW, OTHER})) == [BELOW, OTHER]
    assert meant(Part(query="words")) == []


def test_what_is_asked_by_site_pattern_and_question_has_to_agree() -> None:
    found = frozenset({A, BELOW, OTHER})
    assert meant(Part(("a.test",), ("/x$",), "words"), found) == [A]
    assert meant(Part(("a.test",), ("/z$",), "words"), found) == []


@pytest.mark.parametrize("part", [Part(sites=("a.test",)), Part(include=("x",)), Part(query="words")])
def test_a_part_is_of_what_is_written_page_by_page(part: Part) -> None:
    assert part
    for form in BY_PAGE:
        part.require_sense(form)
    for form in ("warc", "wacz", "cdxj"):
        Part().require_sense(form)
        with pytest.raises(UsageError, match="written whole"):
            part.require_sense(form)


def test_an_empty_pattern_is_refused_because_it_is_in_every_address() -> None:
    with pytest.raises(UsageError, match="empty pattern"):
        Part(include=("x", "")).require_sense("jsonl")


def test_what_is_told_of_each_page_is_chosen_only_where_it_is_written_by_field() -> None:
    part = Part(fields=("url", "title"))
    for form in BY_FIELD:
        part.require_sense(form)
    for form in {*BY_PAGE, "warc"} - {*BY_FIELD}:
        with pytest.raises(UsageError, match="--fields is for"):
            part.require_sense(form)
    with pytest.raises(UsageError, match="no field 'colour'"):
        Part(fields=("colour",)).require_sense("jsonl")
