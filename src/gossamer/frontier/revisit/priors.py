"""How often do pages like this one change? What its part of the host, the host and the whole shard have shown.

Each is the prior of the next: a part (the first segment of the path) that was seen twice goes by its host, a host by
all others. So a page that was seen once has a sensible date.
"""

from __future__ import annotations

from gossamer.freshness.history import History, Prior
from gossamer.frontier.entries import RATES, encode
from gossamer.frontier.worth.url_patterns import template
from gossamer.rows import decoder
from gossamer.store.table.table import Table

USUAL = 1 / 30
"""Changes a day of a page of which nothing is known at all."""
STRENGTH = 2.0
"""As so many changes counts what is known of the larger group; of pages for a page of theirs, a quarter of that."""
FADES = 0.998
"""About 500 visits of a group count."""
ALL = b"\0"
"""The key of the whole shard."""

history_of = decoder(History)


def seen(table: Table, url: str, interval: float, changed: bool) -> None:
    """A visit of a page: days since the one before, and whether it had changed. Part of the next commit."""
    for group in _groups(url):
        table.put(RATES, group, encode(_history(table, group).seen(interval, changed, FADES)))


def prior(table: Table, url: str) -> Prior:
    """What is known of a page before its own visits are looked at."""
    rate = USUAL
    for group in _groups(url):
        rate = _history(table, group).rate(Prior.of(rate, STRENGTH))
    return Prior.of(rate, STRENGTH / 4)


def _history(table: Table, group: bytes) -> History:
    row = table.get(RATES, group)
    return history_of(row) if row is not None else History()


def _groups(url: str) -> tuple[bytes, bytes, bytes]:
    """The largest first."""
    kind = template(url)
    return ALL, kind.host.encode(), kind.family.encode()
