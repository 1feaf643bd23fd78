"""A store of checkpoints: the heads of every shard, their objects, and the few files of the collection itself."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from gossamer.depot.heads import Line
from gossamer.depot.objects import Objects
from gossamer.depot.shared_folder import SharedFolder
from gossamer.errors import StoreAway, UsageError

SCHEME = "s3://"
_NAME = "depot"
_FILES = "collection/"
RACERS = 8
RACES = 3


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


def require_sound(objects: Objects, url: str) -> None:
    """Say why a store will not do, before anything is kept in it. Of several who create an object at once exactly one
    may succeed: that is the fence. Some servers take the condition and ignore it. Two machines would then crawl one
    shard, and neither would know."""
    for _ in range(RACES):
        name = f"probe/{os.urandom(8).hex()}"
        try:
            _race(objects, name, url)
        finally:
            with suppress(StoreAway):  # what counts was said before
                objects.delete(name)


def _race(objects: Objects, name: str, url: str) -> None:
    with ThreadPoolExecutor(RACERS) as pool:
        won = list(pool.map(lambda number: objects.create(name, b"racer %d" % number), range(RACERS)))
    if sum(won) != 1:
        raise UsageError(
            f"{url}: {sum(won)} of {RACERS} who created the same object at once succeeded, and one must: two machines"
            " could crawl the same sites; take a store with conditional writes (If-None-Match), or a folder"
        )
    expected = b"racer %d" % won.index(True)
    if objects.get(name) != expected or objects.get_range(name, 2, 3) != expected[2:5]:
        raise UsageError(f"{url}: does not give back what was kept in it; take another store")
    if name not in objects.names("probe/"):
        raise UsageError(f"{url}: does not list what was just kept in it; take another store")
