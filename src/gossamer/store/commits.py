"""When is it durable? Everything that happened since the last commit becomes so at once, about once a second.

The order is what makes a kill harmless: the archive is on the disk before the rows that point into it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gossamer.model import Clock
from gossamer.store.table.table import Table

INTERVAL = 1.0
CHANGES = 20_000
BREATH = 0.05
"""Seconds between commits that are made because somebody waits."""


class Commits:
    """Gathers what each part adds and commits when it is time."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._parts: list[Callable[[], None]] = []
        self._after: list[Callable[[], None]] = []
        self._last = clock.steady()
        self._held = False
        self.broken = False
        """Something was done by half, and must not be committed."""
        self._begun = 0

    @contextmanager
    def held(self) -> Iterator[None]:
        """What happens inside is committed as one, at its end."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        self.now()

    @contextmanager
    def whole(self) -> Iterator[None]:
        """What happens inside happens as a whole, or nothing is committed any more: the next start rolls it forward."""
        try:
            yield
        except BaseException:
            self.broken = True
            raise

    def begin(self) -> None:
        """The first half of something is to follow: nothing is committed until `end` has been called for it."""
        self._begun += 1

    def end(self, number: int) -> None:
        """The other halves of so many are done."""
        self._begun -= number

    def join(self, prepare: Callable[[], None]) -> None:
        """`prepare` is called before each commit, in the order of joining."""
        self._parts.append(prepare)

    def follow(self, committed: Callable[[], None]) -> None:
        """`committed` is called after each commit, in the order of joining."""
        self._after.append(committed)

    def when_due(self) -> None:
        """Commit if the last one is a second old, or much has changed."""
        if self._held:
            return
        if self._clock.steady() - self._last >= INTERVAL or self._table.pending >= CHANGES:
            self.now()

    def soon(self) -> None:
        """Somebody waits for a commit: make one, unless the last is only a moment old."""
        if not self._held and self._clock.steady() - self._last >= BREATH:
            self.now()

    def now(self) -> None:
        """Commit."""
        if self.broken or self._begun:
            return
        with self.whole():  # after a sync that failed nobody knows what the disk has: nothing more is committed
            for prepare in self._parts:
                prepare()
            self._table.commit()
        self._last = self._clock.steady()
        for committed in self._after:
            committed()
