"""Which addresses does a collection know, where does each stand, and why?

Every address that was ever found has one row, also one that was left out. So whatever `status` counts can be listed, by
one walk over the rows in the order of the addresses; nothing is held but the row at hand.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from gossamer.collection.ask.shard_readers import ShardReader, ShardReaders
from gossamer.errors import InvalidURL, UsageError
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.holding import is_page, is_page_here
from gossamer.frontier.ledger import Counts, Ledger
from gossamer.model import URL, Kind
from gossamer.printable import timestamp
from gossamer.urls import keys, normalize

_NOT_HERE = frozenset({State.FAILED, State.EXCLUDED})
STATES: Mapping[str, Callable[[Entry], bool]] = {
    "queued": lambda entry: entry.state is State.QUEUED,
    "done": lambda entry: entry.state is State.DONE,
    "failed": lambda entry: entry.state is State.FAILED and entry.kind is not Kind.RESOURCE,
    "excluded": lambda entry: entry.state is State.EXCLUDED and entry.kind is not Kind.RESOURCE,
    "missing": lambda entry: entry.state in _NOT_HERE and entry.kind is Kind.RESOURCE,
    "page": is_page_here,
    "redirect": lambda entry: entry.state is State.DONE and entry.target is not None,
    "duplicate": lambda entry: entry.copy and is_page(entry),
    "near-copy": lambda entry: entry.near and is_page(entry),
    "unread": lambda entry: True,
}
"""What can be asked for. An address is in one of the first five, where failed and excluded are without what pages need,
which `status` counts for itself: of that, what is missing. The others are parts of these; a page is also one whose last
visit failed, while what came before it is here."""
UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Address:
    """An address, and where it stands."""

    url: URL
    state: str
    """queued, done, failed or excluded"""
    reason: str
    """Why it failed, was left out or is tried again; of what is done, what should be known of it."""
    status: int
    """What the server answered last; 0 for nothing."""
    kind: str
    """page or sitemap"""
    depth: int
    found: float
    """In seconds since 1970, as the next two."""
    visited: float | None
    next_time: float | None
    """When it is tried again; None also where it only waits for its turn."""
    attempts: int
    referrer: URL | None
    """Where it was found."""
    target: URL | None
    """Where it redirects to."""

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "url": self.url,
            "state": self.state,
            "reason": self.reason,
            "status": self.status or None,
            "kind": self.kind,
            "depth": self.depth,
            "found": timestamp(self.found),
            "visited": timestamp(self.visited),
            "next_time": timestamp(self.next_time),
            "attempts": self.attempts,
            "referrer": self.referrer,
            "target": self.target,
        }


def address(url: URL, entry: Entry) -> Address:
    """What a row says."""
    return Address(
        url,
        entry.state.name.lower(),
        entry.reason,
        entry.status,
        entry.kind.name.lower(),
        entry.depth,
        entry.found,
        entry.visited or None,
        entry.due or None,
        entry.attempt,
        entry.referrer,
        entry.target,
    )


def addresses(
    readers: ShardReaders, state: str | None = None, reason: str | None = None, site: str | None = None
) -> Iterator[Address]:
    """Those that are asked for, in the order of their row keys, over all shards."""
    if state is not None and state not in STATES:
        raise UsageError(f"{state!r}: no such state; choose one of {', '.join(STATES)}")
    chosen = partial(_chosen, STATES[state] if state else lambda entry: True, _because(readers, reason))
    prefixes = (b"",) if site is None else under(site)
    source = _unread if state == UNREAD else rows
    every = (source(reader, prefixes) for reader in readers.all)
    found = heapq.merge(*every, key=lambda row: keys.row(row[0])) if len(readers.all) > 1 else chain(*every)
    return (address(url, entry) for url, entry in found if chosen(entry))


def rows(reader: ShardReader, prefixes: tuple[bytes, ...] = (b"",), start: bytes = b"") -> Iterator[tuple[URL, Entry]]:
    """The rows of a shard whose keys begin with one of these, from a key on."""
    ledger = Ledger(reader.table)
    return chain.from_iterable(ledger.all(prefix, start) for prefix in prefixes)


def under(site: str) -> tuple[bytes, bytes]:
    """How the row keys of a host begin, and those of all hosts below it, in this order. An address means its host."""
    labels = keys.host_prefix(host_of(site))[:-1]
    return labels + b")", labels + b","


def host_of(site: str) -> str:
    """The host that somebody names, by itself or in an address."""
    try:
        return keys.host(normalize(site if "://" in site else f"http://{site}"))
    except InvalidURL as error:
        raise UsageError(f"{site!r}: neither a site nor a host: {error}") from None


def has_port(site: str) -> bool:
    """Does whoever names a host mean one of its ports?"""
    host = host_of(site)
    return not keys.origin(normalize(site if "://" in site else f"http://{site}")).endswith(f"//{host}")


def _unread(reader: ShardReader, prefixes: tuple[bytes, ...]) -> Iterator[tuple[URL, Entry]]:
    """Pages that were kept and could not be read: they are few, and have a list of their own."""
    ledger = Ledger(reader.table)
    urls = sorted({url for url, _ in reader.archive.not_read()}, key=keys.row)
    for url in urls:
        entry = ledger.get(url)
        if entry is not None and keys.row(url).startswith(prefixes):
            yield url, entry


def _because(readers: ShardReaders, words: str | None) -> Callable[[str], bool]:
    """A reason as `status` counts it means exactly those; any other words mean all reasons that begin so."""
    if words is None:
        return lambda reason: True
    if not words.strip():
        raise UsageError("a reason that is empty means none; leave it out to list all addresses")
    counts = [Ledger(table).counts for table in readers.tables]
    if any(words in chain(*_reasons(each)) for each in counts):
        return lambda reason: reason.partition(":")[0] == words
    begins = words.casefold()
    return lambda reason: reason.casefold().startswith(begins)


def _reasons(counts: Counts) -> Iterator[Mapping[str, int]]:
    """All that are counted."""
    yield from (counts.failures, counts.exclusions, counts.missing, counts.remarks or {}, counts.retries or {})


def _chosen(state: Callable[[Entry], bool], because: Callable[[str], bool], entry: Entry) -> bool:
    return state(entry) and because(entry.reason)
