"""Every address in exactly one state, and the sums that say so.

All changes of an entry go through here, so the counters are always the sums over the rows; `verify` recounts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from http import HTTPStatus

import msgspec

from gossamer.frontier.entries import META, URLS, Entry, State, encode, encode_new, entry
from gossamer.frontier.holding import Holding, holding_of, is_page, is_page_here, is_queued_again, was_fetched
from gossamer.frontier.queue.backlog import Backlog
from gossamer.frontier.tally import Tally
from gossamer.model import Capture, Kind
from gossamer.rows import Seconds, decoder
from gossamer.store.table.table import Table
from gossamer.urls import keys

CHAIN_MOST = 10
"""Redirects that are followed from row to row."""
REASONS_MOST = 100
"""That are counted by themselves."""
WORDS_MOST = 100
"""Characters of the words that a reason is counted by."""
OTHER = "other reasons"


class Needed(msgspec.Struct, array_like=True):
    """How much of what pages need stands where."""

    kept: int = 0
    queued: int = 0
    failed: int = 0
    excluded: int = 0
    reasons: dict[str, int] | None = None
    """Why things failed or were left out, by the first words; None where it was never counted."""

    @property
    def all(self) -> int:
        """What pages need."""
        return self.kept + self.queued + self.failed + self.excluded

    def shift(self, entry: Entry, by: int) -> None:
        """An entry comes in or goes out. What redirects is not counted; where it leads to is."""
        if holding_of(entry) is Holding.REQUISITE:
            self.kept += by
        elif entry.state is not State.DONE:
            name = entry.state.name.lower()
            setattr(self, name, getattr(self, name) + by)
        if self.reasons is not None and entry.state in (State.FAILED, State.EXCLUDED):
            _tally(self.reasons, entry.reason, by)


class Counts(msgspec.Struct):
    """How many addresses stand where, and what they brought."""

    queued: int = 0
    done: int = 0
    failed: int = 0
    excluded: int = 0
    pages: int = 0
    """Documents fetched: done, of kind page, with a status of 2xx."""
    hosts: int = 0
    bytes: int = 0
    """As they came over the wire."""
    duplicates: int = 0
    near_duplicates: int = 0
    seconds: Seconds = 0.0
    """Spent crawling, all runs together."""
    failures: dict[str, int] = {}
    """How many failed, by the first words of the reason."""
    exclusions: dict[str, int] = {}
    again: int = -1
    """Pages that were fetched before and are queued once more; below 0 where they were never counted."""
    unreached: int = 0
    """Pages that were fetched before, and that their last visit did not bring again."""
    needed: Needed | None = None
    """What pages need; None where it was never counted."""
    remarks: dict[str, int] | None = None
    """What should be known of pages that are here, as that they could not be read, by the first words of the reason;
    None where it was never counted."""
    retries: dict[str, int] | None = None
    """Why pages are queued once more after a failure, by the first words of the reason; None where it was never
    counted."""

    @property
    def besides(self) -> int:
        """What is queued and is no new page, so that no limit of pages keeps it from being asked for."""
        return max(self.again, 0) + (self.needed.queued if self.needed else 0)

    @property
    def missing(self) -> dict[str, int]:
        """Why what pages need is not here, and how often."""
        return (self.needed.reasons if self.needed else None) or {}

    @property
    def kept(self) -> int:
        """Pages that there are, also while they are asked for again, and when that failed."""
        return self.pages + max(self.again, 0) + self.unreached

    def came(self, capture: Capture) -> None:
        """An answer has come. A 304 brings nothing, though the archive gives it back with the body that it confirms."""
        if capture.status != HTTPStatus.NOT_MODIFIED:
            self.bytes += len(capture.wire)

    def shift(self, entry: Entry, by: int) -> None:
        """An entry comes in or goes out."""
        if entry.kind is Kind.RESOURCE:
            self._shift_needed(entry, by)
            return
        match entry.state:
            case State.QUEUED:
                self.queued += by
                if self.retries is not None and is_retry(entry):
                    _tally(self.retries, entry.reason, by)
            case State.DONE:
                self.done += by
            case State.FAILED:
                self.failed += by
                _tally(self.failures, entry.reason, by)
            case State.EXCLUDED:
                self.excluded += by
                _tally(self.exclusions, entry.reason, by)
        match holding_of(entry):
            case Holding.PAGE:
                self.pages += by
                self.duplicates += by * entry.copy
                self.near_duplicates += by * entry.near
                if self.remarks is not None and entry.reason:
                    _tally(self.remarks, entry.reason, by)
            case Holding.PAGE_QUEUED if self.again >= 0:
                self.again += by
            case Holding.PAGE_UNREACHED:
                self.unreached += by

    def _shift_needed(self, entry: Entry, by: int) -> None:
        """What pages need is in no sum of pages, but in that of what is queued."""
        self.queued += by * (entry.state is State.QUEUED)
        self.done += by * (entry.state is State.DONE)
        if self.needed is not None:
            self.needed.shift(entry, by)


def _tally(reasons: dict[str, int], reason: str, by: int) -> None:
    """Count by the first words. A reason may repeat what a server said, so there are only so many, and none is long.

    What is not counted under its own words is counted under OTHER. What goes is taken from its own words while they
    count something, so that the sum is right whatever comes and goes.
    """
    words = reason.partition(":")[0]
    full = words not in reasons and (len(words) > WORDS_MOST or by < 0 or len(reasons) >= REASONS_MOST)
    words = OTHER if full else words
    reasons[words] = reasons.get(words, 0) + by
    if not reasons[words]:
        del reasons[words]


def _bounded(reasons: dict[str, int]) -> dict[str, int]:
    """Counts that were written before there was a bound."""
    if len(reasons) <= REASONS_MOST and all(len(words) <= WORDS_MOST for words in reasons):
        return reasons
    bounded: dict[str, int] = {}
    for words, count in sorted(reasons.items(), key=lambda each: -each[1]):
        if count:
            _tally(bounded, words, count)
    return bounded


def is_retry(entry: Entry) -> bool:
    """It failed, and is to be tried again."""
    return entry.state is State.QUEUED and entry.attempt > 0 and bool(entry.reason)


def failed_before(entry: Entry) -> bool:
    """It failed for good, and is asked for again because somebody wants it."""
    is_asked_again = entry.state is State.QUEUED and not entry.attempt and not entry.held
    return is_asked_again and bool(entry.reason) and not was_fetched(entry)


def _is_failure(entry: Entry) -> bool:
    return entry.state is State.FAILED and entry.kind is not Kind.RESOURCE


counts_of = decoder(Counts)


class Ledger:
    """The entries and their counts."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.backlog = Backlog(table)
        self.tally = Tally(table)
        stored = table.get(META, b"counts")
        self.counts = counts_of(stored) if stored else Counts(again=0, needed=Needed(), remarks={}, retries={})
        self.counts.failures = _bounded(self.counts.failures)
        self.counts.exclusions = _bounded(self.counts.exclusions)

    def get(self, url: str) -> Entry | None:
        """What is known about an address."""
        data = self._table.get(URLS, keys.row(url))
        return None if data is None else entry(data)

    def read_ahead(self, urls: Iterable[str]) -> None:
        """These will be asked for soon."""
        self._table.read_ahead(URLS, map(keys.row, urls))

    def get_many(self, urls: Sequence[str]) -> list[Entry | None]:
        """The same for many at once."""
        found = self._table.get_many(URLS, [keys.row(url) for url in urls])
        return [None if data is None else entry(data) for data in found]

    def put(self, url: str, new: Entry, old: Entry | None) -> Entry:
        """`new` takes the place of `old`."""
        if old is not None:
            self.counts.shift(old, -1)
        self.counts.shift(new, 1)
        more = (new.state is State.QUEUED) - (old is not None and old.state is State.QUEUED)
        host = keys.host(url)
        if more:
            self.backlog.shift(host, more)
        self._count(host, new, old)
        self._table.put(URLS, keys.row(url), encode(new))
        return new

    def leave_out(self, urls: Sequence[str], entry: Entry) -> None:
        """New addresses of which the same is said. None of them is queued, so they are in no sum of their hosts."""
        self.counts.shift(entry, len(urls))
        self._table.put_all(URLS, map(keys.row, urls), encode_new(entry))

    def enter(self, url: str, entry: Entry) -> Entry:
        """A new address that is queued. As `put`, with less to ask."""
        if entry.kind is Kind.RESOURCE:
            return self.put(url, entry, None)
        self.counts.queued += 1
        self.backlog.shift(keys.host(url), 1)
        self._table.put(URLS, keys.row(url), encode_new(entry))
        return entry

    def _count(self, host: str, new: Entry, old: Entry | None) -> None:
        """Pages and failures of a host; what is only found, or left out before it was fetched, is neither."""
        pages = is_page_here(new) - (old is not None and is_page_here(old))
        failed = _is_failure(new) - (old is not None and _is_failure(old))
        if pages or failed:
            self.tally.shift(host, pages, failed)

    def count_all(self) -> None:
        """What was never counted in a collection, because it is from before it was, is counted now, once."""
        if not self.tally.begin_whole():
            for url, entry in self.all():
                self._count(keys.host(url), entry, None)
        if self.counts.again < 0:
            self.counts.again = sum(is_queued_again(entry) for _, entry in self.all())
        if self.counts.needed is None or self.counts.needed.reasons is None:
            self.counts.needed = Needed(reasons={})
            for _, entry in self.all():
                if entry.kind is Kind.RESOURCE:
                    self.counts.needed.shift(entry, 1)
        if self.counts.remarks is None:
            self.counts.remarks = {}
            for _, entry in self.all():
                if entry.reason and is_page(entry):
                    _tally(self.counts.remarks, entry.reason, 1)
        if self.counts.retries is None:
            self.counts.retries = {}
            for _, entry in self.all():
                if entry.kind is not Kind.RESOURCE and is_retry(entry):
                    _tally(self.counts.retries, entry.reason, 1)

    def uncopied(self, urls: Iterable[str]) -> None:
        """Pages that are copies of nothing any more."""
        for url in urls:
            entry = self.get(url)
            if entry is not None and entry.copy:
                self.put(url, msgspec.structs.replace(entry, copy=False), entry)

    def all(self, prefix: bytes = b"", start: bytes = b"") -> Iterator[tuple[str, Entry]]:
        """Every address, in the order of their row keys, from a key on."""
        for key, data in self._table.scan(URLS, prefix=prefix, start=start):
            yield keys.url_of(key), entry(data)

    def leads_to(self, start: str, url: str) -> bool:
        """Does a chain of redirects that begins at `start` come to `url`?"""
        for _ in range(CHAIN_MOST):
            entry = self.get(start)
            if entry is None or entry.target is None:
                return False
            start = entry.target
            if start == url:
                return True
        return False

    def end_of(self, url: str) -> tuple[str, Entry | None]:
        """Where a chain of redirects ends that begins at `url`, as far as it is known."""
        entry = self.get(url)
        for _ in range(CHAIN_MOST):
            if entry is None or entry.target is None or (after := self.get(entry.target)) is None:
                break
            url, entry = entry.target, after
        return url, entry

    def save(self) -> None:
        """The counters become part of the next commit."""
        self.backlog.save()
        self.tally.save()
        self._table.put(META, b"counts", msgspec.msgpack.encode(self.counts))
