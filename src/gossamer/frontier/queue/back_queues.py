"""The back queues: addresses of one origin in the order of their ranks, on disk, with their head in memory.

An origin (scheme, host and port) is what one robots.txt speaks for, so it is what a queue is for. What has been
handed out stays on disk until it is done.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf

from gossamer.frontier.entries import QUEUE
from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.queue.rank import LAST
from gossamer.frontier.queue.rank import distance as distance_of
from gossamer.model import Failure, Kind, Visit
from gossamer.robots import Rules
from gossamer.store.table.table import Table
from gossamer.urls import keys

HEAD = 32
"""About so many addresses of an origin are in memory."""
ALL = (1 << 64, 0)
"""A limit that nothing is beyond."""


@dataclass(slots=True)
class Origin:
    """A queue and the rules that hold for it."""

    name: str
    host: Host
    head: list[tuple[int, int, str]] = field(default_factory=list)
    """A heap of ranks, positions and addresses."""
    limit: tuple[int, int] = (0, 0)
    """How far the queue has been read into `head`."""
    placed: bool = False
    """It stands in a heap, waits for its host, or is being resolved: one place at a time."""
    at_work: bool = False
    """The disk has it down as being in memory, so that a crawl that was killed finds it again."""
    out: int = 0
    """Visits under way. What is out is still on disk, so the origin must not be read from there again."""
    urgent: deque[Visit] = field(default_factory=deque)
    """robots.txt visits that other origins were redirected to; not durable, they are asked for again."""
    hopped: bool = False
    """The last visit was for the robots.txt of another origin, so a page of its own is next."""
    rules: Rules | None = None
    rules_until: float = -inf
    """Steady time."""
    asking: bool = False
    """A request for its robots.txt is out."""
    closed_until: float = -inf
    """Steady time until which its robots.txt is unreachable and nothing may be fetched."""
    gone: Failure | None = None
    """No request can reach it: what is queued fails without one."""
    away: Callable[[], int] = lambda: 0
    """How many rounds away its host is; see `budget`."""

    @property
    def distance(self) -> int:
        """How many rounds away its next address is."""
        if self.urgent or self.gone:  # what is gone fails without a request, all of it in one go
            return 0
        return self.away() + (distance_of(self.head[0][0]) if self.head else 0)

    @property
    def standing(self) -> tuple[int, int]:
        """How far away its next address is, and its rank: the smallest is best."""
        return self.distance, self.head[0][0] & LAST if self.head and not self.urgent else 0


def is_hop(origin: Origin, visit: Visit) -> bool:
    """Is it made there only because the robots.txt of another origin redirects there?"""
    return visit.kind is Kind.ROBOTS and visit.owner not in (None, origin.name)


class Queues:
    """Puts addresses into their origin's queue and reads them back in the order of their keys.

    All that is queued up to `origin.limit`, and not out, is in `origin.head`; what comes after is on disk only.
    """

    def __init__(self, table: Table, sequence: int) -> None:
        self._table = table
        self.sequence = sequence

    def append(self, name: str, url: str, place: int) -> int:
        """Into the queue of the origin of that name, durable with the next commit. Gives the position."""
        position = self.next_position()
        self._table.put(QUEUE, _key(name, place, position), url.encode())
        return position

    def offer(self, origin: Origin, place: int, position: int, url: str) -> None:
        """What was appended to an origin that is in memory belongs into its head if it comes before the rest."""
        if (place, position) <= origin.limit:
            heapq.heappush(origin.head, (place, position, url))
            if len(origin.head) > 2 * HEAD:
                origin.head = heapq.nsmallest(HEAD, origin.head)
                origin.limit = origin.head[-1][:2]

    def next_position(self) -> int:
        """A number that no queued address had before."""
        self.sequence += 1
        return self.sequence

    def take(self, origin: Origin) -> tuple[int, int, str] | None:
        """Rank, position and address of the next that is not out already; None when the queue holds no more."""
        return heapq.heappop(origin.head) if self.more(origin) else None

    def more(self, origin: Origin) -> bool:
        """Is there anything to take?"""
        if not origin.head and origin.limit != ALL:
            self._refill(origin)
        return bool(origin.head)

    def remove(self, url: str, place: int, position: int) -> None:
        """It is done, or waits elsewhere."""
        self._table.delete(QUEUE, _key(keys.origin(url), place, position))

    def origins(self) -> Iterator[str]:
        """Names of all origins with something queued; one seek each."""
        start = b""
        while first := next(self._table.scan(QUEUE, start=start, limit=1), None):
            name = first[0][:-17]
            yield keys.origin_in(name)
            start = name + b"\1"

    def _refill(self, origin: Origin) -> None:
        start = _key(origin.name, *origin.limit) + b"\0"
        rows = list(self._table.scan(QUEUE, prefix=origin.name.encode() + b"\0", start=start, limit=HEAD))
        origin.head = [(*_place(key), keys.url_in(url)) for key, url in rows]
        origin.limit = _place(rows[-1][0]) if len(rows) == HEAD else ALL


def _key(origin: str, place: int, position: int) -> bytes:
    return origin.encode() + b"\0" + place.to_bytes(8, "big") + position.to_bytes(8, "big")


def _place(key: bytes) -> tuple[int, int]:
    return int.from_bytes(key[-16:-8], "big"), int.from_bytes(key[-8:], "big")
