"""A store of checkpoints: the heads of every shard, their objects, and the few files of the collection itself."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from gossamer.depot.heads import Line
from gossamer.depot.objects import Objects
from gossamer.depot.probe import require_sound
from gossamer.depot.shared_folder import SharedFolder
from gossamer.errors import UsageError

SCHEME = "s3://"
_NAME = "depot"
_FILES = "collection/"


class Depot:
    """Where a collection is kept. Opening it asks nothing of the store."""

    def __init__(self, url: str, objects: Objects | None = None) -> None:
        self.url = url
        self.objects = objects or opened(url)

    def line(self, shard: int) -> Line:
        """The heads of a shard."""
        return Line(self.objects, shard)

    def begin(self) -> None:
        """Make the store itself, where it can be."""
        self.objects.begin()

    def probe(self) -> None:
        """Say why it will not do, if it will not."""
        require_sound(self.objects, self.url)

    @cached_property
    def name(self) -> str:
        """Drawn by whoever was first: tells one collection from another."""
        self.objects.create(_NAME, os.urandom(16).hex().encode())
        return self.objects.get(_NAME).decode()

    @property
    def is_begun(self) -> bool:
        """Is a collection kept here?"""
        return self.file("plan.toml") is not None

    def keep_file(self, name: str, data: bytes) -> None:
        """A file of the collection that belongs to no shard."""
        self.objects.put(_FILES + name, data)

    def file(self, name: str) -> bytes | None:
        """As it was kept last; None when it never was."""
        try:
            return self.objects.get(_FILES + name)
        except FileNotFoundError:
            return None

    def forget_file(self, name: str) -> None:
        """It is no part of the collection any more."""
        self.objects.delete(_FILES + name)


def opened(url: str) -> Objects:
    """The store that a folder or an address names. Nothing is asked of it yet."""
    if url.startswith(SCHEME):
        try:
            from gossamer.depot.bucket import Bucket  # with a package that only this needs
        except ImportError as error:
            raise UsageError(
                f"{url}: to keep checkpoints in S3 takes a package of its own ({error.name} is missing):"
                " `pip install '.[cluster]'` where you cloned Gossamer brings it; a folder needs nothing"
            ) from error
        return Bucket(url)
    if "://" in url:
        raise UsageError(f"{url}: a store is a folder or s3://BUCKET/PATH")
    return SharedFolder(Path(url))
