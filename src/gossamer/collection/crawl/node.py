"""What does a node of a cluster do beside the processes of its shards? It gives them a folder, and what they share.

The folder is on a disk of the node. It is kept: a shard that goes on there is restored only as far as it has to be.
Several nodes may be on one machine, so each takes the first folder that nobody holds. What belongs to no shard (the
plan, the seeds, what is asked for) is sent along by the crawl, and again when it changes.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer import files
from gossamer.collection.crawl.network import make_room
from gossamer.collection.crawl.shard import Job, work
from gossamer.collection.folder import Folder
from gossamer.engine import Work
from gossamer.errors import StorageError
from gossamer.frontier.answer.poison_pages import READING, Watch
from gossamer.frontier.polite.ip_leases import IpLeases

if TYPE_CHECKING:
    from gossamer.collection.derive.shard_build import Job as BuildJob

LOCK = "node"
LOOK = 5.0
"""Seconds between looks at what the shards are reading."""
STUCK = 12
"""Looks at the same page until its shard is taken to hang: a minute. The costliest page takes a second or two."""
FOLDERS_MOST = 1_000

SmallFiles = Mapping[str, bytes | None]
"""Files of a collection that belong to no shard, by their names; None for one that is not there."""

encode = msgspec.msgpack.Encoder().encode
_small_files = msgspec.msgpack.Decoder(dict[str, bytes | None]).decode


@dataclass(frozen=True, slots=True)
class Sent:
    """What every node is told. Times are of the wall clock: two steady clocks have nothing in common."""

    job: Job
    name: str
    """Of the collection, which no other has."""
    small_files: SmallFiles
    began: float
    fresh_until: float | None
    build: BuildJob | None = None
    """Nothing is crawled: this is made of what is there."""


class Node:
    """An `Attendant`: beside the shards of one node."""

    def __init__(self, sent: Sent, number: int, kill: Callable[[int], None]) -> None:
        make_room(sent.job.plan.workers)
        self._kill = kill
        self._folder, self._lock = _free_folder(_place(sent.job.plan.node_disk) / sent.name)
        self.keep = (self._lock,)
        self.heard(encode(sent.small_files))
        self.work = _work_of(sent, self._folder.path)
        shards = sent.job.plan.shards
        self._folder.make_shards(shards)
        IpLeases.create(self._folder.leases, shards)
        self._leases = IpLeases(self._folder.leases, 0, delay=sent.job.plan.ip_delay)
        self._looks = asyncio.get_running_loop().create_task(self._look_after())
        self._here: set[int] = set()

    def adopt(self, index: int) -> None:
        """What it held here before, in another life, is free, and rests."""
        self._here.add(index)
        self._leases.free(index, time.monotonic())

    def gone(self, index: int) -> None:
        """The same. Also of one that goes on elsewhere: it is cut off in the middle of its requests, and the others
        here would wait for the addresses of those for ever."""
        self._leases.free(index, time.monotonic())

    def heard(self, message: bytes) -> None:
        """Small files, as they are now."""
        for name, data in _small_files(message).items():
            if data is None:
                files.remove(self._folder.path / name)
            else:
                files.replace(self._folder.path / name, data, 0o600)

    async def _look_after(self) -> None:
        """End every shard that hangs in a page; it is started again and suspects that page."""
        watches: dict[int, tuple[int, Watch]] = {}
        while True:
            await asyncio.sleep(LOOK)
            for index in self._here:
                path = self._folder.shard(index) / READING
                if not files.is_file(path):
                    continue
                if (found := files.about(path).st_ino) != watches.get(index, (0, None))[0]:  # a restored one is another
                    if index in watches:
                        watches[index][1].close()
                    watches[index] = found, Watch([path], STUCK)
                if watches[index][1].stuck(0) is not None:
                    self._kill(index)

    def close(self) -> None:
        """No shard runs here any more."""
        self._looks.cancel()
        self._leases.close()
        files.remove(self._folder.leases)
        os.close(self._lock)


def _work_of(sent: Sent, folder: Path) -> Work:
    if sent.build is None:
        return partial(work, _on_this_clock(sent, folder))
    from gossamer.collection.derive import build  # with what reads texts, which a crawl may do without

    return partial(build.work_at_node, replace(sent.build, path=folder))


def _on_this_clock(sent: Sent, folder: Path) -> Job:
    def steady(wall: float) -> float:
        return time.monotonic() - (time.time() - wall)

    fresh_until = None if sent.fresh_until is None else steady(sent.fresh_until)
    return replace(sent.job, path=folder, began=steady(sent.began), fresh_until=fresh_until)


def _place(wanted: str) -> Path:
    """Where folders are on this node."""
    if wanted:
        return Path(wanted)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gossamer" / "nodes"


def _free_folder(place: Path) -> tuple[Folder, int]:
    """The first one that nobody holds, and its lock. Workers hold it too, so that it is not given away under them."""
    for number in count():
        folder = place / f"{number:03}"
        try:
            files.make_folder(folder)
            handle = files.descriptor(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            words = f"{folder}: cannot be made on the node {os.uname().nodename} ({error.strerror})"
            raise StorageError(f"{words}; name a folder with room there by --set node_disk=PATH") from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            if number > FOLDERS_MOST:
                raise StorageError(f"{place}: all folders are held; are there crawls that do not end?") from None
        else:
            return Folder(folder), handle
    raise AssertionError("a counter has no end")
