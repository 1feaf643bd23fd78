"""What the pages say, kept beside what was fetched: files of text records, and how far they are committed.

Texts are derived. What a kill leaves past the committed length is cut off, and is made again when the captures are
rolled forward. Files can be made anew from the captures: rows are switched from old files to new ones batch by
batch, and the old files go after the commit that says which is the oldest that still counts.
"""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO
from pathlib import Path

import msgspec

from gossamer import files
from gossamer.errors import Damaged
from gossamer.model import URL, Clock, Page
from gossamer.rows import Size, decoder
from gossamer.store.table.table import Table
from gossamer.store.versions import TEXTS_FOLDER, TextPlace
from gossamer.store.warc.gzip_members import unpacked_at_once
from gossamer.store.warc.reader import cut, read_bytes, read_together
from gossamer.store.warc.records import Info
from gossamer.store.warc.text_records import content_of, moved, page_of, worded
from gossamer.store.warc.warc import Record, placed, warc_files
from gossamer.store.warc.writer import Writer
from gossamer.urls import keys

_KEY = b"texts"
_CURE = "`gossamer build DIR --convert` makes the texts again"

_WORDING = 0xFFFF_FFFF
"""Bits that are kept: it tells a version of a page from the one before, and rows and hints stay small."""


class End(msgspec.Struct, array_like=True, frozen=True):
    """How far the files are committed."""

    file: str = ""
    """The last one."""
    length: Size = 0
    oldest: str = ""
    """Files whose names come before are of no use any more."""
    anew: str = ""
    """The first file of those that are being made anew, like the next."""
    job: bytes = b""
    """Who does it, so that a process that is started again goes on and does not begin again."""


end_of = decoder(End)


class Texts:
    """The text records of a shard."""

    def __init__(self, table: Table, family: str, shard: Path) -> None:
        self._table = table
        self._family = family
        self._folder = shard / TEXTS_FOLDER
        self._writer: Writer | None = None

    def open(self, info: Info, clock: Clock, *, prefix: str, max_bytes: int) -> None:
        """Ready to append. What was not committed is cut off."""
        files.make_folder(self._folder)
        self._tidy()
        end = self._committed()
        name, last = f"{prefix}-texts", (end.file, end.length)
        self._writer = Writer(self._folder, info, clock, prefix=name, max_bytes=max_bytes, committed=last)

    @property
    def is_open(self) -> bool:
        """Texts are kept. A crawl that only collects leaves them to a build."""
        return self._writer is not None

    def write(self, page: Page, url: URL, began: float, response: str) -> TextPlace:
        """Keep what a page says; `response` is the UUID of the record that it was read from."""
        assert self._writer is not None, "open before write"
        found = worded(page, url, began, response, self._writer.ready())
        file, offset = self._writer.write(found.html, found.plain, found.said)
        lengths = (len(found.html), len(found.plain), len(found.said))
        return TextPlace(file, offset, *lengths, found.record, mark_of(page), wording_of(page))

    def read(self, url: URL, place: TextPlace) -> Page:
        """What was kept; Damaged when it is not there."""
        found = self.records(url, place)
        return page_of(url, found[0], found[1] if place.plain else None, found[-1])

    def records(self, url: URL, place: TextPlace) -> list[Record]:
        """The same, as it lies there."""
        lengths = [place.html, place.plain, place.said]
        found: list[Record] = []
        with suppress(Damaged):
            found = read_together(self._path(place), place.offset, list(filter(None, lengths)))
        if not found or found[0].place.record != place.record:
            raise Damaged(f"{self._folder / place.file}: no text of {url} at offset {place.offset}; {_CURE}")
        return found

    def carried(self, place: TextPlace) -> TextPlace | None:
        """Where the records of a text lie after they were written again; None when they are not whole."""
        assert self._writer is not None, "open before carrying"
        lengths = [place.html, place.plain, place.said]
        try:
            found = read_together(self._path(place), place.offset, list(filter(None, lengths)))
            if not found or found[0].place.record != place.record or not all(each.is_as_written for each in found):
                return None
            data = BytesIO(read_bytes(self._path(place), place.offset, lengths))
        except (Damaged, OSError):
            return None
        info = self._writer.ready()
        members = [moved(data.read(length), info) if length else b"" for length in lengths]
        name, offset = self._writer.write(*members)
        html, plain, said = map(len, members)
        return msgspec.structs.replace(place, file=name, offset=offset, html=html, plain=plain, said=said)

    def content(self, place: TextPlace) -> str:
        """The main content alone; empty when there is none, or nothing can be read there."""
        with suppress(Damaged, UnicodeDecodeError):
            member = unpacked_at_once(read_bytes(self._path(place), place.offset, [place.html]))
            return (member and content_of(place.record, member)) or ""
        return ""

    def there(self, place: TextPlace) -> bool:
        """Is the file of a text there? People may have removed it to save space."""
        return place.file >= self._committed().oldest and files.is_file(self._path(place))

    def files(self) -> list[tuple[Path, int]]:
        """The files with their committed lengths."""
        end = self._committed()
        found = [path for path in warc_files(self._folder) if end.oldest <= path.name <= end.file]
        return [(path, end.length if path.name == end.file else files.size(path)) for path in found]

    def prepare(self) -> None:
        """Before a commit: the texts are on the disk, and the commit says how long they are."""
        if self._writer is not None:
            file, length = self._writer.sync()
            self._put(msgspec.structs.replace(self._committed(), file=file, length=length))

    def close(self) -> None:
        """No more appending."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    # ------------------------------------------------------------------ anew

    def begin_anew(self, job: bytes) -> str:
        """From now on texts go to new files, or still do if this job has begun before. The name of the first."""
        assert self._writer is not None, "open before beginning anew"
        end = self._committed()
        if end.job != job:
            end = msgspec.structs.replace(end, anew=self._writer.start_another(), job=job)
            self._put(end)
        return end.anew

    def retire_old(self) -> None:
        """All rows point into the new files; with the next commit the others do not count any more."""
        end = self._committed()
        self._put(msgspec.structs.replace(end, oldest=end.anew, anew="", job=b""))

    def remove_old(self) -> None:
        """After that commit."""
        oldest = self._committed().oldest
        for path in warc_files(self._folder):
            if path.name < oldest:
                files.remove(path)

    def _tidy(self) -> None:
        end = self._committed()
        for path in warc_files(self._folder):
            if path.name < end.oldest or path.name > end.file:
                files.remove(path)
            elif path.name == end.file and files.size(path) > end.length:
                cut(path, end.length)

    def _path(self, place: TextPlace) -> Path:
        return placed(self._folder, place.file)

    def _committed(self) -> End:
        stored = self._table.get(self._family, _KEY)
        return end_of(stored) if stored else End()

    def _put(self, end: End) -> None:
        self._table.put(self._family, _KEY, msgspec.msgpack.encode(end))


def mark_of(page: Page) -> int:
    """Equal for copies that say the same under both addresses: links that are relative may lead elsewhere."""
    told = [page.media_type, page.encoding or "", page.canonical or "", *(link[0] for link in page.links)]
    if page.fields:
        told.append(repr(page.fields))
    return keys.digest("\n".join(told).encode())


def wording_of(page: Page) -> int:
    """Equal for pages that are found by the same words. Links, styles and what is around the content do not count."""
    told = (page.title, page.language or "", page.content or page.text, repr(page.fields) if page.fields else "")
    return keys.digest("\0".join(told).encode("utf-8", "surrogatepass")) & _WORDING or 1
