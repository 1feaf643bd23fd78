"""The answers by their date: all pages that a question finds, the newest or the oldest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

from gossamer.errors import UsageError
from gossamer.index.faults import reading
from gossamer.search.candidates import Found
from gossamer.search.query_builder import NEWEST, OLDEST
from gossamer.search.question import Question


class Sort(StrEnum):
    """What comes first."""

    RELEVANCE = "relevance"
    DATE = "date"
    """The newest."""
    OLDEST = "-date"


def sort_of(name: str) -> Sort:
    """By its name."""
    try:
        return Sort(name)
    except ValueError:
        raise UsageError(f"{name!r} is no order; sort by {', '.join(Sort)}") from None


BEST = 100
"""Answers to a long question that are put in order by date: further ones have few of its words."""


def dated(
    question: Question, ask: Callable[[Question], Sequence[Any]], searchers: Sequence[Any], most: int, sort: Sort
) -> tuple[Question, list[Found], int]:
    """The pages that have all words, or if there are none those that have some, and how many. `ask` makes the query of
    each shard."""
    found, total = _ordered(ask(question), searchers, most, sort)
    while not total and (looser := question.looser()):
        question = looser
        found, total = _ordered(ask(question), searchers, most, sort)
    return question, found, total


def _ordered(queries: Sequence[Any], searchers: Sequence[Any], most: int, sort: Sort) -> tuple[list[Found], int]:
    order = OLDEST if sort is Sort.OLDEST else NEWEST
    met: list[tuple[int, Found]] = []
    total = 0
    for shard, (searcher, query) in enumerate(zip(searchers, queries, strict=True)):
        with reading():
            result = searcher.search(query, limit=max(most, 1), order_by_field="date", order=order)
            places = [place for _, place in result.hits]
            pages = searcher.fast_field_values("page", places)
        total += result.count
        rows = zip(result.hits, places, pages, strict=True)
        met += [(date or 0, Found(0.0, shard, place, int(page or 0), {})) for (date, _), place, page in rows]
    met.sort(key=lambda each: each[0], reverse=sort is not Sort.OLDEST)
    return [found for _, found in met[:most]], total


def by_date(dates: Sequence[int], sort: Sort) -> list[int]:
    """The places of some dates in their order."""
    return sorted(range(len(dates)), key=dates.__getitem__, reverse=sort is not Sort.OLDEST)
