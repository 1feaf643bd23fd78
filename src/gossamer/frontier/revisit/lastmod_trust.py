"""How far do we believe the dates that sitemaps and feeds of a host give? By what visits found; see `signals`."""

from __future__ import annotations

from gossamer.freshness.signals import Trust, heard
from gossamer.frontier.entries import TRUST, encode
from gossamer.rows import decoder
from gossamer.store.table.table import Table
from gossamer.urls import keys

trust_of = decoder(Trust)


def trust(table: Table, url: str) -> Trust:
    """In the host of an address."""
    row = table.get(TRUST, keys.host(url).encode())
    return trust_of(row) if row is not None else Trust()


def learn(table: Table, url: str, *, moved: bool, changed: bool) -> None:
    """A page was visited: had its date moved since the visit before, and had it changed? Part of the next commit."""
    table.put(TRUST, keys.host(url).encode(), encode(heard(trust(table, url), moved, changed)))
