"""What does a plan mean for the parts of a crawl? Which site is an address of, what comes first, how is it asked?

And for one shard: which addresses are its own, and how are its files named?
"""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from math import inf
from typing import TYPE_CHECKING

from gossamer.collection.derive.underived import Underived
from gossamer.collection.seed_list import SeedList, Slice
from gossamer.collection.sites import site_of
from gossamer.dedupe.column_families import BLOCKS
from gossamer.fetch import Route
from gossamer.fetch.logins import Logins
from gossamer.freshness.revisit import Goal
from gossamer.freshness.waits import policy_of
from gossamer.frontier.polite.limits import Allowance
from gossamer.frontier.queue.rank import ORDERS, Order
from gossamer.frontier.rules import Rules, WatchRules
from gossamer.frontier.shards.peers import Peers
from gossamer.model import Clock, Kind
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.warc.records import Info
from gossamer.urls import rules as url_rules
from gossamer.urls import site
from gossamer.urls.scope import Scope
from gossamer.urls.seeds import address

if TYPE_CHECKING:
    from gossamer.collection.derive.derived import Derived
    from gossamer.dedupe.blocks import Blocks

DERIVING = (
    "gossamer.collection.derive.derived",
    "gossamer.convert.html.article",
    "gossamer.convert.html.metadata",
    "gossamer.dedupe.blocks",
)
"""What is loaded with the first page of which something is made."""
FRONT_PER_WORKER = 3
"""Mercator's figure: back queues for each worker."""


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """The plan, and the place of a shard among its peers; one that is alone has none."""

    plan: Plan
    peers: Peers | None = None
    seed_list: SeedList | None = None

    @property
    def number(self) -> int:
        """Which shard it is."""
        return self.peers.me if self.peers else 0

    def owns(self, url: str) -> bool:
        """Is an address of this shard?"""
        return self.peers is None or self.peers.owner(url) == self.peers.me

    def seeds(self) -> list[str]:
        """The seeds of the plan that are its own."""
        return [seed for seed in self.plan.seeds if self.owns(address(seed))]

    def listed(self, note: bytes) -> Iterator[Slice]:
        """Its own seeds of the list, from the slice on that comes after the one with this note."""
        for each in self.seed_list.slices(note) if self.seed_list else ():
            yield Slice([seed for seed in each.seeds if self.owns(address(seed))], each.note)

    def scope(self) -> Scope:
        """What the crawl is about, by the seeds of all shards: what one finds is sent to another."""
        scope = self.plan.as_scope()
        return self.seed_list.widen(scope) if self.seed_list else scope

    def open_captures(self, archive: Archive, clock: Clock) -> None:
        """From now on captures are appended, to files with the name of this shard."""
        archive.open(info_of(self.plan), clock, prefix=self._prefix, max_bytes=self.plan.warc_bytes)

    def open_texts(self, archive: Archive, clock: Clock) -> None:
        """The same for texts, unless the crawl only collects."""
        if self.plan.build:
            archive.texts.open(info_of(self.plan), clock, prefix=self._prefix, max_bytes=self.plan.warc_bytes)

    @property
    def _prefix(self) -> str:
        return prefix_of(self.peers.me if self.peers else None)


def info_of(plan: Plan) -> Info:
    """Who made the files of the archive."""
    identity = plan.as_identity()
    return Info(f"{identity.product}/{identity.version}", agent=identity.agent, operator=identity.contact or None)


def prefix_of(shard: int | None) -> str:
    """How the names of the files of a shard begin; one that is alone has no number."""
    return "gossamer" if shard is None else f"gossamer-{shard:02}"


