"""All copies of a collection, over all shards: who says the same or nearly, and which page stands for them.

Pages that say nearly the same are found by their prints; pages whose bytes are the same also by their rows, for a page
of a few words has no print. Which of those that say nearly the same may stand for each other is decided by what they
say, see `sameness`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

import numpy as np

from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.derive.graph_making import Copies, logged
from gossamer.collection.derive.near_copies import Sameness
from gossamer.dedupe.groups import Candidate, Copy, Group, Member, by_likeness, cut
from gossamer.dedupe.judge import LEAST_WORDS
from gossamer.dedupe.lookup import Met, Near
from gossamer.dedupe.mirrors import Places, mirrors
from gossamer.dedupe.pages import print_in
from gossamer.dedupe.pairs import grouped, pairs
from gossamer.errors import NotFound
from gossamer.frontier.holding import is_page
from gossamer.frontier.ledger import Ledger
from gossamer.graph.gather import Prints
from gossamer.graph.received import Received, Wanted, received
from gossamer.model import URL
from gossamer.store.versions import Version
from gossamer.urls import keys

AT_ONCE = 1_000
"""Sets of linked pages whose rows are read together."""
PATHS_MOST = 5_000
"""Pages of a host that a sample is taken from."""


def found(indexes: ShardReaders) -> Copies:
    """Find all of them, without comparing all pages."""
    linked = grouped(chain(_near(indexes), _exact(indexes)))
    ranks = _Ranks.of(indexes, linked)
    hosts = mirrors(linked, Places(lambda origin: _paths(indexes, origin), lambda url: _has(indexes, url), ranks.host))
    finder = _Finder(indexes, ranks, {each.main for each in hosts})
    groups = sorted(finder.groups(linked), key=lambda group: (-len(group.copies), group.url))
    return Copies(groups, hosts)


def similar(indexes: ShardReaders, url: URL) -> list[Copy]:
    """The copies of one page, in all shards, the most alike first."""
    mine, pages = indexes.current(url), indexes.lookups[indexes.number(url)].pages
    row = pages.of([url]).get(url)
    if mine is None or not _has(indexes, url):
        raise NotFound(f"{url}: no page in the collection; `gossamer why DIR {url}` says more")
    if row is None and not pages.whole:
        raise NotFound(f"{url}: was not compared with the others yet; `gossamer build DIR` does it")
    if row is None and not (near := _same(indexes, url, mine)):
        raise NotFound(f"{url}: says too little to be compared; its main content must have {LEAST_WORDS} words")
    if row is not None:
        asked = [Met(url, indexes.site(url), print_in(row))]
        near = [near for lookup in indexes.lookups for near in lookup.similar(asked)[0] if _has(indexes, near.url)]
    sameness = _sameness(indexes)
    return sorted((_copy(indexes, url, mine, each, sameness) for each in near), key=by_likeness)


def _same(indexes: ShardReaders, url: URL, mine: Version) -> list[Near]:
    """Pages with the same bytes as one that says too little to be compared."""
    pages = chain.from_iterable(archive.versions.pages() for archive in indexes.archives)
    same = [other for other, version in pages if version.digest == mine.digest and other != url]
    return [Near(other, 1.0, 0) for other in same if _has(indexes, other)]


def _sameness(indexes: ShardReaders) -> Sameness:
    return Sameness(lambda url: indexes.of(url).archive)


def _copy(indexes: ShardReaders, url: URL, mine: Version, near: Near, sameness: Sameness) -> Copy:
    latest = indexes.current(near.url)
    digest = latest.digest if latest else ""
    same_site = indexes.site(url) == indexes.site(near.url)
    exact = digest == mine.digest
    alike = (1.0, 0) if exact else (near.resemblance, near.distance)  # prints are estimates, and templates come later
    return Copy(near.url, exact, *alike, same_site, digest, exact or sameness.holds(url, near.url))


def _near(indexes: ShardReaders) -> Iterator[tuple[URL, URL]]:
    return ((pair.one, pair.other) for pair in pairs(indexes.lookups))


def _exact(indexes: ShardReaders) -> Iterator[tuple[URL, URL]]:
    """By their marks, which may be older than the page that they lead to: whether it is a copy is judged later."""
    firsts: dict[str, URL] = {}
    for url, version in chain.from_iterable(archive.versions.pages() for archive in indexes.archives):
        if version.copy_of is not None:
            yield version.copy_of, url
            yield firsts.setdefault(version.digest, url), url


def _paths(indexes: ShardReaders, origin: str) -> Iterator[str]:
    table = indexes.of(f"{origin}/").table
    for url, entry in islice(Ledger(table).all(keys.host_prefix(keys.host(f"{origin}/"))), PATHS_MOST):
        if is_page(entry) and keys.origin(url) == origin:
            yield url.split("/", 3)[3]


def _has(indexes: ShardReaders, url: URL) -> bool:
    entry = Ledger(indexes.of(url).table).get(url)
    return entry is not None and is_page(entry)


class _Ranks:
    """What links bring to the pages that are linked as copies, and to their hosts."""

    def __init__(self, prints: Prints, brought: Received, urls: Iterable[URL]) -> None:
        self._prints = prints
        self._brought = brought
        self._hosts: dict[str, float] = {}
        for url in urls:
            origin = keys.origin(url)
            self._hosts[origin] = self._hosts.get(origin, 0.0) + float(brought.foreign[self._place(url)])

    @classmethod
    def of(cls, indexes: ShardReaders, linked: Sequence[Sequence[URL]]) -> _Ranks:
        urls = {keys.fingerprint(url): url for pages in linked for url in pages}
        prints = np.array(sorted(urls), np.uint64)
        sites = np.array([keys.digest(indexes.site(urls[each]).encode()) for each in sorted(urls)], np.uint64)
        return cls(prints, received(logged(indexes.places, indexes.tables), Wanted(prints, sites)), urls.values())

    def page(self, url: URL) -> tuple[float, bool]:
        """What links bring to an address, and whether another redirects to it."""
        place = self._place(url)
        return float(self._brought.ranks[place]), bool(self._brought.redirected[place])

    def _place(self, url: URL) -> int:
        return int(np.searchsorted(self._prints, np.uint64(keys.fingerprint(url))))

    def host(self, origin: str) -> float:
        """What those of other sites bring to all of these pages of an origin."""
        return self._hosts.get(origin, 0.0)


class _Finder:
    """Reads what the choice between copies depends on."""

    def __init__(self, indexes: ShardReaders, ranks: _Ranks, main: set[str]) -> None:
        self._indexes = indexes
        self._ranks = ranks
        self._main = main
        self._ledgers = [Ledger(table) for table in indexes.tables]
        self._sameness = _sameness(indexes)

    def groups(self, linked: Iterable[Sequence[URL]]) -> Iterator[Group]:
        """The groups among pages that are linked; the rows of many are read together."""
        every = iter(linked)
        while some := list(islice(every, AT_ONCE)):
            members = self._members([url for pages in some for url in pages])
            for pages in some:
                yield from cut([members[url] for url in pages if url in members], self._sameness.holds)

    def _members(self, urls: Sequence[URL]) -> dict[URL, Member]:
        """Those that are pages of the collection."""
        shards: dict[int, list[URL]] = {}
        for url in urls:
            shards.setdefault(self._indexes.number(url), []).append(url)
        return dict(chain.from_iterable(self._of_shard(number, mine) for number, mine in shards.items()))

    def _of_shard(self, number: int, urls: Sequence[URL]) -> Iterator[tuple[URL, Member]]:
        versions = self._indexes.all[number].archive.versions.currents(urls)
        rows = self._indexes.lookups[number].pages.of(urls)
        for url, entry, version in zip(urls, self._ledgers[number].get_many(urls), versions, strict=True):
            if entry is not None and is_page(entry) and version is not None:
                yield url, Member(self._candidate(url, version), rows.get(url), version.title)

    def _candidate(self, url: URL, version: Version) -> Candidate:
        rank, redirected = self._ranks.page(url)
        main = keys.origin(url) in self._main
        return Candidate(url, self._indexes.site(url), version.digest, redirected, version.canonical, main, rank)
