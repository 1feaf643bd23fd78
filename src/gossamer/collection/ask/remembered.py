"""What was found by looking at every address, so that asking once more costs nothing.

It holds until somebody commits, and while a crawl does so all the time, for a while that is long beside the time that
it took. Nothing of it holds for another collection that was moved to the place of this one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Generic, NamedTuple, TypeVar

PATIENCE = 20
"""So many times as long as it took to find them, they are shown while a crawl goes on."""
REMEMBERED = 4
"""Filters whose findings are remembered, unless more are asked for."""

T = TypeVar("T")


class _Kept(NamedTuple, Generic[T]):
    state: str
    until: float
    found: T


class Remembered(Generic[T]):
    """What was found by the last filters."""

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most = most
        self._kept: dict[Hashable, _Kept[T]] = {}

    def get(self, filters: Hashable, state: str, find: Callable[[], T]) -> T:
        """What these find in this state of the collection, or found a while ago."""
        kept = self._kept.get(filters)
        if kept is None or not _is_good(kept, state):
            began = time.monotonic()
            found = find()
            now = time.monotonic()
            self._kept.pop(filters, None)
            kept = self._kept[filters] = _Kept(state, now + PATIENCE * (now - began), found)
            for old in list(self._kept)[: -self._most]:
                self._kept.pop(old, None)
        return kept.found


def _is_good(kept: _Kept[T], state: str) -> bool:
    if kept.state.partition(":")[0] != state.partition(":")[0]:  # it begins with the place: see `web/leases.py`
        return False
    return kept.state == state or time.monotonic() <= kept.until
