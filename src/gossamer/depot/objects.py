"""What does a store of checkpoints have to do? Keep objects under names; and of several who create one, one succeeds.

An object never changes once it is there, but for the few that are `put` again. A store that is away raises `StoreAway`:
whoever asked may ask again, since each of these calls may be made twice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

WHOLE_MOST = 1 << 30
"""Bytes of an object that is read whole: the seeds of a very large crawl may have them. A store may be anybody's."""


class Objects(Protocol):
    """A store. Names are relative, with slashes."""

    def begin(self) -> None:
        """Make the store itself, where it is a folder that is not there yet."""

    def put(self, name: str, data: bytes) -> None:
        """Keep it under this name, in the place of what is there. It lasts when this returns."""

    def create(self, name: str, data: bytes) -> bool:
        """Keep it unless there is something of this name: then False. After `StoreAway` nobody knows which it was."""

    def get(self, name: str) -> bytes:
        """All of an object; FileNotFoundError when there is none, Damaged when it is larger than `WHOLE_MOST`."""

    def get_range(self, name: str, start: int, length: int) -> bytes:
        """Some bytes of an object, likewise."""

    def names(self, prefix: str) -> list[str]:
        """Of all objects below a prefix that ends with a slash; in order."""

    def delete(self, name: str) -> None:
        """It is gone, or was not there."""


def settled(url: str) -> str:
    """A store as it is written down: that of a folder must not depend on where somebody stands."""
    return url if not url or "://" in url else str(Path(url).expanduser().absolute())
