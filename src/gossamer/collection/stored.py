"""A collection and its store: what of it belongs to no shard, how it comes back, and how all of it becomes a folder.

What belongs to shards is in `crawl/checkpoints.py`, and is restored by whoever crawls them.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from gossamer import files
from gossamer import plan as plans
from gossamer.collection import trust
from gossamer.collection.alert.saved import FILE as ALERTS
from gossamer.collection.crawl.requests import FILE as ASKED
from gossamer.collection.folder import SEEDS, Folder
from gossamer.depot import local_note
from gossamer.depot.depot import Depot
from gossamer.depot.heads import Head
from gossamer.depot.objects import settled
from gossamer.depot.parts import Stamp, stamp_of
from gossamer.depot.restoring import heads_together, restore
from gossamer.depot.shard_claim import require_same, restored
from gossamer.errors import Damaged, GossamerError, NotACollection, StoreAway, UsageError
from gossamer.plan import Plan
from gossamer.printable import log

TOPIC = "topic.json"
KEPT = (SEEDS, ASKED, ALERTS, TOPIC, plans.FILE)
"""Files of a collection that belong to no shard and cannot be made again from one. The plan comes last: where it is,
all of them are."""
WRITER = "writer"
"""Names the crawl that keeps these files in the store. Where this directory has another name, another machine has
gone on since, and its files count."""
OF_MACHINE = ("engine", "node_disk")
"""Settings that another machine does not change here."""
REFRESHING = "refresh.lock"
"""Who brings checkpoints here is alone."""
FETCHED = "fetched-from"
"""Says which store fills a directory, until all of it is there."""
TRIES = 10
"""How often a collection is fetched that goes on meanwhile. Each time most files are there already."""


def bring(folder: Folder, url: str, given: Iterable[str], *, trusted: bool) -> None:
    """The plan and what else belongs to no shard, if the store has them and this disk has not the newest."""
    _require_apart(folder, url)
    depot = Depot(url)
    if folder.exists():
        _require_own(folder, depot)
    else:
        depot.begin()
    if folder.has_plan() and _is_writer(folder, depot, unknown=folder.exists()):
        return
    found = _plan_in(depot)
    if found is None:
        return
    own = _in_common(folder, found)
    trust.require(folder, found.changed(store=""), {*given, *own}, trusted=trusted, strange=True)
    folder.create()
    if files.is_file(folder.plan_file):
        log.warning("%s: the plan in the store takes its place", folder.plan_file)
    writer = depot.file(WRITER)
    files.remove(folder.path / ASKED)  # it may have been done meanwhile
    _bring_files(depot, folder.path)
    files.replace(folder.plan_file, plans.dump(found.changed(**own, store=url)).encode(), 0o600)
    if writer is not None:
        files.replace(folder.path / WRITER, writer)


def _require_apart(folder: Folder, url: str) -> None:
    """What is restored takes the place of a folder: a store in it would go, and would be lost with its disk anyway."""
    if "://" in url:
        return
    here, there = folder.path.resolve(), Path(url).resolve()
    if here in (there, *there.parents) or there in here.parents:
        raise UsageError(
            f"{url}: the store and {folder.path} lie in each other; name a folder elsewhere, on another disk"
        )


def _require_own(folder: Folder, depot: Depot) -> None:
    """Before anything is written to either: what lies here is what the store has."""
    for shard in folder.numbers():
        newest = depot.line(shard).newest()
        if newest is not None and newest.files:
            require_same(depot, local_note.read(folder.shard(shard)), folder.shard(shard))


def _in_common(folder: Folder, found: Plan) -> dict[str, Any]:
    """What stays as it is here: how this machine crawls, and what a plan opens that this user has agreed to here, with
    the password of a proxy."""
    if not folder.has_plan():
        return {}
    here = folder.load_plan()
    shown, names = plans.public(here), [name for name in OF_MACHINE if folder.exists()]
    if trust.is_known(folder):
        names += (name for name in trust.OPENING if name != "store" and getattr(shown, name) == getattr(found, name))
    return {name: getattr(here, name) for name in names}


def prepare(folder: Folder, plan: Plan) -> None:
    """Is the store fit for a crawl? What belongs to no shard is kept there."""
    depot = Depot(plan.store)
    depot.probe()
    before, writer = _writers(folder), os.urandom(8).hex().encode()
    # the note comes first: killed in between, this folder is known to be the one that writes
    files.replace(folder.path / WRITER, b"\n".join((*before, writer)))
    depot.keep_file(WRITER, writer)
    files.replace(folder.path / WRITER, writer)
    keep(folder, depot)


def _writers(folder: Folder) -> list[bytes]:
    try:
        return files.read(folder.path / WRITER).split()
    except FileNotFoundError:
        return []


def _is_writer(folder: Folder, depot: Depot, *, unknown: bool = True) -> bool:
    """Has this directory kept last what is in the store and belongs to no shard? `unknown` where nobody has."""
    writer = depot.file(WRITER)
    return unknown if writer is None else writer in _writers(folder)


def keep(folder: Folder, depot: Depot, known: dict[str, Stamp | None] | None = None) -> None:
    """What belongs to no shard, as it is now, but for what is `known` to be there as it is."""
    if not _is_writer(folder, depot):
        return
    for name in KEPT:
        now = _stamp(folder.path / name)
        if known is None or known.get(name) != now:
            _keep_file(folder, depot, name, is_there=now is not None)
        if known is not None:
            known[name] = now


def _keep_file(folder: Folder, depot: Depot, name: str, *, is_there: bool) -> None:
    """A plan without what only its owner may read: a store has more readers."""
    path = folder.path / name
    if not is_there:
        depot.forget_file(name)
    elif name == plans.FILE:
        plan = folder.load_plan()
        shown = plans.public(plan)
        depot.keep_file(name, files.read(path) if shown == plan else plans.dump(shown).encode())
    else:
        depot.keep_file(name, files.read(path, files.size(path)))


@asynccontextmanager
async def mirrored(folder: Folder, plan: Plan) -> AsyncIterator[None]:
    """Seeds and other settings may come while a crawl runs: they are kept as often as checkpoints."""
    depot = Depot(plan.store)
    known = {name: _stamp(folder.path / name) for name in KEPT}

    async def mirror() -> None:
        while True:
            await asyncio.sleep(plan.checkpoint_seconds)
            with suppress(GossamerError, OSError):  # the shards say that the store is away
                await asyncio.to_thread(keep, folder, depot, known)

    task = asyncio.create_task(mirror())
    try:
        yield
    finally:
        task.cancel()


def _stamp(path: Path) -> Stamp | None:
    return stamp_of(path) if files.is_file(path) else None


def keep_at_end(folder: Folder, plan: Plan) -> None:
    """The same, when a crawl is over. Where the store is away, the next crawl does it."""
    try:
        keep(folder, Depot(plan.store))
    except StoreAway as error:
        log.warning("%s; the next crawl tells it how this one ended", error)


def refresh(folder: Folder, plan: Plan) -> None:
    """Bring the newest checkpoints here, for those who read, where a crawl works elsewhere. Nothing where it has only
    begun: then some shard has none."""
    depot = Depot(plan.store)
    heads = [depot.line(shard).newest() for shard in range(plan.shards)]
    if not all(head is not None and head.files for head in heads):
        return
    handle = files.descriptor(folder.path / REFRESHING, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        for left in reversed(range(TRIES)):
            try:
                for shard, head in enumerate(heads_together(depot, plan.shards)):
                    _update(depot, head, folder.shard(shard))
                break
            except Damaged:  # it may have been swept away meanwhile: its crawl goes on
                if not left:
                    raise
    finally:
        os.close(handle)


def _update(depot: Depot, head: Head, shard: Path) -> None:
    """Unless it is there already, or this disk has more."""
    note, mark = local_note.read(shard), f"copy {head.claim} {head.number}"
    if note is None or not {head.claim, mark} & {*note.claims}:
        files.make_folder(shard.parent)
        restored(depot, head, shard, mark=mark)


def fetch(source: str, to: Path) -> None:
    """Make a whole collection of its own from a store: the folder has its name when all of it is there.

    What a kill has left is gone on with. It has no store any more: whoever crawls it disturbs nobody.
    """
    depot = Depot(store_of(source))
    plan = _plan_in(depot)
    if plan is None:
        raise NotACollection(
            f"{depot.url}: no collection is kept there; the place is the one that `--store` has named in the crawl"
        )
    if (found := files.kind(to)) and (found != files.A_FOLDER or files.entries(to)):
        raise UsageError(f"{to}: is there already, and no empty directory; name another")
    partial = Folder(to.with_name(to.name + files.PARTIAL))
    _take_up(partial.path, depot.url)
    for left in reversed(range(TRIES)):
        try:
            for shard, head in enumerate(heads_together(depot, plan.shards)):
                restore(depot.objects, head, partial.shard(shard))
            break
        except FileNotFoundError as error:  # swept away meanwhile: its crawl goes on
            if not left:
                raise Damaged(f"{depot.url}: an object of a checkpoint is gone from the store ({error})") from error
    _bring_files(depot, partial.path)
    files.replace(partial.plan_file, plans.dump(plan.changed(store="", engine="local")).encode())
    if plan.build:
        from gossamer.collection.ask.shard_readers import ShardReaders
        from gossamer.collection.derive.copy_marks import link_up

        link_up(partial, plan, ShardReaders(partial, plan)).close()
    files.move_folder(partial.path, to)
    files.remove(to / FETCHED)
    files.sync_folder(to.parent)


def _take_up(folder: Path, url: str) -> None:
    """What a kill has left there is ours, and of the same store; all else is somebody's."""
    if files.kind(folder) and files.entries(folder) and _fetched_from(folder) != url.encode():
        raise UsageError(f"{folder}: is there already, and not from {url}; move it away, or name another directory")
    files.make_folder(folder)
    files.replace(folder / FETCHED, url.encode())


def _fetched_from(folder: Path) -> bytes:
    try:
        return files.read(folder / FETCHED)
    except FileNotFoundError:
        return b""


def store_of(source: str) -> str:
    """The store of a collection, or what is named itself."""
    if "://" in source:
        return source
    folder = Folder(Path(source))
    if not files.is_file(folder.plan_file):
        return settled(source)
    if url := folder.load_plan().store:
        return url
    raise UsageError(f"{source}: has no store; it is all on this disk already")


def _bring_files(depot: Depot, folder: Path) -> None:
    for name in KEPT:
        if name != plans.FILE and (data := depot.file(name)) is not None:
            files.replace(folder / name, data)


def _plan_in(depot: Depot) -> Plan | None:
    data = depot.file(plans.FILE)
    try:
        return plans.parse(data.decode(), Path(plans.FILE)) if data is not None else None
    except UnicodeDecodeError as error:
        raise Damaged(f"{depot.url}: the plan in it is no text") from error
