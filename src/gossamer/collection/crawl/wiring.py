"""What does a plan mean for the parts of a crawl? Which site is an address of, what comes first, how is it asked?"""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from math import inf
from typing import TYPE_CHECKING, Any

from gossamer.collection.derive.underived import Underived
from gossamer.dedupe.families import BLOCKS
from gossamer.fetch import Guard, Route
from gossamer.frontier.polite.limits import Allowance
from gossamer.frontier.queue.rank import ORDERS, Order
from gossamer.frontier.rules import Rules
from gossamer.model import Kind
from gossamer.plan import Plan
from gossamer.store.table.table import Table
from gossamer.urls import keys, site
from gossamer.urls import rules as url_rules
from gossamer.urls.patterns import glob_hint

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


def check(plan: Plan) -> None:
    """Complain about a setting that no part would take, before anything is made."""
    plan.as_scope()
    plan.as_identity()
    Guard(plan.allow_addresses)
    route_of(plan)


def hints(settings: Mapping[str, Any]) -> Iterator[str]:
    """What is allowed and hardly meant, of the settings that are given now."""
    for name in ("include", "exclude"):
        for pattern in settings.get(name, ()):
            if hint := glob_hint(pattern):
                yield f"{name} {pattern!r}: {hint}"


def rules_of(plan: Plan, agent: str, order: Order | None, *, imports: bool, until: float = inf) -> Rules:
    """What the frontier goes by; `order` takes the place of the plan's, and it ends when it is `until`."""
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
        head_first=head_first(plan),
        wanted=lambda media_type: not plan.as_limits().skips(Kind.PAGE, media_type),
        rewrite=rewriting(plan),
        order=order or order_of(plan),
        weigh=plan.weighs(),
        site=site_of(plan),
        at_once=plan.workers,
        front=FRONT_PER_WORKER * plan.workers,
    )


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


def site_of(plan: Plan) -> Callable[[str], str]:
    """Which site an address belongs to, by the suffixes of the plan."""
    suffixes = frozenset(plan.suffixes)
    of_host = lru_cache(maxsize=65_536)(lambda host: site(host, suffixes))
    return lambda url: of_host(keys.host(url))


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
    if not plan.url_rules and not plan.site_rules:
        return None

    def rewrite(url: str) -> str:
        names = (*plan.url_rules, *plan.site_rules.get(site(url, plan.suffixes), ()))
        return url_rules.apply(url, names)

    return rewrite
