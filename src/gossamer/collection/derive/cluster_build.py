"""How is what is derived made on a cluster? Each shard at a node, from its last checkpoint; what it became is the next.

That checkpoint is the mark that a piece is done: a node that dies has its pieces begun again elsewhere, and a build
that was killed finds nothing to do in those that were published. Copies across shards and the graph of links are made
afterwards, where the command was given. What runs at a node is `build.work_at_node`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from gossamer.collection.crawl import cluster
from gossamer.collection.crawl.shard import Job as CrawlJob
from gossamer.collection.derive.build import Gathered
from gossamer.collection.derive.shard_build import Built, Job
from gossamer.collection.folder import Folder
from gossamer.collection.stored import refresh
from gossamer.engine import Reports
from gossamer.engine.ray.crew import RayCrew
from gossamer.printable import log


async def build(job: Job, report: Callable[[Built], None]) -> Built:
    """Run all shards on the nodes, then bring here what they have become."""
    folder, gathered = Folder(job.path), Gathered(job.plan.shards, report)

    def died(index: int, words: str) -> None:
        log.warning("shard %d %s; it is begun again from its last checkpoint", index, words)

    def failed(index: int, error: Exception) -> None:
        crew.terminate()

    await cluster.publish_first(folder, job.plan)
    crew: RayCrew = cluster.crew(CrawlJob(job.path, job.plan), Reports(gathered.heard, died, failed), build=job)
    await crew.run()
    await asyncio.to_thread(refresh, folder, job.plan)
    return gathered.now()
