"""Rows the frontier keeps: one for every address ever discovered, one for every host, one for every robots.txt.

An address is in exactly one state. "In flight" is not among them: what is out is still queued on disk,
so a crawl that dies finds it there again.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated

import msgspec

from gossamer.model import Kind, Visit
from gossamer.rows import Count, Natural, Seconds, decoder
from gossamer.store.url_seen import FAMILIES as SIEVE_FAMILIES

URLS = "urls"
"""row key of the address -> Entry"""
QUEUE = "queue"
"""origin, NUL, rank, sequence number -> address; see `rank`"""
TURNS = "turns"
"""where an origin waits, see `waiting_origins` -> origin"""
STANDING = "standing"
"""origin with something queued -> its key in `turns`"""
LATER = "later"
"""wall time in microseconds, sequence number -> address that waits for a retry"""
REVISITS = "revisits"
"""the same -> address that is looked at again then; see `revisit`"""
FRESHNESS = "freshness"
"""row key of the address -> PageChanges: what its visits have told; see `revisit`"""
RATES = "rates"
"""host, or host and first segment of the path -> History: how often its pages change"""
TRUST = "trust"
"""host -> Trust: how far the dates of its sitemaps and feeds were right"""
HUBS = "hubs"
"""row key of the address -> Subscribable: which hub tells of its changes; see `revisit`"""
HOSTS = "hosts"
"""host name -> HostRow"""
BACKLOG = "backlog"
"""host name -> how many of its addresses are queued; no row for none"""
TALLIES = "tallies"
"""host name -> how many pages of it there are, and how many failures; no row for neither"""
ROBOTS = "robots"
"""origin -> RobotsRow"""
SITES = "sites"
"""site -> SiteRow"""
LINKERS = "linkers"
"""site, NUL, another site that links to it -> nothing"""
TEMPLATES = "templates"
"""host, NUL -> HostKinds; kind of address -> KindRow; family, NUL -> Memory; see `crawl_traps`"""
TEXTS = "texts"
"""host, NUL, digest of a text without its numbers -> nothing: a page of the host said it"""
PARAMETERS = "parameters"
"""kind of path -> KeysRow: what its query keys change; host, NUL -> HostKeys; see `parameters`"""
PROBES = "probes"
"""kind of directory -> PlaceRow: how it answers to made-up names; host, NUL -> HostPlaces; see `soft404`"""
CASH = "cash"
"""row key of the address -> CashRow; see `opic`"""
TOPICS = "topics"
"""row key of the address -> TopicRow: what is promised of it; see `focus`"""
RENDERS = "renders"
"""kind of address -> RenderRow: whether it pays to render its pages; see `worth/rendering`"""
FORMS = "forms"
"""mark of a form -> FormRow; see `forms`"""
RECORDS = "form_records"
"""mark of a form, mark of a record -> the last question that has brought it, and how many have"""
OUTBOX = "outbox"
"""number of another shard, number of the batch -> what that shard must hear; see `exchange`"""
FIRSTS = "firsts"
"""digest of a body that this shard remembers for all shards -> the address it was met at first"""
META = "meta"
"""counters and the next sequence number, part of every commit"""
WATCHED = b"watch"
"""The row of `META` with what of a watch must survive a restart."""

FAMILIES = (
    *(URLS, QUEUE, TURNS, STANDING, LATER, HOSTS, BACKLOG, ROBOTS, SITES, LINKERS, CASH, OUTBOX, FIRSTS, META),
    *(TEMPLATES, TEXTS, PARAMETERS, PROBES, TALLIES, REVISITS, FRESHNESS, RATES, TRUST, HUBS, TOPICS, RENDERS),
    *(FORMS, RECORDS),
    *SIEVE_FAMILIES,
)

REMOVED = "removed"
"""The reason why an address is left out that somebody has taken out of the collection; see `removal`."""
HISTORY = 10
"""How many past tries an entry remembers."""

REASON_MOST = 1_000
"""Characters of a reason: it may repeat what a server said. Where a redirect leads to is in `target`, whole."""
VALIDATOR_MOST = 1_000
"""Characters of an ETag or a date; a longer one is not sent back."""
FORBIDDEN = "robots.txt forbids it"
"""The reason of what is left out by its robots.txt."""


class State(IntEnum):
    """Where an address stands."""

    QUEUED = 0
    DONE = 1
    FAILED = 2
    EXCLUDED = 3


class Entry(msgspec.Struct, array_like=True, frozen=True):
    """All that is known about an address but its content."""

    state: State
    depth: Count
    found: Seconds
    reason: str = ""
    kind: Kind = Kind.PAGE
    hops: Count = 0
    attempt: Count = 0
    referrer: str | None = None
    due: Seconds = 0.0
    """Wall time of a retry; 0 when it only waits for its turn."""
    visited: Seconds = 0.0
    status: Count = 0
    target: str | None = None
    """Where it redirects to."""
    etag: str | None = None
    modified: str | None = None
    position: Natural = 0
    """Its sequence number in the queue or among the retries."""
    rank: Natural = 0
    """Its place in the queue before the sequence number counts; see `rank`."""
    headed: bool = False
    """A HEAD request has shown that the body is worth a GET."""
    copy: bool = False
    """The same bytes are known from another address."""
    history: tuple[tuple[Seconds, str], ...] = ()
    hint: Annotated[int, msgspec.Meta(ge=-5, le=5)] = 0
    """What a sitemap says of it, -5 to 5; see `hints`."""
    cash: Natural = 0
    """What it was worth when it got its place; see `opic`, and `focus` where the crawl has a topic."""
    sunk: Count = 0
    """The level of its kind when it got its place in the queue; see `crawl_traps`."""
    near: bool = False
    """It says nearly what another page says, and the bytes are not the same."""
    taken: Count = 0
    """How many addresses of a list were taken that waits to be read on; see `listings`. It is not asked for again."""
    guess: str = ""
    """No link leads to it: where the string stood that may be its address; see `guessed_links`."""
    linked: bool = False
    """Of what a page needs: a link leads to it too; see `requisites`."""
    document: bool = False
    """Of what a page needs and was fetched: it is a document."""
    soft: str = ""
    """Why the page that we have is an error in disguise; see `soft404`. It outlasts the reasons of later tries."""
    held: bool = False
    """The last visit brought no page, and took none away: what came before it is still here."""

    def visit(self, url: str, method: str = "GET") -> Visit:
        """The request that this entry stands for. Validators of a 304 are none: nothing came with them. An error in
        disguise is wanted whole, to be judged anew."""
        came = self.status != 304 and not self.soft
        return Visit(
            url,
            self.kind,
            method,
            self.depth,
            self.hops,
            self.attempt,
            self.referrer,
            etag=self.etag if came else None,
            modified=self.modified if came else None,
        )

    def after(self, when: float, what: str, **changes: object) -> Entry:
        """The entry with one more line in its history."""
        history = (*self.history, (when, what[:REASON_MOST]))[-HISTORY:]
        after = msgspec.structs.replace(self, visited=when, history=history, **changes)
        long = len(after.reason) > REASON_MOST
        return msgspec.structs.replace(after, reason=after.reason[:REASON_MOST]) if long else after


class HostRow(msgspec.Struct, array_like=True, frozen=True):
    """What must survive a restart of a host's politeness."""

    due: Seconds
    """Wall time before which no request may start."""
    pace: Seconds
    penalty: Seconds
    crawl_delay: Seconds
    streak: Count
    trips: Count
    throttled: Count
    paused: Seconds
    """Wall time until which the whole host is left alone; 0 when it is not."""
    reason: str
    visits: Count
    faults: Count
    number: Count = 0
    """It was the n-th host of its site to be met; 0 when nobody counted."""
    delays: dict[str, Seconds] = {}
    """Crawl-delays by origin, of those that ask for one; `crawl_delay` is the longest."""


