"""From what a file brings to a capture that can be kept: whole, decoded, of a known kind, and not here yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import Enum
from itertools import islice

from gossamer.collection.column_families import IMPORTS
from gossamer.convert.feed.sitemap import is_sitemap
from gossamer.errors import Damaged
from gossamer.fetch import Limits
from gossamer.fetch.body import decoded
from gossamer.frontier.answer.removal import is_removed
from gossamer.frontier.ledger import Ledger
from gossamer.model import Capture, Clock, Kind, Provenance
from gossamer.store.archive import Archive
from gossamer.store.foreign.claims import fits
from gossamer.store.foreign.exchanges import Brought, Kept, Refers
from gossamer.store.table.table import Table
from gossamer.store.versions import NOT_MODIFIED, Version
from gossamer.store.warc.warc import date, payload_digest
from gossamer.urls import keys

AHEAD = 86_400.0
"""Seconds that a date may be after now: clocks differ. What is later would hide all that is fetched from now on."""
ORIGINALS_MOST = 20
"""Earlier captures that are looked at for the payload of a revisit."""
_MOMENTS = 100
"""Captures of an address that may share a second, or less."""
_DRESS = frozenset({"text/css", "text/javascript", "application/javascript", "application/x-javascript"})


class Verdict(Enum):
    """Why a capture is not taken in."""

    KNOWN = "it is here already"
    NOTHING_BEFORE = "304 for what is not here"
    FUTURE = "its date is in the future"
    PASSED = "it is kept, but could not be taken in; `gossamer verify DIR` says why"
    REMOVED = "it was removed from the collection"
    LACKING = "the response that holds its body is not here; import its file, and then this one again"


class ImportFilter:
    """Looks at captures before they are taken in."""

    def __init__(
        self, table: Table, archive: Archive, limits: Limits, mine: Callable[[str], bool], clock: Clock
    ) -> None:
        """`mine` tells which addresses belong to this shard."""
        self._clock = clock
        self._table = table
        self._ledger = Ledger(table)
        self._archive = archive
        self._limits = limits
        self._mine = mine

    def arrive(self, brought: Brought) -> Capture | Verdict:
        """The capture as it is to be kept, or why it is not."""
        capture = brought.capture
        if is_removed(self._ledger.get(capture.visit.url)):
            return Verdict.REMOVED
        if capture.began > self._clock.wall() + AHEAD:
            return Verdict.FUTURE
        if self._archive.passed.reason(capture.visit.url, capture.began) is not None:
            return Verdict.PASSED
        if capture.status == NOT_MODIFIED:
            return self._unchanged(capture)
        if brought.refers is not None:
            whole = self._with_payload(capture, brought.refers)
            if whole is None:
                return Verdict.LACKING
            capture = whole
        unmet = self._unmet(capture)
        return Verdict.KNOWN if unmet is None else self._sorted(decoded(unmet, self._limits))

    def lay_aside(self, kept: Kept) -> bool:
        """A record that is no capture; False when it is here already, or about a page that was removed."""
        if kept.about and is_removed(self._ledger.get(kept.about)):
            return False
        return self._archive.keep_aside(kept.record)

    def kept(self, capture: Capture) -> None:
        """It is in the archive. What brings no version is noted here, so that it is known the next time."""
        if capture.source is not None and capture.status == NOT_MODIFIED:
            self._table.put(IMPORTS, _mark(capture), b"")

    def _unchanged(self, capture: Capture) -> Capture | Verdict:
        if self._table.get(IMPORTS, _mark(capture)) is not None:
            return Verdict.KNOWN
        before = any(self._archive.versions.of(capture.visit.url, until=capture.began))
        return capture if before else Verdict.NOTHING_BEFORE

    def _unmet(self, capture: Capture) -> Capture | None:
        """With a moment that no other capture of the address has; None when the very same is here."""
        url, digest = capture.visit.url, ""
        for _ in range(_MOMENTS):
            other = self._archive.versions.at(url, capture.began)
            if other is None:
                return capture
            digest = digest or payload_digest(capture.wire)  # of few: it takes as long as to unpack them
            if (other.payload, other.status) == (digest, capture.status):
                return None
            told = capture.provenance and _other(capture.provenance, other)
            capture = replace(capture, began=capture.began + 0.001, provenance=told)
            if self._archive.passed.reason(url, capture.began) is not None:
                return None
        return None

    def _sorted(self, capture: Capture) -> Capture:
        """What kind of thing it is, where nobody has told."""
        visit = capture.visit
        if visit.kind is not Kind.PAGE or not 200 <= capture.status < 300:
            return capture
        media_type = _media_type(capture)
        if self._limits.skips(Kind.PAGE, media_type) or media_type in _DRESS:
            return replace(capture, visit=replace(visit, kind=Kind.RESOURCE))
        if is_sitemap(capture.body):
            return replace(capture, visit=replace(visit, kind=Kind.SITEMAP))
        return capture

    def _with_payload(self, revisit: Capture, refers: Refers) -> Capture | None:
        """A revisit together with the payload that it points to."""
        for version in self._originals(revisit, refers):
            try:
                wire = self._archive.wire(version)
            except Damaged:
                continue
            if refers.digest is None or fits(refers.digest, wire) or version.began == refers.began:
                return replace(revisit, wire=wire)
        return None

    def _originals(self, revisit: Capture, refers: Refers) -> Iterator[Version]:
        """Captures that may hold it, the likeliest first."""
        ways = [(refers.url, refers.began + 1)] if refers.url and refers.began else []
        for url, until in [*ways, (revisit.visit.url, revisit.began)]:
            if self._mine(url):
                yield from islice(self._archive.versions.of(url, until=until), ORIGINALS_MOST)


def _other(told: Provenance, version: Version) -> Provenance:
    """At another moment it has another date, and no name that is taken."""
    return told._replace(date="", record="" if told.record == version.record else told.record)


def _mark(capture: Capture) -> bytes:
    return keys.row(capture.visit.url) + b"\0" + date(capture.began).encode()


def _media_type(capture: Capture) -> str:
    return (capture.header("content-type") or "").partition(";")[0].strip().lower()
