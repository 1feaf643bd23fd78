"""Let old versions of pages go in all shards, by the rule of the plan or another one; see `store.repair.prune`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing

from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.crawl.wiring import info_of
from gossamer.collection.derive.indexer import past_of
from gossamer.collection.derive.past import Past
from gossamer.collection.folder import Folder
from gossamer.collection.maintain.writable_shard import WritableShard, opened
from gossamer.collection.sites import site_of
from gossamer.errors import UsageError
from gossamer.model import URL
from gossamer.plan import Plan
from gossamer.store.repair import prune as shard
from gossamer.store.repair.prune import WASTED, LetGo
from gossamer.store.repair.swaps import resume
from gossamer.store.retention import Rule
from gossamer.store.versions import STATE


def rule_of(plan: Plan, keep: str | None) -> Rule:
    """Which versions stay. Who asks for it must have said it, here or in the plan."""
    rule = (plan if keep is None else plan.changed(keep=keep)).as_retention()
    if keep is None and rule.keeps_all:
        raise UsageError("all versions are kept; say which stay, like --keep 'last 5' or --keep '90 days'")
    return rule


def prunable(readers: ShardReaders, rule: Rule, now: float) -> LetGo:
    """What would go."""
    return sum((shard.would_go(each.archive, rule, now) for each in readers.all), LetGo())


def prune(folder: Folder, plan: Plan, rule: Rule, now: float, *, wasted: float = WASTED) -> LetGo:
    """Nobody else may have the collection open for writing, and all its captures must be committed."""
    done = LetGo()
    for index in range(plan.shards or 1):
        with opened(folder, plan, index) as bench:
            resume(bench.table, STATE, bench.archive.folder)
            with closing(past_of(bench.path, bench.table, bench.archive, site_of(plan))) as past:
                past.hold()
                gone = shard.prune(bench.table, bench.archive, info_of(plan), rule, now, wasted=wasted)
                _forget(past, bench, gone.pages)
            done += gone
    return done


def _forget(past: Past, bench: WritableShard, pages: Iterable[URL]) -> None:
    """What went is not found any more, as of no date."""
    for url in pages if past.whole else ():
        past.settle(url, list(bench.archive.versions.of(url)), shrunk=True)
    past.commit(past.length)
    bench.table.commit()
