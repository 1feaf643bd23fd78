"""Second chances: what is done, failed or left out may be queued again when somebody asks for it, or it is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from msgspec.structs import replace

from gossamer.frontier.answer.transitions import Settlement
from gossamer.frontier.discover.discovery import Discovery, as_found
from gossamer.frontier.entries import META, REMOVED, Entry, State
from gossamer.frontier.ledger import Ledger, is_page
from gossamer.frontier.queue.back_queues import Queues
from gossamer.frontier.queue.retry import Retries
from gossamer.rows import number
from gossamer.store.table.table import Table

Enqueue: TypeAlias = Callable[[str, Entry], Entry]


def revisit(ledger: Ledger, enqueue: Enqueue) -> None:
    """Every page that was fetched; its validators go along, so that only what has changed comes."""
    for url, entry in list(ledger.all()):
        if is_page(entry):
            queued = replace(entry, state=State.QUEUED, attempt=0, headed=False, reason="")
            ledger.put(url, enqueue(url, queued), entry)


def retry(ledger: Ledger, enqueue: Enqueue, urls: Iterable[str]) -> None:
    """Those of the addresses that failed."""
    for url in urls:
        entry = ledger.get(url)
        if entry is not None and entry.state is State.FAILED:
            queued = replace(entry, state=State.QUEUED, attempt=0, reason="")
            ledger.put(url, enqueue(url, queued), entry)


def reconsider(ledger: Ledger, enqueue: Enqueue, discovery: Discovery, settle: Settlement) -> list[str]:
    """All that is queued or left out, by a scope that has changed. Gives what is queued no more."""
    gone = []
    for url, entry in list(ledger.all()):
        if entry.state not in (State.EXCLUDED, State.QUEUED) or entry.reason == REMOVED:
            continue
        refusal = discovery.refusal(as_found(url, entry))
        if entry.state is State.QUEUED and refusal is not None:
            settle.end(url, entry, State.EXCLUDED, refusal)
            discovery.left_out(url, refusal)
            gone.append(url)
        elif entry.state is State.EXCLUDED and refusal is None:
            ledger.put(url, enqueue(url, replace(entry, state=State.QUEUED, reason="")), entry)
    return gone


def fetch_again(table: Table, urls: Iterable[str], now: float, reason: str) -> list[str]:
    """What was fetched and is lost is due again, without the validators that would spare the server. Who is queued."""
    ledger, retries = Ledger(table), Retries(table)
    queues = Queues(table, number(table.get(META, b"sequence") or b""))
    queued = []
    for url in urls:
        entry = ledger.get(url)
        if entry is not None and entry.state is State.DONE:
            position = queues.next_position()
            retries.append(url, now, position)
            fresh = {"attempt": 0, "headed": False, "etag": None, "modified": None, "copy": False}
            again = entry.after(now, reason, state=State.QUEUED, reason=reason, due=now, position=position, **fresh)
            ledger.put(url, again, entry)
            queued.append(url)
    table.put(META, b"sequence", queues.sequence.to_bytes(8, "big"))
    ledger.save()
    return queued
