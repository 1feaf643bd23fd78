"""Is this address new, and may it be visited? What a link makes of an address, as a value: `intake` carries it out.

Most links of a page were met a moment ago, so recent addresses are remembered by their hash with the depth they were
met at. An address that was left out because of its depth, or because only nofollow links led to it, gets another
chance when a better link is found.

Where a seed redirects to (http to https, a name to its www) counts as a seed too, for good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

import msgspec

from gossamer.frontier.entries import META, Entry, State
from gossamer.model import Kind, Link
from gossamer.store.table.table import Table
from gossamer.urls import keys
from gossamer.urls.scope import Scope

REDIRECTS_MOST = 10
SITEMAP_LEVELS = 3
LEAVING_MOST = 10_000
RECENT = 100_000
"""Hashes in each of two generations; the older one is dropped when the newer is full."""

LANDED = b"landed"
"""Rows of `META`, with an address each: where a seed has redirected to."""
NOFOLLOW = "only nofollow links lead to it"
SIGNS_OUT = "it would log the crawl out"
DEPTH = "deeper than"
HTTPS_SILENT = "https does not answer"
"""Why the https address of a seed without a scheme is left out; see `guesses`."""


class Found(NamedTuple):
    """An address that something pointed to."""

    url: str
    depth: int = 0
    referrer: str | None = None
    kind: Kind = Kind.PAGE
    hops: int = 0
    followed: bool = True
    hint: int = 0
    """What a sitemap says of it; see `hints`."""
    guess: str = ""
    """Where the string stood that may be this address, if it is none of a link."""


class Needs(Protocol):
    """What is known of what pages need; see `requisites`."""

    def refusal(self, found: Found) -> str | None:
        """Why something is left out; None when it may be asked for."""

    def met_again(self, found: Found, known: Entry) -> Entry:
        """What becomes of an address that is known."""


class Recent:
    """Addresses met lately that only a smaller depth could change, by their hash, with the depth they were met at."""

    def __init__(self) -> None:
        self._new: dict[int, int] = {}
        self._old: dict[int, int] = {}

    def unknown(self, urls: Iterable[str], depth: int) -> set[str]:
        """Those that were not met at this depth or less."""
        new, old, found = self._new, self._old, set()
        for url in urls:
            mark = hash(url)
            met = new.get(mark)
            if met is None and (met := old.get(mark)) is not None:
                new[mark] = met
            if met is None or met > depth:
                found.add(url)
        return found

    def add(self, url: str, depth: int) -> None:
        """Remember it for a while."""
        if len(self._new) >= RECENT:
            self._old, self._new = self._new, {}
        self._new[hash(url)] = depth


class Discovery:
    """Says which addresses are new, and what becomes of each of them. It changes nothing but what it remembers."""

    def __init__(
        self,
        scope: Scope,
        *,
        rewrite: Callable[[str], str] | None = None,
        simpler: Callable[[str], str] = str,
        signs_out: Callable[[str, str], bool] | None = None,
        needs: Needs | None = None,
    ) -> None:
        """`rewrite` are rules that the user named, `simpler` are those that were learned. `signs_out` tells links that
        would end a session, where there is one. `needs` knows what pages need, where that is asked for."""
        self._needs = needs
        self.scope = scope
        self.recent = Recent()
        self._rewrite = rewrite
        self._simpler = simpler
        self._signs_out = signs_out
        self._leaving: set[str] = set()
        """Addresses that are called so that they would end the session; by itself the address says nothing."""

    def change(self, scope: Scope) -> None:
        """Another scope. What was met lately may be met as if for the first time."""
        self.scope, self.recent = scope, Recent()

    def new_links(self, links: Sequence[Link], depth: int) -> list[tuple[str, Link]]:
        """Links of a page to addresses that were not met lately, each once; one that may be followed is preferred.

        Each with the address as it is asked for. What was learned is looked up for new ones only, so that two of them
        may have one address.
        """
        urls = [link[0] for link in links] if self._rewrite is None else [self._rewrite(link[0]) for link in links]
        if self._signs_out is not None:
            named = (url for url, link in zip(urls, links, strict=True) if self._signs_out(url, link.anchor))
            self._leaving.update(islice(named, LEAVING_MOST - len(self._leaving)))
        unknown = self.recent.unknown(urls, depth)
        if not unknown:
            return []
        best: dict[str, Link] = {}
        for url, link in zip(urls, links, strict=True):
            if url in unknown and (url not in best or "nofollow" in best[url].rel):
                best[url] = link
        return [(self._simpler(url), link) for url, link in best.items()]

    def as_asked_for(self, found: Found) -> Found:
        """With the address as it is asked for. What was learned from links holds for links only. What a page needs is
        asked for by the page, and by nothing else whatever would do as well."""
        if found.kind is Kind.RESOURCE:
            return found
        url = found.url if self._rewrite is None else self._rewrite(found.url)
        if found.depth and not found.hops:
            url = self._simpler(url)
        return found if url == found.url else found._replace(url=url)

    def refusal(self, found: Found) -> str | None:
        """Why an address is left out; None when it may be visited."""
        url, depth, _, kind, hops, followed, _, _ = found
        if self._signs_out is not None and (reason := self.leaves(url)):
            return reason
        if not followed:
            return NOFOLLOW
        if hops > REDIRECTS_MOST:
            return f"more than {REDIRECTS_MOST} redirects in a row"
        if kind is Kind.PAGE:
            return self.scope.check(url, depth)
        if kind is Kind.SITEMAP:
            nested = depth >= SITEMAP_LEVELS
            return f"sitemaps nested more than {SITEMAP_LEVELS} deep" if nested else self.scope.excluded(url)
        if kind is Kind.RESOURCE and self._needs is not None:
            return self._needs.refusal(found) or self.scope.too_long(url) or self.scope.excluded(url)
        return self.scope.check(url, depth)

    def excluded(self, url: str) -> str | None:
        """Why an address is not even visited again; None when it may be."""
        return self.leaves(url) or self.scope.excluded(url)

    def leaves(self, url: str) -> str | None:
        """The reason when an address would end the session of the crawl, by what is known now."""
        if self._signs_out is None or not (url in self._leaving or self._signs_out(url, "")):
            return None
        return SIGNS_OUT

    def entry(self, found: Found, known: Entry | None, now: float) -> Entry:
        """What an address is after it was found; the entry that is known, if that changes nothing."""
        reason = self.refusal(found)
        if known is None:
            return self.admit(found, reason, now)
        if self._needs is not None and Kind.RESOURCE in (found.kind, known.kind):
            return known if reason is not None else self._needs.met_again(found, known)
        return _met_again(found, known, reason)

    def mark(self, entry: Entry) -> int | None:
        """The depth that a link to it has to beat; None when one from any depth may change its entry."""
        unsure = self._needs is not None and entry.kind is Kind.RESOURCE
        return None if unsure else depth_to_beat(entry)

    def admit(self, found: Found, reason: str | None, now: float) -> Entry:
        """What an address is that was met for the first time, and may be visited or is left out for a reason."""
        state = State.QUEUED if reason is None else State.EXCLUDED
        entry = Entry(state, found.depth, now, reason or "", found.kind, found.hops, 0, found.referrer, hint=found.hint)
        return msgspec.structs.replace(entry, guess=found.guess) if found.guess else entry


def _met_again(found: Found, known: Entry, reason: str | None) -> Entry:
    if reason is not None or found.guess:
        return known
    if known.guess and known.state is State.QUEUED:
        return msgspec.structs.replace(known, guess="", depth=found.depth, referrer=found.referrer)
    if depth_to_beat(known) is None:
        return msgspec.structs.replace(
            known, state=State.QUEUED, reason="", depth=found.depth, hops=found.hops, referrer=found.referrer, guess=""
        )
    if known.state is State.QUEUED and found.depth < known.depth:
        return msgspec.structs.replace(known, depth=found.depth)
    return known


def as_found(url: str, entry: Entry) -> Found:
    """An address that is known already, as if it were found now."""
    followed = entry.reason != NOFOLLOW
    return Found(url, entry.depth, entry.referrer, entry.kind, entry.hops, followed)


def depth_to_beat(entry: Entry) -> int | None:
    """Only a link from a smaller depth may change its entry; None when one from any depth may let it in."""
    soft = entry.state is State.EXCLUDED and (
        bool(entry.guess) or entry.reason == NOFOLLOW or entry.reason.startswith((DEPTH, HTTPS_SILENT))
    )
    return None if soft or (entry.guess and entry.state is State.QUEUED) else entry.depth


class Seeds:
    """Keeps the scope as wide as the seeds have turned out to be."""

    def __init__(self, table: Table, discovery: Discovery) -> None:
        self._table = table
        self._discovery = discovery
        self.join()

    def join(self) -> None:
        """Where seeds have redirected to is in the scope."""
        for url in self._landed():
            self._discovery.scope.add_seed(url)

    def widen(self, target: str) -> None:
        """A seed redirects there."""
        if self._discovery.scope.add_seed(target):
            self._table.put(META, LANDED + b"\0" + target.encode(), b"")

    def _landed(self) -> Iterator[str]:
        yield from (self._table.get(META, LANDED) or b"").decode(errors="replace").split()  # as they were kept before
        for key, _ in self._table.scan(META, prefix=LANDED + b"\0"):
            yield keys.url_in(key[len(LANDED) + 1 :])