def rules_of(
    plan: Plan, agent: str, order: Order | None, *, imports: bool, heads: bool = False, until: float = inf
) -> Rules:
    """What the frontier goes by; `order` takes the place of the plan's, with `heads` no body is wanted, and it ends
    when it is `until`."""
    return Rules(
        scope=plan.as_scope(),
        politeness=plan.as_politeness(),
        agent=agent,
        pages=plan.pages,
        allowance=Allowance(plan.bytes, until),
        pages_per_host=plan.pages_per_host,
        closed=imports,
        patience=plan.patience,
        sitemaps=plan.reads_sitemaps(),
        head_first=head_first(plan.changed(head="always") if heads else plan),
        heads=heads,
        wanted=lambda media_type: not heads and not plan.as_limits().skips(Kind.PAGE, media_type),
        rewrite=rewriting(plan),
        order=order or order_of(plan),
        weigh=plan.weighs(),
        forms=plan.forms if not imports else "off",
        form_budget=plan.form_budget,
        requisites=plan.keeps_requisites() and not imports,
        requisites_per_host=plan.requisites_per_host,
        requisites_own=plan.requisites_robots == "own",
        media_links=plan.archive,
        site=site_of(plan),
        at_once=plan.workers,
        front=FRONT_PER_WORKER * plan.workers,
    )


def signing_out(logins: Logins) -> Callable[[str, str], bool] | None:
    """Which links would end the session that a login has begun? None where there is no login."""
    if not logins:
        return None
    from gossamer.urls.signing_out import signs_out

    return lambda url, anchor: signs_out(url, anchor) and logins.holds(url)


def watch_rules_of(plan: Plan) -> WatchRules:
    """How a watch keeps pages up to date."""
    goal: Goal = "freshness" if plan.goal == "freshness" else "age"
    return WatchRules(plan.budget, goal, plan.budget_bytes, policy_of(plan.revisit_policy))


def preload(plan: Plan) -> tuple[str, ...]:
    """The modules that a shard of a crawl needs, so that they are loaded once for all shards."""
    return ("gossamer.collection.crawl.shard", *(DERIVING if plan.build else ()))


def deriving(plan: Plan) -> type[Derived | Underived]:
    """What a crawl makes of its pages, loaded only by a crawl that makes anything."""
    if not plan.build:
        return Underived
    from gossamer.collection.derive.derived import Derived

    return Derived


def blocks_of(table: Table) -> Blocks:
    """Which blocks of which host are template, as its rows remember it."""
    from gossamer.dedupe.blocks import Blocks  # with NumPy, which a crawl that only collects does without

    return Blocks(partial(table.get, BLOCKS), partial(table.put, BLOCKS))


def route_of(plan: Plan) -> Route:
    """How requests get out."""
    return Route(plan.proxy or None, plan.ca_file or None)


def order_of(plan: Plan) -> Order:
    """Which pages of a host come first, by the orders of the plan and of its sites."""
    usual = ORDERS[plan.order]
    if not plan.site_orders:
        return usual
    own = {name: ORDERS[order] for name, order in plan.site_orders.items()}
    site = site_of(plan)
    return lambda url, entry: own.get(site(url), usual)(url, entry)


def head_first(plan: Plan) -> Callable[[str], bool]:
    """Which addresses are asked for their type before their body."""
    if plan.folders:
        return lambda _: False
    limits = plan.as_limits()

    @lru_cache(maxsize=1_024)
    def is_skipped(ending: str) -> bool:
        guess = mimetypes.guess_type(f"name.{ending}", strict=False)[0]
        return guess is not None and limits.skips(Kind.PAGE, guess)

    def looks_unwanted(url: str) -> bool:
        _, *endings = url.partition("?")[0].rpartition("/")[2].split(".")[-3:]  # two of them: `.tar.gz`
        return bool(endings) and is_skipped(".".join(endings))

    return {"never": lambda _: False, "always": lambda _: True}.get(plan.head, looks_unwanted)


def rewriting(plan: Plan) -> Callable[[str], str] | None:
    """The further rules for addresses that the plan asks for; None when it asks for none."""
    if plan.folders or (not plan.url_rules and not plan.site_rules):
        return None

    def rewrite(url: str) -> str:
        names = (*plan.url_rules, *plan.site_rules.get(site(url, plan.suffixes), ()))
        return url_rules.apply(url, names)

    return rewrite
