"""Which pages are there? What is known of each without reading it: rows of the table alone."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

from gossamer.collection.ask.addresses import under
from gossamer.collection.ask.shard_readers import ShardReader, ShardReaders
from gossamer.collection.documents import newest
from gossamer.frontier.entries import Entry
from gossamer.frontier.ledger import Ledger
from gossamer.model import URL
from gossamer.store.versions import Version
from gossamer.store.warc.warc import date
from gossamer.urls import keys


@dataclass(frozen=True, slots=True)
class Listed:
    """A page in a list. The fields are those of `Document.as_json` of the same names."""

    url: URL
    title: str
    fetched: str
    status: int
    media_type: str
    size: int
    """Bytes of the document."""
    digest: str
    depth: int
    copy_of: URL | None
    near_copy_of: URL | None

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def listed(readers: ShardReaders, site: str | None = None, after: URL | None = None) -> Iterator[Listed]:
    """All of them, or those of a host and the hosts below it, in the order of the addresses."""
    prefixes = (b"",) if site is None else under(site)
    every = (_of_shard(reader, prefixes, after) for reader in readers.all)
    return heapq.merge(*every, key=lambda page: keys.row(page.url))


def _of_shard(reader: ShardReader, prefixes: tuple[bytes, ...], after: URL | None) -> Iterator[Listed]:
    ledger = Ledger(reader.table)
    found = (newest(reader.archive, ledger, prefix, after) for prefix in prefixes)
    return (_listed(*row) for row in chain.from_iterable(found))


def _listed(url: URL, entry: Entry, version: Version) -> Listed:
    return Listed(
        url,
        version.title,
        date(version.began),
        version.status,
        version.media_type,
        version.size,
        version.digest,
        entry.depth,
        version.copy_of,
        version.near_copy_of,
    )
