"""What do rows tell of a capture? Where it lies, what it points to, and where it is kept what the page says.

A payload that was met before is not stored again: the record points to the one that has it (`original`). A text that
was met before is not either: the row names the version that has it (`text_of`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gossamer.model import URL, Capture, Kind, Page
from gossamer.store.versions import NOT_MODIFIED, First, TextPlace, Version, Versions
from gossamer.store.warc.texts import Texts, mark_of
from gossamer.store.warc.warc import RESOURCE, Original, Place

SHARED = (Kind.PAGE, Kind.RESOURCE)
"""What is kept once, however many addresses it has."""


class Kept(NamedTuple):
    """What the rows must know of a record that was written."""

    place: Place
    digest: str
    """Of the payload as it came."""
    original: Original | None
    rendered: int = 0
    """Bytes of the record that a browser has made of it, and of the one with its picture."""
    screenshot: int = 0


class Named(NamedTuple):
    """A version, and whose it is."""

    url: URL
    version: Version


class Known(NamedTuple):
    """Where the body of a page was met before."""

    latest: Version | None = None
    """The last version of the same address, if it has that body."""
    first: Named | None = None
    noted: bool = False
    """A row tells who had it first, among those of its kind."""

    def of(self, url: URL) -> Iterator[Named]:
        """Both, for a page of that address."""
        if self.latest is not None:
            yield Named(url, self.latest)
        if self.first is not None:
            yield self.first


class Rows(NamedTuple):
    """What is stored of a capture besides its records."""

    url: URL
    version: Version
    row: tuple[bytes, bytes]
    """The version as it is stored, encoded already: after the capture is written nothing can go wrong."""
    first: First | None
    """It is the first with that digest."""
    changed: bool
    """It says something else than the version before, or may: which that is, is not known of an older capture."""
    unread: Page | None
    """It says why it was not read."""


class RowMaker:
    """Makes the rows of captures, from those that are there."""

    def __init__(self, versions: Versions, texts: Texts) -> None:
        self._versions = versions
        self._texts = texts

    def known(self, url: URL, page: Page, kind: Kind) -> Known:
        """Where the body of a page was met before, or that of what pages need."""
        own = first = self._versions.first(page.digest) if page.digest else None
        if kind is Kind.RESOURCE and page.digest:
            own = self._versions.first(page.digest, kind)
            first = own or first
        if first is None:
            return Known()  # as for nearly all pages of a first crawl
        latest, version = next(self._versions.of(url), None), self._versions.at(first.url, first.began)
        return Known(
            latest if latest is not None and latest.digest == page.digest else None,
            Named(first.url, version) if version is not None else None,
            own is not None,
        )

    def original(self, capture: Capture, known: Known, digest: str) -> Original | None:
        """The response that has the same payload, from this address or from another."""
        url = capture.visit.url
        if capture.status == NOT_MODIFIED:
            latest = self._versions.current(url, until=capture.began)
            return self._source(url, latest) if latest else None
        if capture.provenance is not None and capture.provenance.type == RESOURCE:
            return None  # a revisit has a head, and this has none
        for holder, version in known.of(url) if capture.body else ():
            if version.payload == digest:
                return self._source(holder, version)
        return None

    def _source(self, url: str, version: Version) -> Original | None:
        """The response that holds the payload of a version, which may itself be a revisit."""
        if version.original is None:
            return Original(url, version.began, version.record)
        first = next(self._versions.of(version.original, until=version.original_began), None)
        return Original(version.original, first.began, first.record) if first else None

    def rows(self, capture: Capture, page: Page, kept: Kept, known: Known) -> Rows | None:
        """Its rows, and its text in the file of texts; None for an answer that says only that nothing has changed."""
        if capture.status == NOT_MODIFIED:
            return None
        url, (place, digest, original, rendered, screenshot) = capture.visit.url, kept
        text, owner = self._text(capture, page, place.record, known)
        before = known.latest if text is None and known.latest and known.latest.copy_of == page.copy_of else None
        version = Version(
            began=capture.began,
            status=capture.status,
            kind=capture.visit.kind,
            media_type=page.media_type,
            encoding=page.encoding,
            digest=page.digest,
            size=len(capture.body),
            title=page.title,
            file=place.file,
            offset=place.offset,
            length=place.length,
            record=place.record,
            original=original.url if original else None,
            original_began=original.began if original else 0.0,
            copy_of=page.copy_of,
            truncated=capture.truncated,
            noindex=page.noindex,
            noarchive=page.noarchive,
            wire_digest=digest if digest != page.digest else None,
            text=text,
            text_of=owner.url if owner else None,
            text_began=owner.version.began if owner else 0.0,
            canonical=page.canonical if page.canonical != url else None,
            near_copy_of=before.near_copy_of if before else None,
            rendered=rendered,
            screenshot=screenshot,
        )
        shared = capture.visit.kind in SHARED and page.digest and not known.noted
        is_first = original is None and shared and capture.status == 200 and capture.body
        first = First(url, capture.began, place.record) if is_first else None
        unread = page if page.unread and owner is None else None
        changed = before is None or before.began > version.began  # what is imported may be older than what is here
        return Rows(url, version, self._versions.row(url, version), first, changed, unread)

    def _text(self, capture: Capture, page: Page, record: str, known: Known) -> tuple[TextPlace | None, Named | None]:
        """Where it is kept what a page says: in records of its own, or in those of a capture that says the same."""
        url = capture.visit.url
        if capture.visit.kind is not Kind.PAGE or not 200 <= capture.status < 300:
            return None, None
        if page.unread:  # the same bytes from the same address say what they said
            return None, self._teller(url, known.latest) if known.latest else None
        mark: int | None = None
        for owner, version in known.of(url):
            teller = self._teller(owner, version)
            if teller is not None:
                mark = mark_of(page) if mark is None else mark
                if teller.version.text is not None and teller.version.text.mark == mark:
                    return None, teller
        return self._texts.write(page, url, capture.began, record) if self._texts.is_open else None, None

    def _teller(self, url: URL, version: Version) -> Named | None:
        """The version that has the text of this one."""
        if version.text_of is None:
            return Named(url, version)
        owner = self._versions.at(version.text_of, version.text_began)
        return Named(version.text_of, owner) if owner else None
