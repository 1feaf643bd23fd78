"""Addresses that are tried again later, ordered by the date they are due, on disk."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from gossamer.frontier.entries import LATER
from gossamer.rows import number
from gossamer.store.table import Table
from gossamer.urls import keys

BATCH = 1_000


class Retries:
    """A list sorted by date. The earliest date is kept in memory, so that asking costs nothing."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._next = self._first()

    def append(self, url: str, when: float, position: int) -> None:
        """Durable with the next commit; `position` tells this entry from an older one of the same address."""
        self._table.put(LATER, _key(when, position), url.encode())
        self._next = min(self._next, when)

    def remove(self, when: float, position: int) -> None:
        """It waits no longer."""
        self._table.delete(LATER, _key(when, position))
        if when <= self._next:
            self._next = self._first()

    def next_time(self) -> float:
        """Wall time of the earliest; infinity when there is none."""
        return self._next

    def due(self, now: float) -> Iterator[tuple[str, int]]:
        """Take out what is due: addresses with their positions."""
        if now < self._next:
            return
        for key, url in list(self._table.scan(LATER, limit=BATCH)):
            if _date(key) > now:
                break
            self._table.delete(LATER, key)
            yield keys.url_in(url), number(key[8:])
        self._next = self._first()

    def _first(self) -> float:
        first = next(self._table.scan(LATER, limit=1), None)
        return _date(first[0]) if first else inf


def _key(when: float, position: int) -> bytes:
    return int(when * 1e6).to_bytes(8, "big") + position.to_bytes(8, "big")


def _date(key: bytes) -> float:
    return int.from_bytes(key[:8], "big") / 1e6
