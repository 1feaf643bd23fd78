"""How long has the oldest batch waited that another shard does not have for good? Told by looks, a second apart."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

LOOKS_MOST = 600
"""Looks that are remembered; when there are more, every other one is left out."""


class Lag:
    """Of one shard."""

    def __init__(self) -> None:
        self._looks: deque[tuple[float, Sequence[int]]] = deque()

    def at(self, now: float, closed: Sequence[int], acknowledged: Sequence[int]) -> float:
        """Seconds, when so many batches are for each shard, and it has so many of them for good."""
        self._looks.append((now, closed))
        while self._looks and not _waits(self._looks[0][1], acknowledged):
            self._looks.popleft()
        if len(self._looks) > LOOKS_MOST:
            self._looks = deque([*self._looks][::2])
        return now - self._looks[0][0] if self._looks else 0.0


def _waits(closed: Sequence[int], acknowledged: Sequence[int]) -> bool:
    return any(sent > had for sent, had in zip(closed, acknowledged, strict=True))
