"""Which hosts are there, a page at a time: the largest, those that fail, those that wait, and why does each wait?

Counters that the frontier keeps say which hosts stand where, so no address is read. By name a page begins where the
last one ended: at most SCANNED hosts of each shard are looked at for one, so it may be a short one. By a number it is
found in the order of all (`host_order`), which whoever asks more than once hands in.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from gossamer.collection.ask.addresses import host_of, under
from gossamer.collection.ask.shard_readers import ShardReader, ShardReaders
from gossamer.errors import UsageError
from gossamer.frontier.entries import HOSTS
from gossamer.frontier.tally import Tally
from gossamer.frontier.why import Asked, HostAnswer, about_host
from gossamer.rows import text
from gossamer.urls import keys

if TYPE_CHECKING:
    from gossamer.collection.ask.host_order import HostOrder, Place

SCANNED = 1_000_000
"""Rows of a shard that are looked at for one page by name."""
NAME = "name"
"""The order in which all are found, however many there are."""
SORTS = ("queued", "pages", "failed", NAME, "next", "slow")


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


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which hosts are asked for."""

    sort: str
    search: str = ""
    site: str | None = None
    limit: int = 50
    cursor: str | None = None

    def __post_init__(self) -> None:
        require_sort(self.sort)
        if self.limit < 1:
            raise UsageError(f"{self.limit}: a page has at least one host")

    @property
    def after(self) -> Place:
        """Where the page before has ended."""
        value, _, host = (self.cursor or "-inf ").partition(" ")
        try:
            return float(value), host
        except ValueError:
            raise UsageError(f"{self.cursor!r}: no cursor of a page of hosts by {self.sort}") from None

    @property
    def part(self) -> str:
        """A text that all have in their names, which are in small letters."""
        return host_of(self.site) if self.site is not None else self.search.casefold()

    def is_meant(self) -> Callable[[str], bool]:
        """Whether a host is of the site, and has such a name."""
        part, text = self.part, self.search.casefold()
        if self.site is None:
            return lambda host: text in host
        prefixes = under(self.site)
        return lambda host: part in host and text in host and keys.host_prefix(host).startswith(prefixes)


def require_sort(sort: str) -> None:
    """It is one of those that there are."""
    if sort not in SORTS:
        raise UsageError(f"{sort!r}: hosts are sorted by {', '.join(SORTS)}")


def host_page(readers: ShardReaders, asked: Asked, wanted: Wanted, order: HostOrder | None) -> HostPage:
    """Those that come after the cursor, in an order of their sort; None: as they stand now."""
    if wanted.sort == NAME:
        return _by_name(readers, asked, wanted)
    order = order or order_of(readers, wanted.sort)
    after, part, is_meant = wanted.after, wanted.part, wanted.is_meant()
    shards = (filter(lambda place: is_meant(place[1]), shard.after(after, part)) for shard in order.shards)
    best = _first(shards, wanted.limit)
    more = best[wanted.limit - 1][:2] if len(best) > wanted.limit else None
    return _told(readers, asked, best[: wanted.limit], more, whole=order.whole)


def order_of(readers: ShardReaders, sort: str) -> HostOrder:
    """As they stand now, which these readers see for good."""
    from gossamer.collection.ask.host_order import host_order  # with NumPy

    found = readers.host_order
    if found is None or found.sort != sort:
        found = readers.host_order = host_order(readers.tables, sort)
    return found


def _by_name(readers: ShardReaders, asked: Asked, wanted: Wanted) -> HostPage:
    after, is_meant = wanted.after[1], wanted.is_meant()
    scans = [_Scan(reader, after, wanted.limit + 1) for reader in readers.all]
    best = _first((scan.places(is_meant) for scan in scans), wanted.limit)
    broke_off = [scan.last for scan in scans if scan.broke_off]
    end = min(broke_off) if broke_off else None
    if end is not None:  # what follows in one shard may come before the rest of another: it is for the next page
        best = [each for each in best if each[1] <= end]
    more = best[wanted.limit - 1][:2] if len(best) > wanted.limit else (0.0, end) if end is not None else None
    return _told(readers, asked, best[: wanted.limit], more, whole=True)


def _first(shards: Iterator[Iterator[Place]], limit: int) -> list[tuple[float, str, int]]:
    """The first ones of all shards, each with its shard, and one more where there is one."""
    return list(islice(heapq.merge(*(_of_shard(*each) for each in enumerate(shards))), limit + 1))


def _of_shard(index: int, places: Iterator[Place]) -> Iterator[tuple[float, str, int]]:
    return ((*place, index) for place in places)


def _told(
    readers: ShardReaders, asked: Asked, best: list[tuple[float, str, int]], more: Place | None, *, whole: bool
) -> HostPage:
    hosts = (about_host(readers.all[index].table, host, asked) for _, host, index in best)
    cursor = f"{more[0]!r} {more[1]}" if more else None
    return HostPage([*filter(None, hosts)], cursor, whole and all(map(Tally.is_whole, readers.tables)))


class _Scan:
    """Hosts of a shard by name, and whether there were more than are looked at."""

    def __init__(self, reader: ShardReader, after: str, enough: int) -> None:
        self._reader, self._after, self._enough = reader, after, enough
        self.broke_off = False
        self.last = ""
        """The host that was looked at last."""

    def places(self, is_meant: Callable[[str], bool]) -> Iterator[Place]:
        """As many as are enough."""
        return islice(((0.0, host) for host in self._names() if is_meant(host)), self._enough)

    def _names(self) -> Iterator[str]:
        start = self._after.encode() + b"\0" if self._after else b""
        for count, (key, _) in enumerate(self._reader.table.scan(HOSTS, start=start)):
            if count >= SCANNED:
                self.broke_off = True
                return
            self.last = text(key)
            yield self.last
