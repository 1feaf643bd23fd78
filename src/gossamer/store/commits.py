"""When is it durable? Everything that happened since the last commit becomes so at once, about once a second.

The order is what makes a kill harmless: the archive is on the disk before the rows that point into it. Whoever makes a
`Commits` hands that order in as one list; that of a crawl is in `collection.crawl.commit_order`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from gossamer.model import Clock
from gossamer.store.table.table import Table

INTERVAL = 1.0
CHANGES = 20_000
BREATH = 0.05
"""Seconds between commits that are made because somebody waits."""


class Step(NamedTuple):
    """One thing that is done with every commit."""

    name: str
    do: Callable[[], None] | None
    """None where there is no such part."""


class Commits:
    """Commits when it is time: first each step `before`, then all rows of the table at once, then each step `after`."""

    def __init__(self, table: Table, clock: Clock, before: Sequence[Step] = (), after: Sequence[Step] = ()) -> None:
        self._table = table
        self._clock = clock
        self._before = tuple(step.do for step in before if step.do)
        self._after = tuple(step.do for step in after if step.do)
        self.last = clock.steady()
        """When that was done; steady time."""
        self._held = False
        self.broken = False
        """Something was only half done, and must not be committed."""
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

    def when_due(self) -> None:
        """Commit if the last one is a second old, or much has changed."""
        if self._held:
            return
        if self._clock.steady() - self.last >= INTERVAL or self._table.pending >= CHANGES:
            self.now()

    def soon(self) -> None:
        """Somebody waits for a commit: make one, unless the last is only a moment old."""
        if not self._held and self._clock.steady() - self.last >= BREATH:
            self.now()

    def now(self) -> None:
        """Commit."""
        if self.broken or self._begun:
            return
        with self.whole():  # after a sync that failed nobody knows what the disk has: nothing more is committed
            for do in self._before:
                do()
            self._table.commit()
        self.last = self._clock.steady()
        for do in self._after:
            do()
