"""How many pages is a site worth? Budgets by reputation, so that no site can capture a crawl.

STAR and BEAST of IRLbot (Lee, Leonard, Wang, Loguinov, WWW 2008): a site's budget grows with the number of other
sites that link to it, which is dear to fake, and not with its pages or hosts, which are cheap. What is over budget is
not dropped but waits at a distance: a site that had n visits is n / budget rounds away. Where we differ: BEAST puts
each address into a queue at a distance when it is found. Here the whole site is at a distance, by the visits it had and
the reputation it has now; so its own pages stay in the order that was asked for, and a link found today counts for
what was found yesterday. Rounds end when the front gets thin, not by time.

Hosts are counted too. A name below one's own domain costs nothing, but each costs us a request for its robots.txt and
a few rows, so the hosts of a site come in by rounds as well: Common Crawl caps the hosts of a domain by its rank for
the same reason.
"""

from __future__ import annotations

from collections.abc import Collection

from gossamer.frontier.entries import SITES, SiteRow, encode, site_row
from gossamer.store.table.table import Table

BASE = 10
"""Pages a round for a site that no other site links to."""
MOST = 10_000
HOSTS_BASE = 5
"""New hosts a round for such a site."""
HOSTS_MOST = 5_000
_KEPT = 50_000
"""Rows kept in memory between commits."""


def budget(linkers: int) -> int:
    """Pages a round for a site that so many others link to."""
    return min(BASE * (1 + linkers), MOST)


def host_budget(linkers: int) -> int:
    """New hosts a round for a site that so many others link to."""
    return min(HOSTS_BASE * (1 + linkers), HOSTS_MOST)


def distance(row: SiteRow, host: int = 0) -> int:
    """How many rounds away a site is, or the n-th of its hosts; from 1, 0 is any."""
    site = row.visits // budget(row.linkers)
    return max(site, (host - 1) // host_budget(row.linkers)) if host else site


class Budgets:
    """Counts what sites have and who links to them."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rows: dict[str, SiteRow] = {}
        self._changed: set[str] = set()

    def read_ahead(self, sites: Collection[str]) -> None:
        """These will be asked for soon."""
        missing = [site for site in sites if site not in self._rows]
        found = self._table.get_many(SITES, [site.encode() for site in missing])
        for site, data in zip(missing, found, strict=True):
            self._rows[site] = site_row(data) if data else SiteRow()

    def linked(self, sites: Collection[str]) -> None:
        """Each of them has one more site that links to it."""
        self.read_ahead(sites)
        for site in sites:
            self._rows[site].linkers += 1
            self._changed.add(site)

    def new_host(self, site: str) -> int:
        """A host of it was met for the first time; its number among them, from 1."""
        row = self._row(site)
        row.hosts += 1
        self._changed.add(site)
        return row.hosts

    def visited(self, site: str) -> None:
        """A page of it was asked for."""
        self._row(site).visits += 1
        self._changed.add(site)

    def distance(self, site: str, host: int = 0) -> int:
        """How many rounds away it is now, or the n-th of its hosts."""
        return distance(self._row(site), host)

    def pages(self, site: str) -> int:
        """Pages a round for a site."""
        return budget(self._row(site).linkers)

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
