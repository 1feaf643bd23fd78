"""What is a file that somebody holds open? A path like any other, which stays readable when the file is deleted.

A reader shows one moment of a collection, and a writer beside it deletes what it has replaced. So a reader holds open
what counts at its moment (`collection/ask/consistent_read.py`), and hands on the folders as these paths: whoever goes
on from such a folder to a file comes to the one that is held, and the door to the files (`files/`) reads that.
"""

from __future__ import annotations

from pathlib import Path, PosixPath


class Held(PosixPath):
    """A file or folder of one moment. What is made from it by other means than `/` is an ordinary path."""

    handle: int | None = None
    """The descriptor of a file."""
    below: dict[str, Held] | None = None
    """What a folder has."""

    def __truediv__(self, name: object) -> Path:  # type: ignore[override]  # what is below is one of these, or it is not
        """What is held there, or the place where it would be."""
        here: Held | None = self
        for part in str(name).split("/"):
            here = here.below.get(part) if here is not None and here.below else None
        return here if here is not None else Path(str(self)) / str(name)

    def with_segments(self, *segments: str) -> Path:  # type: ignore[override, unused-ignore]  # from Python 3.12 on
        """Its parent, for one, is held by nobody."""
        return Path(*segments)


def file(path: Path, handle: int) -> Held:
    """One that is open."""
    held = Held(path)
    held.handle = handle
    return held


def folder(path: Path) -> Held:
    """One that nothing is known of yet."""
    held = Held(path)
    held.below = {}
    return held
