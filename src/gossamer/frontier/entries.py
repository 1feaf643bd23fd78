"""Rows the frontier keeps: one for every address ever discovered, one for every host, one for every robots.txt.

An address is in exactly one state. "In flight" is not among them: what is out is still queued on disk,
so a crawl that dies finds it there again.
"""

from __future__ import annotations

from enum import IntEnum

import msgspec

from gossamer.model import Kind, Visit

URLS = "urls"
"""row key of the address -> Entry"""
QUEUE = "queue"
"""origin, NUL, rank, sequence number -> address; see `rank`"""
TURNS = "turns"
"""where an origin waits, see `turns` -> origin"""
STANDING = "standing"
"""origin with something queued -> its key in `turns`"""
LATER = "later"
"""wall time in microseconds, sequence number -> address that waits for a retry"""
HOSTS = "hosts"
"""host name -> HostRow"""
ROBOTS = "robots"
"""origin -> RobotsRow"""
SITES = "sites"
"""site -> SiteRow"""
LINKERS = "linkers"
"""site, NUL, another site that links to it -> nothing"""
OUTBOX = "outbox"
"""number of another shard, number of the batch -> what that shard is to be told; see `exchange`"""
META = "meta"
"""counters and the next sequence number, part of every commit"""

FAMILIES = (URLS, QUEUE, TURNS, STANDING, LATER, HOSTS, ROBOTS, SITES, LINKERS, OUTBOX, META)

HISTORY = 10
"""How many past tries an entry remembers."""


class State(IntEnum):
    """Where an address stands."""

    QUEUED = 0
    DONE = 1
    FAILED = 2
    EXCLUDED = 3


class Entry(msgspec.Struct, array_like=True, frozen=True):
    """All that is known about an address but its content."""

    state: State
    depth: int
    found: float
    reason: str = ""
    kind: Kind = Kind.PAGE
    hops: int = 0
    attempt: int = 0
    referrer: str | None = None
    due: float = 0.0
    """Wall time of a retry; 0 when it only waits for its turn."""
    visited: float = 0.0
    status: int = 0
    target: str | None = None
    """Where it redirects to."""
    etag: str | None = None
    modified: str | None = None
    position: int = 0
    """Its sequence number in the queue or among the retries."""
    rank: int = 0
    """Its place in the queue before the sequence number counts; see `rank`."""
    headed: bool = False
    """A HEAD request has shown that the body is worth a GET."""
    copy: bool = False
    """The same bytes are known from another address."""
    history: tuple[tuple[float, str], ...] = ()

    def visit(self, url: str, method: str = "GET") -> Visit:
        """The request that this entry stands for."""
        return Visit(
            url,
            self.kind,
            method,
            self.depth,
            self.hops,
            self.attempt,
            self.referrer,
            etag=self.etag,
            modified=self.modified,
        )

    def after(self, when: float, what: str, **changes: object) -> Entry:
        """The entry with one more line in its history."""
        history = (*self.history, (when, what))[-HISTORY:]
        return msgspec.structs.replace(self, visited=when, history=history, **changes)


class HostRow(msgspec.Struct, array_like=True, frozen=True):
    """What must survive a restart of a host's politeness."""

    due: float
    """Wall time before which no request may start."""
    pace: float
    penalty: float
    crawl_delay: float
    streak: int
    trips: int
    throttled: int
    paused: float
    """Wall time until which the whole host is left alone; 0 when it is not."""
    reason: str
    visits: int
    faults: int


class RobotsRow(msgspec.Struct, array_like=True, frozen=True):
    """The robots.txt of an origin as it was last understood."""

    verdict: str
    """One of `robots.Verdict`."""
    body: bytes
    fetched: float
    expires: float
    tries: int
    status: int
    detail: str


class SiteRow(msgspec.Struct, array_like=True):
    """What a site's budget is made of."""

    linkers: int = 0
    """Other sites that link to it."""
    found: int = 0
    """Addresses of it that were queued so far."""


encode = msgspec.msgpack.Encoder().encode
_entry = msgspec.msgpack.Decoder(Entry).decode
_host = msgspec.msgpack.Decoder(HostRow).decode
_robots = msgspec.msgpack.Decoder(RobotsRow).decode
_site = msgspec.msgpack.Decoder(SiteRow).decode


def site_row(data: bytes) -> SiteRow:
    """A SiteRow from its stored form."""
    return _site(data)


def entry(data: bytes) -> Entry:
    """An Entry from its stored form."""
    return _entry(data)


def host_row(data: bytes) -> HostRow:
    """A HostRow from its stored form."""
    return _host(data)


def robots_row(data: bytes) -> RobotsRow:
    """A RobotsRow from its stored form."""
    return _robots(data)
