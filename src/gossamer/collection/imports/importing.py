"""Import files into a collection: every shard reads some of them, takes what belongs to its sites, hands on the rest.

A shard is a session like that of a crawl, over the files and not the web; where there are several, each is a process
and they are run as for a crawl, because what one finds may belong to another.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from gossamer.collection.crawl.restarts import live
from gossamer.collection.crawl.running import stoppable
from gossamer.collection.crawl.session import Session
from gossamer.collection.crawl.shard import Job
from gossamer.collection.crawl.supervisor import CrawlSupervisor
from gossamer.collection.folder import Folder
from gossamer.collection.imports.import_source import Imported
from gossamer.store.table.table import Table


async def run(job: Job, lock: int, report: Callable[[Imported], None], stop: asyncio.Event | None) -> Imported:
    """Import all files of the job. `lock` is the descriptor that nobody else may get meanwhile."""
    parts: dict[int, Imported] = {}
    problems: dict[str, None] = {}
    """Of all lives of all shards."""

    def heard(index: int, look: Imported) -> None:
        parts[index] = look
        problems.update(dict.fromkeys(look.problems))
        report(together(parts))

    if job.plan.shards == 1:
        await _here(job, heard, stop)
    else:
        supervisor = CrawlSupervisor(job, lock, lambda _: None, imported=heard)
        await supervisor.run(stop)
    return replace(together(parts), problems=tuple(problems))


async def _here(job: Job, heard: Callable[[int, Imported], None], stop: asyncio.Event | None) -> None:
    folder = Folder(job.path)

    async def life(table: Table) -> None:
        session = Session(folder.shard(0), job.plan, table, imported_files=job.imported_files, collection=job.path)
        await stoppable(session.run((), lambda _: heard(0, session.imported())), session.stop, stop)
        heard(0, session.imported())

    await live(folder.table(0), life)


def together(parts: dict[int, Imported]) -> Imported:
    """One look at all shards. A file is read when all of them have what is theirs."""
    looks = list(parts.values()) or [Imported()]
    refused: Counter[str] = Counter()
    for look in looks:
        refused.update(look.refused)
    return replace(
        looks[0],
        files=min(look.files for look in looks),
        bytes=sum(look.bytes for look in looks),
        captures=sum(look.captures for look in looks),
        known=sum(look.known for look in looks),
        cut=sum(look.cut for look in looks),
        undated=sum(look.undated for look in looks),
        kept=sum(look.kept for look in looks),
        seconds=max(look.seconds for look in looks),
        refused=dict(refused),
        problems=tuple(dict.fromkeys(problem for look in looks for problem in look.problems)),
    )
