"""How does a crawl run on a cluster? Its shards are on the nodes, and the store is what they have in common.

Before it begins, what this disk has and the store has not is published. While it runs, what somebody wants of it is
sent to the nodes. At the end what the store has comes here, so that the collection is where everybody looks for it.
"""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING

from gossamer import files
from gossamer import plan as plans
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.checkpoints import Checkpoints
from gossamer.collection.crawl.node import Node, Sent, SmallFiles, encode
from gossamer.collection.crawl.requests import FILE as ASKED
from gossamer.collection.crawl.shard import Job
from gossamer.collection.crawl.wiring import preload
from gossamer.collection.folder import ID, SEEDS, Folder
from gossamer.collection.steering import FILE as STEERING
from gossamer.collection.steering import glance
from gossamer.depot import local_note
from gossamer.depot.depot import Depot
from gossamer.engine.protocols import Reports, Supervisor
from gossamer.engine.ray import calls
from gossamer.engine.ray.crew import RayCrew
from gossamer.engine.ray.station import Kit, Leasing
from gossamer.errors import UsageError
from gossamer.model import SystemClock
from gossamer.plan import Plan
from gossamer.store.table.table import Table
from gossamer.urls.schemes import scheme_of

if TYPE_CHECKING:
    from gossamer.collection.derive.shard_build import Job as BuildJob

SMALL = (ID, SEEDS, ASKED, "topic.json", plans.FILE, STEERING)
"""Files that every node has. What says that the others have changed is the last."""
LOOK = 0.5
"""Seconds between looks at them."""


def check(plan: Plan) -> None:
    """Complain about what cannot be done on a cluster, before anything is made."""
    if not calls.is_name(plan.engine):
        raise UsageError(f"engine {plan.engine!r}: there are local, ray and ray://HOST:PORT")
    if not plan.store:
        raise UsageError(
            f"--engine {plan.engine} needs --store, a folder or s3://BUCKET/PATH that all nodes reach: their disks may"
            " be lost"
        )
    refused = {
        "logins": bool(plan.logins),
        "folders": bool(plan.folders),
        "render": plan.render != "never",
        "on_page": bool(plan.on_page),
        "seeds of other protocols": any(map(scheme_of, plan.seeds)),
    }
    if found := [name for name, there in refused.items() if there]:
        raise UsageError(f"{', '.join(found)}: not on a cluster yet; crawl without, or with --engine local")


def shards(plan: Plan) -> int:
    """How many a new collection gets: one for each core of the cluster."""
    calls.connect(plan.engine)
    return max(sum(node.cores for node in calls.nodes()), 1)


async def publish_first(folder: Folder, plan: Plan) -> None:
    """What this disk has and the store has not: the nodes know only the store."""
    depot = Depot(plan.store)
    for index in folder.numbers():
        if _is_ahead(depot, folder, index):
            checkpoints = await Checkpoints.begin(plan, folder, index, SystemClock())
            with Table.open(folder.table(index), FAMILIES, writable=True) as table:
                await checkpoints.last(table)


def _is_ahead(depot: Depot, folder: Folder, index: int) -> bool:
    if not files.is_folder(folder.table(index)):
        return False
    newest, note = depot.line(index).newest(), local_note.read(folder.shard(index))
    if newest is None or not newest.files:
        return True
    if note is None or newest.claim not in note.claims:
        return False
    with Table.open(folder.table(index), FAMILIES, writable=True) as table:
        return table.sequence != newest.sequence


def crew(job: Job, reports: Reports, build: BuildJob | None = None) -> RayCrew:
    """The shards of a crawl, on the nodes; or those of a build."""
    depot, plan = Depot(job.plan.store), job.plan
    heads = [depot.line(index).newest() for index in range(plan.shards)]
    now, steady = time.time(), time.monotonic()
    began = now - (steady - (steady if job.began is None else job.began))
    fresh_until = None if job.fresh_until is None else now + job.fresh_until - steady
    sent = Sent(job, depot.name, small_files(Folder(job.path)), began, fresh_until, build)
    return RayCrew(
        plan.engine,
        Kit(
            plan.shards,
            partial(Node, sent),
            tuple(preload(plan.changed(build=True) if build else plan)),
            Leasing(plan.lease),
        ),
        reports,
        term=1 + max((head.term for head in heads if head), default=0),
        unclean=any(head is not None and not head.at_rest for head in heads),
    )


def small_files(folder: Folder) -> SmallFiles:
    """What every node has to know of the collection."""
    return {name: _content(folder, name) for name in SMALL}


async def pass_on(folder: Folder, running: Supervisor) -> None:
    """What changes of it, as long as the crawl runs."""
    seen = {name: glance(folder.path / name) for name in SMALL}
    while True:
        await asyncio.sleep(LOOK)
        now = {name: glance(folder.path / name) for name in SMALL}
        if changed := {name for name in SMALL if now[name] != seen[name]}:
            # the rest may have changed since it was looked at; a list of seeds may be long
            changed |= {*SMALL} - {SEEDS}
            running.attend(encode({name: _content(folder, name) for name in SMALL if name in changed}))
        seen = now


def _content(folder: Folder, name: str) -> bytes | None:
    path = folder.path / name
    return files.read(path, max(files.size(path), 1)) if files.is_file(path) else None
