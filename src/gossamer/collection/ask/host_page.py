"""Which hosts are there, a page at a time: the largest, those that fail, those that wait, and why does each wait?

Counters that the frontier keeps say which hosts stand where, so no address is read. By name a page begins where the
last one ended. By a number all rows of the counter are looked at, a few microseconds each. At most SCANNED of each
shard are looked at for one page: by name it is then a short one, and by a number the answer says that these were not
all.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, TypeAlias

from gossamer.collection.ask.addresses import under
from gossamer.collection.ask.shard_readers import ShardReader, ShardReaders
from gossamer.errors import UsageError
from gossamer.frontier.entries import BACKLOG, HOSTS, TALLIES, host_row
from gossamer.frontier.tally import Tally, sums_of
from gossamer.frontier.why import Asked, HostAnswer, about_host
from gossamer.rows import number, text
from gossamer.urls import keys

SCANNED = 100_000
"""Rows of a shard that are looked at for one page."""
_CHUNK = 1_000
NAME = "name"
"""The order in which all are found, however many there are."""

Place: TypeAlias = tuple[float, str]
"""Where a host stands: the least first, then by name."""


@dataclass(frozen=True, slots=True)
class HostPage:
    """Some hosts, in order."""

    hosts: list[HostAnswer]
    cursor: str | None
    """Where the next page begins; None after the last."""
    whole: bool
    """All hosts were looked at, and all were counted."""

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def host_page(
    readers: ShardReaders, asked: Asked, *, sort: str, search: str, site: str | None, limit: int, cursor: str | None
) -> HostPage:
    """Those that come after the cursor."""
    if sort not in SORTS:
        raise UsageError(f"{sort!r}: hosts are sorted by {', '.join(SORTS)}")
    if limit < 1:
        raise UsageError(f"{limit}: a page has at least one host")
    after = _place(cursor, sort) if cursor else (float("-inf"), "")
    is_meant, scans = _meant(search, site), [_Scan() for _ in readers.all]
    found = (
        (*place, index)
        for index, (reader, scan) in enumerate(zip(readers.all, scans, strict=True))
        for place in islice(_after(SORTS[sort](reader, after[1], scan), after, is_meant), _enough(sort, limit))
    )
    best = heapq.nsmallest(limit + 1, found)
    broke_off = [scan.last for scan in scans if scan.broke_off]
    end = min(broke_off) if broke_off and sort == NAME else None
    if end is not None:  # what follows in one shard may come before the rest of another: it is for the next page
        best = [each for each in best if each[1] <= end]
    more = best[limit - 1][:2] if len(best) > limit else (0.0, end) if end is not None else None
    hosts = (about_host(readers.all[index].table, host, asked) for _, host, index in best[:limit])
    whole = (sort == NAME or not broke_off) and all(map(Tally.is_whole, readers.tables))
    return HostPage([*filter(None, hosts)], f"{more[0]!r} {more[1]}" if more else None, whole)


def _enough(sort: str, limit: int) -> int | None:
    """By name, the first ones of a shard are those that count."""
    return limit + 1 if sort == NAME else None


def _meant(search: str, site: str | None) -> Callable[[str], bool]:
    """Whether a host has such a name."""
    wanted, prefixes = search.casefold(), under(site) if site is not None else None
    return lambda host: wanted in host and (prefixes is None or keys.host_prefix(host).startswith(prefixes))


def _after(places: Iterator[Place], after: Place, is_meant: Callable[[str], bool]) -> Iterator[Place]:
    return (place for place in places if place > after and is_meant(place[1]))


def _place(cursor: str, sort: str) -> Place:
    value, _, host = cursor.partition(" ")
    try:
        return float(value), host
    except ValueError:
        raise UsageError(f"{cursor!r}: no cursor of a page of hosts by {sort}") from None


class _Scan:
    """Rows of a shard that are looked at, and whether there were more."""

    def __init__(self) -> None:
        self.broke_off = False
        self.last = ""
        """The host that was looked at last."""

    def rows(self, reader: ShardReader, family: str, start: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """From a key on."""
        last = b""
        for count, row in enumerate(reader.table.scan(family, start=start)):
            if count >= SCANNED:
                self.broke_off, self.last = True, text(last)
                return
            last = row[0]
            yield row


def _by_name(reader: ShardReader, after: str, scan: _Scan) -> Iterator[Place]:
    return ((0.0, text(key)) for key, _ in scan.rows(reader, HOSTS, after.encode() + b"\0" if after else b""))


def _by_queued(reader: ShardReader, after: str, scan: _Scan) -> Iterator[Place]:
    return ((-float(number(value)), text(key)) for key, value in scan.rows(reader, BACKLOG))


def _by_pages(reader: ShardReader, after: str, scan: _Scan) -> Iterator[Place]:
    return ((-float(sums_of(value).pages), text(key)) for key, value in scan.rows(reader, TALLIES))


def _by_failed(reader: ShardReader, after: str, scan: _Scan) -> Iterator[Place]:
    every = ((sums_of(value).failed, key) for key, value in scan.rows(reader, TALLIES))
    return ((-float(failed), text(key)) for failed, key in every if failed)


def _by_next(reader: ShardReader, after: str, scan: _Scan) -> Iterator[Place]:
    """Hosts with something queued: who may be visited soonest comes first."""
    names = (key for key, _ in scan.rows(reader, BACKLOG))
    while chunk := list(islice(names, _CHUNK)):
        for key, stored in zip(chunk, reader.table.get_many(HOSTS, chunk), strict=True):
            row = host_row(stored) if stored else None
            yield (max(row.due, row.paused) if row else 0.0), text(key)


SORTS: Mapping[str, Callable[[ShardReader, str, _Scan], Iterator[Place]]] = {
    "queued": _by_queued,
    "pages": _by_pages,
    "failed": _by_failed,
    NAME: _by_name,
    "next": _by_next,
}