class RobotsRow(msgspec.Struct, array_like=True, frozen=True):
    """The robots.txt of an origin as it was last understood."""

    verdict: str
    """One of `robots.Verdict`."""
    body: bytes
    fetched: Seconds
    expires: Seconds
    tries: Count
    status: Count
    detail: str


class SiteRow(msgspec.Struct, array_like=True):
    """What a site's budget is made of."""

    linkers: Count = 0
    """Other sites that link to it."""
    visits: Count = 0
    """Pages of it that were asked for, robots.txt aside."""
    hosts: Count = 0
    """Hosts of it that were met."""


class CashRow(msgspec.Struct, array_like=True):
    """What a page is worth, in grains; see `opic`."""

    cash: Natural = 0
    history: float = 0.0
    """All that it ever shared."""
    since: int = -2
    """What each that waits had been paid when it was counted last; below 0 it does not wait."""


encode = msgspec.msgpack.Encoder().encode


def encode_new(entry: Entry) -> bytes:
    """The row of an address that was found and never asked for. What a row does not say at its end is as usual, so half
    of it is left away, where it is."""
    if entry.cash or entry.hint or entry.sunk or entry.guess:
        return encode(entry)
    state, depth, found, reason, kind = entry.state, entry.depth, entry.found, entry.reason, entry.kind
    said = state, depth, found, reason, kind, entry.hops, 0, entry.referrer
    if entry.position or entry.rank:
        return encode((*said, 0.0, 0.0, 0, None, None, None, entry.position, entry.rank))
    return encode(said)


entry = decoder(Entry)
host_row = decoder(HostRow)
robots_row = decoder(RobotsRow)
site_row = decoder(SiteRow)
cash_row = decoder(CashRow)
