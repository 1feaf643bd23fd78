"""Changes that are not committed yet, in key order when somebody asks for it."""

from __future__ import annotations

from bisect import bisect_left, insort


class Overlay:
    """New values by key; None stands for a deletion.

    Most keys are written and read by name, so order is made only for a scan, and only for the keys
    that came since the scan before: each is put in its place, or all are sorted when they are many.
    """

    def __init__(self) -> None:
        self.values: dict[bytes, bytes | None] = {}
        self._ordered: list[bytes] = []
        self._new: list[bytes] = []

    def set(self, key: bytes, value: bytes | None) -> None:
        if key not in self.values:
            self._new.append(key)
        self.values[key] = value

    def keys(self, first: bytes, end: bytes | None) -> list[bytes]:
        """The changed keys from `first` up to but not including `end`, in order."""
        self._put_in_order()
        low = bisect_left(self._ordered, first)
        high = len(self._ordered) if end is None else bisect_left(self._ordered, end)
        return self._ordered[low:high]

    def clear(self) -> None:
        self.values.clear()
        self._ordered.clear()
        self._new.clear()

    def _put_in_order(self) -> None:
        if len(self._new) * 8 > len(self._ordered):
            self._ordered += self._new
            self._ordered.sort()
        else:
            for key in self._new:
                insort(self._ordered, key)
        self._new.clear()
