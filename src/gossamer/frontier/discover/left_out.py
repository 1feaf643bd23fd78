"""Which of the addresses that were met are new and left out at once? Where a crawl has a scope, most of them.

What one page leads to and is left out for one reason differs in the address alone. It shares one entry, which is made,
counted and encoded once: an address costs its row key, its fingerprint and the question why.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from gossamer.frontier.discover.discovery import Discovery, Found
from gossamer.frontier.discover.seen import Batch
from gossamer.frontier.entries import Entry
from gossamer.frontier.ledger import Ledger
from gossamer.model import Kind

Said: TypeAlias = tuple[str, tuple[object, ...]]
"""Why addresses are left out, and all that is said of how they were found but the addresses."""


class Group(NamedTuple):
    """New addresses with one entry."""

    entry: Entry
    depth: int | None
    """What a link to them has to beat; None when one from any depth may let them in."""
    urls: list[str]


class LeftOut:
    """Parts a batch: some new addresses are left out, some may come in, and the rest is to be looked at one by one."""

    def __init__(self, discovery: Discovery, batch: Batch, now: float) -> None:
        self._discovery = discovery
        self._batch = batch
        self._now = now
        self._groups: dict[Said, Group] = {}
        self.let_in: set[str] = set()
        """New addresses that may be visited, as the first link to them is."""
        self.entries: dict[str, Entry | None] = {}
        """Of those that are left out."""

    def part(self, met: Iterable[Found]) -> list[Found]:
        """What is not left out at once, in its order. What pages need is counted as it comes in, so it is among it."""
        rest, unmet, refusal = [], set(self._batch.new), self._discovery.refusal
        for found in met:
            url = found.url
            if url not in unmet:
                rest.append(found)
                continue
            unmet.remove(url)
            if found.kind is Kind.RESOURCE:
                rest.append(found)
            elif (reason := refusal(found)) is None:
                self.let_in.add(url)
                rest.append(found)
            else:
                group = self._groups.get((reason, found[1:])) or self._begin(found, reason)
                group.urls.append(url)
                self.entries[url] = group.entry
        return rest

    def write(self, ledger: Ledger) -> None:
        """Into the books."""
        for entry, depth, urls in self._groups.values():
            ledger.leave_out(urls, entry)
            self._batch.note_all(urls, depth)

    def _begin(self, found: Found, reason: str) -> Group:
        entry = self._discovery.admit(found, reason, self._now)
        group = self._groups[reason, found[1:]] = Group(entry, self._discovery.mark(entry), [])
        return group
