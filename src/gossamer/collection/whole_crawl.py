"""How do all shards of a crawl go together, and how long does the rest take them?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import inf

from gossamer.collection.progress import Progress
from gossamer.printable import counted


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
