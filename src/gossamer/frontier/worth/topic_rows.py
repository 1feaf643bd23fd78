"""What is kept of the topic of a crawl: of each address, and of all pages together; see `focus`.

Apart from that, so that who only reads it does not load what judges pages.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from gossamer.frontier.entries import META, TOPICS
from gossamer.rows import Count, Natural, Seconds, decoder
from gossamer.store.table.table import Table
from gossamer.urls import keys

WHOLE = 1_000_000
"""A promise of 1 as it is kept."""
SUMS = b"harvest"


class TopicRow(msgspec.Struct, array_like=True, frozen=True):
    """What was promised of an address, and what it turned out to be."""

    promise: Natural = 0
    """In millionths."""
    steps: Count = 0
    """Pages in a row that were not on topic, on the way to it."""
    score: float = -1.0
    """How far it is on topic, 0 to 1; below 0 as long as it has not come."""
    words: tuple[tuple[str, float], ...] = ()
    """Those that speak loudest, for and against."""


class Promise(NamedTuple):
    """What a link says of where it leads."""

    url: str
    promise: int
    steps: int


class Sums(msgspec.Struct, array_like=True, frozen=True):
    """How far all pages are on topic that have come."""

    pages: Natural = 0
    score: Seconds = 0.0
    on_topic: Natural = 0


topic_row = decoder(TopicRow)
sums_of = decoder(Sums)


def stored_sums(table: Table) -> Sums:
    """How far all pages of a shard are on topic, as of the last commit."""
    data = table.get(META, SUMS)
    return sums_of(data) if data else Sums()


def about_topic(table: Table, url: str) -> TopicRow | None:
    """What is known of an address; None where the crawl has no topic, or nothing of it is known."""
    data = table.get(TOPICS, keys.row(url))
    return topic_row(data) if data else None
