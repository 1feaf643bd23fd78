"""How often do pages like this one change? What its part of the host, the host and the whole shard have shown.

Each is the prior of the next: a part (the first segment of the path) that was seen twice goes by its host, a host by
all others. So a page that was seen once has a sensible date.
"""

from __future__ import annotations

from gossamer.freshness.hints import hinted
from gossamer.freshness.history import History, Prior
from gossamer.frontier.entries import RATES, encode
from gossamer.frontier.revisit.page_changes import PageChanges
from gossamer.frontier.worth.url_patterns import template
from gossamer.rows import decoder
from gossamer.store.table.table import Table

USUAL = 1 / 30
"""Changes a day of a page of which nothing is known at all."""
STRENGTH = 2.0
"""As so many changes counts what is known of the larger group; of pages for a page of theirs, a quarter of that."""
FADES = 0.998
"""About 500 visits of a group count."""
OWN = 4.0
"""As so many changes of pages like it counts one of a page itself, where a hint is weighed."""
ALL = b"\0"
"""The key of the whole shard."""

history_of = decoder(History)


def seen(table: Table, url: str, interval: float, changed: bool) -> None:
    """A visit of a page: days since the one before, and whether it had changed. Part of the next commit."""
    for group in _groups(url):
        table.put(RATES, group, encode(_history(table, group).seen(interval, changed, FADES)))


def rate(table: Table, url: str, row: PageChanges) -> float:
    """How often a page changes in a day: by its visits, by pages like it, and by what its site says.

    What its site says counts the less, the more changes were seen, or would have been if there were any: of pages of
    its host, and above all of its own.
    """
    known, seen = _known(table, url)
    own = row.history.weight + row.history.same * known
    return row.history.rate(Prior.of(hinted(known, row.hint, seen + OWN * own), STRENGTH / 4))


def _known(table: Table, url: str) -> tuple[float, float]:
    """The rate of pages like it, and by how many changes that is known."""
    rate, seen = USUAL, 0.0
    for group in _groups(url):
        history = _history(table, group)
        rate = history.rate(Prior.of(rate, STRENGTH))
        if group != ALL:
            seen = max(seen, history.weight + history.same * rate)
    return rate, seen


def _history(table: Table, group: bytes) -> History:
    row = table.get(RATES, group)
    return history_of(row) if row is not None else History()


def _groups(url: str) -> tuple[bytes, bytes, bytes]:
    """The largest first."""
    kind = template(url)
    return ALL, kind.host.encode(), kind.family.encode()
