"""Is there room on the disk? Below one mark a crawl waits for room, below a lower one it stops.

A mark that is crossed back and forth would make a crawl start and stop with every file that somebody moves, so it
goes on only when a tenth more than the mark is free.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from gossamer import files
from gossamer.errors import StorageError

MARGIN = 1.1
"""Free bytes that end a pause, as a multiple of those that began it."""


class Room(NamedTuple):
    """Bytes of a disk."""

    free: int
    size: int


Look: TypeAlias = Callable[[Path], Room]
"""A folder -> the room on the disk that it lies on."""


class Shortage(NamedTuple):
    """Too little is free."""

    free: int
    wanted: int
    """Bytes that must be free before it is over."""


@dataclass(frozen=True, slots=True)
class Marks:
    """When is a disk too full?"""

    pause: int = 0
    """Bytes."""
    pause_share: float = 0.0
    """Of the whole disk; the larger of the two counts."""
    stop: int = 0
    """Bytes."""


def room(folder: Path) -> Room:
    """What the system says."""
    handle = files.folder_descriptor(folder)
    try:
        disk = os.statvfs(handle)
    finally:
        os.close(handle)
    return Room(disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize)


class Disk:
    """The disk that a folder lies on, and whether it is too full to go on."""

    def __init__(self, folder: Path, marks: Marks, look: Look | None = None) -> None:
        self._folder = folder
        self._marks = marks
        self._look = look or room
        self.shortage: Shortage | None = None
        """What was found by the last `check`."""

    def check(self) -> None:
        """Look again. Under the lowest mark nothing may be written any more, and the crawl ends with an error."""
        free, size = self._look(self._folder)
        if free < self._marks.stop:
            raise StorageError(
                f"{self._folder}: only {free >> 20} MiB free on the disk, and the plan stops at"
                f" {self._marks.stop >> 20} MiB; free some space or lower disk_stop, then give"
                " the same command again to go on"
            )
        mark = max(self._marks.pause, int(self._marks.pause_share * size))
        wanted = int(MARGIN * mark)
        low = free < (wanted if self.shortage else mark)
        self.shortage = Shortage(free, wanted) if low else None
