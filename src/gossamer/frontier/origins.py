"""The back queues: addresses of one origin in the order they were found, on disk, with their head in memory.

An origin (scheme, host and port) is what one robots.txt speaks for, so it is what a queue is for. What has been
handed out stays on disk until it is done.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf

from gossamer.frontier.entries import QUEUE
from gossamer.frontier.hosts import Host
from gossamer.model import Failure, Visit
from gossamer.robots import Rules
from gossamer.store.table import Table
from gossamer.urls import keys

HEAD = 128
"""How many addresses of an origin are in memory."""


@dataclass(slots=True)
class Origin:
    """A queue and the rules that hold for it."""

    name: str
    host: Host
    head: deque[tuple[int, str]] = field(default_factory=deque)
    """Positions and addresses."""
    whole: bool = False
    """Everything queued is in `head`."""
    cursor: int = 0
    """Position of the last address taken."""
    placed: bool = False
    """It stands in a heap, waits for its host, or is being resolved: one place at a time."""
    urgent: deque[Visit] = field(default_factory=deque)
    """robots.txt visits that other origins were redirected to; not durable, they are asked for again."""
    rules: Rules | None = None
    rules_until: float = -inf
    """Steady time."""
    asking: bool = False
    """A request for its robots.txt is out."""
    closed_until: float = -inf
    """Steady time until which its robots.txt is unreachable and nothing may be fetched."""
    gone: Failure | None = None
    """No request can reach it: what is queued fails without one."""


class Queues:
    """Puts addresses at the end of their origin's queue and reads them back from its front."""

    def __init__(self, table: Table, sequence: int) -> None:
        self._table = table
        self.sequence = sequence

    def append(self, origin: Origin, url: str) -> int:
        """Durable with the next commit. Gives the position."""
        self.next_position()
        self._table.put(QUEUE, _key(origin.name, self.sequence), url.encode())
        if origin.whole and len(origin.head) < HEAD:
            origin.head.append((self.sequence, url))
        else:
            origin.whole = False
        return self.sequence

    def next_position(self) -> int:
        """A number that no queued address had before."""
        self.sequence += 1
        return self.sequence

    def take(self, origin: Origin) -> str | None:
        """The next address that is not out already; None when the queue holds no more."""
        if not self.more(origin):
            return None
        origin.cursor, url = origin.head.popleft()
        return url

    def more(self, origin: Origin) -> bool:
        """Is there anything to take?"""
        if not origin.head and not origin.whole:
            self._refill(origin)
        return bool(origin.head)

    def remove(self, url: str, position: int) -> None:
        """It is done, or waits elsewhere."""
        self._table.delete(QUEUE, _key(keys.origin(url), position))

    def origins(self) -> Iterator[str]:
        """Names of all origins with something queued; one seek each."""
        start = b""
        while first := next(self._table.scan(QUEUE, start=start, limit=1), None):
            name = first[0][:-9]
            yield name.decode()
            start = name + b"\1"

    def _refill(self, origin: Origin) -> None:
        rows = list(
            self._table.scan(
                QUEUE,
                prefix=origin.name.encode() + b"\0",
                start=_key(origin.name, origin.cursor + 1),
                limit=HEAD,
            )
        )
        origin.head.extend((int.from_bytes(key[-8:], "big"), url.decode()) for key, url in rows)
        origin.whole = len(rows) < HEAD


def _key(origin: str, position: int) -> bytes:
    return origin.encode() + b"\0" + position.to_bytes(8, "big")
