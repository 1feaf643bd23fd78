"""Which origins are in memory? Those being visited now; all others cost nothing but rows.

What is queued for an origin on disk does not bring it in: only its turn does (see `waiting_origins` and `schedule`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypeAlias

from gossamer.frontier.parts import Parts
from gossamer.frontier.polite.host_delays import PAUSE_MOST
from gossamer.frontier.polite.schedule import Schedule
from gossamer.frontier.queue.back_queues import Origin
from gossamer.frontier.queue.rank import TOPIC_SPARING, distance
from gossamer.frontier.queue.retry import MINUTE
from gossamer.urls import keys

Origins: TypeAlias = dict[str, Origin]
"""Those in memory, by name."""


class ActiveOrigins:
    """Brings origins in, puts them where they wait, and forgets them."""

    def __init__(self, parts: Parts, schedule: Schedule) -> None:
        self._site = parts.rules.site
        self._sparing = TOPIC_SPARING if parts.rules.topic else 1
        self._clock, self._dates = parts.clock, parts.dates
        self._ledger = parts.ledger
        self._hosts = parts.hosts
        self._queues = parts.queues
        self._budgets = parts.budgets
        self._waiting_origins = parts.waiting_origins
        self._worth = parts.worth
        self._schedule = schedule
        self._origins = Origins()

    def get(self, name: str) -> Origin:
        """The origin of that name, in memory from now on; `forget` it when it is not needed."""
        origin = self._origins.get(name)
        if origin is None:
            number = self._meet(name)
            host = self._hosts.get(keys.host(f"{name}/"))
            host.origins += 1
            origin = self._origins[name] = Origin(name, host)
            origin.away = partial(self._away, self._site(f"{name}/"), number)
        return origin

    def read_ahead(self, urls: Sequence[str]) -> None:
        """Addresses that will join their queues soon: what is known of their hosts is read together."""
        self._worth.read_ahead(urls)
        origins = {keys.origin(url) for url in urls} - self._origins.keys()
        if not origins:
            return
        hosts = {keys.host(f"{name}/") for name in origins}
        self._waiting_origins.read_ahead(origins)
        self._hosts.read_ahead(hosts)
        self._ledger.backlog.read_ahead(hosts)
        self._budgets.read_ahead({self._site(f"{name}/") for name in origins})

    def append(self, url: str, place: int) -> int:
        """An address joins the queue of its origin, wherever that is. Gives its position there."""
        name = keys.origin(url)
        position = self._queues.append(name, url, place)
        origin = self._origins.get(name)
        if origin is None:
            self._expect(name, distance(place))
        else:
            self._queues.offer(origin, place, position, url)
            if not origin.placed:
                self.replace(origin)
        return position

    def open(self) -> None:
        """Bring in the origins that were being visited when the last crawl ended."""
        if not self._waiting_origins.known():  # a collection from before origins waited on disk
            for name in self._queues.origins():
                self._expect(name, 0)
        self.bring_in(self._waiting_origins.at_work())
        latest = self._dates.date(self._clock.steady()) + PAUSE_MOST + MINUTE
        while absurd := self._waiting_origins.asleep_beyond(latest):  # a clock that was wrong has made these dates
            self.bring_in(absurd)

    def bring_in(self, names: Sequence[str]) -> None:
        """Origins come from the disk, each to the front or to another place on the disk."""
        self.read_ahead([f"{name}/" for name in names])
        origins = [self.get(name) for name in names]
        self._ledger.read_ahead([origin.head[0][2] for origin in origins if self._queues.more(origin)])
        for origin in origins:
            self._waiting_origins.work(origin.name)
            self.replace(origin)
            self.forget(origin)

    def replace(self, origin: Origin) -> None:
        """Something about it has changed: put it where it waits, if there is anything to fetch."""
        if origin.urgent or (not origin.asking and self._queues.more(origin)):
            self._schedule.place(origin)

    def forget(self, origin: Origin) -> None:
        """Hosts that are not being visited cost nothing but rows: what waits on disk or is idle leaves the memory."""
        busy = origin.placed or origin.asking or origin.out or origin.urgent
        if busy or self._origins.get(origin.name) is not origin:
            return
        del self._origins[origin.name]
        if not self._queues.more(origin):
            self._waiting_origins.leave(origin.name)
        self._hosts.release(origin.host)

    def _expect(self, name: str, away: int) -> None:
        """Something is queued for an origin that is not in memory; it is not brought there for that."""
        stands = self._waiting_origins.distance(name)
        if stands <= away:
            return
        site = self._site(f"{name}/")
        if self._away(site) + away < stands:
            number = self._meet(name)
            self._waiting_origins.expect(name, self._away(site, number) + away)

    def _away(self, site: str, number: int = 0) -> int:
        """How many rounds away a site is, or the n-th of its hosts. Where the crawl has a topic, its pages count less
        than what they are about."""
        return self._budgets.distance(site, number) // self._sparing

    def _meet(self, name: str) -> int:
        """The number of an origin's host among those of its site; it is counted when it is met first."""
        host = keys.host(f"{name}/")
        number = self._hosts.number(host)
        if number is None:
            self._ledger.counts.hosts += 1
            number = self._budgets.new_host(self._site(f"{name}/"))
            self._hosts.meet(host, number)
        return number
