"""What does a crawl say of itself while it runs? What came of a fetch, how each shard goes at a moment, which each
commit notes, how all of them go together, and how long the rest takes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf

import msgspec

from gossamer.collection.held_up import waits_for
from gossamer.frontier.entries import META
from gossamer.printable import counted
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


def together(looks: Iterable[Progress | None]) -> Progress | None:
    """One look at all shards; of those with something to do the one that takes longest says how long it takes.

    Where a number of pages or bytes ends the crawl sooner, all of them say it together: no shard fetches all that are
    left. As long as one of them has not said anything, nobody knows what is left. And all is paused when each of them
    is: one that has not heard of it yet still fetches.
    """
    looks = list(looks)
    parts = [part for part in looks if part is not None]
    if not parts:
        return None
    busy = [part for part in parts if part.queued] or parts
    last = max(busy, key=lambda part: (not part.idle_seconds, (part.left or 0.0) * (-1 if part.idle_seconds else 1)))
    short = max(parts, key=lambda part: part.disk_wanted)
    left, basis = _limited(parts, last) if len(parts) == len(looks) else (None, "")
    return Progress(
        pages=sum(part.pages for part in parts),
        failed=sum(part.failed for part in parts),
        queued=sum(part.queued for part in parts),
        out=sum(part.out for part in parts),
        waiting=sum(part.waiting for part in parts),
        bytes=sum(part.bytes for part in parts),
        seconds=max(part.seconds for part in parts),
        limit=parts[0].limit,
        limit_bytes=parts[0].limit_bytes,
        idle_seconds=min(part.idle_seconds for part in busy),
        waits=all(part.waits for part in busy),
        next_time=_next_time(parts),
        network_gone=any(part.network_gone for part in parts)
        and all(part.network_gone for part in parts if part.queued),
        disk_free=short.disk_free,
        disk_wanted=short.disk_wanted,
        left=left,
        basis=basis,
        rate=sum(part.rate for part in parts),
        paused=all(part is not None and part.paused for part in looks),
        next_visit=min((part.next_visit for part in parts if part.next_visit is not None), default=None),
        time_over=any(part.time_over for part in parts),
        store_away=next((part.store_away for part in parts if part.store_away), ""),
        besides=sum(part.besides for part in parts),
        unsent=sum(part.unsent for part in parts),
        lag=max(part.lag for part in parts),
        byte_rate=sum(part.byte_rate for part in parts),
        memory=sum(part.memory for part in parts),
    )


def _next_time(parts: Sequence[Progress]) -> float:
    """When the first of all that is queued may be tried again, where each shard that has some waits for that."""
    waits = [part.next_time for part in parts if part.queued]
    return min(waits, default=0.0) if all(waits) else 0.0


def _limited(parts: Sequence[Progress], last: Progress) -> tuple[float | None, str]:
    """How long it takes, and what that is counted from, where a limit may end it before all is fetched."""
    to_come, words = min(_to_come(parts), default=(inf, ""))
    if last.left is None or to_come >= sum(part.queued for part in parts):
        return last.left, _basis(parts, last)
    if to_come <= 0:
        return None, ""
    soonest = _soonest(to_come, parts)
    return (
        (soonest, f"{words} at {to_come / soonest:,.2g} pages/s")
        if soonest < last.left
        else (last.left, _basis(parts, last))
    )


_A_NUMBER = re.compile(r"[\d,]+ ")


def _basis(parts: Sequence[Progress], last: Progress) -> str:
    """What the shard that takes longest counts from: who crawls need not know that word. A number alone would be taken
    for that of all."""
    is_number = len(parts) > 1 and _A_NUMBER.match(last.basis)  # a host may be an IP address
    return f"the slowest part has {last.basis}" if is_number else last.basis


def _to_come(parts: Sequence[Progress]) -> Iterator[tuple[float, str]]:
    """Addresses that each limit lets through, of all shards together, and that in words."""
    limit, octets = parts[0].limit, parts[0].limit_bytes
    if limit:
        pages, besides = max(limit - sum(part.pages for part in parts), 0), sum(part.besides for part in parts)
        needed = f" and {besides:,} besides" if besides else ""
        yield pages + besides, f"{pages:,} of {counted(limit, 'page')}{needed} to come"
    if octets:
        come, done = sum(part.bytes for part in parts), sum(part.pages + part.failed for part in parts)
        yield (octets - come) * done / max(come, 1), f"{1 - come / octets:.0%} of {octets:,} bytes to come"


def _soonest(wanted: float, parts: Sequence[Progress]) -> float:
    """Seconds until so many are done, where each shard keeps its pace until nothing of it is queued."""
    paces = sorted((part.queued / pace, pace) for part in parts if (pace := _pace(part)))
    now = 0.0
    for number, (end, _) in enumerate(paces):
        together = sum(pace for _, pace in paces[number:])
        if wanted <= (end - now) * together:
            return now + wanted / together
        wanted, now = wanted - (end - now) * together, end
    return inf


def _pace(part: Progress) -> float:
    """Addresses in a second: as they came, but no faster than its estimate has it, which knows the delays of hosts. The
    first answers of many hosts come at once, and those that follow do not."""
    if not part.left or part.idle_seconds:
        return part.rate
    room = max(part.limit - part.pages, 0) + part.besides
    estimated = (min(part.queued, room) if part.limit else part.queued) / part.left
    return min(part.rate, estimated) if part.rate else estimated
