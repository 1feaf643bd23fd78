"""Who links to whom? Each site that links to another counts once, however many of its pages do.

All links of a page are looked at, also those to addresses that are known: a site that a thousand others link to earns
a thousand credits, not the few that happened to find a new address. Most of them are links that the same site has
shown a moment ago, so for each site the origins that it is known to link to are remembered for a while, and only the
rest is looked up. A nofollow link is no recommendation: the page says so itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress

from gossamer.frontier.entries import LINKERS
from gossamer.frontier.worth.budget import Budgets
from gossamer.model import Link
from gossamer.outlinks import targets
from gossamer.store.table.table import Table
from gossamer.urls import keys

REMEMBERED = 100_000
"""Origins in each of two generations; the older one is dropped when the newer is full."""
_HOST = len("http://") + 1
"""Where the end of an origin is looked for: no host is empty."""


class Credit:
    """Gives each site credit for the other sites that link to it."""

    def __init__(
        self,
        table: Table,
        budgets: Budgets,
        site: Callable[[str], str],
        *,
        elsewhere: Callable[[str, str], bool] | None = None,
    ) -> None:
        """`elsewhere` tells another shard that one site links to another, if the other is not ours to count."""
        self._elsewhere = elsewhere
        self._table = table
        self._budgets = budgets
        self._site = site
        self._new: dict[str, set[str]] = {}
        self._old: dict[str, set[str]] = {}
        self._size = 0
        self.waiting: dict[bytes, str] = {}
        """Sites that earn a credit, by the pair, unless the pair is known already: that is to be looked up yet."""

    def give(self, url: str, links: Sequence[Link]) -> None:
        """A page links there; links within its own origin are passed over first, since most are."""
        own = f"{keys.origin(url)}/"
        urls, _, followed = targets(links)
        recommended = compress(urls, followed)
        origins = {url[: url.find("/", _HOST)] for url in recommended if not url.startswith(own)}
        if origins:
            here = self._site(url)
            fresh = self._unseen(here, origins)
            if fresh:
                sites = {self._site(f"{origin}/") for origin in fresh} - {here}
                told = self._elsewhere
                self.count((site for site in sites if told is None or not told(site, here)), here)

    def _unseen(self, here: str, origins: set[str]) -> set[str]:
        known = self._new.get(here)
        if known is None:
            known = self._new[here] = self._old.pop(here, set())
            self._size += len(known)
        fresh = origins - known
        known |= fresh
        self._size += len(fresh)
        if self._size > REMEMBERED:
            self._old, self._new, self._size = self._new, {}, 0
        return fresh

    def count(self, sites: Iterable[str], here: str) -> None:
        """Sites of ours that a site links to, each pair once. They have their credit when it is settled."""
        for there in sites:
            self.waiting[f"{there}\0{here}".encode()] = there

    def settle(self) -> None:
        """Look up the pairs that were met since the last time, all together; those that are new count."""
        if not self.waiting:
            return
        pairs, self.waiting = self.waiting, {}
        known = self._table.get_many(LINKERS, list(pairs))
        new = [pair for pair, row in zip(pairs, known, strict=True) if row is None]
        for pair in new:
            self._table.put(LINKERS, pair, b"")
        self._budgets.linked([pairs[pair] for pair in new])
