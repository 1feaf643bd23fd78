"""Second chances: what is done, failed or left out may be queued again when somebody asks for it, or it is lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec.structs import replace

from gossamer.frontier.discover.discovery import HTTPS_SILENT, Discovery, as_found
from gossamer.frontier.entries import META, REMOVED, Entry, State
from gossamer.frontier.ledger import Ledger, is_page
from gossamer.frontier.queue.back_queues import Queues
from gossamer.frontier.queue.retry import Retries
from gossamer.model import Fault
from gossamer.rows import number
from gossamer.store.table.table import Table
from gossamer.urls.seeds import in_place_of

Change: TypeAlias = tuple[str, Entry, Entry]
"""An address, the entry that it is to have, and the one that it has."""


def fetched(ledger: Ledger) -> Iterator[Change]:
    """Every page that was fetched; its validators go along, so that only what has changed comes."""
    for url, entry in list(ledger.all()):
        if is_page(entry):
            yield url, replace(entry, state=State.QUEUED, attempt=0, headed=False, reason=""), entry


def failed(ledger: Ledger, urls: Iterable[str]) -> Iterator[Change]:
    """Those of the addresses that failed."""
    for url in urls:
        entry = ledger.get(url)
        if entry is not None and entry.state is State.FAILED:
            yield url, replace(entry, state=State.QUEUED, attempt=0, reason=""), entry


def failed_seeds(ledger: Ledger) -> Iterator[Change]:
    """All seeds that failed."""
    rows = ledger.all() if ledger.counts.failed else ()
    return failed(ledger, [url for url, entry in rows if entry.state is State.FAILED and _is_seed(url, entry)])


def _is_seed(url: str, entry: Entry) -> bool:
    """It is at no depth and was found nowhere, or is http in the place of https that does not answer."""
    return not entry.depth and (entry.referrer is None or in_place_of(entry.referrer) == url)


def blocked(ledger: Ledger) -> Iterator[Change]:
    """All that failed because the guard refused the address of its host."""
    if any(words.startswith(Fault.BLOCKED_ADDRESS) for words in ledger.counts.failures):
        for url, entry in list(ledger.all()):
            if entry.state is State.FAILED and entry.reason.startswith(Fault.BLOCKED_ADDRESS):
                yield url, replace(entry, state=State.QUEUED, attempt=0, reason=""), entry


def admitted(ledger: Ledger, discovery: Discovery) -> Iterator[Change]:
    """All that was left out, and may come in by a scope that has changed."""
    for url, entry in list(ledger.all()):
        left_out = entry.state is State.EXCLUDED and not entry.reason.startswith((REMOVED, HTTPS_SILENT))
        if left_out and discovery.refusal(as_found(url, entry)) is None:
            yield url, replace(entry, state=State.QUEUED, reason=""), entry


def refused(ledger: Ledger, discovery: Discovery) -> Iterator[tuple[str, Entry, str]]:
    """All that is queued and must go by a scope that has changed, each with the reason."""
    for url, entry in ledger.all():
        refusal = discovery.refusal(as_found(url, entry)) if entry.state is State.QUEUED else None
        if refusal is not None:
            yield url, entry, refusal


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
