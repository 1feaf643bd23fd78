"""Rows that were read lately: most are read again soon, and to ask RocksDB costs ten times as much as a dictionary.

Hosts that are linked to often, the address that is out and will be answered, what is not there and is about to be
made: all of it is looked up by name again and again between commits and beyond them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

KEPT = 8_192
"""Rows in each of two generations; the older one is dropped when the newer is full."""
LARGEST = 1_024
"""Bytes of a value that is kept."""
UNKNOWN: Final = b"\0unknown"
"""Told apart by identity: nobody has read that row lately."""


class Recent:
    """Values by key; None where there is no such row."""

    def __init__(self) -> None:
        self._new: dict[bytes, bytes | None] = {}
        self._old: dict[bytes, bytes | None] = {}

    def get(self, key: bytes) -> bytes | None:
        """What the row held when it was committed last, or UNKNOWN."""
        value = self._new.get(key, UNKNOWN)
        if value is UNKNOWN:
            value = self._old.get(key, UNKNOWN)
            if value is not UNKNOWN:
                self.add(key, value)
        return value

    def add(self, key: bytes, value: bytes | None) -> None:
        """It was read."""
        if value is not None and len(value) > LARGEST:
            return
        if len(self._new) >= KEPT:
            self._old, self._new = self._new, {}
        self._new[key] = value

    def committed(self, changes: Mapping[bytes, bytes | None]) -> None:
        """These rows have changed; of those that nobody reads none is kept."""
        for rows in (self._new, self._old):
            for key in rows.keys() & changes.keys():
                value = changes[key]
                if value is None or len(value) <= LARGEST:
                    rows[key] = value
                else:
                    del rows[key]
