"""What is due when? Addresses on disk in the order of their dates: retries in one family, revisits in another."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from gossamer.rows import number
from gossamer.store.table.table import Table
from gossamer.urls import keys

BATCH = 1_000


class Agenda:
    """A list sorted by date. The earliest date is kept in memory, so that asking costs nothing."""

    def __init__(self, table: Table, family: str) -> None:
        self._table = table
        self._family = family
        self.next_time = inf
        self.next_time = self._first()
        """Wall time of the earliest; infinity when there is none."""

    def append(self, url: str, when: float, position: int) -> None:
        """Durable with the next commit; `position` tells this entry from an older one of the same address."""
        self._table.put(self._family, _key(when, position), url.encode())
        self.next_time = min(self.next_time, when)

    def remove(self, when: float, position: int) -> None:
        """It waits no longer."""
        self._table.delete(self._family, _key(when, position))
        if when <= self.next_time:
            self.next_time = self._first()

    def due(self, now: float, most: int = BATCH) -> Iterator[tuple[str, int]]:
        """Take out what is due, so many at most: addresses with their positions."""
        if now < self.next_time:
            return
        for key, url in list(self._table.scan(self._family, start=self._earliest(), limit=most)):
            if _date(key) > now:
                break
            self._table.delete(self._family, key)
            yield keys.url_in(url), number(key[8:])
        self.next_time = self._first()

    def beyond(self, date: float, most: int = BATCH) -> list[tuple[str, int]]:
        """Take out what has a later date, so many at most: addresses with their positions."""
        found = list(self._table.scan(self._family, start=_key(date, 0), limit=most))
        for key, _ in found:
            self._table.delete(self._family, key)
        if found:
            self.next_time = self._first()
        return [(keys.url_in(url), number(key[8:])) for key, url in found]

    def _first(self) -> float:
        first = next(self._table.scan(self._family, start=self._earliest(), limit=1), None)
        return _date(first[0]) if first else inf

    def _earliest(self) -> bytes:
        """No entry comes before it. A scan need not walk over all that was taken out, in this commit or in others."""
        return b"" if self.next_time == inf else _key(self.next_time, 0)


def _key(when: float, position: int) -> bytes:
    return int(when * 1e6).to_bytes(8, "big") + position.to_bytes(8, "big")


def _date(key: bytes) -> float:
    return int.from_bytes(key[:8], "big") / 1e6
