"""What every shard remembers of the whole: which one it is, how many there are, and what was asked for.

plan.toml is one small file that people edit. Were it the only record of how many shards there are, losing it would hide
most of a collection. So each crawl leaves a copy in the table of each shard, and whoever opens one compares.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from gossamer import plan as plans
from gossamer.errors import Damaged
from gossamer.frontier.entries import META
from gossamer.plan import Plan
from gossamer.rows import decoder
from gossamer.store.table.table import Table
from gossamer.store.versions import CAPTURES as VERSIONS
from gossamer.store.versions import FOLDER as CAPTURES

_KEY = b"imprint"
_UNFINISHED = b"unfinished"


class Imprint(msgspec.Struct, array_like=True, frozen=True):
    """The row."""

    shard: int
    shards: int
    plan: str
    """plan.toml as the last crawl wrote it, but for passwords."""


imprint_of = decoder(Imprint)


def of(table: Table) -> Imprint | None:
    """What it remembers; None before its first crawl."""
    stored = table.get(META, _KEY)
    return imprint_of(stored) if stored else None


def leave(table: Table, shard: int, plan: Plan) -> None:
    """Part of the next commit, where it says anything new."""
    row = msgspec.msgpack.encode(Imprint(shard, plan.shards or 1, plans.dump(plans.public(plan))))
    if row != table.get(META, _KEY):
        table.put(META, _KEY, row)


def agree(table: Table, shard: int, plan: Plan) -> None:
    """Say so where a shard is another one than it is taken for."""
    found = of(table)
    if found is not None and (found.shard, found.shards) != (shard, plan.shards or 1):
        count = plan.shards or 1
        cure = "gives it its name back" if found.shards == count else f"mends the plan, which has {count}"
        made = f"shards/{shard:02} was made as shard {found.shard} of {found.shards}"
        raise Damaged(f"{made}; `gossamer verify DIR --repair` {cure}")


def is_blank(table: Table, shard: Path) -> bool:
    """Has it no rows at all, though there are captures? Every crawl leaves its imprint before it fetches anything."""
    if of(table) is not None or is_unfinished(table) or table.get(META, b"counts") is not None:
        return False
    from gossamer.store.warc.warc import warc_files

    return next(table.scan(VERSIONS), None) is None and bool(warc_files(shard / CAPTURES))


def require_rows(table: Table, shard: Path) -> None:
    """Say so where somebody has taken the table away and an empty one came in its place."""
    if is_blank(table, shard):
        cure = "`gossamer verify DIR --repair` makes it again from them"
        raise Damaged(f"{shard}: its table is empty, and its captures are there; {cure}")


def set_unfinished(table: Table, unfinished: bool) -> None:
    """The table is being made again, or was. Part of the next commit."""
    if unfinished:
        table.put(META, _UNFINISHED, b"1")
    else:
        table.delete(META, _UNFINISHED)


def is_unfinished(table: Table) -> bool:
    """Is it being made again?"""
    return table.get(META, _UNFINISHED) is not None


def require_finished(table: Table, shard: int) -> None:
    """Nobody but a repair may use a table that has not all rows yet."""
    if is_unfinished(table):
        raise Damaged(f"shards/{shard:02} was being repaired; `gossamer verify DIR --repair` goes on with it")
