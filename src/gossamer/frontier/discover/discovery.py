"""Is this address new, and may it be visited? What pages point to becomes entries, each once.

Most links of a page were met a moment ago, so recent addresses are remembered by their hash with the depth they were
met at. The rest is gathered and sifted in batches (see `seen`), in the order of discovery, with the same result as if
each were sifted when it was met. An address that was left out because of its depth, or because only nofollow links led
to it, gets another chance when a better link is found.

Where a seed redirects to (http to https, a name to its www) counts as a seed too, for good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from gossamer.frontier.discover.seen import Batch, Seen, Verdict
from gossamer.frontier.entries import META, Entry, State
from gossamer.frontier.ledger import Ledger
from gossamer.model import Kind, Link
from gossamer.store.table.table import Table
from gossamer.urls import keys
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
    hint: int = 0
    """What a sitemap says of it; see `hints`."""


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
    """Turns what was found into entries and says which of them are to be queued."""

    def __init__(
        self,
        ledger: Ledger,
        seen: Seen,
        scope: Scope,
        *,
        rewrite: Callable[[str], str] | None,
        simpler: Callable[[str], str],
    ) -> None:
        """`rewrite` are rules that the user named, `simpler` are those that were learned."""
        self._ledger = ledger
        self._seen = seen
        self.recent = Recent()
        self._rewrite = rewrite
        self._met: list[Found] = []
        self._simpler = simpler
        self.scope = scope
        seen.restore((url, _depth(entry)) for url, entry in ledger.all())

    @property
    def waiting(self) -> int:
        """How many were met and are not sifted yet."""
        return len(self._met)

    def new_links(self, links: Iterable[Link], depth: int) -> list[Link]:
        """Links to addresses that were not met lately, each once; one that may be followed is preferred."""
        best: dict[str, Link] = {}
        for link in links:
            url = link[0] if self._rewrite is None else self._rewrite(link[0])
            if url not in best or "nofollow" in best[url].rel:
                best[url] = link
        unknown = self.recent.unknown(best, depth)
        return [best[url] for url in best if url in unknown] if unknown else []

    def meet(self, found: Iterable[Found]) -> None:
        """Gather what something pointed to, for the next `sift`; of one address a link that may be followed."""
        fresh: dict[str, Found] = {}
        for each in found:
            if self._rewrite is not None:
                each = each._replace(url=self._rewrite(each.url))
            if each.depth and not each.hops and (simple := self._simpler(each.url)) != each.url:
                each = each._replace(url=simple)
            other = fresh.get(each.url)
            if other is None or (each.followed and not other.followed):
                fresh[each.url] = each
        self._met += fresh.values()
        for each in fresh.values():
            if each.followed and each.depth <= self.scope.max_depth:
                self.recent.add(each.url, each.depth)

    def sift(
        self,
        now: float,
        enqueue: Callable[[str, Entry], Entry],
        expect: Callable[[list[str]], None],
    ) -> None:
        """New and admissible addresses go through `enqueue`, which gives them their place in a queue.

        `expect` is told beforehand which addresses are new.
        """
        met, self._met = self._met, []
        if not met:
            return
        try:
            self._sift(met, now, enqueue, expect)
        except BaseException:
            self._met = met + self._met  # an interrupt must not lose what it came in the middle of
            raise

    def _sift(
        self,
        met: list[Found],
        now: float,
        enqueue: Callable[[str, Entry], Entry],
        expect: Callable[[list[str]], None],
    ) -> None:
        batch = self._seen.batch(each.url for each in met)
        entries = self._look_up(batch, met)
        expect(batch.new)
        for each in met:
            if batch.check(each.url, each.depth) is Verdict.KNOWN:
                continue
            known, reason = entries.get(each.url), self.refusal(each)
            if known is None:
                entry = self._admit(each, reason, now, enqueue)
            else:
                entry = self._meet_again(each, known, reason, enqueue)
            entries[each.url] = entry
            batch.note(each.url, _depth(entry))

    def _look_up(self, batch: Batch, met: Iterable[Found]) -> dict[str, Entry | None]:
        """The entries that a verdict needs, in one call to the table."""
        asked = batch.asked((each.url, each.depth) for each in met)
        return dict(zip(asked, self._ledger.get_many(asked), strict=True))

    def left_out(self, url: str, reason: str) -> None:
        """What was queued is excluded; a better link may let it in again."""
        if _soft(reason):
            self._seen.note(url, None)

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

    def _admit(self, found: Found, reason: str | None, now: float, enqueue: Callable[[str, Entry], Entry]) -> Entry:
        state = State.QUEUED if reason is None else State.EXCLUDED
        entry = Entry(state, found.depth, now, reason or "", found.kind, found.hops, 0, found.referrer, hint=found.hint)
        return self._ledger.put(found.url, entry if reason else enqueue(found.url, entry), None)

    def _meet_again(
        self, found: Found, known: Entry, reason: str | None, enqueue: Callable[[str, Entry], Entry]
    ) -> Entry:
        if reason is not None:
            return known
        if known.state is State.EXCLUDED and _soft(known.reason):
            entry = msgspec.structs.replace(
                known,
                state=State.QUEUED,
                reason="",
                depth=found.depth,
                hops=found.hops,
                referrer=found.referrer,
            )
            return self._ledger.put(found.url, enqueue(found.url, entry), known)
        if known.state is State.QUEUED and found.depth < known.depth:
            return self._ledger.put(found.url, msgspec.structs.replace(known, depth=found.depth), known)
        return known


def as_found(url: str, entry: Entry) -> Found:
    """An address that is known already, as if it were found now."""
    followed = entry.reason != NOFOLLOW
    return Found(url, entry.depth, entry.referrer, entry.kind, entry.hops, followed)


def _soft(reason: str) -> bool:
    """A better link may yet let it in."""
    return reason == NOFOLLOW or reason.startswith(DEPTH)


def _depth(entry: Entry) -> int | None:
    """What `seen` is to remember: None when a link from any depth may change the entry."""
    return None if entry.state is State.EXCLUDED and _soft(entry.reason) else entry.depth


class Seeds:
    """Keeps the scope as wide as the seeds have turned out to be."""

    def __init__(self, table: Table, discovery: Discovery) -> None:
        self._table = table
        self._discovery = discovery
        for url in self._landed():
            discovery.scope = discovery.scope.with_seed(url)
        self.origins = {keys.origin(url) for url in discovery.scope.seeds}
        """Where a sitemap is looked for that robots.txt does not name; elsewhere it would be a request too many."""

    def widen(self, target: str) -> None:
        """A seed redirects there."""
        self._discovery.scope = self._discovery.scope.with_seed(target)
        self.origins.add(keys.origin(target))
        landed = self._landed()
        if target not in landed:
            self._table.put(META, b"landed", "\n".join([*landed, target]).encode())

    def _landed(self) -> list[str]:
        return (self._table.get(META, b"landed") or b"").decode(errors="replace").split()
