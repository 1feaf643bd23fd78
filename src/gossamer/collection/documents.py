"""Pages as a user meets them: what was fetched, when, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from gossamer.errors import NotFound
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.holding import Holding, holding_of
from gossamer.frontier.ledger import Ledger
from gossamer.model import Capture, Kind, Link, Page
from gossamer.printable import on_calendar, timestamp
from gossamer.store.versions import Version, tells
from gossamer.tagged.passages import WORDS, Passage

if TYPE_CHECKING:
    from gossamer.store.archive import Archive

Read = Callable[[Capture], Page]


class SaysWhatItRead:
    """What a page says, whoever has it: one of a collection, or one that was just read."""

    __slots__ = ()
    page: Page

    @property
    def title(self) -> str:
        """As the page gives it."""
        return self.page.title

    @property
    def text(self) -> str:
        """All of its words."""
        return self.page.text

    @property
    def content(self) -> str:
        """The words of its main content."""
        return self.page.content

    @property
    def html(self) -> str:
        """Its main content as tagged text."""
        return self.page.html

    @property
    def markdown(self) -> str:
        """Its main content as Markdown."""
        return self.page.markdown

    @property
    def kind(self) -> str:
        """What kind of page it is: article, forum, listing, product, collection, service or documentation."""
        return self.page.kind

    @property
    def data(self) -> dict[str, Any]:
        """What it says of itself for programs: JSON-LD, microdata, Open Graph."""
        return self.page.data

    def passages(self, words: int = WORDS) -> list[Passage]:
        """Its main content in pieces of so many words at most."""
        return self.page.passages(words)

    @property
    def language(self) -> str | None:
        """ISO 639 code of the language it is written in; None when there is too little to tell."""
        return self.page.language

    @property
    def author(self) -> str | None:
        """As the page names it; None where it does not."""
        return self.page.author or None

    @property
    def published(self) -> datetime | None:
        """As the page says."""
        return on_calendar(self.page.published)

    @property
    def modified(self) -> datetime | None:
        """As the page says."""
        return on_calendar(self.page.modified)

    @property
    def links(self) -> Sequence[Link]:
        """What it points to."""
        return self.page.links


@dataclass(frozen=True, slots=True)
class Document(SaysWhatItRead):
    """One version of a page."""

    url: str
    entry: Entry | None
    """None for robots.txt, which is fetched without being found."""
    version: Version
    capture: Capture
    page: Page

    def __repr__(self) -> str:
        return f"<Document {self.url} {self.status} {self.title!r}>"

    @property
    def status(self) -> int:
        """What the server answered."""
        return self.version.status

    @property
    def last_modified(self) -> datetime | None:
        """As its server says: often the time of a file, or of the moment."""
        return on_calendar(last_modified(self.capture))

    @property
    def media_type(self) -> str:
        """By its bytes, not only by what the server says."""
        return self.version.media_type

    @property
    def final_url(self) -> str:
        """A redirect leads to a page of its own, so this is its address."""
        return self.url

    @property
    def digest(self) -> str:
        """Of its bytes."""
        return self.version.digest

    @property
    def depth(self) -> int | None:
        """How many links from a seed; None for robots.txt."""
        return self.entry.depth if self.entry else None

    @property
    def copy_of(self) -> str | None:
        """The page whose bytes are the same."""
        return self.version.copy_of

    @property
    def near_copy_of(self) -> str | None:
        """The page that says nearly the same."""
        return self.version.near_copy_of

    @property
    def fields(self) -> dict[str, Any]:
        """What the page function of the crawl gave."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self.page.fields}

    @property
    def fetched(self) -> datetime:
        """When it was asked for, as its WARC-Date says."""
        return moment(self.version.began)

    def picture(self) -> bytes:
        """What it looked like in a browser, as a JPEG; NotFound where there is no such picture."""
        if not self.capture.screenshot:
            raise NotFound(
                f"{self.url}: there is no picture of it; `gossamer crawl DIR --render always --screenshots --revisit`"
                " makes one of each page"
            )
        return self.capture.screenshot

    def keys(self) -> tuple[str, ...]:
        """The names of what `dict(page)` has: the fields of `export jsonl`. pandas makes a row of what has them."""
        return (*FIELDS, *([GIVEN] if self.page.fields else []))

    def __getitem__(self, name: str) -> Any:
        """One of them, a date as such."""
        value = self.as_json([name])[name]
        return datetime.fromisoformat(value) if value and name in DATES else value

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def as_json(self, names: Sequence[str] = ()) -> dict[str, Any]:
        """The object that `export jsonl` writes, or only these fields of it. What a page function gave has a name of
        its own too, and where it gave nothing by that name, nothing is told."""
        wanted = names or self.keys()
        own = {f"{ONE_GIVEN}{name}": value for name, value in self.fields.items()} | {GIVEN: self.fields}
        known = (name for name in wanted if name in own or name in FIELDS)
        return {name: own[name] if name in own else FIELDS[name](self) for name in known}


