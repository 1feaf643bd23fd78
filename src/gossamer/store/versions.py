"""What was captured when, and where it lies: every capture of an address is a version of its row.

The BigTable model in one family: the row key of the address, then the time with the newest first, so that the
latest version is one seek away and the history of a page is a scan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from gossamer.model import Kind
from gossamer.rows import Count, Seconds, Size, damaged, decoder
from gossamer.store.table.table import Table
from gossamer.urls import keys

CAPTURES = "captures"
"""row key, NUL, milliseconds counted backwards -> Version; WARC dates are in milliseconds too"""
DIGESTS = "digests"
"""digest of a decoded body -> the First capture that had it; for what pages need, the digest and a byte more"""
STATE = "archive"
"""How far the WARC files are committed, and more that there is one of."""
FAMILIES = (CAPTURES, DIGESTS, STATE)
FOLDER, TEXTS_FOLDER = "captures", "texts"
"""Of a shard: where the files lie that rows name."""

NOT_MODIFIED = 304
GONE = (404, 410)
"""The page is not there any more, and nobody should find it."""

_FOREVER = (1 << 64) - 1


class TextPlace(msgspec.Struct, array_like=True, frozen=True):
    """Where it lies what a page says: records one behind the other, see `text_records`."""

    file: str
    offset: Size
    html: Size
    """Bytes of a record in the file, like the next two."""
    plain: Size
    """0: there is none, because the first has all words."""
    said: Size
    record: str
    """The UUID of the first."""
    mark: int
    """By which copies know whether it is their text too; see `texts.mark_of`."""
    wording: int = 0
    """By which versions of a page know whether they say the same; see `texts.wording_of`. 0: it is not known."""

    @property
    def identity(self) -> object:
        """Equal for versions of a page that say the same, as far as that is known."""
        return self.wording or (self.file, self.offset)


class Version(msgspec.Struct, array_like=True, frozen=True):
    """One capture: what kind of thing it is and where its record lies."""

    began: Seconds
    status: Count
    kind: Kind
    media_type: str
    encoding: str | None
    digest: str
    size: Size
    """Bytes of the decoded body."""
    title: str
    file: str
    offset: Size
    length: Size
    record: str
    original: str | None = None
    """The address whose capture holds the payload, when this record only points there."""
    original_began: Seconds = 0.0
    copy_of: str | None = None
    truncated: str | None = None
    noindex: bool = False
    noarchive: bool = False
    wire_digest: str | None = None
    """Of the payload as it came, where a coding makes it differ from `digest`."""
    text: TextPlace | None = None
    """Where it lies what the page says. None also for what is no page, and in collections from before."""
    text_of: str | None = None
    """The address whose version says the same and has the text, like the next."""
    text_began: Seconds = 0.0
    near_copy_of: str | None = None
    """The address that says nearly the same; None where the bytes are the same."""
    canonical: str | None = None
    """The address that the page itself names as the one to use, where that is another."""
    rendered: Size = 0
    """Bytes of the record that a browser has made of the page, right behind this one; 0: there is none."""
    settled: int = 0
    """The template of its host with which a build has read it (`dedupe.blocks`); 0: it was read as it came."""
    screenshot: Size = 0
    """Bytes of the record with its picture, right behind the one of `rendered`; 0: there is none."""

    @property
    def hint(self) -> bytes:
        """Where its own text lies, for `Archive.hinted`; nothing when it has none."""
        return b"" if self.text is None else hint_of(self.text)

    @property
    def payload(self) -> str:
        """The digest that the WARC record and the CDXJ line tell."""
        return self.wire_digest or self.digest


class First(msgspec.Struct, array_like=True, frozen=True):
    """Where a payload was met first."""

    url: str
    began: Seconds
    record: str


_encode = msgspec.msgpack.Encoder().encode
version_of, first_of = decoder(Version), decoder(First)
"""Rows of the families `captures` and `digests`."""
_EARLIEST, _LATEST = 0.0, 253_402_300_800.0
"""What a key can say and a calendar knows: the years 1970 to 9999."""
place_of = decoder(TextPlace)
"""What a hint means."""


def hint_of(place: TextPlace) -> bytes:
    """Where a text lies, in a form that others can keep."""
    return _encode(place)


def tells(status: int) -> bool:
    """A page, a redirect, or that there is none any more. Any other error may pass, and says nothing of the page."""
    return (200 <= status < 400 and status != NOT_MODIFIED) or status in GONE


class Versions:
    """The families that the archive owns."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def add(self, url: str, version: Version) -> None:
        """One more version of an address."""
        self.put(self.row(url, version))

    def row(self, url: str, version: Version) -> tuple[bytes, bytes]:
        """A version as it is stored. Whatever cannot be stored is noticed here, before anything is changed."""
        return _key(url, version.began), _encode(version)

    def put(self, row: tuple[bytes, bytes]) -> None:
        """Store it."""
        self._table.put(CAPTURES, *row)

    def remove(self, url: str, began: float) -> None:
        """Take the version of that moment out."""
        self._table.delete(CAPTURES, _key(url, began))

    def of(self, url: str, *, until: float | None = None) -> Iterator[Version]:
        """Versions of an address, the newest first; `until` leaves out what came later."""
        prefix = keys.row(url) + b"\0"
        start = prefix if until is None else _key(url, until)
        for _, data in self._table.scan(CAPTURES, prefix=prefix, start=start):
            yield version_of(data)

    def current(self, url: str, *, until: float | None = None) -> Version | None:
        """The version that tells what an address is now, or was at a time."""
        return next((version for version in self.of(url, until=until) if tells(version.status)), None)

    def currents(self, urls: Sequence[str]) -> list[Version | None]:
        """The same for many, of which the newest version nearly always tells."""
        found = self._table.firsts(CAPTURES, [keys.row(url) + b"\0" for url in urls])
        newest = [None if data is None else version_of(data) for data in found]
        return [
            version if version is None or tells(version.status) else self.current(url)
            for url, version in zip(urls, newest, strict=True)
        ]

    def at(self, url: str, began: float) -> Version | None:
        """The version of that moment."""
        data = self._table.get(CAPTURES, _key(url, began))
        return None if data is None else version_of(data)

    def all(self, prefix: bytes = b"", after: str | None = None) -> Iterator[tuple[str, Version]]:
        """Every version of every address, in the order of the row keys; `prefix` is how those begin.

        `after` leaves out an address and all that come before it.
        """
        start = b"" if after is None else keys.row(after) + b"\1"
        for key, data in self._table.scan(CAPTURES, prefix=prefix, start=start):
            yield keys.url_of(key[:-9]), version_of(data)

    def pages(self) -> Iterator[tuple[str, Version]]:
        """Of every page the version that tells what it is now."""
        last = None
        for url, version in self.all():
            if url != last and version.kind is Kind.PAGE and tells(version.status):
                last = url
                yield url, version

    def first(self, digest: str, kind: Kind = Kind.PAGE) -> First | None:
        """Where a payload was met first, as a page or as what pages need: no page is a copy of a picture."""
        data = self._table.get(DIGESTS, _digest_key(digest, kind))
        return None if data is None else first_of(data)

    def set_first(self, digest: str, first: First, kind: Kind = Kind.PAGE) -> None:
        """Later captures of the same payload point here."""
        self._table.put(DIGESTS, _digest_key(digest, kind), _encode(first))

    def remove_first(self, digest: str, kind: Kind = Kind.PAGE) -> None:
        """Nobody has this payload any more."""
        self._table.delete(DIGESTS, _digest_key(digest, kind))


def require_moment(key: bytes, data: bytes) -> None:
    """A row of the family `captures` has the same moment in its key."""
    began = version_of(data).began
    if _moment(began) != key[-8:]:
        raise damaged("Version", f"its date is {began}, and its key has another")


def _key(url: str, began: float) -> bytes:
    return keys.row(url) + b"\0" + _moment(began)


def _moment(began: float) -> bytes:
    since = min(max(round(began * 1_000), 0), _FOREVER)  # people may ask for a day that no key can say
    return (_FOREVER - since).to_bytes(8, "big")


def _digest_key(digest: str, kind: Kind) -> bytes:
    try:
        return bytes.fromhex(digest.partition(":")[2]) + (b"\1" if kind is Kind.RESOURCE else b"")
    except ValueError as error:
        raise damaged("digest", repr(digest[:100])) from error
