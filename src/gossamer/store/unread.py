"""Which pages were kept, but not read? Their reading failed through no fault of theirs, and is tried again.

A mistake in a reader, or a reader that was killed from outside, says nothing of the page. Its capture is in the
archive, so nothing is fetched again: the next build reads it, and so does the next crawl, unless the same version of
the reader has made a mistake with it before. A note stays until a crawl has followed the links of the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from gossamer.model import URL, Page
from gossamer.rows import decoder
from gossamer.store.table.table import Table
from gossamer.store.versions import Version, Versions
from gossamer.urls import keys
from gossamer.version import VERSION

_PREFIX = b"unread\0"


class Note(msgspec.Struct, array_like=True, frozen=True):
    """A version that was not read."""

    began: float
    problem: str
    reader: str = ""
    """The version of the reader that made a mistake; empty where it was killed and may do better another time."""

    @property
    def hopeless(self) -> bool:
        """The same reader would make the same mistake."""
        return self.reader == VERSION


note_of = decoder(Note)


class Unread:
    """The notes of a shard."""

    def __init__(self, table: Table, family: str) -> None:
        self._table = table
        self._family = family
        self._known: set[URL] | None = None

    def note(self, url: URL, began: float, page: Page) -> None:
        """A version of a page was not read."""
        mistaken = VERSION if page.unread == "mistake" else ""
        self._table.put(self._family, _key(url), msgspec.msgpack.encode(Note(began, page.problem, mistaken)))
        self._urls().add(url)

    def give_up(self, url: URL, problem: str) -> None:
        """This version of the program makes a mistake with it, and will not try again."""
        stored = self._table.get(self._family, _key(url))
        if stored is not None:
            note = msgspec.structs.replace(note_of(stored), problem=problem, reader=VERSION)
            self._table.put(self._family, _key(url), msgspec.msgpack.encode(note))

    def clear(self, url: URL) -> None:
        """It was read, or is gone."""
        if url in self._urls():
            self._urls().remove(url)
            self._table.delete(self._family, _key(url))

    def all(self) -> Iterator[tuple[URL, Note]]:
        """Every note, in the order of the addresses."""
        for key, data in self._table.scan(self._family, prefix=_PREFIX):
            yield keys.url_in(key[len(_PREFIX) :]), note_of(data)

    def pages(self, versions: Versions) -> Iterator[tuple[URL, Note]]:
        """The notes of versions that are there and have not been read since."""
        for url, note in self.all():
            version = versions.at(url, note.began)
            if version is not None and version.text is None:
                yield url, note

    def page(self, url: URL, version: Version) -> Page | None:
        """A version that was not read, as it is shown; None for all others."""
        data = self._table.get(self._family, _key(url)) if version.text is None else None
        note = note_of(data) if data else None
        if note is None or note.began != version.began:
            return None
        return Page(
            url,
            version.media_type,
            digest=version.digest,
            copy_of=version.copy_of,
            near_copy_of=version.near_copy_of,
            problem=note.problem,
            unread="mistake" if note.reader else "killed",
        )

    def __contains__(self, url: URL) -> bool:
        return url in self._urls()

    def _urls(self) -> set[URL]:
        if self._known is None:
            self._known = {url for url, _ in self.all()}
        return self._known


def _key(url: URL) -> bytes:
    return _PREFIX + url.encode()


def read_of(url: URL, page: Page) -> dict[str, Any]:
    """What the row of a version has of what was read."""
    return {
        "title": page.title,
        "media_type": page.media_type,
        "encoding": page.encoding,
        "noindex": page.noindex,
        "noarchive": page.noarchive,
        "canonical": page.canonical if page.canonical != url else None,
    }
