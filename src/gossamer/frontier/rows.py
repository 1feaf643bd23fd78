"""Rows that are counted in: read once, changed in memory, written with the next commit.

What was in use since the last commit is held, and a bounded number of others, so that memory does not grow with the
hosts that are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from gossamer.frontier.entries import encode
from gossamer.store.table.table import Table

KEPT = 8_192
"""Rows in each of two generations that stay in memory; the older one is dropped when the newer is full."""

Row = TypeVar("Row")


class Rows(Generic[Row]):
    """The rows of one family, by name."""

    def __init__(self, table: Table, family: str, decode: Callable[[bytes], Row], new: Callable[[], Row]) -> None:
        self._table = table
        self._family = family
        self._decode = decode
        self._new = new
        self._used: dict[str, Row] = {}
        self._kept: dict[str, Row | None] = {}
        self._old: dict[str, Row | None] = {}

    def use(self, name: str) -> Row:
        """The row of that name, to be changed; a new one where there is none."""
        row = self._used.get(name)
        if row is None:
            row = self._used[name] = self.peek(name) or self._new()
        return row

    def peek(self, name: str) -> Row | None:
        """The row of that name, not to be changed."""
        row = self._used.get(name) or self._kept.get(name)
        if row is None and name not in self._kept:
            row = self._kept[name] = self._old[name] if name in self._old else self._stored(name)
        return row

    def read_ahead(self, names: Iterable[str]) -> None:
        """These will be asked for soon."""
        held = (self._used, self._kept, self._old)
        unknown = [name for name in names if not any(name in rows for rows in held)]
        stored = self._table.get_many(self._family, list(map(str.encode, unknown)))
        self._kept.update(zip(unknown, map(self._decoded, stored), strict=True))

    def save(self) -> None:
        """All that was in use becomes part of the next commit."""
        for name, row in self._used.items():
            self._table.put(self._family, name.encode(), encode(row))
        self._kept.update(self._used)
        self._used.clear()
        if len(self._kept) > KEPT:
            self._old, self._kept = self._kept, {}

    def _stored(self, name: str) -> Row | None:
        return self._decoded(self._table.get(self._family, name.encode()))

    def _decoded(self, data: bytes | None) -> Row | None:
        return None if data is None else self._decode(data)


def host_key(host: str) -> str:
    """Where the row of a host stands, beside those of what it has: its kinds of address, its directories."""
    return f"{host}\0"
