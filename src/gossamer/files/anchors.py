"""Which directory is meant, whatever it is called by now? One that is written to is reached by its descriptor.

Somebody may rename the directory of a collection while it is being written to, and put another one in its place. What
goes by the name would then go on in the other one, and damage both. So whoever locks a directory anchors it first: as
long as that lasts, the door (`walk.descended`) begins each way into it at its descriptor, and what is written ends up
where it belongs, or fails. Whoever has time to look (`require_in_place`) then ends, and says what has become of it.

A process that is started for a part of the work anchors the directory by its name again, and is given its `place` to
tell it from another one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import NamedTuple

from gossamer.errors import StorageError
from gossamer.files import walk
from gossamer.files.walk import FOLDER, descended

_GONE = " (deleted)"
"""What the system adds to the name of a directory that has none any more."""


class Place(NamedTuple):
    """Tells a directory from all others, as long as somebody holds it open."""

    device: int
    number: int


@dataclass(slots=True)
class _Anchor:
    handle: int
    place: Place
    name: str
    """The whole name that it had then: a program may go elsewhere meanwhile."""
    users: int = 0


_anchors: dict[str, _Anchor] = {}


def _forget() -> None:
    """A process that is forked closes what it likes: its descriptors may be other files."""
    _anchors.clear()
    walk.ANCHORS.clear()
    walk.CHANGING = RLock()  # whoever held it is not in this process


os.register_at_fork(after_in_child=_forget)


@contextmanager
def anchored(folder: Path, place: Place | None = None) -> Iterator[None]:
    """Meanwhile each path into a folder leads into this very one. If it is not at `place`, it is another by now."""
    name = os.path.abspath(folder)
    with walk.CHANGING:
        anchor = _anchors.get(name) or _cast(folder, name, place)
        anchor.users += 1
    try:
        if place not in (None, anchor.place):
            raise _left(folder)
        yield
    finally:
        with walk.CHANGING:
            anchor.users -= 1
            if not anchor.users and _anchors.get(name) is anchor:
                _weigh(name, anchor)


def _cast(folder: Path, name: str, place: Place | None) -> _Anchor:
    try:
        handle = descended(folder, FOLDER)
    except FileNotFoundError:
        if place is None:
            raise
        raise _left(folder) from None
    walk.ANCHORS[name], anchor = handle, _Anchor(handle, _place(os.fstat(handle)), name)
    _anchors[name] = anchor
    return anchor


def _weigh(name: str, anchor: _Anchor) -> None:
    del _anchors[name], walk.ANCHORS[name]
    os.close(anchor.handle)


def place_of(folder: Path) -> Place | None:
    """Of a folder that is anchored here."""
    anchor = _anchors.get(os.path.abspath(folder))
    return anchor.place if anchor else None


def is_anchored(folder: Path) -> bool:
    """Is it there, by whatever name?"""
    return os.path.abspath(folder) in _anchors


def is_in_place(path: Path) -> bool:
    """Has the anchored folder that a path leads into still its name? It costs a `stat`."""
    return not _astray(path)


def require_in_place(path: Path) -> None:
    """Say so where it has not."""
    for anchor in _astray(path):
        raise _left(Path(anchor.name), _name_now(anchor))


def _astray(path: Path) -> list[_Anchor]:
    whole = os.path.abspath(path)
    return [each for each in [*_anchors.values()] if f"{whole}/".startswith(f"{each.name}/") and not _is_there(each)]


def _is_there(anchor: _Anchor) -> bool:
    try:
        return _place(os.stat(anchor.name)) == anchor.place
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # who may not look any more knows nothing
        return True


def _place(about: os.stat_result) -> Place:
    return Place(about.st_dev, about.st_ino)


def _name_now(anchor: _Anchor) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{anchor.handle}")
    except OSError:
        return ""


def _left(folder: Path, now: str = "") -> StorageError:
    if now.endswith(_GONE):
        return StorageError(
            f"{folder}: was removed while it was being written to; if it is kept elsewhere, go on there"
        )
    if now and now != os.path.abspath(folder):
        return StorageError(
            f"{folder}: was moved while it was being written to; it is {now} now, with all that was stored, and nothing"
            " was written to what is in its place; go on under the new name"
        )
    return StorageError(
        f"{folder}: was moved or replaced while it was being written to; what was stored is kept where it is now, so go"
        " on there"
    )


class Entrance:
    """A folder for a library that opens files by their names: under this one it stays the same folder.

    It is a descriptor, and has to be closed when the library is done. Where the system does not show descriptors as
    names, it is the folder's own.
    """

    def __init__(self, folder: Path) -> None:
        self.handle = descended(folder, FOLDER)
        shown = f"/proc/self/fd/{self.handle}"
        self.name = shown if os.path.isdir(shown) else str(folder.absolute())

    def close(self) -> None:
        """The name means nothing from now on."""
        os.close(self.handle)
