"""The collection as one big table: row, column and time give a value.

The Webtable of the BigTable paper (Chang et al., OSDI 2006, section 2): rows are addresses in SURT order, columns are
`family:qualifier`, every cell has the time since which it holds, and the anchors of a page are cells named after the
pages they stand on. It is a view, there is no second store: versions come from the rows of the archive, texts from
their files, anchors from the graph. Where we differ: it is for reading only, and how much a family keeps is fixed.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import chain, groupby, islice
from typing import Any, NamedTuple

from gossamer.collection.ask.addresses import rows, under
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.ask.times import in_utc
from gossamer.collection.derive.graphs import Graph
from gossamer.collection.documents import moment
from gossamer.errors import UsageError
from gossamer.frontier.ledger import Ledger
from gossamer.model import URL, Capture, Page
from gossamer.store.versions import Version
from gossamer.urls import keys
from gossamer.urls.paths import canonical

_PAGE = {
    "status": "status",
    "type": "media_type",
    "encoding": "encoding",
    "digest": "digest",
    "size": "size",
    "title": "title",
    "copy_of": "copy_of",
    "truncated": "truncated",
    "file": "file",
    "offset": "offset",
}
"""Qualifiers, and which field of a version they show. The same for a page in the next."""
_CONTENT = {
    "text": "text",
    "main": "content",
    "html": "html",
    "language": "language",
    "links": "links",
    "problem": "problem",
}
_RAW = "raw"
_CRAWL = ("state", "reason", "depth", "referrer", "target")


class Cell(NamedTuple):
    """A value, and since when it holds."""

    column: str
    """`family:qualifier`"""
    time: datetime
    value: Any


class Family(NamedTuple):
    """Columns that are kept in the same way."""

    holds: str
    keeps: str
    qualifiers: tuple[str, ...]
    """None where they are addresses."""


FAMILIES = {
    "page": Family("what kind of answer came, and where it lies", "every version", tuple(_PAGE)),
    "content": Family("what a page says; `raw` is the bytes of any answer", "every version", (*_CONTENT, _RAW)),
    "crawl": Family("where the address stands", "the newest", _CRAWL),
    "anchor": Family("what other pages call it; the qualifier is the page", "the newest, as of the last build", ()),
}


class Webtable:
    """Rows by address, for reading. Like the collection that it belongs to, it shows one moment."""

    def __init__(self, readers: ShardReaders, graph: Graph | None, read: Callable[[Capture], Page]) -> None:
        self._readers = readers
        self._graph = graph
        self._read = read

    def get(self, url: str, column: str, at: datetime | None = None) -> Cell | None:
        """The newest cell of a column, or the one that held at a time; None when there is none."""
        return next(iter(self.cells(url, column, at=at, versions=1)), None)

    def cells(self, url: str, column: str, *, at: datetime | None = None, versions: int | None = None) -> list[Cell]:
        """The cells of a column, the newest first: all of them, or the last so many, up to a time if one is given."""
        family, qualifier = _split(column)
        at = in_utc(at) if at else None
        row, until = canonical(url), at.timestamp() if at else None
        match family:
            case "crawl":
                found = self._crawl(row, qualifier)
            case "anchor":
                found = self._anchor(row, canonical(qualifier))
            case _:
                found = self._versions(row, family, qualifier, until)
        told = (Cell(column, moment(began), value) for began, value in found)
        return list(islice((cell for cell in told if at is None or cell.time <= at), versions))

    def row(self, url: str, *families: str, at: datetime | None = None) -> dict[str, Cell]:
        """The newest cell of each column of these families; of `page` and `crawl` if none is named."""
        columns = (f"{family}:{name}" for family in families or ("page", "crawl") for name in self._names(family, url))
        cells = (self.get(url, column, at) for column in columns)
        return {cell.column: cell for cell in cells if cell is not None and cell.value is not None}

    def scan(self, prefix: str = "", *, host: str = "", site: str = "", fetched: bool = False) -> Iterator[URL]:
        """The addresses that were found, in the order of the table: all, or those with a prefix, of a host, or of a
        site, which is a host with all hosts below it. `fetched` are those that anything was fetched from."""
        starts = under(site) if site else (keys.host_prefix(host) if host else keys.row_prefix(prefix),)
        shards = [_urls(chain.from_iterable(map(each.archive.versions.all, starts))) for each in self._readers.all]
        if not fetched:
            shards += [_urls(rows(each, starts)) for each in self._readers.all]
        every = groupby(heapq.merge(*shards, key=keys.row))
        return (url for url, _ in every if url.startswith(prefix))

    def _names(self, family: str, url: str) -> Iterable[str]:
        return _family(family).qualifiers or self._linking(canonical(url))

    def _versions(self, url: URL, family: str, name: str, until: float | None) -> Iterator[tuple[float, Any]]:
        value = self._content if family == "content" else _page
        for version in self._readers.of(url).archive.versions.of(url, until=until):
            if family == "page" or name == _RAW or 200 <= version.status < 300:
                yield version.began, value(url, version, name)

    def _content(self, url: URL, version: Version, name: str) -> Any:
        archive = self._readers.of(url).archive
        if name == _RAW:
            return archive.capture(url, version).body
        page = archive.page(url, version) or self._read(archive.capture(url, version))
        return getattr(page, _CONTENT[name])

    def _crawl(self, url: URL, name: str) -> Iterator[tuple[float, Any]]:
        entry = Ledger(self._readers.of(url).table).get(url)
        if entry is not None:
            value = entry.state.name.lower() if name == "state" else getattr(entry, name)
            yield entry.visited or entry.found, value

    def _anchor(self, url: URL, source: URL) -> Iterator[tuple[float, Any]]:
        """What one page calls another: read from its text, the newest that it has."""
        for began, links in islice(self._versions(source, "content", "links", None), 1):
            called = dict.fromkeys(link.anchor for link in links if link.url == url)
            if called:
                yield began, "\n".join(called)

    def _linking(self, url: URL) -> list[URL]:
        if self._graph is None:
            return []
        return sorted(filter(None, (self._graph.names.get(source) for source in self._graph.linking(url))))


def _page(url: URL, version: Version, name: str) -> Any:
    return getattr(version, _PAGE[name])


def _urls(found: Iterable[tuple[URL, Any]]) -> Iterator[URL]:
    return (url for url, _ in groupby(found, key=lambda each: each[0]))


def _family(name: str) -> Family:
    if name not in FAMILIES:
        raise UsageError(f"{name!r}: no such family; there are {', '.join(FAMILIES)}")
    return FAMILIES[name]


def _split(column: str) -> tuple[str, str]:
    name, _, qualifier = column.partition(":")
    known = _family(name).qualifiers
    if not qualifier or (known and qualifier not in known):
        raise UsageError(f"{column!r}: no such column; {name} has {', '.join(known) or 'anchor:ADDRESS'}")
    return name, qualifier
