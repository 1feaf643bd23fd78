"""In which order are the addresses of an origin visited? First by distance, then by the order that was asked for.

A rank is 64 bits that sort: the rounds by which an address is farther away than its site (see `budget`) above, 32 bits
of the order below. Equal ranks are visited in the order of discovery.

Mercator draws from its front queues by priority, and the host that the draw falls on gets the next free back queue.
Here the turn of a host is the time when it is due, so an order decides within a host: which of its pages come first.

A sitemap says something about its pages too: their priority and their date, as hints for the order of visits. Both are
claims of the site about itself, so they count only against the other claims of the same file: a page is above or below
its average. A site that marks everything with 1.0, or dates everything today, has said nothing. And they never move a
page out of its round (`budget`): a site can sort its own pages, and gain nothing over others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum, inf, log2
from typing import TypeAlias

from gossamer.frontier.entries import Entry
from gossamer.model import Link
from gossamer.urls import keys

Order: TypeAlias = Callable[[str, Entry], int]
"""An address and what is known of it -> 0 to 2**32 - 1; the smallest is visited first."""

FIRST = 0
"""Of what pages need, and of pages that are asked for again."""
LAST = (1 << 32) - 1
_HINTED = 5
"""As `hints.MOST`: the strongest hint either way."""


def breadth(url: str, entry: Entry) -> int:
    """As they were found: pages near the seeds first, but for the hints of a sitemap."""
    return _HINTED - entry.hint


def importance(url: str, entry: Entry) -> int:
    """Most cash first, but seeds before all: somebody asked for them. The best hint doubles it, the worst halves it."""
    if entry.depth == 0:
        return 0
    return LAST - int((1 + log2(1 + entry.cash) + entry.hint / _HINTED) * (1 << 25))


def promised(url: str, entry: Entry) -> int:
    """Where a crawl has a topic: what promises most first (`focus`), but seeds before all."""
    return 0 if entry.depth == 0 else LAST - min(entry.cash, LAST - 1)


TOPIC_SPARING = 16
"""Rounds for the visits of a site, or for a kind of address that brings little, that count as one where the crawl has a
topic: as much as half of what a link may promise."""
TOPIC_LAST = 1_000
"""Rounds that an address is away of which nothing is promised."""
_WHOLE_PROMISE = 1_000_000


def topic_rounds(entry: Entry) -> int:
    """How many rounds farther away an address is for what is promised of it: one for each half that is missing."""
    if entry.depth == 0:
        return 0
    return (_WHOLE_PROMISE // entry.cash).bit_length() - 1 if entry.cash else TOPIC_LAST


def depth(url: str, entry: Entry) -> int:
    """The deepest first."""
    return LAST - min(entry.depth, LAST)


def random(url: str, entry: Entry) -> int:
    """Mixed by a hash of the address, so the same in every run: a fair sample of what is known."""
    return keys.fingerprint(url) & LAST


ORDERS: dict[str, Order] = {"breadth": breadth, "importance": importance, "depth": depth, "random": random}


def rank(distance: int, order: int) -> int:
    """Both in one number."""
    return min(distance, LAST) << 32 | min(max(order, 0), LAST)


def distance(rank: int) -> int:
    """By how many rounds an address is farther away than its site."""
    return rank >> 32


MOST = 5
"""The strongest hint, either way: one of 1.0 in a file of 0.5."""
_DAY = 86_400


def hints(links: Sequence[Link]) -> dict[str, int]:
    """A hint for each address that is not as good as the next: -5 for the last, 5 for the first."""
    if not links:
        return {}
    priorities = [link.priority for link in links]
    usual = fsum(priorities) / len(priorities)  # statistics.fmean, without a module that is slow to load
    dates = [link.modified for link in links if link.modified is not None]
    recent = fsum(dates) / len(dates) + _DAY if dates else inf
    of = {priority: round(2 * MOST * (priority - usual)) for priority in set(priorities)}
    if not any(of.values()) and max(dates, default=0.0) <= recent:
        return {}
    found = {link.url: of[link.priority] + ((link.modified or 0.0) > recent) for link in links}
    return {url: max(-MOST, min(hint, MOST)) for url, hint in found.items() if hint}
