"""Keep it: a capture goes to the WARC file, and a row says where it lies. Get it back the same way.

The WARC is its own redo log. A capture is written at once and whole, the row about it with the next commit; what a
kill leaves between the two is found again past the committed length (`uncommitted`) and registered, not refetched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from gossamer import files
from gossamer.errors import Damaged
from gossamer.model import URL, Capture, Clock, Kind, Page
from gossamer.rows import number
from gossamer.store.repair.passed import Passed
from gossamer.store.repair.swaps import END, LENGTH, end_of, replaced, resume
from gossamer.store.table.table import Table
from gossamer.store.unread import Note, Unread, read_of
from gossamer.store.versions import CAPTURES, DIGESTS, NOT_MODIFIED, First, TextPlace, Version, Versions, place_of
from gossamer.store.warc.gzip_members import LEVEL
from gossamer.store.warc.reader import Group, capture_of, cut, forget_cached, read, whole_captures, write_again
from gossamer.store.warc.records import Info
from gossamer.store.warc.records import group as packed_group
from gossamer.store.warc.texts import Texts, mark_of
from gossamer.store.warc.warc import NAME, Original, Place, Record, payload_digest, placed, warc_files
from gossamer.store.warc.writer import Writer

STATE = "archive"
"""How far the WARC files are committed."""
FAMILIES = (CAPTURES, DIGESTS, STATE)
FOLDER = "captures"

Decode: TypeAlias = Callable[[Capture], Capture]
"""Undoes transfer and content codings: a capture whose `body` is filled in from its `wire`."""


class Kept(NamedTuple):
    """What the rows must know of a record that was written."""

    place: Place
    digest: str
    """Of the payload as it came."""
    original: Original | None


class Named(NamedTuple):
    """A version, and whose it is."""

    url: URL
    version: Version


class Known(NamedTuple):
    """Where the body of a page was met before."""

    latest: Version | None = None
    """The last version of the same address, if it has that body."""
    first: Named | None = None

    def of(self, url: URL) -> Iterator[Named]:
        """Both, for a page of that address."""
        if self.latest is not None:
            yield Named(url, self.latest)
        if self.first is not None:
            yield self.first


class Rows(NamedTuple):
    """What is stored of a capture besides its records."""

    url: URL
    version: tuple[bytes, bytes] | None
    digest: str = ""
    first: First | None = None
    """It is the first with that digest, unless one is known."""
    changed: bool = False
    unread: Page | None = None
    """It says why it was not read."""
    began: float = 0.0


class Archive:
    """Captures on disk, and the rows that find them."""

    def __init__(self, table: Table, shard: Path, decode: Decode) -> None:
        self._table = table
        self.folder = shard / FOLDER
        self._decode = decode
        self._writer: Writer | None = None
        self.versions = Versions(table)
        self.texts = Texts(table, STATE, shard)
        self.unread = Unread(table, STATE)
        self.passed = Passed(table, STATE)

    def open(self, info: Info, clock: Clock, *, prefix: str = "gossamer", max_bytes: int) -> None:
        """Ready to append to files of that prefix. Whatever `uncommitted` gives must have been registered before."""
        files.make_folder(self.folder)
        end = self.committed()
        self._writer = Writer(self.folder, info, clock=clock, prefix=prefix, max_bytes=max_bytes, committed=end)

    def append(self, capture: Capture, page: Page) -> bool:
        """Every answer is kept, errors and redirects too. A HEAD has no content, and silence nothing to keep.

        False when the page says what it said before, so that nothing that is made of it has to be made again.
        """
        if not capture.status or capture.visit.method == "HEAD":
            return False
        assert self._writer is not None, "open before append"
        plain = capture.body is capture.wire
        digest = page.digest if plain and page.digest else payload_digest(capture.wire)
        known = self._known(capture.visit.url, page)
        original = self._original(capture, known, digest)
        rows: list[Rows] = []  # encoded before the capture is written, so that nothing can go wrong after it
        self._writer.capture(
            capture,
            digest,
            page.links,
            original,
            lambda place: rows.append(self._rows(capture, page, Kept(place, digest, original), known)),
        )
        return self._put(*rows)

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
        packed = packed_group(self.capture(url, version), version.payload, (), original, LEVEL)
        file, offset = self._writer.write(packed.response)
        place = {"file": file, "offset": offset, "length": len(packed.response), "record": packed.record}
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
        for url, note in self.unread.all():
            version = self.versions.at(url, note.began)
            if version is not None and version.text is None:
                yield url, note

    def uncommitted_bytes(self) -> int:
        """What a killed crawl left past the committed length."""
        name, length = self.committed()
        sizes = {path.name: files.size(path) for path in warc_files(self.folder)}
        return sum(size for each, size in sizes.items() if each > name) + max(sizes.get(name, 0) - length, 0)

    def prepare(self) -> None:
        """Before a commit: the archive is on the disk, and the commit says how long it is."""
        if self._writer is not None:
            end = self._writer.sync()
            self._close_files(end[0])
            self._table.put(STATE, END, msgspec.msgpack.encode(end))
        self.texts.prepare()

    def _close_files(self, last: str) -> None:
        """Files that are full keep their length, so that it shows when something is cut off or lost, now or before."""
        first, length = self.committed()
        if first in ("", last):
            return
        lengths = {path.name: files.size(path) for path in warc_files(self.folder) if first <= path.name < last}
        lengths[first] = max(lengths.get(first, 0), length)
        for name, size in lengths.items():
            self.set_length(name, size)

    def reached(self, file: str, end: int) -> None:
        """All captures up to there have their rows, with the next commit."""
        self._close_files(file)
        self._table.put(STATE, END, msgspec.msgpack.encode((file, end)))

    def set_length(self, file: str, length: int | None) -> None:
        """How long a file is that nothing is appended to any more; None: there is no such file."""
        if length is None:
            self._table.delete(STATE, LENGTH + file.encode())
        else:
            self._table.put(STATE, LENGTH + file.encode(), length.to_bytes(8, "big"))

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

    # ---------------------------------------------------------------- recovery

    def uncommitted(self) -> Iterator[Group]:
        """Whole captures past the committed length, in order; what is cut short after the last is cut off.

        A sync of them may have failed. Then they are in memory, and not on the disk, and the kernel takes them for
        written: so they are read from the disk, and what is whole is written once more, for the next sync to mean it.
        """
        resume(self._table, STATE, self.folder)
        name, length = self.committed()
        for path in warc_files(self.folder):
            if path.name < name:
                continue
            end = start = length if path.name == name else 0
            forget_cached(path, start)
            for group in whole_captures(path, start):
                yield group
                end = group.end
            if files.size(path) > end:
                cut(path, end)
            write_again(path, start, end)

    def restored(self, group: Group) -> Capture:
        """The capture that a group of records was written from."""
        capture = group.capture()
        original = self._holder(group.response)
        return self._decode(replace(capture, wire=original.payload) if original else capture)

    def register_again(self, response: Record, capture: Capture, page: Page) -> bool:
        """The rows of a capture that was written but has none: its response or revisit record. False as in `append`."""
        digest = response.field("warc-payload-digest") or page.digest
        kept = Kept(response.place, digest, response.original)
        self.passed.clear(capture.visit.url, capture.began)
        return self._put(self._rows(capture, page, kept, self._known(capture.visit.url, page)))

    def committed(self) -> tuple[str, int]:
        """The last WARC file of the last commit, and how long it was."""
        stored = self._table.get(STATE, END)
        return end_of(stored) if stored else ("", 0)

    # ----------------------------------------------------------------- reading

    def capture(self, url: str, version: Version) -> Capture:
        """What was fetched then, decoded."""
        return self.decoded(self.record(version), url, version.kind)

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
        owner = self.versions.at(version.text_of, version.text_began) if version.text_of else version
        if owner is None or owner.text is None:
            return self.unread.page(url, version)
        try:
            page = self.texts.read(url, owner.text)
        except Damaged:
            return None
        return replace(page, digest=version.digest, copy_of=version.copy_of, near_copy_of=version.near_copy_of)

    def content(self, url: str, version: Version) -> str:
        """The main content of a version of a page, or all of its words when it has none."""
        owner = self.versions.at(version.text_of, version.text_began) if version.text_of else version
        if owner is None or owner.text is None:
            return ""
        if found := self.texts.content(owner.text):
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

    def files(self) -> list[tuple[Path, int]]:
        """The WARC files that are there, with their committed lengths."""
        last, passed, lengths = self.committed()[0], replaced(self._table, STATE), self.lengths()
        found = {path.name: path for path in warc_files(self.folder) if path.name <= last and path.name != passed}
        for name in lengths.keys() - found.keys():  # a reader lists what it could open, and need not have opened all
            if files.kind(path := placed(self.folder, name)):
                found[name] = path
        return [(path, lengths[name] if name in lengths else files.size(path)) for name, path in sorted(found.items())]

    def lengths(self) -> dict[str, int]:
        """The files that the last commit has, there or not, and how long they were."""
        rows = self._table.scan(STATE, prefix=LENGTH)
        lengths = {key[len(LENGTH) :].decode(errors="replace"): number(value) for key, value in rows}
        lengths.update([self.committed()])
        return {name: length for name, length in lengths.items() if NAME.fullmatch(name)}

    def missing(self) -> list[str]:
        """The files that should be there, and are not."""
        return sorted(self.lengths().keys() - {path.name for path, _ in self.files()})

    def forget_missing(self) -> None:
        """With the next commit nobody looks for them any more. Their rows are gone before."""
        gone, there = self.missing(), self.files()
        for name in gone:
            self.set_length(name, None)
        if self.committed()[0] not in gone:
            return
        self._table.delete(STATE, END)
        if there:
            path, length = there[-1]
            self.set_length(path.name, None)
            self._table.put(STATE, END, msgspec.msgpack.encode((path.name, length)))

    def _holder(self, record: Record) -> Record | None:
        """The record that holds the payload which a revisit points to."""
        original = record.original
        if original is None:
            return None
        for version in self.versions.of(original.url, until=original.began):
            if version.record == original.record:
                return self.record(version)
        raise Damaged(f"{record.place.file}: the record that {record.url} refers to is missing: {original.record}")

    # ----------------------------------------------------------------- writing

    def _original(self, capture: Capture, known: Known, digest: str) -> Original | None:
        """The response that has the same payload, from this address or from another."""
        url = capture.visit.url
        if capture.status == NOT_MODIFIED:
            latest = self.versions.current(url, until=capture.began)
            return self._source(url, latest) if latest else None
        for holder, version in known.of(url) if capture.body else ():
            if version.payload == digest:
                return self._source(holder, version)
        return None

    def _known(self, url: URL, page: Page) -> Known:
        first = self.versions.first(page.digest) if page.digest else None
        if first is None:
            return Known()  # as for nearly all pages of a first crawl
        latest, version = next(self.versions.of(url), None), self.versions.at(first.url, first.began)
        return Known(
            latest if latest is not None and latest.digest == page.digest else None,
            Named(first.url, version) if version is not None else None,
        )

    def _source(self, url: str, version: Version) -> Original | None:
        """The response that holds the payload of a version, which may itself be a revisit."""
        if version.original is None:
            return Original(url, version.began, version.record)
        first = next(self.versions.of(version.original, until=version.original_began), None)
        return Original(version.original, first.began, first.record) if first else None

    def _rows(self, capture: Capture, page: Page, kept: Kept, known: Known) -> Rows:
        if capture.status == NOT_MODIFIED:
            return Rows(capture.visit.url, None)
        url, (place, digest, original) = capture.visit.url, kept
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
        )
        is_first = original is None and capture.visit.kind is Kind.PAGE and capture.status == 200 and capture.body
        first = First(url, capture.began, place.record) if is_first else None
        unread = page if page.unread and owner is None else None
        return Rows(url, self.versions.row(url, version), page.digest, first, before is None, unread, capture.began)

    def _put(self, rows: Rows) -> bool:
        if rows.version is None:
            return False
        self.versions.put(rows.version)
        if rows.unread is not None:
            self.unread.note(rows.url, rows.began, rows.unread)
        else:
            self.unread.clear(rows.url)
        if rows.first is not None:
            self._remember(rows.digest, rows.first)
        return rows.changed

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
        return self.texts.write(page, url, capture.began, record) if self.texts.is_open else None, None

    def _teller(self, url: URL, version: Version) -> Named | None:
        """The version that has the text of this one."""
        if version.text_of is None:
            return Named(url, version)
        owner = self.versions.at(version.text_of, version.text_began)
        return Named(version.text_of, owner) if owner else None

    def _remember(self, digest: str, first: First) -> None:
        if digest and self.versions.first(digest) is None:
            self.versions.set_first(digest, first)
