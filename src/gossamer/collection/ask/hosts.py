"""Which hosts does a collection know, and how many addresses of each stand where?

They are those that `status` counts: hosts of which anything was ever to be fetched. Rows come in the order of their
hosts, so one walk counts them all, and holds one host at a time.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from gossamer.collection.ask.addresses import rows, under
from gossamer.collection.ask.shard_readers import ShardReader, ShardReaders
from gossamer.frontier.entries import HOSTS, Entry, State
from gossamer.frontier.ledger import is_page
from gossamer.urls import keys


@dataclass(frozen=True, slots=True)
class HostSums:
    """A host, and its addresses by where they stand."""

    host: str
    pages: int
    queued: int
    failed: int
    excluded: int

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def hosts(readers: ShardReaders, site: str | None = None) -> Iterator[HostSums]:
    """All of them, or one and those below it, in the order of their names from the last label on."""
    prefixes = (b"",) if site is None else under(site)
    every = (_of_shard(reader, prefixes) for reader in readers.all)
    return heapq.merge(*every, key=lambda found: keys.host_prefix(found.host))


def _of_shard(reader: ShardReader, prefixes: tuple[bytes, ...]) -> Iterator[HostSums]:
    for host, found in groupby(rows(reader, prefixes), key=lambda row: keys.host(row[0])):
        if reader.table.get(HOSTS, host.encode()) is not None:
            sums = Counter(_standing(entry) for _, entry in found)
            yield HostSums(host, sums["pages"], sums["queued"], sums["failed"], sums["excluded"])


def _standing(entry: Entry) -> str:
    """Redirects and sitemaps are done, and none of these."""
    if entry.state is State.DONE:
        return "pages" if is_page(entry) else "done"
    return entry.state.name.lower()
