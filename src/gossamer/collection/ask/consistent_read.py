"""How does a reader see one moment, whatever a writer does beside it? It holds open what counts.

`build --convert`, `remove` and `verify --repair` put new files in the place of old ones, and delete those after the
commit that does without them. A reader opens the files that are there, then takes its snapshot of the table, and then
opens what has come between the two: whatever the snapshot names was there at that moment, and is among them. A deleted
file stays readable for a reader that holds it; its room on the disk is free when the last reader has ended.
"""

from __future__ import annotations

import os
import resource
import weakref
from contextlib import suppress
from pathlib import Path

from gossamer import files, pinned_path
from gossamer.errors import Damaged
from gossamer.pinned_path import Held

SHARE = 2
"""One in so many of the files that this process may open is held, at most. What is over is opened when it is read."""


class Moment:
    """Files that are held open until it is closed, or forgotten."""

    def __init__(self) -> None:
        self._held: list[Held] = []
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._most = soft // SHARE if soft != resource.RLIM_INFINITY else 1 << 20
        self.close = weakref.finalize(self, _close, self._held)
        """Give all of them back."""

    def hold(self, folder: Path, *parts: str) -> Held:
        """A folder and the files that are in it now, and in these parts of it."""
        found = pinned_path.folder(folder)
        self.look(found)
        for part in parts:
            self.look_in(found, part)
        return found

    def hold_parts(self, folder: Path, *parts: str) -> Held:
        """A folder of which only these parts are held."""
        found = pinned_path.folder(folder)
        for part in parts:
            self.look_in(found, part)
        return found

    def look_in(self, folder: Held, part: str) -> None:
        """Hold what has come since in a part of a folder."""
        assert folder.below is not None, "a folder"
        if part not in folder.below and files.is_folder(Path(folder, part)):
            folder.below[part] = pinned_path.folder(Path(folder, part))
        if part in folder.below:
            self.look(folder.below[part])

    def is_replaced(self, folder: Held, name: str) -> bool:
        """Does another file lie where the one was that is held?"""
        path = folder / name
        if not isinstance(path, Held) or path.handle is None:
            return False
        return not files.is_same(Path(path), path.handle)

    def look(self, folder: Held) -> None:
        """Hold what has come since. What is no file of ours, or not for us, is reported when it is read."""
        assert folder.below is not None, "a folder"
        with suppress(Damaged, OSError):
            for name in files.entries(Path(folder)):
                if name not in folder.below and len(self._held) < self._most:
                    with suppress(Damaged, OSError):
                        path = Path(folder, name)
                        folder.below[name] = pinned_path.file(path, files.descriptor(path))
                        self._held.append(folder.below[name])


def _close(some: list[Held]) -> None:
    """From now on they are ordinary paths for whoever has kept one: the descriptor may soon be another file's."""
    while some:
        each = some.pop()
        handle, each.handle = each.handle, None
        if handle is not None:
            os.close(handle)
