"""How many pages is a site worth? Budgets by reputation, so that no site can capture a crawl.

STAR and BEAST of IRLbot (Lee, Leonard, Wang, Loguinov, WWW 2008): a site's budget grows with the number of other
sites that link to it, which is dear to fake, and not with its pages or hosts, which are cheap. What is over budget is
not dropped but waits at a distance: the n-th address of a site lies n / budget rounds away. Where we differ: one queue
with the distance in its key stands for BEAST's many, and rounds end when the front gets thin, not by time.
"""

from __future__ import annotations

from gossamer.frontier.entries import LINKERS, SITES, SiteRow, encode, site_row
from gossamer.store.table import Table

BASE = 10
"""Pages a round for a site that no other site links to."""
MOST = 10_000
_KEPT = 50_000
"""Rows kept in memory between commits."""


def budget(linkers: int) -> int:
    """Pages a round for a site that so many others link to."""
    return min(BASE * (1 + linkers), MOST)


class Budgets:
    """Counts what sites have and who links to them."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rows: dict[str, SiteRow] = {}
        self._changed: set[str] = set()

    def linked(self, site: str, by: str) -> None:
        """One site links to another."""
        key = f"{site}\0{by}".encode()
        if self._table.get(LINKERS, key) is None:
            self._table.put(LINKERS, key, b"")
            self._row(site).linkers += 1
            self._changed.add(site)

    def distance(self, site: str) -> int:
        """How many rounds away the next address of a site is; it counts as queued from now on."""
        row = self._row(site)
        row.found += 1
        self._changed.add(site)
        return (row.found - 1) // budget(row.linkers)

    def save(self) -> None:
        """The counts become part of the next commit."""
        for site in self._changed:
            self._table.put(SITES, site.encode(), encode(self._rows[site]))
        self._changed.clear()
        if len(self._rows) > _KEPT:
            self._rows.clear()

    def _row(self, site: str) -> SiteRow:
        row = self._rows.get(site)
        if row is None:
            row = self._rows[site] = stored(self._table, site)
        return row


def stored(table: Table, site: str) -> SiteRow:
    """What is known of a site."""
    data = table.get(SITES, site.encode())
    return site_row(data) if data else SiteRow()
