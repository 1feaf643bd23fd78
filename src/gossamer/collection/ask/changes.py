"""What is new, changed or gone since the crawl before, or since a time? And what was the last change of each page?

The versions of a page say it: the one that told what the page was at that time, and the one that tells it now. Both are
found in one walk over the captures, page by page, so a collection of any size can be asked. A page that did not answer
is not gone; it is said that it could not be reached. One whose words are the same has not changed, whatever its bytes;
but it has if the page function finds something else in it.

Where the newest are asked for, only so many are held in memory while all are walked through. Where a question is asked,
it is put to the index for some hundred pages at a time, and only those that answer it are looked at.
"""

from __future__ import annotations

import heapq
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, islice
from typing import Any, TypeAlias

from gossamer.collection.ask.addresses import under
from gossamer.collection.ask.change_details import Texts
from gossamer.collection.ask.differences import Words
from gossamer.collection.ask.shard_readers import ShardReader, ShardReaders
from gossamer.collection.crawl import runs
from gossamer.collection.documents import is_document
from gossamer.errors import NotFound
from gossamer.freshness.content import RESTLESS, TRIFLE, content_print, difference
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.revisit import page_changes
from gossamer.frontier.worth.soft404 import is_soft
from gossamer.model import URL, Kind
from gossamer.printable import timestamp
from gossamer.store.table.table import Table
from gossamer.store.versions import Version, tells
from gossamer.urls import keys

NEW, CHANGED, BACK, MOVED, GONE, UNREACHED = "new", "changed", "back", "moved", "gone", "unreached"
UNCHANGED, UNASKED = "unchanged", "unasked"
PRESENT = frozenset({NEW, CHANGED, BACK})
"""Kinds of what is there to be read."""
ALL = frozenset({*PRESENT, MOVED, GONE, UNREACHED})
_WORDS = {UNREACHED: "not reached", UNASKED: "not asked again"}
_ALWAYS = (NEW, CHANGED, GONE, UNCHANGED)
"""What is counted in words also when it is none."""
BATCH = 500
"""Pages that the index is asked about at once."""
COMPARED_MOST = 50
"""Versions of a page that are compared to find when it changed last. One that has only had other bytes as often as that
has not changed as far as anybody knows."""

Answering: TypeAlias = Callable[[int, Sequence[URL]], set[URL]]
"""Of some addresses of a shard, those of pages that answer a question."""


