"""Is all of a collection sound? Everything is read and compared: tables, archives, what is derived, the graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.crawl.wiring import site_of
from gossamer.collection.derive import graphs, indexer, near_copies
from gossamer.collection.folder import Folder
from gossamer.collection.maintain.clearing import in_the_way
from gossamer.collection.maintain.soundness import damage
from gossamer.collection.maintain.writable_shard import is_removed
from gossamer.frontier.audit import audit
from gossamer.plan import Plan
from gossamer.store.repair.verify import Checked, octets, verify_archive

Report = Callable[[int, int], None]
"""Is told how many bytes of the archive were read, and how many there are."""


def verified(folder: Folder, plan: Plan, readers: Callable[[], ShardReaders], report: Report | None = None) -> Checked:
    """What was found. `readers` are asked for once it is known that all tables can be read."""
    checked = Checked(problems=list(in_the_way(folder)))
    damaged = [*filter(None, (damage(folder.table(index)) for index in range(plan.shards or 1)))]
    checked.problems += damaged
    if damaged:
        return checked  # what hangs on them would say nothing new
    passed = _counting(readers(), report) if report else lambda octets: None
    for index, shard_reader in enumerate(readers().all):
        checked.add(verify_archive(shard_reader.archive, partial(is_removed, shard_reader.table), passed))
        checked.problems += audit(shard_reader.table)
        checked.problems += indexer.check(folder.shard(index), shard_reader.table, shard_reader.archive)
        checked.problems += near_copies.check(shard_reader.table, shard_reader.archive, site_of(plan))
    checked.problems += graphs.check(folder)
    return checked


def _counting(readers: ShardReaders, report: Report) -> Callable[[int], None]:
    of, done = sum(map(octets, readers.archives)), 0

    def passed(more: int) -> None:
        nonlocal done
        done += more
        report(done, of)

    return passed
