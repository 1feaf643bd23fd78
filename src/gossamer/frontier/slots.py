"""How many visits may be under way? As many as were asked for, and those that drip along do not count.

A few hundred hosts that send a byte now and then could hold every worker for minutes. So a visit that takes longer than
a few seconds makes room for another, up to as many again, and hosts that are known to be that slow never get more than
that second half. What counts is the whole visit: a host whose pages are so large that they wait here is slow as well.
"""

from __future__ import annotations

from itertools import count
from math import inf

from gossamer.frontier.hosts import Host
from gossamer.model import Clock

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
        self._age()
        beyond = max(len(self._slow) - self._most, 0)
        if len(self._young) + beyond < self._most:
            return 0.0
        return next(iter(self._young.values())) + SLOW if self._young and len(self._slow) < self._most else inf

    def _age(self) -> None:
        before = self._clock.steady() - SLOW
        while self._young:
            ticket, began = next(iter(self._young.items()))
            if began > before:
                return
            del self._young[ticket]
            self._slow.add(ticket)
