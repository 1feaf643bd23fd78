"""Rows that were read lately: most are read again soon, and to ask RocksDB costs ten times as much as a dictionary.

Hosts that are linked to often, the address that is out and will be answered, what is not there and is about to be
made: all of it is looked up by name again and again between commits and beyond them.

`Overlay` holds changes that are not committed yet, in key order where that is asked for.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping
from itertools import islice
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


class Overlay:
    """New values by key; None stands for a deletion.

    Most keys are written and read by name, so order is made only for a scan, and only for the keys
    that came since the scan before: each is put in its place, or all are sorted when they are many.
    """

    def __init__(self) -> None:
        self.values: dict[bytes, bytes | None] = {}
        """To be read and set, but nothing is taken out: new keys are those at its end."""
        self._ordered: list[bytes] = []

    def keys(self, first: bytes, end: bytes | None) -> list[bytes]:
        """The changed keys from `first` up to but not including `end`, in order."""
        self._put_in_order()
        low = bisect_left(self._ordered, first)
        high = len(self._ordered) if end is None else bisect_left(self._ordered, end)
        return self._ordered[low:high]

    def clear(self) -> None:
        self.values.clear()
        self._ordered.clear()

    def _put_in_order(self) -> None:
        new = list(islice(self.values, len(self._ordered), None))
        if len(new) * 8 > len(self._ordered):
            self._ordered += new
            self._ordered.sort()
        else:
            for key in new:
                insort(self._ordered, key)
