"""What did pages say, and when? What a search needs where indexes have several texts of a page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from gossamer.index.faults import reading
from gossamer.search.candidates import Found, Matches
from gossamer.search.query_builder import OLDEST, Asking, dated
from gossamer.search.question import Question

TEXTS_MOST = 5_000
"""Texts of pages that are looked at, of which each page is shown once."""


class Span(NamedTuple):
    """From when to when a page had a text, in seconds since 1970; None: it still has."""

    since: float
    until: float | None


def begun_by(at: float) -> int:
    """The last millisecond that has begun by then, so that the end of a day is no part of the next. A number of seconds
    may be a little less than what was written: half a microsecond does no harm."""
    return int(at * 1_000 + 5e-4)


def spans(askings: Sequence[Asking], searchers: Sequence[Any], question: Question, page: int) -> list[Span]:
    """From when to when a page answered a question, in the order of time; that of now is the last."""
    found: list[Span] = []
    for asking, searcher in zip(askings, searchers, strict=True):
        with reading():
            hits = searcher.search(asking.having(question, [page]), limit=TEXTS_MOST, count=False).hits
        found += spans_of(searcher, [address for _, address in hits])
    return sorted(found, key=lambda span: (span.until is None, span.until or 0.0, span.since))


def breaks(spans: Sequence[Span]) -> int:
    """How often a page did not answer in between; they come in the order of time."""
    return sum(earlier.until is not None and earlier.until < later.since for earlier, later in pairwise(spans))


def spans_of(searcher: Any, addresses: list[Any]) -> list[Span]:
    """When these texts were those of their pages."""
    with reading():
        columns = [searcher.fast_field_values(name, addresses) for name in ("since", "until")]
    pairs = zip(*columns, strict=True)
    return [Span((since or 0) / 1_000, None if until is None else until / 1_000) for since, until in pairs]


def earliest(searchers: Sequence[Any]) -> int | None:
    """The moment of the first text, in milliseconds since 1970; None where there is none."""
    with reading():
        firsts = [searcher.search(dated(), limit=1, order_by_field="since", order=OLDEST) for searcher in searchers]
    return min((moment for first in firsts for moment, _ in first.hits), default=None)


def once(found: Matches, pages: Sequence[int]) -> Matches:
    """Each page by its best text; `pages` are those of the matches."""
    places = {page: place for place, page in reversed([*enumerate(pages)])}
    return found.at(sorted(places.values()))


def each_once(found: Sequence[Found], total: int) -> tuple[list[Found], int]:
    """Each page by the first of its texts, and how many pages there are if all texts were looked at."""
    pages = {each.page: each for each in reversed(found)}
    kept = [each for each in found if pages[each.page] is each]
    return kept, len(kept) if total == len(found) else total
