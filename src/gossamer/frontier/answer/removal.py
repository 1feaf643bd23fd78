"""Addresses that somebody has taken out of the collection: left out from now on, whatever links to them."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from gossamer.frontier.entries import FIRSTS, META, QUEUE, REMOVED, STANDING, Entry, State
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.queue.back_queues import Queues
from gossamer.frontier.queue.waiting_origins import WaitingOrigins
from gossamer.rows import number
from gossamer.store.table.table import Table
from gossamer.urls import keys


def is_removed(entry: Entry | None) -> bool:
    """Was it taken out?"""
    return entry is not None and entry.state is State.EXCLUDED and entry.reason == REMOVED


def leave_out(table: Table, urls: Iterable[str], now: float) -> None:
    """From the next commit on they are excluded; those that were queued leave their queues."""
    ledger, queues = Ledger(table), Queues(table, number(table.get(META, b"sequence") or b""))
    origins = set()
    for url in urls:
        entry = ledger.get(url)
        if entry is None or is_removed(entry):
            continue
        if entry.state is State.QUEUED:
            queues.remove(url, entry.rank, entry.position)
            origins.add(keys.origin(url))
        ledger.put(url, _bare(entry).after(now, REMOVED, state=State.EXCLUDED, reason=REMOVED), entry)
    ledger.save()
    _let_leave(table, origins, queues)


def _bare(entry: Entry) -> Entry:
    """Without what was learned from its answers."""
    return replace(
        entry, history=(), target=None, etag=None, modified=None, status=0, due=0.0, copy=False, soft="", held=False
    )


def forget_firsts(table: Table, urls: set[str]) -> None:
    """Nothing is a copy of them any more, in no shard."""
    for key, url in list(table.scan(FIRSTS)):
        if keys.url_in(url) in urls:
            table.delete(FIRSTS, key)


def tidy_turns(table: Table) -> None:
    """Rows that were made again without a crawl: origins whose queues came to nothing lose their turns."""
    queues = Queues(table, number(table.get(META, b"sequence") or b""))
    _let_leave(table, [keys.origin_in(name) for name, _ in table.scan(STANDING)], queues)


def _let_leave(table: Table, origins: Iterable[str], queues: Queues) -> None:
    """An origin with nothing queued has no turn."""
    waiting_origins = WaitingOrigins(table, queues.next_position)
    for origin in origins:
        if next(table.scan(QUEUE, prefix=origin.encode() + b"\0", limit=1), None) is None:
            waiting_origins.leave(origin)
    waiting_origins.save()
