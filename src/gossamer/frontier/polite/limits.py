"""How many visits may be under way, and how many pages may be kept? As many as were asked for.

Visits that drip along do not count: a few hundred hosts that send a byte now and then could hold every worker for
minutes. So a visit that takes longer than a few seconds makes room for another, up to as many again, and hosts that are
known to be that slow never get more than that second half. What counts is the whole visit: a host whose pages are so
large that they wait here is slow as well.

A limit of pages counts what was kept and what is out, in all shards together; one of bytes what has come. At such a
limit, and when the time is over, nothing more is handed out, and all that is queued waits for a larger one.
"""

from __future__ import annotations

from itertools import count, islice
from math import inf
from typing import NamedTuple

from gossamer.frontier.holding import is_page_here
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.shards.peers import Peers
from gossamer.model import Clock
from gossamer.urls import keys

HOSTS_COUNTED = 50_000
"""Whose pages are remembered at once."""
SLOW = 5.0
"""Seconds after which a visit no longer counts."""


class Slots:
    """Counts visits from hand-out to answer."""

    def __init__(self, clock: Clock, most: int) -> None:
        """`most` is how many visits that are not slow may be under way; 0 for any number."""
        self._clock = clock
        self._most = most or inf
        self._young: dict[int, float] = {}
        """Tickets, the oldest first, and when they were given out."""
        self._slow: set[int] = set()
        self._known: set[int] = set()
        """Tickets of hosts that were slow before."""
        self._tickets = count()

    def take(self, host: Host) -> int:
        """A visit begins. Give the ticket back with `give`."""
        ticket = next(self._tickets)
        self._young[ticket] = self._clock.steady()
        if host.pace > SLOW or host.lingers:
            self._known.add(ticket)
        return ticket

    def give(self, ticket: int, host: Host) -> None:
        """It has ended."""
        self._known.discard(ticket)
        began = self._young.pop(ticket, None)
        host.lingers = began is None or self._clock.steady() - began > SLOW
        if began is None:
            self._slow.discard(ticket)

    def lets(self, host: Host) -> bool:
        """May this host be visited now, or is it one of the slow, of which enough are under way?"""
        return not (host.pace > SLOW or host.lingers) or len(self._known) < self._most

    def free_from(self) -> float:
        """Steady time when one more may begin; infinity when one has to end first."""
        before = self._clock.steady() - SLOW
        while self._young and next(iter(self._young.values())) <= before:
            ticket = next(iter(self._young))
            del self._young[ticket]
            self._slow.add(ticket)
        beyond = max(len(self._slow) - self._most, 0)
        if len(self._young) + beyond < self._most:
            return 0.0
        return next(iter(self._young.values())) + SLOW if self._young and len(self._slow) < self._most else inf


class Allowance(NamedTuple):
    """What a crawl may use up besides pages."""

    bytes: int = 0
    """That all shards may have fetched; 0 for any number."""
    until: float = inf
    """Steady time when it ends."""

    def __bool__(self) -> bool:
        return bool(self.bytes) or self.until != inf


class Quota:
    """The limits of a crawl as a whole: pages, bytes, time."""

    def __init__(
        self,
        ledger: Ledger,
        pages: int,
        peers: Peers | None,
        *,
        closed: bool = False,
        allowance: Allowance = Allowance(),  # noqa: B008  # a frozen value
        clock: Clock | None = None,
        out: int = 0,
    ) -> None:
        """`pages` is the limit; 0 for none. One that is `closed` has room for nothing. So many pages are `out`."""
        self._closed = closed
        self._allowance = allowance
        self._clock = clock
        self._others = peers
        self._ledger = ledger
        self._pages = pages
        self._peers = peers if pages else None
        self._out = out

    def change(self, pages: int, allowance: Allowance) -> None:
        """Other limits from now on."""
        if pages and not self._pages and self._others:
            self._others.leases.begin(self._others.me, self._ledger.counts.kept, self._out)
        self._pages, self._allowance = pages, allowance
        self._peers = self._others if pages else None
        self.weigh()

    def full(self) -> bool:
        """Nothing more may be asked for. Pages that we have may be asked for again, however many there are, and so may
        what they need."""
        return self.is_over() or (self._ledger.counts.besides <= 0 and self.has_all_pages())

    def has_all_pages(self) -> bool:
        """There is no room for a page that is new."""
        if self._peers:
            return self._peers.leases.full(self._pages)
        return 0 < self._pages <= self._ledger.counts.kept + self._out

    def claim(self) -> bool:
        """Is there room for one more page? Nobody else has it from now on. Give it back with `settle`."""
        if self.is_over():
            return False
        if self._peers and not self._peers.leases.claim(self._peers.me, self._pages):
            return False
        if not self._peers and self.has_all_pages():
            return False
        self._out += 1
        return True

    def settle(self, *, kept: bool) -> None:
        """What was claimed has become a page of ours, or may become another one."""
        self._out -= 1
        if self._peers:
            self._peers.leases.settle(self._peers.me, kept=kept)

    def weigh(self) -> None:
        """An answer has come: the others hear how much there is now."""
        if self._others and self._allowance.bytes:
            self._others.leases.weigh(self._others.me, self._ledger.counts.bytes)

    def is_over(self) -> bool:
        """Not even what we have may be asked for again: time or bytes are used up."""
        if self._closed:
            return True
        if self._clock is not None and self._clock.steady() >= self._allowance.until:
            return True
        if not self._allowance.bytes:
            return False
        return self._allowance.bytes <= (self._others.leases.fetched() if self._others else self._ledger.counts.bytes)


class PagesPerHost:
    """How many pages of a host there are, counted from its rows when it is met, and no further than the limit."""

    def __init__(self, ledger: Ledger, most: int) -> None:
        self._ledger = ledger
        self.most = most
        self._kept: dict[str, int] = {}

    def room(self, host: str) -> int:
        """How many more may be kept."""
        if host not in self._kept:
            if len(self._kept) >= HOSTS_COUNTED:
                self._kept.clear()
            pages = (1 for _, entry in self._ledger.all(keys.host_prefix(host)) if is_page_here(entry))
            self._kept[host] = sum(islice(pages, self.most))
        return self.most - self._kept[host]

    def kept(self, host: str) -> None:
        """One more."""
        if host in self._kept:
            self._kept[host] += 1
