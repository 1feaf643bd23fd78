"""In which order are the addresses of an origin visited? First by distance, then by the order that was asked for.

A rank is 64 bits that sort: the rounds by which an address is farther away than its site (see `budget`) above, 32 bits
of the order below. Equal ranks are visited in the order of discovery.

Mercator draws from its front queues by priority, and the host that the draw falls on gets the next free back queue.
Here the turn of a host is the time when it is due, so an order decides within a host: which of its pages come first.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log2
from typing import TypeAlias

from gossamer.frontier.entries import Entry
from gossamer.urls import keys

Order: TypeAlias = Callable[[str, Entry], int]
"""An address and what is known of it -> 0 to 2**32 - 1; the smallest is visited first."""

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
