"""What does a node do with one shard of a build? It claims and restores it, makes what is derived, and publishes it."""

from __future__ import annotations

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.checkpoints import Checkpoints
from gossamer.collection.derive import build
from gossamer.collection.derive.shard_build import Job
from gossamer.collection.folder import Folder
from gossamer.engine import WorkerLink
from gossamer.model import SystemClock
from gossamer.store.table.table import Table


async def work(job: Job, link: WorkerLink) -> None:
    """One shard at a node: its next checkpoint is the mark that it is done."""
    folder = Folder(job.path)
    checkpoints = await Checkpoints.begin(job.plan, folder, link.index, SystemClock(), term=link.term or None)
    with Table.open(folder.table(link.index), FAMILIES, writable=True) as table:
        await checkpoints.first(table)
    await build.work(job, link)
    with Table.open(folder.table(link.index), FAMILIES, writable=True) as table:
        await checkpoints.last(table)
