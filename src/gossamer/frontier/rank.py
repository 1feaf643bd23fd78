"""In which order are the addresses of an origin visited? First by distance, then by the order that was asked for.

A rank is 64 bits that sort: the distance in rounds (see `budget`) above, 32 bits of the order below. Equal ranks are
visited in the order of discovery.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from gossamer.frontier.entries import Entry
from gossamer.urls import keys

Order: TypeAlias = Callable[[str, Entry], int]
"""An address and what is known of it -> 0 to 2**32 - 1; the smallest is visited first."""

LAST = (1 << 32) - 1


def breadth(url: str, entry: Entry) -> int:
    """As they were found: pages near the seeds first."""
    return 0


def depth(url: str, entry: Entry) -> int:
    """The deepest first."""
    return LAST - min(entry.depth, LAST)


def random(url: str, entry: Entry) -> int:
    """Mixed by a hash of the address, so the same in every run: a fair sample of what is known."""
    return keys.fingerprint(url) & LAST


ORDERS: dict[str, Order] = {"breadth": breadth, "depth": depth, "random": random}


def rank(distance: int, order: int) -> int:
    """Both in one number."""
    return min(distance, LAST) << 32 | min(max(order, 0), LAST)


def distance(rank: int) -> int:
    """How many rounds away an address is."""
    return rank >> 32
