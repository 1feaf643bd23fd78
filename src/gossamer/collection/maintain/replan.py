"""A plan that is lost is written again: from the copy that the last crawl left in the shards, or from what is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gossamer import files
from gossamer import plan as plans
from gossamer.collection.column_families import only
from gossamer.collection.crawl import shard_identity
from gossamer.collection.crawl.shard_identity import Imprint
from gossamer.collection.folder import Folder
from gossamer.errors import GossamerError, InvalidPlan
from gossamer.frontier.entries import META
from gossamer.model import Kind
from gossamer.plan import Plan
from gossamer.printable import counted
from gossamer.store.repair.swaps import DAMAGED
from gossamer.store.table.table import Table
from gossamer.store.versions import FOLDER as CAPTURES
from gossamer.store.warc.reader import circumstances, whole_captures
from gossamer.store.warc.warc import warc_files


def replan(folder: Folder) -> tuple[list[str], Path | None]:
    """Write the plan again where it is damaged or has another number of shards than there are.

    What was wrong and where the old one is now.
    """
    damage, known = folder.damage_of_plan() or _slip(folder), list(_imprints(folder))
    count = known[0].shards if known else max(folder.numbers(), default=0) + 1
    if damage is not None:
        plan, words = _remembered(folder, known)
        aside = files.put_aside(folder.plan_file, folder.path / DAMAGED)
        folder.save_plan(plan.changed(shards=count))
        return [f"{folder.plan_file}: {damage}; {words}"], aside
    plan = folder.load_plan()
    if count == (plan.shards or 1):
        return [], None
    folder.save_plan(plan.changed(shards=count))
    has, made = counted(plan.shards or 1, "shard"), counted(count, "was", "were")
    return [f"{folder.plan_file}: has {has}, but {made} made; it says so now"], None


def _slip(folder: Folder) -> str | None:
    """A user who asks for a repair, and was warned of it, wants it gone."""
    try:
        folder.load_plan()
    except InvalidPlan as error:
        return "cannot be read" if isinstance(error.__cause__, InvalidPlan) and error.__cause__.__cause__ else None
    return None


def _remembered(folder: Folder, known: list[Imprint]) -> tuple[Plan, str]:
    for each in known:
        with suppress(GossamerError):  # a setting that this version does not know
            return plans.parse(each.plan, folder.plan_file), "the settings of the last crawl are back"
    seeds = tuple(dict.fromkeys(_seeds(folder)))
    back = f"{counted(len(seeds), 'seed')} {'is' if len(seeds) == 1 else 'are'} back"
    return Plan(seeds=seeds), f"no copy of it was found: {back}, all else has its default"


def _imprints(folder: Folder) -> Iterator[Imprint]:
    for index in folder.numbers():
        with suppress(GossamerError), Table.open_alone(folder.table(index), only(META)) as table:
            if found := shard_identity.of(table):
                yield found


def _seeds(folder: Folder) -> Iterator[str]:
    """What nothing pointed to: seeds come first, so the first file of a shard has them."""
    for index in folder.numbers():
        for path in warc_files(folder.shard(index) / CAPTURES)[:1]:
            for group in whole_captures(path):
                with suppress(GossamerError):
                    told = circumstances(group.metadata)
                    asked = told.source is None and told.visit.kind is Kind.PAGE
                    if asked and told.visit.depth == 0 and told.visit.referrer is None:
                        yield told.visit.url