@dataclass(frozen=True, slots=True)
class Change:
    """A page that is not what it was."""

    url: URL
    kind: str
    """new; changed: other words; back: it was gone; moved: it redirects now; gone; unreached: it did not answer"""
    title: str
    reason: str
    """Where it moved to, or why it is gone or was not reached."""
    before: float | None
    """When the version was captured that counted then, in seconds since 1970; None for a new page."""
    after: float | None
    """The same for the version that counts now; None when nothing came since."""
    seen: float
    """When it was first seen to be what it is now; of one that was not reached, when it was asked for."""
    words: Words | None = None
    """How many words came and went; None where there is nothing to compare."""
    added: str = ""
    """The first words that came."""
    removed: str = ""
    """The first words that went."""

    def __repr__(self) -> str:
        return f"<Change {self.kind} {self.url} {self.title!r}>"

    @property
    def id(self) -> str:
        """Tells this change of this address from all others, today and tomorrow."""
        return uuid.uuid5(uuid.NAMESPACE_URL, f"{self.url} {self.kind} {round(self.seen * 1_000)}").urn

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "url": self.url,
            "kind": self.kind,
            "title": self.title,
            "reason": self.reason,
            "before": timestamp(self.before),
            "after": timestamp(self.after),
            "seen": timestamp(self.seen),
            "words_added": self.words.added if self.words else None,
            "words_removed": self.words.removed if self.words else None,
            "added": self.added,
            "removed": self.removed,
            "id": self.id,
        }


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which changes are asked for."""

    latest: bool = False
    """The last change of each page since the time, and not what it is beside what it was at the time."""
    kinds: frozenset[str] = ALL
    newest: int = 0
    """So many, the newest first; 0: all, in the order of the addresses."""
    answering: Answering | None = None
    """Only pages that answer a question."""
    site: str | None = None
    """Only a host and those below it."""
    after: URL | None = None
    """This address and those before it are left out."""
    detailed: bool = True
    """With the words that came and went."""


@dataclass(slots=True)
class Changes:
    """All of them, as they are walked through."""

    readers: ShardReaders
    since: tuple[float, ...]
    """For each shard, in seconds since 1970."""
    wanted: Wanted = field(default_factory=Wanted)
    counts: Counter[str] = field(default_factory=Counter)
    """How many there are of each kind, unchanged pages too, once all were walked through."""
    last: float = 0.0
    """When the newest of all captures that were met began."""

    def __repr__(self) -> str:
        told = self.words if self.counts else "not gone through yet"
        return f"<Changes since {timestamp(min(self.since))}: {told}>"

    def __iter__(self) -> Iterator[Change]:
        self.counts.clear()
        found = self._found()
        if self.wanted.newest:
            found = iter(heapq.nlargest(self.wanted.newest, found, key=lambda each: each.seen))
        return map(self.with_words, found) if self.wanted.detailed else found

    def _found(self) -> Iterator[Change]:
        shards = (self._of_shard(number, reader) for number, reader in enumerate(self.readers.all))
        for change in heapq.merge(*shards, key=lambda each: keys.row(each.url)):
            self.counts[change.kind] += 1
            if change.kind in self.wanted.kinds:
                yield change

    @property
    def number(self) -> int:
        """How many there are of the kinds that are wanted, once all were walked through."""
        return sum(self.counts[kind] for kind in self.wanted.kinds)

    @property
    def words(self) -> str:
        """The counts on one line."""
        kinds = (NEW, CHANGED, BACK, MOVED, GONE, UNREACHED, UNCHANGED, UNASKED)
        shown = [kind for kind in kinds if kind in _ALWAYS or self.counts[kind]]
        return ", ".join(f"{self.counts[kind]:,} {_WORDS.get(kind, kind)}" for kind in shown)

    def _of_shard(self, number: int, reader: ShardReader) -> Iterator[Change]:
        ledger, texts = Ledger(reader.table), Texts(reader.archive)
        compare = _Comparison(reader.table, texts, self.since[number], self.wanted)
        pages = self._pages(reader)
        while some := list(islice(pages, BATCH)):
            meant = self.wanted.answering(number, [url for url, _ in some]) if self.wanted.answering else None
            for url, versions in some:
                self.last = max(self.last, versions[0].began)
                entry = ledger.get(url) if meant is None or url in meant else None
                if entry is not None and (change := compare.of(url, entry, versions)):
                    yield change

    def _pages(self, reader: ShardReader) -> Iterator[tuple[URL, list[Version]]]:
        """Addresses that are or were pages, each with the versions that tell, the newest first."""
        prefixes = under(self.wanted.site) if self.wanted.site else (b"",)
        rows = chain.from_iterable(reader.archive.versions.all(each, self.wanted.after) for each in prefixes)
        for url, some in groupby(rows, key=lambda item: item[0]):
            versions = [version for _, version in some if version.kind is Kind.PAGE and tells(version.status)]
            if versions:
                yield url, versions

    def with_words(self, change: Change) -> Change:
        """A change of these with the words that came and went."""
        if change.kind not in PRESENT or change.after is None:
            return change
        archive = self.readers.of(change.url).archive
        now = archive.versions.at(change.url, change.after)
        then = archive.versions.at(change.url, change.before) if change.kind == CHANGED and change.before else None
        told = Texts(archive).told(change.url, then, now) if now else None
        return replace(change, **told._asdict()) if told else change


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What became of the pages of a shard."""

    table: Table
    texts: Texts
    since: float
    wanted: Wanted

    def of(self, url: URL, entry: Entry, versions: Sequence[Version]) -> Change | None:
        """By the versions that tell, the newest first; None for what was and is no page."""
        now, stretch = versions[0], self._stretch(url, versions)
        place = self._place(versions, stretch)
        then = None if place is None else versions[place]
        earlier = next((each for each in versions[place:] if is_document(each)), None) if place is not None else None
        here = is_document(now) and not is_soft(entry) and entry.state is not State.EXCLUDED
        if place is None or not is_document(versions[place]):
            kind = (BACK if earlier else NEW) if here and place != 0 else None
        else:
            same = place < stretch or (place > stretch and self._same(url, versions[place], now))
            kind = self._kind(entry, now, changed=not same, newer=place != 0)
        if kind is None:
            return None
        title = now.title or (earlier.title if earlier else "")
        reason = entry.reason if kind in (MOVED, GONE, UNREACHED) else ""
        before, after = then.began if then else None, now.began if place != 0 else None
        seen = entry.visited if kind == UNREACHED else versions[stretch - 1].began
        return Change(url, kind, title, reason, before, after, seen)

    def _stretch(self, url: URL, versions: Sequence[Version]) -> int:
        """How many of the newest versions are all the same page, as far back as is asked for."""
        for place in range(1, len(versions)):
            if versions[place - 1].began < self.since or place > COMPARED_MOST:
                return place
            if not self._same(url, versions[place], versions[place - 1]):
                return place
        return len(versions)

    def _same(self, url: URL, one: Version, other: Version) -> bool:
        if is_document(one) and is_document(other):
            return self.texts.same(url, one, other) or self._is_trifle(url, one, other)
        return not is_document(one) and not is_document(other) and _moved(one) == _moved(other)

    def _is_trifle(self, url: URL, one: Version, other: Version) -> bool:
        """A watch has seen that a little of the page is different at each visit: a clock, or an advert."""
        row = page_changes.get(self.table, url)
        if row is None or row.restless < RESTLESS:
            return False
        before, after = (content_print(f"{each.title}\n{self.texts.said(url, each)}") for each in (one, other))
        return difference(before, after) <= TRIFLE and not self.texts.has_other_fields(url, one, other)

    def _place(self, versions: Sequence[Version], stretch: int) -> int | None:
        """Of the version to compare with; the newest itself, 0, where nothing has changed since."""
        if not self.wanted.latest:
            return next((place for place, each in enumerate(versions) if each.began < self.since), None)
        if versions[stretch - 1].began < self.since or stretch > COMPARED_MOST:
            return 0
        return stretch if stretch < len(versions) else None

    def _kind(self, entry: Entry, now: Version, *, changed: bool, newer: bool) -> str:
        """Of what was a page then."""
        if not is_document(now):
            return MOVED if _moved(now) else GONE
        asked = entry.visited >= self.since
        waits = entry.state is State.QUEUED and entry.attempt
        if asked and (entry.state in (State.FAILED, State.EXCLUDED) or waits):
            return UNREACHED
        if is_soft(entry) and newer and changed:  # what says the same as before was an error in disguise then, too
            return GONE
        if changed:
            return CHANGED
        return UNCHANGED if asked else UNASKED


def _moved(version: Version) -> bool:
    return 300 <= version.status < 400


def begun(readers: ShardReaders) -> tuple[float, ...]:
    """When the last crawl began, for each shard."""
    found = [runs.of(table) for table in readers.tables]
    if not all(found):
        cure = "name a time, as in `gossamer changes DIR --since 2026-11-01`"
        raise NotFound(f"it is not known when the last crawl began; {cure}")
    return tuple(each[-1] for each in found)