Mapping.register(Document)


def last_modified(capture: Capture) -> float | None:
    """When a document was changed, as its server says: in seconds since 1970."""
    from gossamer.convert.dates import seconds

    return seconds(capture.header("last-modified") or "")


def _fetched(page: Document) -> str:
    from gossamer.store.warc.warc import date

    return date(page.version.began)


_AS_JSON: dict[str, Callable[[Document], Any]] = {
    "fetched": _fetched,
    "published": lambda each: timestamp(each.page.published),
    "modified": lambda each: timestamp(each.page.modified),
    "last_modified": lambda each: timestamp(last_modified(each.capture)),
    "links": lambda each: [
        {"url": link.url, "anchor": link.anchor, "rel": link.rel, "content": link.content} for link in each.links
    ],
}
FIELDS: dict[str, Callable[[Document], Any]] = {
    name: _AS_JSON.get(name, attrgetter(name))
    for name in (
        *("url", "final_url", "fetched", "status", "media_type", "digest", "title", "text", "content", "markdown"),
        *("language", "kind", "author", "published", "modified", "last_modified", "depth", "copy_of"),
        *("near_copy_of", "links"),
    )
}
"""What is told of every page, in this order; attributes have the same names."""
GIVEN = "fields"
"""What a page function gave, which only some pages have."""
ONE_GIVEN = f"{GIVEN}."
"""Before the name of one of them."""


DATES = ("fetched", "published", "modified", "last_modified")


def documents(
    archive: Archive,
    ledger: Ledger,
    read: Read,
    is_meant: Callable[[str], bool] = lambda url: True,
    is_taken: Callable[[Version], bool] = lambda version: True,
) -> Iterator[Document]:
    """What counts of every page that is meant and whose current version is taken, in the order of the addresses."""
    for url, entry, version in newest(archive, ledger):
        if is_meant(url) and is_taken(version):
            yield _document(url, entry, version, archive, read)


def newest(
    archive: Archive, ledger: Ledger, prefix: bytes = b"", after: str | None = None, *, needed: bool = False
) -> Iterator[tuple[str, Entry, Version]]:
    """The same without what it says; `prefix` is how row keys begin, `after` the last address that is left out. With
    what pages need, if that is `needed`."""
    for url, rows in groupby(archive.versions.all(prefix, after), key=lambda item: item[0]):
        entry = ledger.get(url)
        version = _current(entry, (version for _, version in rows), needed=needed) if entry is not None else None
        if entry is not None and version is not None:
            yield url, entry, version


def _current(entry: Entry, versions: Iterator[Version], *, needed: bool) -> Version | None:
    """The version that counts of an address; None where none does."""
    match holding_of(entry):
        case Holding.PAGE:
            return next(filter(is_document, versions), None)
        case Holding.REQUISITE:
            return next((each for each in versions if 200 <= each.status < 300), None) if needed else None
        case _ if entry.state is not State.DONE:
            return _still_counts(versions)
    return None


def _still_counts(versions: Iterator[Version]) -> Version | None:
    """What a page said last, where it is to be asked again or may not be, or was asked and did not say that it is gone
    or has moved.

    Search goes by the same rule: a visit that fails takes nothing away."""
    last = next((each for each in versions if each.kind is Kind.PAGE and tells(each.status)), None)
    return last if last is not None and is_document(last) else None


def document(archive: Archive, ledger: Ledger, read: Read, url: str, at: float | None = None) -> Document | None:
    """The version of a page that was current at a time; None when there is none. Sitemaps and robots.txt count."""
    version = next((each for each in archive.versions.of(url, until=at) if 200 <= each.status < 300), None)
    return _document(url, ledger.get(url), version, archive, read) if version else None


def answer(archive: Archive, ledger: Ledger, read: Read, url: str, at: float | None = None) -> Document | None:
    """The last answer of an address, or the last up to a time, also an error or a redirect; None when none came."""
    version = next(archive.versions.of(url, until=at), None)
    return _document(url, ledger.get(url), version, archive, read) if version else None


def moment(began: float) -> datetime:
    """The time of a capture, to the millisecond, as its record and its row key have it."""
    return datetime.fromtimestamp(round(began * 1_000) / 1_000, UTC)


def is_document(version: Version) -> bool:
    """Neither an error nor a redirect nor robots.txt."""
    return version.kind is Kind.PAGE and 200 <= version.status < 300


def _document(url: str, entry: Entry | None, version: Version, archive: Archive, read: Read) -> Document:
    capture = archive.capture(url, version)
    return Document(url, entry, version, capture, archive.page(url, version) or read(capture))
