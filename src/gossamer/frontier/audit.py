"""Do the sums add up? Every address in one state, everything queued in one queue, the counters as they should be."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from gossamer import printable
from gossamer.frontier.entries import HOSTS, LATER, QUEUE, STANDING, TURNS, State
from gossamer.frontier.ledger import Counts, Ledger, Needed
from gossamer.frontier.queue.back_queues import Queues
from gossamer.frontier.queue.waiting_origins import WAITS
from gossamer.frontier.tally import Sums, Tally
from gossamer.frontier.worth import opic
from gossamer.store.table.table import Table
from gossamer.urls import keys

_COUNTERS = [
    "queued",
    "done",
    "failed",
    "excluded",
    "pages",
    "again",
    "unreached",
    "hosts",
    "duplicates",
    "near_duplicates",
]


def audit(table: Table) -> Iterator[str]:
    """What is wrong, one line each; nothing when all is well."""
    ledger = Ledger(table)
    says = ledger.counts.needed
    needed = None if says is None else Needed(reasons=None if says.reasons is None else {})
    remarks: dict[str, int] | None = None if ledger.counts.remarks is None else {}
    retries: dict[str, int] | None = None if ledger.counts.retries is None else {}
    counted = Counts(again=min(ledger.counts.again, 0), needed=needed, remarks=remarks, retries=retries)
    tallied = Tally.is_whole(table)
    for host, rows in groupby(ledger.all(), key=lambda row: keys.host(row[0])):
        before, sums = counted.queued, Sums(counted.kept, counted.failed)
        for _, entry in rows:
            counted.shift(entry, 1)
        is_ = Sums(counted.kept - sums.pages, counted.failed - sums.failed)
        if tallied and ledger.tally.of(host) != is_:
            pages, failed = ledger.tally.of(host)
            told = f"{printable.counted(pages, 'page')} and {printable.counted(failed, 'failure')}"
            yield f"{host}: {told} are counted, but {is_.pages} and {is_.failed} are"
        if ledger.backlog.of(host) != counted.queued - before:
            yield f"{host}: {ledger.backlog.of(host)} are counted as queued, but {counted.queued - before} are"
    if ledger.backlog.total() != counted.queued:
        told = printable.counted(counted.queued, "address is", "addresses are")
        yield f"{told} queued, but the hosts count {ledger.backlog.total()}"
    counted.hosts = sum(1 for _ in table.scan(HOSTS))
    for name in _COUNTERS:
        says, is_ = getattr(ledger.counts, name), getattr(counted, name)
        if says != is_:
            yield f"the counter of {name} says {says}, but there are {is_}"
    if ledger.counts.needed != needed:
        yield f"the counters of what pages need say {ledger.counts.needed}, but it is {needed}"
    if sum((ledger.counts.remarks or {}).values()) != sum((remarks or {}).values()):
        yield f"the counters of remarks on pages say {ledger.counts.remarks}, but it is {remarks}"
    if sum((ledger.counts.retries or {}).values()) != sum((retries or {}).values()):
        yield f"the counters of what is tried again say {ledger.counts.retries}, but it is {retries}"
    yield from _queues(table, ledger, counted.queued)
    yield from _waiting_origins(table)
    yield from opic.audit(table)


def _queues(table: Table, ledger: Ledger, queued: int) -> Iterator[str]:
    waiting = 0
    for family in (QUEUE, LATER):
        for key, url in table.scan(family):
            entry = ledger.get(keys.url_in(url))
            current = entry is not None and entry.position == int.from_bytes(key[-8:], "big")
            if current and entry is not None and entry.state is State.QUEUED:
                waiting += 1
            elif family == QUEUE:
                yield f"{keys.url_in(url)}: in a queue but not queued"
    if waiting != queued:
        yield f"{printable.counted(queued, 'address is', 'addresses are')} queued, but {waiting} in a queue"


def _waiting_origins(table: Table) -> Iterator[str]:
    """Every origin with a queue has one turn, and no other waits for one.

    One that the robots.txt of others led to may be at work or asleep without a queue; it leaves when its turn comes.
    """
    queues = set(Queues(table, 0).origins())
    standing = {keys.origin_in(name): key for name, key in table.scan(STANDING)}
    waiting = {name for name, key in standing.items() if key[:1] == WAITS}
    for name in sorted((queues - set(standing)) | (waiting - queues)):
        yield f"{name}: has a queue but no turn" if name in queues else f"{name}: has a turn but no queue"
    if {key: keys.origin_in(name) for key, name in table.scan(TURNS)} != {key: name for name, key in standing.items()}:
        yield "the turns of the origins are not where they should be"
