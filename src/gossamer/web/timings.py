"""How long do answers take? Counted in classes, as a histogram of Prometheus is."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds that the answers of a class took at most."""


class Timings:
    """Of all questions to the collection since the server began."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Count what happens meanwhile, whatever comes of it."""
        began = time.perf_counter()
        try:
            yield
        finally:
            took = time.perf_counter() - began
            self._counts[bisect_left(BOUNDS, took)] += 1
            self.seconds += took

    @property
    def sums(self) -> list[tuple[str, int]]:
        """For each bound, how many took no longer."""
        return list(zip((*(f"{bound:g}" for bound in BOUNDS), "+Inf"), accumulate(self._counts), strict=True))
