"""What does a crawl say of itself while it runs? How it goes at a moment, which each commit notes, and what came of a
fetch."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from gossamer.collection.held_up import waits_for
from gossamer.frontier.entries import META
from gossamer.rows import decoder
from gossamer.store.table.table import Table


@dataclass(frozen=True, slots=True)
class Progress:
    """One look at a crawl that is going on."""

    pages: int
    failed: int
    queued: int
    out: int
    """Visits under way."""
    waiting: int
    """Hosts that wait for their time."""
    bytes: int
    seconds: float
    limit: int = 0
    """Pages at which it ends; 0 for none."""
    limit_bytes: int = 0
    idle_seconds: float = 0.0
    """Nothing else to do: seconds until the next retry."""
    waits: bool = False
    """It waits for that; a crawl that would have to wait for longer ends."""
    next_time: float = 0.0
    """When that is, as seconds since 1970; 0 where something else is to be done."""
    network_gone: bool = False
    """Nothing can be reached; the crawl waits and goes on by itself."""
    disk_free: int = 0
    """The disk is nearly full: bytes that are free. 0 when there is room."""
    disk_wanted: int = 0
    """Bytes that must be free before the crawl goes on."""
    left: float | None = None
    """Seconds that the rest will take, or until anything may be tried again, as of this look; None when unknown."""
    basis: str = ""
    """What that estimate is counted from."""
    rate: float = 0.0
    """Addresses that got done in a second, in the last minute."""
    paused: bool = False
    """Somebody has asked the crawl to wait."""
    next_visit: float | None = None
    """Seconds until a page is visited again; None where pages are not watched."""
    time_over: bool = False
    """The time is over that the plan gives a crawl."""
    store_away: str = ""
    """The store of checkpoints is away or slow, in words: the crawl waits and goes on by itself."""
    besides: int = 0
    """Of what is queued, what no limit of pages keeps away: what pages need, and pages that are asked for again."""
    unsent: int = 0
    """Links and more that are for other shards, and that these do not have for good yet."""
    lag: float = 0.0
    """Seconds for which the oldest of these waits."""
    byte_rate: float = 0.0
    """Bytes that came in a second, in the last minute."""
    memory: int = 0
    """Bytes that the processes of the shards have in memory."""

    @property
    def held_up(self) -> str:
        """Why it waits for this machine or the network; nothing when it does not."""
        return waits_for(self.disk_free, self.disk_wanted, self.store_away, self.network_gone)


class Fetched(msgspec.Struct, array_like=True, frozen=True):
    """One fetch."""

    url: str
    kind: str
    method: str
    status: int
    """0 when no answer came."""
    bytes: int
    """As they came, without the head."""
    began: float
    seconds: float
    reason: str
    """What went wrong, or where it leads; empty for an answer like any other."""


progress_of = decoder(Progress)


def note(table: Table, progress: Progress) -> None:
    """For those who ask from outside how the crawl goes; part of the next commit."""
    table.put(META, b"progress", msgspec.msgpack.encode(progress))


def last_look(table: Table) -> Progress | None:
    """How the crawl went at the last commit."""
    data = table.get(META, b"progress")
    return progress_of(data) if data else None
