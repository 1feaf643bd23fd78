"""How is what is derived from pages made, where it is missing or anew? Each shard in a process of its own.

What is made in it is in `shard_build`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial

import msgspec

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.checkpoints import Checkpoints
from gossamer.collection.crawl.wiring import DERIVING
from gossamer.collection.derive import shard_build
from gossamer.collection.derive.shard_build import Built, Job
from gossamer.collection.folder import Folder
from gossamer.collection.lock import keeping
from gossamer.engine import Crew, Outfit, Reports, WorkerLink
from gossamer.model import SystemClock
from gossamer.printable import log
from gossamer.store.table.table import Table

_encode = msgspec.msgpack.Encoder().encode
_built = msgspec.msgpack.Decoder(Built).decode


async def build(job: Job, lock: int, report: Callable[[Built], None]) -> Built:
    """Run all shards. `lock` is the descriptor that nobody else may get while any process of this lives."""
    shards = job.plan.shards or 1
    gathered = Gathered(shards, report)
    if shards == 1:
        for step in shard_build.steps(job, 0):
            gathered.add(0, step)
            await asyncio.sleep(0)
    else:
        await _crew(job, shards, lock, gathered)
    return gathered.now()


class Gathered:
    """What all shards have done so far. Whoever asks for it hears of each step."""

    def __init__(self, shards: int, report: Callable[[Built], None]) -> None:
        self._parts = [Built()] * shards
        self._began = time.monotonic()
        self._report = report

    def add(self, index: int, step: Built) -> None:
        """So much has a shard done."""
        self._parts[index] = step
        self._report(self.now())

    def heard(self, index: int, message: bytes) -> None:
        """The same, as it was told."""
        self.add(index, _built(message))

    def now(self) -> Built:
        """All together."""
        return _together(self._parts, time.monotonic() - self._began)


async def _crew(job: Job, shards: int, lock: int, gathered: Gathered) -> None:
    crew = Crew(
        keeping(partial(work, job), job.path),
        shards,
        Reports(
            gathered.heard,
            died=lambda index, words: log.warning("shard %d %s; it is started again and goes on", index, words),
            failed=lambda *_: crew.terminate(),
        ),
        outfit=Outfit(preload=("gossamer.collection.derive.build", *DERIVING), keep=(lock,)),
    )
    await crew.run()


async def work(job: Job, link: WorkerLink) -> None:
    """One shard as a process."""
    orphaned = asyncio.Event()
    link.listen(lambda *_: None, lambda _: None, orphaned.set)
    for step in shard_build.steps(job, link.index):
        link.tell(_encode(step))
        link.well()
        await asyncio.sleep(0)
        if orphaned.is_set():
            return


async def work_at_node(job: Job, link: WorkerLink) -> None:
    """One shard at a node of a cluster. It is claimed and restored; its next checkpoint is the mark that it is done."""
    folder = Folder(job.path)
    checkpoints = await Checkpoints.begin(job.plan, folder, link.index, SystemClock(), term=link.term or None)
    with Table.open(folder.table(link.index), FAMILIES, writable=True) as table:
        await checkpoints.first(table)
    await work(job, link)
    with Table.open(folder.table(link.index), FAMILIES, writable=True) as table:
        await checkpoints.last(table)


def _together(parts: list[Built], seconds: float) -> Built:
    return Built(
        looked=sum(part.looked for part in parts),
        pages=sum(part.pages for part in parts),
        texts=sum(part.texts for part in parts),
        indexed=sum(part.indexed for part in parts),
        seconds=seconds,
        problems=tuple(problem for part in parts for problem in part.problems),
        unread=sum(part.unread for part in parts),
    )
