"""Changes that are not committed yet, in key order when somebody asks for it."""

from __future__ import annotations

from bisect import bisect_left, insort
from itertools import islice


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
