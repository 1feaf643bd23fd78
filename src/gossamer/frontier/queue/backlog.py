"""How much has each host queued, and which one will take the longest? Counted as it changes, never by a scan.

A crawl of many hosts is as fast as its machine, but its last hours belong to the host with the longest queue, because
politeness lets nobody hurry there.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest
from typing import NamedTuple

from gossamer.frontier.entries import BACKLOG
from gossamer.frontier.polite.host_delays import Host, Politeness
from gossamer.model import Clock
from gossamer.rows import number, text
from gossamer.store.table.table import Table

_KEPT = 50_000
"""Counts kept in memory between commits."""


class Backlog:
    """Addresses queued, by host. A host with none has no row."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._counts: dict[str, int] = {}
        self._changed: set[str] = set()

    def of(self, host: str) -> int:
        """How many addresses of a host are queued, those that wait for a retry among them."""
        count = self._counts.get(host)
        return self._stored(host) if count is None else count

    def shift(self, host: str, by: int) -> None:
        """So many more, or less."""
        counts = self._counts
        counts[host] = (counts[host] if host in counts else self._stored(host)) + by
        self._changed.add(host)

    def read_ahead(self, hosts: Iterable[str]) -> None:
        """These will be asked for soon."""
        self._table.read_ahead(BACKLOG, (host.encode() for host in hosts if host not in self._counts))

    def save(self) -> None:
        """The counts become part of the next commit."""
        for host in self._changed:
            count = self._counts[host]
            if count:
                self._table.put(BACKLOG, host.encode(), count.to_bytes(8, "big"))
            else:
                self._table.delete(BACKLOG, host.encode())
        self._changed.clear()
        if len(self._counts) > _KEPT:
            self._counts.clear()

    def total(self) -> int:
        """The sum over all rows."""
        return sum(number(count) for _, count in self._table.scan(BACKLOG))

    def largest(self, most: int) -> list[tuple[int, str]]:
        """The hosts that have the most of what was committed."""
        return nlargest(most, ((number(count), text(host)) for host, count in self._table.scan(BACKLOG)))

    def _stored(self, host: str) -> int:
        return number(self._table.get(BACKLOG, host.encode()) or b"")


class Stretch(NamedTuple):
    """What one host has queued, and how fast a polite crawler may ask for it."""

    host: str
    queued: int
    each: float
    """Seconds for one address."""
    pause: float = 0.0
    """Seconds for which it is left alone altogether."""

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.pause + self.queued * self.each if self.queued else 0.0


class Longest:
    """The host that will take the longest, among those that were visited.

    Every visited host is held against the one that is known, so a wrong answer lasts no longer than until the right one
    is visited again.
    """

    def __init__(self, backlog: Backlog, politeness: Politeness, clock: Clock) -> None:
        self._backlog = backlog
        self.politeness = politeness
        self._clock = clock
        self._host: Host | None = None

    def offer(self, host: Host) -> None:
        """A host was visited."""
        known = self._host
        if known is host:
            return
        if known is None or known.name == host.name or self._seconds(host) > self._seconds(known):
            self._host = host

    def first(self) -> Stretch | None:
        """The longest, by what is queued now."""
        return self._stretch(self._host) if self._host else None

    def _seconds(self, host: Host) -> float:
        """As `Stretch.seconds`; a host with nothing queued is not looked at any further."""
        return self._stretch(host).seconds if self._backlog.of(host.name) else 0.0

    def _stretch(self, host: Host) -> Stretch:
        each = max(self.politeness.usual_gap(host), self.politeness.ip_delay) + host.usual / self.politeness.per_host
        return Stretch(host.name, self._backlog.of(host.name), each, max(host.paused - self._clock.steady(), 0.0))
