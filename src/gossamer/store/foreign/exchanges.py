"""From the records of a file that somebody else wrote to captures, as if they had been fetched here.

A capture is a response with its request and its metadata, if there are any. Crawlers write them in any order, but
beside each other, and say by `WARC-Concurrent-To` that they belong together; so one of each is held back until the
next begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from gossamer.errors import Damaged
from gossamer.model import Capture, Kind, Visit
from gossamer.store.foreign import claims
from gossamer.store.foreign.lenient_warc import ENDS, LONG, Fault, Met
from gossamer.store.warc.reader import capture_of, circumstances
from gossamer.store.warc.warc import REVISIT_NOT_MODIFIED, Circumstances, Record, instant

CARRIERS = frozenset({"response", "revisit", "resource"})
"""Records that hold, or point to, what a server said."""
HEAD_MOST, LINES_MOST = 256 << 10, 2_000
"""Bytes and lines of the head of an answer, several times what a crawl of ours lets through."""
_ROBOTS = "/robots.txt"


@dataclass(frozen=True, slots=True)
class Brought:
    """A capture that a file holds; its `body` is not decoded yet."""

    capture: Capture
    offset: int
    """Where the first of its records begins."""
    refers: Refers | None = None
    """It has no payload of its own: where that is."""
    cut: bool = False
    """The file has more of it than was asked for."""
    undated: bool = False
    """Nothing says when it was captured."""


@dataclass(frozen=True, slots=True)
class Refers:
    """What a revisit tells of the response that holds its payload."""

    url: str | None
    began: float
    digest: str | None
    """Of the payload, as the writer of the file counts it."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that is whole but no page of the web."""

    offset: int
    reason: str


Item: TypeAlias = Brought | Refused | Fault


def captures(met: Iterable[Met | Fault]) -> Iterator[Item]:
    """All that the records of a file bring, in their order."""
    held = _Held()
    for each in met:
        if isinstance(each, Fault):
            yield each
        elif each.record.type == "warcinfo":
            held.file_date = each.record.began
        elif each.record.type in CARRIERS:
            yield from held.close_for(each.record)
            held.carrier = each
        elif each.record.type in ("request", "metadata"):
            yield from held.take(each.record)
    yield from held.close()


class _Held:
    """The records of one capture, as far as they have come."""

    def __init__(self) -> None:
        self.carrier: Met | None = None
        self.file_date = 0.0
        """Of the warcinfo record that came last."""
        self._beside: dict[str, Record] = {}

    def take(self, record: Record) -> Iterator[Item]:
        """A request or metadata: of the capture that is held, or of the next."""
        if self.carrier is not None and not _belong(self.carrier.record, record):
            yield from self.close()
        if self.carrier is None and record.type in self._beside:
            self._beside.clear()
        self._beside.setdefault(record.type, record)

    def close_for(self, carrier: Record) -> Iterator[Item]:
        """The next capture begins; what came before it may be its request."""
        yield from self.close()
        self._beside = {kind: record for kind, record in self._beside.items() if _belong(carrier, record)}

    def close(self) -> Iterator[Item]:
        """Nothing more comes for the capture that is held."""
        if self.carrier is not None:
            met, beside = self.carrier, self._beside
            self.carrier, self._beside = None, {}
            met = met._replace(record=claims.dated(met.record, self.file_date))
            yield understood(
                met.record.place.offset, lambda: _brought(met, beside.get("request"), beside.get("metadata"))
            )


def understood(offset: int, read: Callable[[], Item]) -> Item:
    """What a record brings. One that nobody has thought of costs itself, and not the file that it is in."""
    try:
        return read()
    except Exception as error:  # whatever it is: the record is passed over, and the fault is listed with its place
        return Fault(offset, f"a record that cannot be taken in: {error!r:.200}")


def _belong(carrier: Record, other: Record) -> bool:
    """By their ids, in either direction; where neither names another, by their address."""
    ours, theirs = carrier.field("warc-record-id"), other.field("warc-record-id")
    named = [value for name, value in carrier.fields + other.fields if name == "warc-concurrent-to"]
    refers = other.field("warc-refers-to")  # metadata of older crawlers
    if named or refers:
        return ours in (*named, refers) or theirs in named
    return carrier.url == other.url


