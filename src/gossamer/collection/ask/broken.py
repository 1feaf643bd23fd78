"""Which addresses are broken, which pages link to them, and what do they call them?

Broken is what failed, what is to be tried again after a failure, and what answers as if it were a page and is an error.
So is what waits at a host that does not answer: it is asked for its robots.txt first, and for nothing else after that.
Who links there is in the log of links, by fingerprint. A page that is a copy has no links in the log, because another
page stands for it, and so has every page where nothing was built: of those the text is read. A link to a redirect
counts for where it leads. What is held in memory is the broken addresses and the links to them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gossamer.collection.ask.addresses import rows, under
from gossamer.collection.ask.shard_readers import ShardReader, ShardReaders
from gossamer.collection.derive.index_state import committed_length, is_whole
from gossamer.collection.documents import newest
from gossamer.collection.folder import LINKS
from gossamer.frontier.entries import Entry, RobotsRow, State
from gossamer.frontier.ledger import CHAIN_MOST, Ledger, failed_before, is_retry
from gossamer.frontier.why import robots_at
from gossamer.frontier.worth.soft404 import is_soft
from gossamer.graph.log import STANDS_FOR, Chunk, chunks
from gossamer.model import URL, Capture, Link, Page
from gossamer.model import Fault as NoAnswer
from gossamer.printable import timestamp
from gossamer.robots import Verdict
from gossamer.store.table.table import Table
from gossamer.urls import keys


class Source(NamedTuple):
    """A link to what is broken."""

    url: URL
    """The page it stands on."""
    anchor: str
    """What the page calls it."""
    via: URL | None = None
    """The address that it names, where that is a redirect to the broken one."""


@dataclass(frozen=True, slots=True)
class Broken:
    """An address that is not there, or did not answer."""

    url: URL
    reason: str
    status: int
    """What the server answered; 0 for nothing."""
    again: float | None
    """When the next crawl may try it again, in seconds since 1970; None when it was given up."""
    external: bool
    """It lies outside the scope, and was asked for by `--external`."""
    sources: tuple[Source, ...]
    """Links to it, in the order of the pages. A seed may have none."""

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "url": self.url,
            "reason": self.reason,
            "status": self.status or None,
            "again": timestamp(self.again),
            "external": self.external,
            "links": [each._asdict() for each in self.sources],
        }


class Fault(NamedTuple):
    """What is wrong with an address, before it is known who links there."""

    reason: str
    status: int = 0
    again: float | None = None
    referrer: URL | None = None
    """Where it was found first, for what no page links to: a sitemap, say."""
    external: bool = False


Read: TypeAlias = Callable[[Capture], Page]


def broken(
    readers: ShardReaders, read: Read, site: str | None = None, external: Mapping[URL, Fault] | None = None
) -> Iterator[Broken]:
    """All that is broken, in the order of the addresses; with a site, only links on its pages."""
    faults, redirects = looked(readers)
    return linked(readers, read, faults | dict(external or {}), redirects, site)


class Redirects:
    """Which address redirects to which, by fingerprint: sixteen bytes each, and most lead to nothing broken."""

    def __init__(self) -> None:
        self._froms, self._tos = array("Q"), array("Q")

    def add(self, url: URL, target: URL) -> None:
        """One more."""
        self._froms.append(keys.fingerprint(url))
        self._tos.append(keys.fingerprint(target))

    def leading_to(self, prints: Iterable[int]) -> dict[int, int]:
        """Those that lead to one of these in the end, and to which."""
        froms, tos = np.frombuffer(self._froms, np.uint64), np.frombuffer(self._tos, np.uint64)
        ends = {each: each for each in prints}
        found: dict[int, int] = {}
        for _ in range(CHAIN_MOST):
            places = np.flatnonzero(np.isin(tos, np.array(list(ends), np.uint64)))
            ends = {int(froms[place]): ends[int(tos[place])] for place in places.tolist()}
            ends = {each: end for each, end in ends.items() if each not in found}
            if not ends:
                break
            found |= ends
        return found


def looked(readers: ShardReaders) -> tuple[dict[URL, Fault], Redirects]:
    """What is broken, and all redirects, by one walk over all rows."""
    faults, redirects = dict[URL, Fault](), Redirects()
    for reader in readers.all:
        silent = lru_cache(maxsize=1)(partial(_silent, reader.table))  # the addresses of an origin come together
        for url, entry in rows(reader):
            if is_broken(entry):
                faults[url] = Fault(entry.reason, entry.status, entry.due or None, entry.referrer)
            elif entry.state is State.QUEUED and (robots := silent(keys.origin(url))) is not None:
                faults[url] = Fault(robots.detail, 0, robots.expires, entry.referrer)
            elif entry.target is not None and entry.state is State.DONE:
                redirects.add(url, entry.target)
    return faults, redirects


def _silent(table: Table, origin: str) -> RobotsRow | None:
    """What an origin that does not answer was asked for."""
    robots = robots_at(table, origin)
    is_silent = robots is not None and robots.verdict == Verdict.UNREACHABLE and is_dead(robots)
    return robots if is_silent else None


def is_dead(robots: RobotsRow) -> bool:
    """There was no answer at all, and it was this host that gave none: not one that its robots.txt redirects to."""
    return not robots.status and robots.detail.partition(":")[0] in set(NoAnswer)


def is_broken(entry: Entry) -> bool:
    """It failed, for good or so far, or is an error in disguise."""
    is_failure = entry.state is State.FAILED or is_retry(entry) or failed_before(entry)
    return is_failure or (entry.state is State.DONE and is_soft(entry))


def linked(
    readers: ShardReaders, read: Read, faults: Mapping[URL, Fault], redirects: Redirects, site: str | None = None
) -> Iterator[Broken]:
    """With the links to each."""
    prefixes = (b"",) if site is None else under(site)
    sources = sources_of(readers, read, faults, redirects, prefixes)
    for url in sorted(faults, key=keys.row):
        fault = faults[url]
        found = sources.get(url, [])
        if not found and fault.referrer and keys.row(fault.referrer).startswith(prefixes):
            found = [Source(fault.referrer, "")]
        if found or (site is None and not fault.external):
            yield Broken(url, fault.reason, fault.status, fault.again, fault.external, _in_order(found))


def _in_order(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Each once: a page may have the same link in its head and its foot."""
    return tuple(sorted(set(sources), key=lambda each: (keys.row(each.url), each.anchor, each.via or "")))


