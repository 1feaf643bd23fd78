"""When did a crawl begin? With the first, with each `--revisit`, with each that names a new seed, and with a watch.

A watch is one crawl, however often it is ended and started again. A crawl that only goes on, after an interrupt or with
a higher limit, belongs to the one that it continues: "what has changed since the last crawl?" does not mean since the
interrupt. Every shard notes the moment in the commit in which it does what was asked, and compares its own
captures with it.
"""

from __future__ import annotations

import msgspec

from gossamer.frontier.entries import META
from gossamer.rows import Seconds, decoder
from gossamer.store.table.table import Table

KEPT = 1_000
"""Beginnings that are remembered, the last ones."""
_KEY, _WATCH = b"runs", b"run watches"
_runs = decoder(tuple[Seconds, ...])


def of(table: Table) -> tuple[float, ...]:
    """The moments, the last one at the end. None where a table is older than this, or was made again."""
    stored = table.get(META, _KEY)
    return _runs(stored) if stored else ()


def is_watch(table: Table) -> bool:
    """Whether the last one is a watch."""
    return table.get(META, _WATCH) is not None


def begin(table: Table, now: float, *, watch: bool = False) -> None:
    """One more; part of the next commit."""
    table.put(META, _KEY, msgspec.msgpack.encode((*of(table), now)[-KEPT:]))
    if watch:
        table.put(META, _WATCH, b"")
    else:
        table.delete(META, _WATCH)
