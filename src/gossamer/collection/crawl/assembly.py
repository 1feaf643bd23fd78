"""How are the parts of a crawl of one shard put together?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.collection.crawl import on_demand
from gossamer.collection.crawl.commit_order import CommitOrder
from gossamer.collection.crawl.gauge import Gauge, Hold
from gossamer.collection.crawl.network import Network
from gossamer.collection.crawl.news import telling
from gossamer.collection.crawl.outside import Fetch, Outside
from gossamer.collection.crawl.page_ranks import PageRanks
from gossamer.collection.crawl.page_reader import PageReader
from gossamer.collection.crawl.requisites import guarded
from gossamer.collection.crawl.rereading import Lists
from gossamer.collection.crawl.stages import Keeper, Stages, fold_copy
from gossamer.collection.crawl.wiring import ShardPlan, blocks_of, deriving, rules_of, signing_out, watch_rules_of
from gossamer.collection.derive.underived import Underived
from gossamer.collection.imports.hand_over import Alone
from gossamer.collection.imports.import_files import ImportFile
from gossamer.collection.imports.import_filter import ImportFilter
from gossamer.collection.imports.import_source import ImportSource
from gossamer.collection.sites import site_of
from gossamer.fetch.body import decoded
from gossamer.fetch.memory_budget import Held
from gossamer.frontier import Frontier
from gossamer.frontier.rules import Outward, Rules
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.disk import Disk
from gossamer.store.table.table import Table
from gossamer.store.warc.gzip_members import BODY_MOST
from gossamer.urls.schemes import scheme_of

if TYPE_CHECKING:
    from gossamer.collection.crawl.folders import Folders
    from gossamer.collection.crawl.rendering import Rendering
    from gossamer.collection.derive.derived import Derived
    from gossamer.topic.judge import Judge


@dataclass(frozen=True, slots=True)
class Assembly:
    """What a crawl of one shard works with."""

    rules: Callable[[ShardPlan], Rules]
    """What the frontier goes by, by the plan as it is then."""
    reader: PageReader
    network: Network
    archive: Archive
    derived: Derived | Underived
    frontier: Frontier
    import_source: ImportSource
    folders: Folders | None
    """The files of this machine that it reads, in the place of the web."""
    rendering: Rendering | None
    fetch: Fetch
    """Where what is due comes from: files of an import, folders, the network, or who stands in for that."""
    gauge: Gauge
    hold: Hold
    keeper: Keeper
    order: CommitOrder
    stages: Stages
    lists: Lists


def assemble(
    shard: Path,
    collection: Path | None,
    mine: ShardPlan,
    table: Table,
    outside: Outside,
    imported_files: Sequence[ImportFile],
) -> Assembly:
    """All of them; with `imported_files` nothing is fetched. `collection` is the directory of the whole."""
    plan, clock, peers, imports = mine.plan, outside.clock, mine.peers, bool(imported_files)
    whole = collection or shard.parent.parent
    topic = on_demand.topic_judge(plan, whole, table)
    disk = Disk(shard, plan.as_marks(), outside.room)
    blocks = blocks_of(table) if plan.build else None
    on_page = on_demand.page_function(plan, table, collection, outside.on_page)
    reader = PageReader(shard, plan, table, blocks, (on_page, on_demand.topic_field(topic, table)))
    held = Held(plan.memory / max(plan.shards, 1), 2 * plan.workers)
    folders = on_demand.folders_of(plan, collection, clock)
    leased_until = partial(getattr, peers, "leased_until") if peers else lambda: inf
    network = Network(plan, clock, held, lambda visit: frontier.address(visit), outside.logins, leased_until)
    only_news = outside.fresh_until is not None
    archive = Archive(table, shard, partial(decoded, limits=plan.as_limits()), only_news=only_news)
    derived = deriving(plan)(shard, table, archive, site_of(plan))
    rules = partial(_rules, outside=outside, topic=topic, imports=imports)
    asks_nobody = outside.fetch or plan.proxy or imports or folders
    outward = Outward(
        None if asks_nobody else network.addresses,
        copied=partial(fold_copy, archive, derived),
        again=lambda url, then: lists.read_on(url, then),
        earlier=archive.page_at,
        learned=partial(on_demand.note_learned, table),
        rank=PageRanks(whole),
    )
    frontier = Frontier(table, rules(mine), clock, seen=shard / "seen", outward=outward, peers=peers)
    limits = plan.as_limits()
    import_source = ImportSource(
        imported_files,
        table,
        ImportFilter(table, archive, limits, mine.owns, clock),
        frontier,
        max(limits.document, BODY_MOST) + limits.framing,
        peers or Alone(),
    )
    gauge = Gauge(plan, frontier, disk, clock, started=outside.began)
    hold = Hold(frontier, gauge, disk, outside.checkpoints)
    keeper = Keeper(archive, derived, reader.poison_pages, import_source.kept)
    order = CommitOrder(
        table=table,
        clock=clock,
        archive=archive,
        derived=derived,
        frontier=frontier,
        import_source=import_source,
        gauge=gauge,
        blocks=blocks,
        peers=peers,
        watch_disk=hold.watch_disk,
        is_watch=only_news,
        well=peers.well if peers else None,
    )
    opened = network.addresses if plan.allow_addresses and not (plan.proxy or outside.fetch or imports) else None
    fetch = import_source.fetch if imports else _reaching(plan, outside, network, folders)
    if plan.keeps_requisites() and opened:
        fetch = guarded(fetch, opened, clock)
    if outside.told:
        fetch = telling(fetch, outside.told)
    rendering = None
    if plan.render != "never" and not (imports or folders or outside.heads):
        from gossamer.collection.crawl.rendering import Rendering, keeping

        kept = keeping(keeper, order.commits, held)
        rendering = Rendering(plan, table, fetch, frontier.errands, kept, opened, signing_out(outside.logins))
    stages = Stages(reader, keeper, order.commits, held, clock, take_turns=not (imports or folders))
    lists = Lists(archive, reader, order.commits, frontier)
    if peers:
        peers.attach(frontier)
    return Assembly(
        rules=rules,
        reader=reader,
        network=network,
        archive=archive,
        derived=derived,
        frontier=frontier,
        import_source=import_source,
        folders=folders,
        rendering=rendering,
        fetch=rendering.fetch if rendering else fetch,
        gauge=gauge,
        hold=hold,
        keeper=keeper,
        order=order,
        stages=stages,
        lists=lists,
    )


def _rules(mine: ShardPlan, *, outside: Outside, topic: Judge | None, imports: bool) -> Rules:
    plan = mine.plan
    until = (outside.began or 0.0) + plan.time if plan.time else inf
    if outside.fresh_until is not None:
        until = min(until, outside.fresh_until)
    product = plan.as_identity().product
    rules = rules_of(plan, product, outside.order, imports=imports, heads=outside.heads, until=until)
    watch = watch_rules_of(plan) if outside.fresh_until is not None else None
    return replace(rules, scope=mine.scope(), watch=watch, topic=topic, signs_out=signing_out(outside.logins))


def _reaching(plan: Plan, outside: Outside, network: Network, folders: Folders | None) -> Fetch:
    """Folders, the network, or who stands in for that."""
    fetch = folders.fetch if folders else outside.fetch or network.fetch
    return network.speak(plan, fetch) if any(map(scheme_of, plan.seeds)) else fetch
