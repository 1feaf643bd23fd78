"""What is new, changed or gone since the crawl before, or since a time?

The versions of a page say it: the one that told what the page was at that time, and the one that tells it now. Both are
found in one walk over the captures, page by page, so a collection of any size can be asked. A page that did not answer
is not gone; it is said that it could not be reached.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from gossamer.collection.ask.shard_readers import ShardReader, ShardReaders
from gossamer.collection.crawl import runs
from gossamer.collection.documents import is_document
from gossamer.errors import NotFound
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.worth.soft404 import is_soft
from gossamer.model import URL, Kind
from gossamer.shown import timestamp
from gossamer.store.versions import Version, tells
from gossamer.urls import keys

NEW, CHANGED, BACK, MOVED, GONE, UNREACHED = "new", "changed", "back", "moved", "gone", "unreached"
UNCHANGED, UNASKED = "unchanged", "unasked"
_WORDS = {UNREACHED: "not reached", UNASKED: "not asked again"}
_ALWAYS = (NEW, CHANGED, GONE, UNCHANGED)
"""What is counted in words also when it is none."""


@dataclass(frozen=True, slots=True)
class Change:
    """A page that is not what it was."""

    url: URL
    kind: str
    """new; changed: other bytes; back: it was gone; moved: it redirects now; gone; unreached: it did not answer"""
    title: str
    reason: str
    """Where it moved to, or why it is gone or was not reached."""
    before: float | None
    """When the version was captured that counted then, in seconds since 1970; None for a new page."""
    after: float | None
    """The same for the version that counts now; None when nothing came since."""

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        moments = {"before": timestamp(self.before), "after": timestamp(self.after)}
        return {"url": self.url, "kind": self.kind, "title": self.title, "reason": self.reason, **moments}


@dataclass(frozen=True, slots=True)
class Changes:
    """All of them, as they are walked through, in the order of the addresses."""

    readers: ShardReaders
    since: tuple[float, ...]
    """For each shard, in seconds since 1970."""
    after: URL | None = None
    """This address and those before it are left out."""
    counts: Counter[str] = field(default_factory=Counter)
    """How many there are of each kind, unchanged pages too, once all were walked through."""

    def __iter__(self) -> Iterator[Change]:
        self.counts.clear()
        shards = zip(self.readers.all, self.since, strict=True)
        every = (_of_shard(reader, since, self.after) for reader, since in shards)
        for change in heapq.merge(*every, key=lambda each: keys.row(each.url)):
            self.counts[change.kind] += 1
            if change.kind not in (UNCHANGED, UNASKED):
                yield change

    @property
    def words(self) -> str:
        """The counts on one line."""
        kinds = (NEW, CHANGED, BACK, MOVED, GONE, UNREACHED, UNCHANGED, UNASKED)
        shown = [kind for kind in kinds if kind in _ALWAYS or self.counts[kind]]
        return ", ".join(f"{self.counts[kind]:,} {_WORDS.get(kind, kind)}" for kind in shown)


def changes(readers: ShardReaders, since: float | None, after: URL | None = None) -> Changes:
    """Since a time, or since the last crawl began."""
    if since is not None:
        return Changes(readers, (since,) * len(readers.all), after)
    begun = [runs.of(table) for table in readers.tables]
    if not all(begun):
        cure = "name a time, as in `gossamer changes DIR --since 2026-11-01`"
        raise NotFound(f"it is not known when the last crawl began; {cure}")
    return Changes(readers, tuple(each[-1] for each in begun), after)


def _of_shard(reader: ShardReader, since: float, after: URL | None) -> Iterator[Change]:
    ledger = Ledger(reader.table)
    for url, rows in groupby(reader.archive.versions.all(after=after), key=lambda item: item[0]):
        versions = [version for _, version in rows if version.kind is Kind.PAGE and tells(version.status)]
        entry = ledger.get(url) if versions else None
        if entry is not None and (change := _compared(url, entry, versions, since)):
            yield change


def _compared(url: URL, entry: Entry, versions: Sequence[Version], since: float) -> Change | None:
    """What became of a page, by the versions that tell, the newest first; None for what was and is no page."""
    now, then = versions[0], next((each for each in versions if each.began < since), None)
    earlier = next((each for each in versions if each.began < since and is_document(each)), None)
    here = is_document(now) and not is_soft(entry.reason) and entry.state is not State.EXCLUDED
    if then is None or not is_document(then):
        kind = (BACK if earlier else NEW) if here and now is not then else None
    else:
        kind = _kind(entry, now, then, since)
    if kind is None:
        return None
    title = now.title or (earlier.title if earlier else "")
    reason = entry.reason if kind in (MOVED, GONE, UNREACHED) else ""
    return Change(url, kind, title, reason, then.began if then else None, now.began if now is not then else None)


def _kind(entry: Entry, now: Version, then: Version, since: float) -> str:
    """Of what was a page then."""
    if not is_document(now):
        return MOVED if 300 <= now.status < 400 else GONE
    asked = entry.visited >= since
    if asked and (entry.state in (State.FAILED, State.EXCLUDED) or (entry.state is State.QUEUED and entry.attempt)):
        return UNREACHED
    if is_soft(entry.reason) and now is not then:
        return GONE
    if now.digest != then.digest:
        return CHANGED
    return UNCHANGED if asked else UNASKED
