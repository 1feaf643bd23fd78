"""Is all of a collection sound? Everything is read and compared: tables, archives, what is derived, the graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.derive import graphs, indexer, near_copies
from gossamer.collection.folder import Folder
from gossamer.collection.maintain.clearing import in_the_way
from gossamer.collection.maintain.soundness import damage
from gossamer.collection.maintain.writable_shard import is_removed
from gossamer.collection.sites import site_of
from gossamer.frontier.audit import audit
from gossamer.plan import Plan
from gossamer.store.repair.verify import Checked, verify_archive


def verified(folder: Folder, plan: Plan, readers: Callable[[], ShardReaders]) -> Checked:
    """What was found. `readers` are asked for once it is known that all tables can be read."""
    checked = Checked(problems=list(in_the_way(folder)))
    damaged = [*filter(None, (damage(folder.table(index)) for index in range(plan.shards or 1)))]
    checked.problems += damaged
    if damaged:
        return checked  # what hangs on them would say nothing new
    for index, shard_reader in enumerate(readers().all):
        checked.add(verify_archive(shard_reader.archive, partial(is_removed, shard_reader.table)))
        checked.problems += audit(shard_reader.table)
        checked.problems += indexer.check(folder.shard(index), shard_reader.table, shard_reader.archive)
        checked.problems += near_copies.check(shard_reader.table, shard_reader.archive, site_of(plan))
    checked.problems += graphs.check(folder)
    return checked
