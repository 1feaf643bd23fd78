"""What was found comes into the books: to the shard it belongs to, once, and there into the queue of its origin."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.parts import Parts
from gossamer.frontier.queue.active_origins import ActiveOrigins
from gossamer.frontier.queue.rank import rank
from gossamer.frontier.worth.novelty import Place
from gossamer.frontier.worth.opic import Flow, Importance

BATCH = 4_096
"""Addresses that are sifted at once when there is always something to fetch."""


class Intake:
    """From an address that something pointed to, to its place in a queue."""

    def __init__(self, parts: Parts, active: ActiveOrigins, out: Callable[[], set[str]]) -> None:
        """`out` gives the addresses that are being visited."""
        rules = parts.rules
        self._parts = parts
        self._peers = parts.peers
        self._discovery = parts.discovery
        self._worth = parts.worth
        self._order = rules.order
        self._active = active
        self.flow = (
            Flow(Importance(parts.table), parts.ledger, parts.queues, rules.order, self.enqueue, out)
            if rules.weigh
            else None
        )
        """The cash of addresses, if an order wants it."""

    def add(self, found: Iterable[Found]) -> None:
        """What something pointed to; each address becomes an entry once, at the next `sift`, in its own shard."""
        self.gather(self._peers.ours(found, self._discovery.recent) if self._peers else found)

    @property
    def waiting(self) -> int:
        """What was met and has no place yet, or no credit."""
        return self._discovery.waiting + self._parts.credit.waiting

    def gather(self, found: Iterable[Found]) -> None:
        """What something pointed to, all of it ours."""
        self._discovery.meet(found)
        if self.waiting >= BATCH:
            self.sift()

    def sift(self) -> None:
        """All that was added is in the books after this: before a commit, a wait, and every exact answer."""
        self._parts.credit.settle()
        self._discovery.sift(self._parts.clock.wall(), self.enqueue, self._active.read_ahead)

    def enqueue(self, url: str, entry: Entry) -> Entry:
        """Into the queue of its origin; one that had a place there before has a rank already."""
        if self.flow is not None:
            entry = self.flow.weighed(url, entry)
        if entry.position:
            return self.append(url, entry)
        return self._placed(url, entry, self._worth.place(url, entry))

    def append(self, url: str, entry: Entry) -> Entry:
        """Into the queue of its origin, by the rank that it has."""
        return replace(entry, position=self._active.append(url, entry.rank), due=0.0)

    def put_back(self, url: str, entry: Entry, there: Place) -> None:
        """Its kind has brought nothing new since it was queued: it goes farther away."""
        self._parts.queues.remove(url, entry.rank, entry.position)
        self._parts.ledger.put(url, self._placed(url, entry, there), entry)

    def requeue_retries(self) -> None:
        """What failed and is due again stands in its queue once more."""
        ledger = self._parts.ledger
        for url, position in self._parts.retries.due(self._parts.clock.wall()):
            entry = ledger.get(url)
            if entry is not None and entry.state is State.QUEUED and entry.position == position:
                ledger.put(url, self.enqueue(url, entry), entry)

    def _placed(self, url: str, entry: Entry, place: Place) -> Entry:
        there = rank(place.distance, self._order(url, entry))
        position = self._active.append(url, there)
        return replace(entry, rank=there, sunk=place.level, position=position, due=0.0)
