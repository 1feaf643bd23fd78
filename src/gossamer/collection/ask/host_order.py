"""All hosts in the order of a number, side by side in memory: so any page of them, and a part of a name, is found at
once.

To read a million of them takes a second or two, and they take 40 bytes each besides their names. Whoever turns pages
keeps the order for a while.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import compress, islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gossamer.frontier.entries import BACKLOG, HOSTS, TALLIES, host_row
from gossamer.frontier.tally import sums_of
from gossamer.rows import number, text
from gossamer.store.table.table import Table

ROWS_MOST = 2_000_000
"""Rows of a shard that are looked at: the first ones by name."""
FEW = 10_000
"""Places of a text among all names that are looked up; what is met more often is soon found by looking at each name."""
_CHUNK = 20_000
_BETWEEN = b"\n"

Place: TypeAlias = tuple[float, str]
"""Where a host stands: the least first, then by name."""
Numbers: TypeAlias = NDArray[np.float64]
_Chunks: TypeAlias = Iterator[tuple[list[bytes], Numbers]]


class ShardOrder:
    """The hosts of one shard."""

    def __init__(self, chunks: _Chunks) -> None:
        """Of names, which come in their order, and where each stands."""
        names, lengths, values = list[bytes](), list[NDArray[np.int64]](), list[Numbers]()
        for some, numbers in chunks:
            names.append(_BETWEEN.join(some) + _BETWEEN)
            lengths.append(np.fromiter(map(len, some), np.int64, len(some)))
            values.append(numbers)
        self._names = b"".join(names)
        self._ends = np.cumsum(np.concatenate([*lengths, np.empty(0, np.int64)]) + len(_BETWEEN))
        self._values: Numbers = np.concatenate([*values, np.empty(0)])
        self._order = np.argsort(self._values, kind="stable")

    def after(self, place: Place, search: str) -> Iterator[Place]:
        """All after a place, with a text in their names."""
        wanted = search.encode(errors="replace")
        rows = self._order if self._is_frequent(wanted) else self._with(wanted)
        first = bisect_right(rows, place, key=self._place)
        return (each for each in map(self._place, rows[first:]) if search in each[1])

    def _is_frequent(self, wanted: bytes) -> bool:
        return not wanted or self._names.count(wanted) > FEW

    def _with(self, wanted: bytes) -> NDArray[np.int64]:
        """Those with a text in their names, and perhaps some at whose end it begins."""
        found, at = list[int](), self._names.find(wanted)
        while at >= 0:
            found.append(at)
            at = self._names.find(wanted, at + 1)
        rows = np.unique(np.searchsorted(self._ends, np.array(found, np.int64), side="right"))
        return rows[np.argsort(self._values[rows], kind="stable")]

    def _place(self, row: int) -> Place:
        begin = int(self._ends[row - 1]) if row else 0
        return float(self._values[row]), text(self._names[begin : int(self._ends[row]) - len(_BETWEEN)])


@dataclass(frozen=True, slots=True)
class HostOrder:
    """The hosts of all shards."""

    sort: str
    shards: tuple[ShardOrder, ...]
    whole: bool
    """None was left out."""


def host_order(tables: list[Table], sort: str) -> HostOrder:
    """As they stand now."""
    rows = [_Rows(ROWS_MOST) for _ in tables]
    shards = tuple(ShardOrder(ORDERS[sort](table, each)) for table, each in zip(tables, rows, strict=True))
    return HostOrder(sort, shards, not any(each.broke_off for each in rows))


class _Rows:
    """Rows of a family, at most so many, and whether there were more."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.broke_off = False

    def of(self, table: Table, family: str) -> Iterator[tuple[list[bytes], list[bytes]]]:
        """Keys and values, some at a time."""
        rows = table.scan(family)
        for _ in range(0, self._most, _CHUNK):
            some = list(islice(rows, _CHUNK))
            if not some:
                return
            keys, values = zip(*some, strict=True)
            yield list(keys), list(values)
        self.broke_off = next(rows, None) is not None


def _by_queued(table: Table, rows: _Rows) -> _Chunks:
    for names, values in rows.of(table, BACKLOG):
        counts = (each if len(each) == 8 else number(each).to_bytes(8, "big") for each in values)
        yield names, -_column(b"".join(counts), 1)[:, 0]


def _by_pages(table: Table, rows: _Rows) -> _Chunks:
    for names, values in rows.of(table, TALLIES):
        yield names, -_tallied(values)[:, 0]


def _by_failed(table: Table, rows: _Rows) -> _Chunks:
    for names, values in rows.of(table, TALLIES):
        failed = _tallied(values)[:, 1]
        yield list(compress(names, failed)), -failed[failed > 0]


def _tallied(values: list[bytes]) -> Numbers:
    for each in values:
        if len(each) != 16:
            sums_of(each)  # which says what is wrong with it
    return _column(b"".join(values), 2)


def _column(data: bytes, width: int) -> Numbers:
    return np.frombuffer(data, ">u8").reshape(-1, width).astype(np.float64)


def _by_next(table: Table, rows: _Rows) -> _Chunks:
    """Hosts with something queued: who may be visited soonest comes first. Both families have them by name."""
    hosts = table.scan(HOSTS)
    key, value = next(hosts, (b"", b""))
    for names, _ in rows.of(table, BACKLOG):
        times = np.zeros(len(names))
        for place, name in enumerate(names):
            while key and key < name:
                key, value = next(hosts, (b"", b""))
            if key == name:
                row = host_row(value)
                times[place] = max(row.due, row.paused)
        yield names, times


def _by_pace(table: Table, rows: _Rows) -> _Chunks:
    """Hosts that have answered: the slowest first."""
    for names, values in rows.of(table, HOSTS):
        paces = np.fromiter((host_row(each).pace for each in values), np.float64, len(values))
        yield list(compress(names, paces)), -paces[paces > 0]


ORDERS: Mapping[str, Callable[[Table, _Rows], _Chunks]] = {
    "queued": _by_queued,
    "pages": _by_pages,
    "failed": _by_failed,
    "next": _by_next,
    "slow": _by_pace,
}
