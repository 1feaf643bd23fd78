"""Is this address new, and may it be visited? What pages point to becomes entries, each once.

Most links of a page were met a moment ago, so recent addresses are remembered by their hash with the depth they were
met at; only the rest is looked up. An address that was left out because of its depth, or because only nofollow links
led to it, gets another chance when a better link is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from gossamer.frontier.entries import Entry, State
from gossamer.frontier.ledger import Ledger
from gossamer.model import Kind, Link
from gossamer.urls.scope import Scope

REDIRECTS_MOST = 10
SITEMAP_LEVELS = 3
RECENT = 100_000
"""Hashes in each of two generations; the older one is dropped when the newer is full."""

NOFOLLOW = "only nofollow links lead to it"
DEPTH = "deeper than"


class Found(NamedTuple):
    """An address that something pointed to."""

    url: str
    depth: int = 0
    referrer: str | None = None
    kind: Kind = Kind.PAGE
    hops: int = 0
    followed: bool = True


class Recent:
    """Addresses met lately, by their hash, with the least depth they were met at."""

    def __init__(self) -> None:
        self._new: dict[int, int] = {}
        self._old: dict[int, int] = {}

    def knows(self, url: str, depth: int) -> bool:
        """Was it met at this depth or less?"""
        mark = hash(url)
        met = self._new.get(mark)
        if met is None:
            met = self._old.get(mark)
            if met is None:
                return False
            self._set(mark, met)
        return met <= depth

    def add(self, url: str, depth: int) -> None:
        """Remember it for a while."""
        self._set(hash(url), depth)

    def _set(self, mark: int, depth: int) -> None:
        if len(self._new) >= RECENT:
            self._old, self._new = self._new, {}
        self._new[mark] = depth


class Discovery:
    """Turns what was found into entries and says which of them are to be queued."""

    def __init__(self, ledger: Ledger, scope: Scope, *, rewrite: Callable[[str], str] | None) -> None:
        self._ledger = ledger
        self._recent = Recent()
        self._rewrite = rewrite
        self.scope = scope

    def new_links(self, links: Iterable[Link], depth: int) -> list[Link]:
        """Links to addresses that were not met lately, each once; one that may be followed is preferred."""
        best: dict[str, Link] = {}
        for link in links:
            url = link[0]
            if url not in best or "nofollow" in best[url].rel:
                best[url] = link
        knows = self._recent.knows
        return [link for url, link in best.items() if not knows(url, depth)]

    def sift(self, found: Iterable[Found], now: float, enqueue: Callable[[str, Entry], Entry]) -> None:
        """New and admissible addresses go through `enqueue`, which gives them their place in a queue."""
        fresh = self._fresh(found)
        if not fresh:
            return
        for each, known in zip(fresh.values(), self._ledger.get_many(list(fresh)), strict=True):
            reason = self.refusal(each)
            if known is None:
                self._admit(each, reason, now, enqueue)
            else:
                self._meet_again(each, known, reason, enqueue)
            if reason is None or not _soft(reason):
                self._recent.add(each.url, each.depth)

    def _fresh(self, found: Iterable[Found]) -> dict[str, Found]:
        fresh: dict[str, Found] = {}
        for each in found:
            if self._rewrite is not None:
                each = each._replace(url=self._rewrite(each.url))
            other = fresh.get(each.url)
            if other is None or (each.followed and not other.followed):
                fresh[each.url] = each
        return fresh

    def refusal(self, found: Found) -> str | None:
        """Why an address is left out; None when it may be visited."""
        if not found.followed:
            return NOFOLLOW
        if found.hops > REDIRECTS_MOST:
            return f"more than {REDIRECTS_MOST} redirects in a row"
        if found.kind is Kind.SITEMAP and found.depth >= SITEMAP_LEVELS:
            return f"sitemaps nested more than {SITEMAP_LEVELS} deep"
        if found.kind is Kind.SITEMAP:
            return self.scope.excluded(found.url)
        return self.scope.check(found.url, found.depth)

    def _admit(self, found: Found, reason: str | None, now: float, enqueue: Callable[[str, Entry], Entry]) -> None:
        state = State.QUEUED if reason is None else State.EXCLUDED
        entry = Entry(state, found.depth, now, reason or "", found.kind, found.hops, 0, found.referrer)
        self._ledger.put(found.url, entry if reason else enqueue(found.url, entry), None)

    def _meet_again(
        self, found: Found, known: Entry, reason: str | None, enqueue: Callable[[str, Entry], Entry]
    ) -> None:
        if reason is not None:
            return
        if known.state is State.EXCLUDED and _soft(known.reason):
            entry = msgspec.structs.replace(
                known,
                state=State.QUEUED,
                reason="",
                depth=found.depth,
                hops=found.hops,
                referrer=found.referrer,
            )
            self._ledger.put(found.url, enqueue(found.url, entry), known)
        elif known.state is State.QUEUED and found.depth < known.depth:
            self._ledger.put(found.url, msgspec.structs.replace(known, depth=found.depth), known)


def as_found(url: str, entry: Entry) -> Found:
    """An address that is known already, as if it were found now."""
    followed = entry.reason != NOFOLLOW
    return Found(url, entry.depth, entry.referrer, entry.kind, entry.hops, followed)


def _soft(reason: str) -> bool:
    """A better link may yet let it in."""
    return reason == NOFOLLOW or reason.startswith(DEPTH)
