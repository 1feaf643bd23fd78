"""What is here of an address? The one rule by which its row says so, for all that counts, lists, limits and asks again.

The state of an address says what happens next; this says what its visits have brought. They are not the same: a page
stays here while it waits for another visit, and when that fails.
"""

from __future__ import annotations

from enum import Enum, auto

from gossamer.frontier.entries import FORBIDDEN, Entry, State
from gossamer.model import Kind


class Holding(Enum):
    """What is here of an address."""

    NOTHING = auto()
    """No document came yet, or the last answer said that it is gone or has moved."""
    PAGE = auto()
    """A page, as its last visit brought or confirmed it."""
    PAGE_QUEUED = auto()
    """A page that is queued once more: it has its place among the pages already."""
    PAGE_UNREACHED = auto()
    """A page whose last visit failed, or that may not be visited any more."""
    REQUISITE = auto()
    """What pages need to look as they do."""
    LISTING = auto()
    """A sitemap."""


PAGES = frozenset({Holding.PAGE, Holding.PAGE_QUEUED, Holding.PAGE_UNREACHED})
"""A page of the collection is one of these."""


def holding_of(entry: Entry) -> Holding:
    """What is here of an address, as its row says."""
    if entry.kind is Kind.PAGE:
        return _page(entry)
    if entry.state is not State.DONE or not was_fetched(entry):
        return Holding.NOTHING
    return Holding.REQUISITE if entry.kind is Kind.RESOURCE else Holding.LISTING


def _page(entry: Entry) -> Holding:
    if entry.state is State.DONE:
        return Holding.PAGE if was_fetched(entry) else Holding.NOTHING
    if entry.state is State.QUEUED:
        asked_again = entry.held or (was_fetched(entry) and not entry.attempt)
        return Holding.PAGE_QUEUED if asked_again else Holding.NOTHING
    return Holding.PAGE_UNREACHED if entry.held else Holding.NOTHING


def is_page(entry: Entry) -> bool:
    """Is it here as its last visit brought it? Only then it is known whose copy it is."""
    return holding_of(entry) is Holding.PAGE


def is_queued_again(entry: Entry) -> bool:
    """Is it a page of the collection that waits for another visit? No limit of pages keeps it from that."""
    return holding_of(entry) is Holding.PAGE_QUEUED


def is_page_here(entry: Entry) -> bool:
    """Is it a page of the collection, whatever became of its last visit?"""
    return holding_of(entry) in PAGES


def was_fetched(entry: Entry) -> bool:
    """Did its last visit bring a document, whatever became of it since?"""
    return 200 <= entry.status < 300


def is_closed(entry: Entry) -> bool:
    """Was it fetched, and does its robots.txt forbid it since then?"""
    return entry.state is State.EXCLUDED and entry.reason == FORBIDDEN and (entry.held or was_fetched(entry))
