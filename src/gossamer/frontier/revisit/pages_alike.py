"""How often do pages like this one change? What its part of the host, the host and the whole shard have shown.

Each is the prior of the next: a part (the first segment of the path) that was seen twice goes by its host, a host by
all others. So a page that was
seen once has a sensible date.
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
REMEMBERED = 10_000

history_of = decoder(History)


class PagesAlike:
    """The rates of groups of pages; in memory between two commits."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._histories: dict[bytes, History] = {}
        self._changed: set[bytes] = set()

    def seen(self, url: str, interval: float, changed: bool) -> None:
        """A visit of a page: days since the one before, and whether it had changed."""
        for group in _groups(url):
            self._histories[group] = self._history(group).seen(interval, changed, FADES)
            self._changed.add(group)

    def prior(self, url: str) -> Prior:
        """What is known of a page before its own visits are looked at."""
        rate = USUAL
        for group in _groups(url):
            rate = self._history(group).rate(Prior.of(rate, STRENGTH))
        return Prior.of(rate, STRENGTH / 4)

    def save(self) -> None:
        """Part of the next commit."""
        for group in self._changed:
            self._table.put(RATES, group, encode(self._histories[group]))
        self._changed.clear()
        if len(self._histories) > REMEMBERED:
            self._histories.clear()

    def _history(self, group: bytes) -> History:
        if group not in self._histories:
            row = self._table.get(RATES, group)
            self._histories[group] = history_of(row) if row is not None else History()
        return self._histories[group]


def _groups(url: str) -> tuple[bytes, bytes, bytes]:
    """The largest first."""
    kind = template(url)
    return ALL, kind.host.encode(), kind.family.encode()
