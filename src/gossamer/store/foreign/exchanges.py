"""From the records of a file that somebody else wrote to captures, as if they had been fetched here.

A capture is a response with its request and its metadata, if there are any. Crawlers write them in any order, but
beside each other, and say by `WARC-Concurrent-To` that they belong together; so one of each is held back until the
next begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TypeAlias

from gossamer.errors import Damaged
from gossamer.model import Capture, Kind, Visit
from gossamer.store.foreign import claims
from gossamer.store.foreign.lenient_warc import BESIDE, ENDS, LONG, Fault, Met
from gossamer.store.foreign.posted import lookup
from gossamer.store.warc.reader import capture_of, circumstances
from gossamer.store.warc.warc import RESOURCE, REVISIT_NOT_MODIFIED, Circumstances, Record, instant, uuid_of

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


@dataclass(frozen=True, slots=True)
class Kept:
    """A record that is no capture, and is kept as it is."""

    record: Record
    offset: int
    about: str | None
    """The page that it is about, if it is about one."""


Item: TypeAlias = Brought | Kept | Refused | Fault


def captures(met: Iterable[Met | Fault], first: Met | Fault | None = None) -> Iterator[Item]:
    """All that the records of a file bring, in their order. `first` is its first record, where others came before."""
    held = _Held()
    if isinstance(first, Met) and first.record.type == "warcinfo":
        held.kept(first)
    for each in met:
        if isinstance(each, Fault):
            yield each
        elif each.record.type in CARRIERS:
            yield from held.close_for(each.record)
            held.carrier = each
        elif each.record.type in BESIDE:
            yield from held.take(each)
        else:
            yield held.kept(each)
    yield from held.close()
    yield from held.forsake()


class _Held:
    """The records of one capture, as far as they have come."""

    def __init__(self) -> None:
        self.carrier: Met | None = None
        self._info, self._date = "", 0.0
        """The warcinfo record that came last, and its date."""
        self._beside: dict[str, Met] = {}
        self._first = inf
        """Where the exchange begins that is being closed: nothing of it counts as passed before all of it came."""

    def take(self, met: Met) -> Iterator[Item]:
        """A request or metadata: of the capture that is held, or of the next."""
        kind = met.record.type
        if self.carrier is not None and (kind in self._beside or not _belong(self.carrier.record, met.record)):
            yield from self.close()
        if self.carrier is None and kind in self._beside:
            yield from self.forsake()
        self._beside[kind] = met

    def close_for(self, carrier: Record) -> Iterator[Item]:
        """The next capture begins; what came before it may be its request."""
        yield from self.close()
        for kind, met in list(self._beside.items()):
            if not _belong(carrier, met.record):
                yield self.kept(self._beside.pop(kind))

    def forsake(self) -> Iterator[Item]:
        """No capture has come for what is beside."""
        beside, self._beside = self._beside, {}
        yield from map(self.kept, beside.values())

    def close(self) -> Iterator[Item]:
        """Nothing more comes for the capture that is held."""
        if self.carrier is not None:
            met, beside = self.carrier, self._beside
            self.carrier, self._beside = None, {}
            yield from self._exchange(met, beside.get("request"), beside.get("metadata"))

    def _exchange(self, met: Met, request: Met | None, metadata: Met | None) -> Iterator[Item]:
        """A capture, or the records of an exchange that is none."""
        self._first = min(each.record.place.offset for each in (met, request, metadata) if each)
        method = request.record.block[:20].split(b" ", 1)[0].decode("latin-1") if request else "GET"
        url = claims.web_address(met.record.url)
        kept: list[tuple[Met, str]] = []
        if metadata is not None and (url is None or _told(metadata.record, url) is None):
            kept.append((metadata, ""))
        if request is not None and (url is None or method != "GET"):
            kept.append((request, ""))
            sent = request.record.block if url and method.isalpha() else b""
            kept.append((met, lookup(met.record.url or "", method, sent) if sent else ""))
        elif url is None:
            kept.append((met, ""))
        kept.sort(key=lambda each: each[0].record.place.offset)  # readers know them by their order, too
        yield from (self.kept(*each) for each in kept)
        if url is not None and method == "GET":
            met = met._replace(record=claims.dated(met.record, self._date))
            beside = (request and request.record, metadata and metadata.record)
            yield understood(met.record.place.offset, lambda: _brought(met, url, self._info, *beside))
        self._first = inf

    def kept(self, met: Met, found_at: str = "") -> Item:
        """A record that is kept as it is; by that of a warcinfo, those that follow know their file."""
        record = claims.dated(met.record, self._date)
        kept = claims.aside(record, met.cut, "" if record.type == "warcinfo" else self._info, found_at)
        if record.type == "warcinfo":
            self._info, self._date = kept.place.record, record.began if record.began > claims.UNDATED else 0.0
        held = (self.carrier, *self._beside.values())
        first = min([self._first, *(each.record.place.offset for each in (met, *held) if each)])
        return Kept(kept, round(first), _about(record.url))


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


def _about(url: str | None) -> str | None:
    """Also of those that have the address of a page behind one of their own, as Browsertrix writes them."""
    scheme, _, rest = claims.bare(url or "").partition("http")
    return claims.web_address(f"http{rest}") if rest and (not scheme or scheme.startswith("urn:")) else None


def _brought(met: Met, url: str, info: str, request: Record | None, metadata: Record | None) -> Item:
    record = met.record
    offset = min(each.place.offset for each in (record, request, metadata) if each is not None)
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
        provenance=claims.provenance(record, capture, met.cut)._replace(
            info=claims.name(uuid_of(record.field("warc-warcinfo-id") or "")) or info,
            asked=claims.asked(request) if request else None,
        ),
    )
    undated = capture.began == claims.UNDATED
    return Brought(capture, offset, _refers(record), cut=met.cut == LONG, undated=undated)


def _captured(record: Record, url: str) -> Capture | None:
    """None: its HTTP head has no end."""
    if record.type != RESOURCE:
        if not (record.field("content-type") or "").startswith("application/http"):
            fields = (("content-type", "application/http"), *record.fields)
            record = replace(record, fields=fields)
        return capture_of(record, url, Kind.PAGE) if is_head(record.head) else None
    return capture_of(record, url, Kind.PAGE)


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