def _brought(met: Met, request: Record | None, metadata: Record | None) -> Item:
    record = met.record
    offset = min(each.place.offset for each in (record, request, metadata) if each is not None)
    url = claims.web_address(record.url)
    if url is None:
        return Refused(record.place.offset, f"not a web address: {_scheme(record.url)}")
    method = request.block[:20].split(b" ", 1)[0].decode("latin-1") if request else "GET"
    if method != "GET":
        return Refused(record.place.offset, f"answer to {method[:10]}, not to GET")
    capture = _captured(record, url)
    if capture is None or not capture.status:
        return Fault(record.place.offset, f"the record of {url} holds no HTTP answer")
    told = _told(metadata, url)
    capture = replace(
        capture,
        visit=told.visit if told else visit_of(url, metadata),
        seconds=told.seconds if told else 0.0,
        request=request.block if request else b"",
        address=claims.ip(capture.address),
        truncated=met.cut
        or claims.why_cut(capture.truncated)
        or (ENDS if record.field("warc-segment-number") else None),
        decoding=told.decoding if told else None,
        failure=told.failure if told else None,
        source=f"{record.place.file}@{record.place.offset}",
        provenance=claims.provenance(record, capture, met.cut),
    )
    undated = capture.began == claims.UNDATED
    return Brought(capture, offset, _refers(record), cut=met.cut == LONG, undated=undated)


def _captured(record: Record, url: str) -> Capture | None:
    """A resource has no HTTP head, so it gets the one that a server would have sent. None: it has one without end."""
    if record.type != "resource":
        if not (record.field("content-type") or "").startswith("application/http"):
            fields = (("content-type", "application/http"), *record.fields)
            record = replace(record, fields=fields)
        return capture_of(record, url, Kind.PAGE) if is_head(record.head) else None
    media_type = " ".join((record.field("content-type") or "application/octet-stream").split())
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {len(record.block)}\r\n\r\n".encode()
    fields = (("content-type", "application/http"), *record.fields)
    return capture_of(replace(record, fields=fields, block=head + record.block), url, Kind.PAGE)


def is_head(head: bytes) -> bool:
    """Short enough to be taken apart."""
    return len(head) <= HEAD_MOST and head.count(b"\n") <= LINES_MOST


def visit_of(url: str, metadata: Record | None = None) -> Visit:
    """How it came to be asked for, as far as metadata says it in the words of Heritrix."""
    told = _lines(metadata) if metadata else {}
    kind = Kind.ROBOTS if url.partition("://")[2].partition("/")[2] == _ROBOTS[1:] else Kind.PAGE
    depth = claims.steps(told.get("hopsFromSeed", "").count("L"))
    return Visit(url, kind, depth=depth, referrer=claims.web_address(told.get("via")))


def _lines(metadata: Record) -> dict[str, str]:
    pairs = (line.partition(":") for line in metadata.block.decode("utf-8", "replace").split("\n"))
    return {name.strip(): value.strip() for name, colon, value in pairs if colon and name in ("via", "hopsFromSeed")}


def _told(metadata: Record | None, url: str) -> Circumstances | None:
    """What our own crawls write, as far as it can be; None for all others."""
    if metadata is None:
        return None
    try:
        told = circumstances(metadata)
    except Damaged:
        return None
    return claims.circumstances(told, url) if told.visit.url == url else None


def _refers(record: Record) -> Refers | None:
    if record.type != "revisit":
        return None
    url = claims.web_address(record.field("warc-refers-to-target-uri"))
    not_modified = record.field("warc-profile") == REVISIT_NOT_MODIFIED
    digest = None if not_modified else record.field("warc-payload-digest")
    return Refers(url, instant(record.field("warc-refers-to-date") or ""), digest)


def _scheme(url: str | None) -> str:
    scheme, colon, _ = (url or "").strip("<> ").partition(":")
    return f"{scheme[:20]}:" if colon else "none at all"
