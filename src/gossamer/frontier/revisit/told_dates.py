"""How far do we believe the dates that sitemaps and feeds of a host give? By what visits found; see `signals`."""

from __future__ import annotations

from gossamer.freshness.signals import Trust, heard
from gossamer.frontier.entries import TRUST, encode
from gossamer.rows import decoder
from gossamer.store.table.table import Table
from gossamer.urls import keys

REMEMBERED = 10_000

trust_of = decoder(Trust)


class ToldDates:
    """The trust in each host; in memory between two commits."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._trust: dict[bytes, Trust] = {}
        self._changed: set[bytes] = set()

    def of(self, url: str) -> Trust:
        """In the host of an address."""
        host = keys.host(url).encode()
        if host not in self._trust:
            row = self._table.get(TRUST, host)
            self._trust[host] = trust_of(row) if row is not None else Trust()
        return self._trust[host]

    def learn(self, url: str, *, moved: bool, changed: bool) -> None:
        """A page was visited: had its date moved since the visit before, and had the page changed?"""
        host = keys.host(url).encode()
        self._trust[host] = heard(self.of(url), moved, changed)
        self._changed.add(host)

    def save(self) -> None:
        """Part of the next commit."""
        for host in self._changed:
            self._table.put(TRUST, host, encode(self._trust[host]))
        self._changed.clear()
        if len(self._trust) > REMEMBERED:
            self._trust.clear()
