"""Second chances: what is done, failed or left out may be queued again when somebody asks for it, or it is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, TypeAlias

from msgspec.structs import replace

from gossamer.frontier.discover.discovery import HTTPS_SILENT, Discovery, as_found
from gossamer.frontier.entries import LATER, META, REMOVED, Entry, State
from gossamer.frontier.holding import Holding, holding_of, is_closed
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.queue.agenda import Agenda
from gossamer.frontier.queue.back_queues import Queues
from gossamer.frontier.queue.rank import FIRST
from gossamer.model import Fault, Kind
from gossamer.rows import number
from gossamer.store.table.table import Table
from gossamer.urls.seeds import in_place_of

Change: TypeAlias = tuple[str, Entry, Entry]
"""An address, the entry that it is to have, and the one that it has."""

WANTS_LOGIN = (401, 403, 407)
"""What a server answers to whom it does not let in."""


def asked(ledger: Ledger, *, has_room: Callable[[str], bool], requisites: bool) -> Iterator[Change]:
    """Every page that was asked for; the validators of those that are here go along, so that only what has changed
    comes. With `requisites`, what they need too.

    A page that is here is asked for again also where robots.txt has closed it since, or its last visit failed. What
    never came, is gone or redirects may be a page by now: a site that was down for one night would be lost otherwise.
    It would be one more page, so where there is no room for it, it stays what it is.

    They come before all that is new, in the order that they had, and pages that are here come first, also those that
    have to be tried again: a limit on pages would let others in instead.
    """
    kinds = (Kind.PAGE, Kind.RESOURCE) if requisites else (Kind.PAGE,)
    here, absent = [], []
    for url, entry in ledger.all():
        if entry.kind in kinds:
            if _was_brought(entry):
                here.append((url, entry))
            elif _led_nowhere(entry) and has_room(url):
                absent.append((url, entry))
    again: dict[str, Any] = {"state": State.QUEUED, "attempt": 0, "headed": False}
    for url, entry in sorted(here, key=_rank):
        yield url, replace(entry, **again, rank=FIRST, reason=""), entry
    again |= {"rank": FIRST + 1, "etag": None, "modified": None}
    for url, entry in sorted(absent, key=_rank):
        broken = entry.reason if entry.state is State.FAILED else ""  # until it was answered, it still is
        yield url, replace(entry, **again, reason=broken), entry


def _rank(row: tuple[str, Entry]) -> int:
    return row[1].rank


def _led_nowhere(entry: Entry) -> bool:
    """It failed, or redirects."""
    return entry.state is State.FAILED or (entry.state is State.DONE and entry.target is not None)


def _was_brought(entry: Entry) -> bool:
    """It is here, and nothing but a robots.txt keeps it from being asked for."""
    match holding_of(entry):
        case Holding.PAGE | Holding.REQUISITE:
            return True
        case Holding.PAGE_UNREACHED if entry.state is State.FAILED:
            return True
    return is_closed(entry)


def again(changes: Iterable[tuple[str, Entry]]) -> Iterator[Change]:
    """Addresses that are known, and may say something else now; those that are queued or left out stay so.

    What failed is not held against what it was before: that is not in the index any more.
    """
    for url, entry in changes:
        if entry.state in (State.DONE, State.FAILED):
            kept = entry.state is State.DONE
            before = {"etag": entry.etag if kept else None, "modified": entry.modified if kept else None}
            yield url, replace(entry, state=State.QUEUED, attempt=0, headed=False, reason="", **before), entry


def failed(ledger: Ledger, urls: Iterable[str]) -> Iterator[Change]:
    """Those of the addresses that failed."""
    for url in urls:
        entry = ledger.get(url)
        if entry is not None and entry.state is State.FAILED:
            yield url, replace(entry, state=State.QUEUED, attempt=0, reason=""), entry


def all_failed(ledger: Ledger, prefixes: Iterable[bytes]) -> Iterator[Change]:
    """All that failed, of the addresses whose row keys begin with one of these."""
    needed = ledger.counts.needed
    any_failed = ledger.counts.failed or (needed is not None and needed.failed)
    rows = chain.from_iterable(ledger.all(prefix) for prefix in prefixes) if any_failed else ()
    return failed(ledger, [url for url, entry in rows if entry.state is State.FAILED])


def failed_seeds(ledger: Ledger) -> Iterator[Change]:
    """All seeds that failed."""
    return failed(ledger, [url for url, entry in _failed_rows(ledger) if _is_seed(url, entry)])


def _is_seed(url: str, entry: Entry) -> bool:
    """It is at no depth and was found nowhere, or is http in the place of https that does not answer."""
    return not entry.depth and (entry.referrer is None or in_place_of(entry.referrer) == url)


def blocked(ledger: Ledger) -> Iterator[Change]:
    """All that failed because the guard refused the address of its host."""
    any_blocked = any(words.startswith(Fault.BLOCKED_ADDRESS) for words in ledger.counts.failures)
    rows = _failed_rows(ledger) if any_blocked else ()
    return failed(ledger, [url for url, entry in rows if entry.reason.startswith(Fault.BLOCKED_ADDRESS)])


def refused(ledger: Ledger, is_let_in: Callable[[str], bool], urls: Iterable[str] | None = None) -> Iterator[Change]:
    """What failed for want of a login and has one now: all of it, or those of some addresses."""
    rows = _failed_rows(ledger) if urls is None else ((url, ledger.get(url)) for url in urls)
    wanted = (url for url, entry in rows if entry is not None and entry.status in WANTS_LOGIN and is_let_in(url))
    return failed(ledger, list(wanted))


def _failed_rows(ledger: Ledger) -> Iterator[tuple[str, Entry]]:
    rows = ledger.all() if ledger.counts.failed else ()
    return ((url, entry) for url, entry in rows if entry.state is State.FAILED)


def admitted(rows: Iterable[tuple[str, Entry]], discovery: Discovery) -> Iterator[Change]:
    """Those of the addresses that were left out, and may come in by a scope that has changed."""
    for url, entry in rows:
        left_out = entry.state is State.EXCLUDED and not entry.reason.startswith((REMOVED, HTTPS_SILENT))
        if left_out and discovery.refusal(as_found(url, entry)) is None:
            yield url, replace(entry, state=State.QUEUED, reason=""), entry


def fetch_again(table: Table, urls: Iterable[str], now: float, reason: str) -> list[str]:
    """What was fetched and is lost is due again, without the validators that would spare the server. Who is queued."""
    ledger, retries = Ledger(table), Agenda(table, LATER)
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