def sources_of(
    readers: ShardReaders, read: Read, urls: Iterable[URL], redirects: Redirects, prefixes: tuple[bytes, ...]
) -> dict[URL, list[Source]]:
    """The links that lead to each of these, on pages whose row keys begin so."""
    names = {keys.fingerprint(url): url for url in urls}
    ways = redirects.leading_to(names)
    ends = {print_: print_ for print_ in names} | ways
    ways_named = _names(readers, ways)
    found: dict[int, list[Source]] = {}
    for url, hits in _links(readers, read, ends) if names else ():
        for print_, anchor in hits if keys.row(url).startswith(prefixes) else ():
            found.setdefault(ends[print_], []).append(Source(url, anchor, ways_named.get(print_)))
    return {names[print_]: sources for print_, sources in found.items()}


def _names(readers: ShardReaders, ways: Mapping[int, int]) -> dict[int, URL]:
    """Of the redirects that lead to something broken."""
    if not ways:
        return {}
    every = (row for reader in readers.all for row in rows(reader))
    return {print_: url for url, entry in every if entry.target and (print_ := keys.fingerprint(url)) in ways}


Hit: TypeAlias = tuple[int, str]
"""A link that was looked for: the fingerprint of its target, and what the page calls it."""


def _links(readers: ShardReaders, read: Read, wanted: Collection[int]) -> Iterator[tuple[URL, list[Hit]]]:
    """Of each page those whose targets are wanted."""
    prints = np.array(sorted(wanted), np.uint64)
    for reader, place in zip(readers.all, readers.places, strict=True):
        whole = is_whole(reader.table)
        if whole:
            yield from _logged(chunks(place / LINKS, committed_length(reader.table)), prints).items()
        for url, links in _read_again(reader, read, all_of_them=not whole):
            yield url, [(print_, link.anchor) for link in links if (print_ := keys.fingerprint(link.url)) in wanted]


def _read_again(reader: ShardReader, read: Read, *, all_of_them: bool) -> Iterator[tuple[URL, Sequence[Link]]]:
    """Pages whose links are not in the log."""
    archive = reader.archive
    for url, entry, version in newest(archive, Ledger(reader.table)):
        if (all_of_them or entry.copy or entry.near) and not is_soft(entry):
            page = archive.page(url, version) or read(archive.capture(url, version))
            yield url, page.links


def _logged(log: Iterable[Chunk], prints: NDArray[np.uint64]) -> dict[URL, list[Hit]]:
    """The pages that link to one of these, with what they call it. The last that a page said counts."""
    found: dict[URL, list[Hit]] = {}
    for chunk in log:
        hits = _hits(chunk, prints)
        for number, source in enumerate(chunk.sources):
            found.pop(source, None)
            if number in hits:
                found[source] = hits[number]
    return found


def _hits(chunk: Chunk, prints: NDArray[np.uint64]) -> dict[int, list[Hit]]:
    """Links of a chunk that lead there, by the number of their source."""
    there = np.isin(chunk.targets, prints) & (chunk.kinds & STANDS_FOR == 0)
    places = np.flatnonzero(there)
    if not len(places):
        return {}
    owners = np.searchsorted(np.cumsum(chunk.counts, dtype=np.int64), places, side="right").tolist()
    ends = np.cumsum(chunk.lengths, dtype=np.int64)
    found: dict[int, list[Hit]] = {}
    for owner, place in zip(owners, places.tolist(), strict=True):
        end = int(ends[place])
        anchor = chunk.anchors[end - int(chunk.lengths[place]) : end].decode()
        found.setdefault(owner, []).append((int(chunk.targets[place]), anchor))
    return found
