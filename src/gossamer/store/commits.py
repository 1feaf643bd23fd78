"""When is it durable? Everything that happened since the last commit becomes so at once, about once a second.

The order is what makes a kill harmless: the archive is on the disk before the rows that point into it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gossamer.errors import StorageError
from gossamer.model import Clock
from gossamer.store.table import Table

INTERVAL = 1.0
CHANGES = 20_000


class Commits:
    """Gathers what each part adds and commits when it is time."""

    def __init__(self, table: Table, folder: Path, clock: Clock, *, disk_stop: int = 0) -> None:
        self._table = table
        self._folder = folder
        self._clock = clock
        self._disk_stop = disk_stop
        self._parts: list[Callable[[], None]] = []
        self._last = clock.steady()
        self._held = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """What happens inside is committed as one, at its end."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        self.now()

    def join(self, prepare: Callable[[], None]) -> None:
        """`prepare` is called before each commit, in the order of joining."""
        self._parts.append(prepare)

    def when_due(self) -> None:
        """Commit if the last one is a second old, or much has changed."""
        if self._held:
            return
        if self._clock.steady() - self._last >= INTERVAL or self._table.pending >= CHANGES:
            self.now()

    def now(self) -> None:
        """Commit."""
        self._check_disk()
        for prepare in self._parts:
            prepare()
        self._table.commit()
        self._last = self._clock.steady()

    def _check_disk(self) -> None:
        disk = os.statvfs(self._folder)
        free = disk.f_bavail * disk.f_frsize
        if free < self._disk_stop:
            raise StorageError(
                f"{self._folder}: only {free >> 20} MiB free on the disk, and the plan stops at"
                f" {self._disk_stop >> 20} MiB; free some space or lower disk_stop, then crawl again to go on"
            )
