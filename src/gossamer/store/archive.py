"""Keep it: a capture goes to the WARC file, and a row says where it lies. Get it back the same way.

What the rows say is made in `capture_rows`; which files there are, and what a kill leaves, is in `archive_files`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import msgspec

from gossamer import files
from gossamer.errors import Damaged
from gossamer.model import URL, Capture, Clock, Kind, Page
from gossamer.store.archive_files import ArchiveFiles
from gossamer.store.asides import Asides
from gossamer.store.capture_rows import Kept, RowMaker, Rows
from gossamer.store.repair.pruned import Pruned
from gossamer.store.repair.skipped_captures import Passed
from gossamer.store.table.table import Table
from gossamer.store.unread import Note, Unread, read_of
from gossamer.store.versions import (
    FOLDER,
    NOT_MODIFIED,
    STATE,
    TextPlace,
    Version,
    Versions,
    place_of,
)
from gossamer.store.warc.gzip_members import LEVEL
from gossamer.store.warc.reader import (
    CURE,
    RENDERED,
    SCREENSHOT,
    Group,
    capture_of,
    is_made_of,
    read,
    read_together,
    records,
)
from gossamer.store.warc.records import Info
from gossamer.store.warc.records import aside as packed_aside
from gossamer.store.warc.records import group as packed_group
from gossamer.store.warc.texts import Texts
from gossamer.store.warc.warc import Original, Place, Record, payload_digest, placed
from gossamer.store.warc.writer import Writer

_MADE = (RENDERED, SCREENSHOT)
"""What a browser makes, in the order in which it lies behind a response."""

Decode: TypeAlias = Callable[[Capture], Capture]
"""Undoes transfer and content codings: a capture whose `body` is filled in from its `wire`."""


class Archive:
    """Captures on disk, and the rows that find them."""

    def __init__(self, table: Table, shard: Path, decode: Decode, *, only_news: bool = False) -> None:
        """With `only_news` an answer that says the same as the one before leaves nothing: an archive that is watched
        for years grows with what changes, and not with the visits."""
        self._only_news = only_news
        self.folder = shard / FOLDER
        self._decode = decode
        self._writer: Writer | None = None
        self.files = ArchiveFiles(table, self.folder)
        self.versions = Versions(table)
        self.texts = Texts(table, STATE, shard)
        self._rows = RowMaker(self.versions, self.texts)
        self.unread = Unread(table, STATE)
        self.passed = Passed(table, STATE)
        self.pruned = Pruned(table)
        self.asides = Asides(table, STATE)

    def open(self, info: Info, clock: Clock, *, prefix: str = "gossamer", max_bytes: int) -> None:
        """Ready to append to files of that prefix. What `files.uncommitted` gives must have been registered before."""
        files.make_folder(self.folder)
        end, daily = self.files.committed(), self._only_news
        self._writer = Writer(self.folder, info, clock, prefix=prefix, max_bytes=max_bytes, committed=end, daily=daily)

    def append(self, capture: Capture, page: Page) -> Version | None:
        """Every answer is kept, errors and redirects too. A HEAD has no content, and silence nothing to keep.

        The version that it became, if it says something new; None when nothing has to be made of it.
        """
        if not capture.status or capture.visit.method == "HEAD":
            return None
        assert self._writer is not None, "open before append"
        if self._only_news and self._is_known(capture, page):
            return None
        plain = capture.body is capture.wire and not capture.rendered
        digest = page.digest if plain and page.digest else payload_digest(capture.wire)
        known = self._rows.known(capture.visit.url, page, capture.visit.kind)
        original = self._rows.original(capture, known, digest)
        rows: list[Rows | None] = []  # encoded before the capture is written, so that nothing can go wrong after it
        self._writer.capture(
            capture,
            digest,
            (*page.links, *page.requisites) if page.requisites else page.links,
            original,
            lambda place, packed: rows.append(
                self._rows.rows(
                    capture, page, Kept(place, digest, original, len(packed.rendered), len(packed.screenshot)), known
                )
            ),
        )
        return self._put(*rows)

    def keep_aside(self, record: Record) -> bool:
        """A record of somebody else's that is no capture; False when it is here already."""
        assert self._writer is not None, "open before keeping"
        if self.asides.has(record):
            return False
        data = packed_aside(record)
        file, offset = self._writer.write(data)
        self.asides.note(record, Place(file, offset, len(data), record.place.record))
        return True

    def note_asides(self, asides: Iterable[Record]) -> None:
        """They lie in the archive, and have no rows."""
        for record in asides:
            self.asides.note(record, record.place)

    def _is_known(self, capture: Capture, page: Page) -> bool:
        """Does it say what the last answer from there has said?"""
        if capture.status == NOT_MODIFIED:
            return True
        last = next(self.versions.of(capture.visit.url), None)
        if last is None or page.unread or not page.digest:
            return False
        return (last.status, last.digest, last.truncated) == (capture.status, page.digest, capture.truncated)

    def register_again(self, response: Record, capture: Capture, page: Page) -> Version | None:
        """The rows of a capture that was written but has none: its response or revisit record. What `append` gives."""
        digest = response.field("warc-payload-digest") or page.digest
        kept = Kept(response.place, digest, response.original, *self._behind(response, capture))
        self.passed.clear(capture.visit.url, capture.began)
        known = self._rows.known(capture.visit.url, page, capture.visit.kind)
        return self._put(self._rows.rows(capture, page, kept, known))

    def _put(self, rows: Rows | None) -> Version | None:
        if rows is None:
            return None
        self.versions.put(rows.row)
        if rows.unread is not None:
            self.unread.note(rows.url, rows.version.began, rows.unread)
        else:
            self.unread.clear(rows.url)
        if rows.first is not None:
            self.versions.set_first(rows.version.digest, rows.first, rows.version.kind)
        return rows.version if rows.changed else None

    def mark_copy(self, url: str, digest: str, of: str) -> bool:
        """The latest version of a page turned out to be a copy of one in another archive. False when it is not."""
        latest = self.versions.current(url)
        if latest is None or latest.digest != digest:
            return False
        self.mark(url, copy_of=of)
        return True

    def mark(self, url: str, *, copy_of: str | None = None, near_copy_of: str | None = None) -> Version | None:
        """What a page is a copy of from now on; nothing: it stands for itself. The version that says so."""
        version = self.versions.current(url)
        if version is not None:
            version = msgspec.structs.replace(version, copy_of=copy_of, near_copy_of=near_copy_of)
            self.versions.add(url, version)
        return version

    def restate(self, url: URL, version: Version, original: Original | None) -> Original:
        """Write a capture again that points at a payload which is to go: with the payload, or pointing at another.

        What its row now points at, or what it is if that is itself.
        """
        assert self._writer is not None, "open before restating"
        packed = packed_group(self.capture(url, version), version.payload, (), original, LEVEL, self._writer.ready())
        file, offset = self._writer.write(*packed.at_once)
        parts = ("rendered", packed.rendered), ("screenshot", packed.screenshot)
        lengths = {"length": len(packed.response)} | {name: len(data) for name, data in parts}
        place = {"file": file, "offset": offset, "record": packed.record, **lengths}
        points = {"original": original.url if original else None, "original_began": original.began if original else 0.0}
        self.versions.add(url, msgspec.structs.replace(version, **place, **points))
        return original or Original(url, version.began, packed.record)

    def read_again(self, url: URL, version: Version, page: Page) -> Version:
        """What a version says that could not be read before. Its row as it is now."""
        kept = self.texts.is_open and version.kind is Kind.PAGE
        text = self.texts.write(page, url, version.began, version.record) if kept else None
        version = msgspec.structs.replace(version, text=text, text_of=None, **read_of(url, page))
        self.versions.add(url, version)
        return version

    def not_read(self) -> Iterator[tuple[URL, Note]]:
        """Pages of which it is not known yet what they say, because of a mistake of ours."""
        return self.unread.pages(self.versions)

    def prepare(self) -> None:
        """Before a commit: the archive is on the disk, and the commit says how long it is."""
        if self._writer is not None:
            self.files.reached(*self._writer.sync())
        self.texts.prepare()

    def close(self) -> None:
        """No more appending."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self.texts.close()

    def first_url(self, digest: str) -> str | None:
        """The address a payload was met at first, or that which has come to stand for it."""
        first = self.versions.first(digest)
        if first is None:
            return None
        latest = next(self.versions.of(first.url), None)
        if latest is None or latest.copy_of is None or latest.digest != digest:
            return first.url
        other = next(self.versions.of(latest.copy_of), None)
        return latest.copy_of if other is not None and other.digest == digest else first.url

    def restored(self, group: Group) -> Capture:
        """The capture that a group of records was written from."""
        capture = group.capture()
        original = self._holder(group.response)
        return self._decode(replace(capture, wire=original.payload) if original else capture)

    # ----------------------------------------------------------------- reading

    def capture(self, url: str, version: Version) -> Capture:
        """What was fetched then, decoded, and what a browser has made of it."""
        capture = self.decoded(self.record(version), url, version.kind)
        return self._with_made(capture, version) if version.rendered else capture

    def _with_made(self, capture: Capture, version: Version) -> Capture:
        behind, lengths = version.offset + version.length, filter(None, (version.rendered, version.screenshot))
        found = dict(zip(_MADE, read_together(self.path(version), behind, list(lengths)), strict=False))
        if not found or not all(is_made_of(record, version.record, kind) for kind, record in found.items()):
            raise Damaged(f"{self.path(version)}: what a browser has made is not whole at offset {behind}; {CURE}")
        screenshot = found[SCREENSHOT].block if version.screenshot else b""
        return replace(capture, rendered=found[RENDERED].block, screenshot=screenshot)

    def _behind(self, response: Record, capture: Capture) -> Iterator[int]:
        """How long the records are that a browser has made of a response."""
        place = response.place
        start = place.offset + place.length
        following = records(placed(self.folder, place.file), start, unbroken=True)
        for kind, record in zip(_MADE if capture.rendered else (), following, strict=False):
            if record.place.offset != start or not is_made_of(record, place.record, kind):
                return
            yield record.place.length
            start += record.place.length

    def decoded(self, record: Record, url: URL, kind: Kind) -> Capture:
        """What a response or revisit record tells of a capture, with its payload."""
        holder = self._holder(record)
        capture = capture_of(record, url, kind)
        return self._decode(replace(capture, wire=holder.payload) if holder else capture)

    def wire(self, version: Version) -> bytes:
        """The payload of a version as it came, also where a revisit stands for it."""
        record = self.record(version)
        return (self._holder(record) or record).payload

    def record(self, version: Version) -> Record:
        """The response or revisit record of a version."""
        return read(self.folder, Place(version.file, version.offset, version.length, version.record))

    def page(self, url: str, version: Version) -> Page | None:
        """What a version says, as it was kept; None when that is not there and has to be read again.

        What could not be read says nothing: whoever only asks must not break on it too.
        """
        place = self.text_place(version)
        if place is None:
            return self.unread.page(url, version)
        try:
            page = self.texts.read(url, place)
        except Damaged:
            return None
        return replace(page, digest=version.digest, copy_of=version.copy_of, near_copy_of=version.near_copy_of)

    def text_place(self, version: Version) -> TextPlace | None:
        """Where it lies what a version says, which another one may have; None when it is not there."""
        owner = self.versions.at(version.text_of, version.text_began) if version.text_of else version
        return owner.text if owner else None

    def page_at(self, url: str, until: float) -> Page | None:
        """What an address said at a time; None when it had no page, or that has to be read again."""
        version = self.versions.current(url, until=until)
        return self.page(url, version) if version is not None and version.status == 200 else None

    def content(self, url: str, version: Version) -> str:
        """The main content of a version of a page, or all of its words when it has none."""
        place = self.text_place(version)
        if place is None:
            return ""
        if found := self.texts.content(place):
            return found
        page = self.page(url, version)
        return page.text if page else ""

    def hinted(self, hint: bytes) -> str:
        """The main content that lies where a version once said, without asking the table; nothing when it has moved."""
        with suppress(Damaged):
            return self.texts.content(place_of(hint))
        return ""

    def path(self, version: Version) -> Path:
        """The file that a version lies in."""
        return placed(self.folder, version.file)

    def _holder(self, record: Record) -> Record | None:
        """The record that holds the payload which a revisit points to."""
        original = record.original
        if original is None:
            return None
        for version in self.versions.of(original.url, until=original.began):
            if version.record == original.record:
                return self.record(version)
        raise Damaged(f"{record.place.file}: the record that {record.url} refers to is missing: {original.record}")
