"""How many pages has each host, and how many failures? Counted as they change, never by a scan.

A collection of before they were counted is gone through once, at the start of its next crawl.
"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.frontier.entries import META, TALLIES
from gossamer.rows import damaged
from gossamer.store.table.table import Table

_KEPT = 50_000
"""Counts kept in memory between commits."""
_WHOLE = b"pages-tallied"
"""A row of `META`: all hosts are counted, with the pages that wait for another visit."""


class Sums(NamedTuple):
    """Of a host."""

    pages: int = 0
    failed: int = 0


def sums_of(data: bytes) -> Sums:
    """What a row says."""
    if len(data) != 16:
        raise damaged("sums of a host", f"it has {len(data):,} bytes")
    return Sums(int.from_bytes(data[:8], "big"), int.from_bytes(data[8:], "big"))


class Tally:
    """Pages and failures by host. A host without either has no row."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._sums: dict[str, Sums] = {}
        self._changed: set[str] = set()

    def of(self, host: str) -> Sums:
        """What is counted of a host."""
        known = self._sums.get(host)
        if known is not None:
            return known
        stored = self._table.get(TALLIES, host.encode())
        return sums_of(stored) if stored else Sums()

    def shift(self, host: str, pages: int, failed: int) -> None:
        """So many more, or less."""
        before = self.of(host)
        self._sums[host] = Sums(before.pages + pages, before.failed + failed)
        self._changed.add(host)

    def save(self) -> None:
        """The counts become part of the next commit. They are never below none, also where rows were lost."""
        for host in self._changed:
            pages, failed = (max(each, 0) for each in self._sums[host])
            if pages or failed:
                self._table.put(TALLIES, host.encode(), pages.to_bytes(8, "big") + failed.to_bytes(8, "big"))
            else:
                self._table.delete(TALLIES, host.encode())
        self._changed.clear()
        if len(self._sums) > _KEPT:
            self._sums.clear()

    def begin_whole(self) -> bool:
        """Are all hosts counted? They count as such from the next commit on."""
        whole = self.is_whole(self._table)
        if not whole:
            for key, _ in self._table.scan(TALLIES):
                self._table.delete(TALLIES, key)
            self._sums.clear()
            self._changed.clear()
            self._table.put(META, _WHOLE, b"1")
        return whole

    @staticmethod
    def is_whole(table: Table) -> bool:
        """Are all hosts counted?"""
        return table.get(META, _WHOLE) is not None
