"""Let old versions of pages go in all shards, by the rule of the plan or another one; see `store.repair.prune`."""

from __future__ import annotations

from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.crawl.wiring import info_of
from gossamer.collection.folder import Folder
from gossamer.collection.maintain.writable_shard import opened
from gossamer.errors import UsageError
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
            done += shard.prune(bench.table, bench.archive, info_of(plan), rule, now, wasted=wasted)
    return done
