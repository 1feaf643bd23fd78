"""What a collection holds, what it is doing, what failed and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from gossamer.collection.lock import holder
from gossamer.frontier.entries import META
from gossamer.frontier.ledger import Ledger
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
    idle_seconds: float = 0.0
    """Nothing else to do: seconds until the next retry."""
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


@dataclass(frozen=True, slots=True)
class Status:
    """The sums over all addresses."""

    pages: int
    failed: int
    excluded: int
    queued: int
    hosts: int
    bytes: int
    duplicates: int
    near_duplicates: int
    """Pages that say nearly what another says; those whose bytes are the same are duplicates."""
    seconds: float
    unread: int = 0
    """Pages that were kept and could not be read, through a mistake of ours; the next build tries again."""
    mirrors: Mapping[str, list[str]] = field(default_factory=dict)
    """Hosts that serve the same site as others: the main one, and the others. As of the last build."""
    crawling: Mapping[str, Any] | None = None
    """The process that is writing to it now."""
    failures: Mapping[str, int] = field(default_factory=dict)
    exclusions: Mapping[str, int] = field(default_factory=dict)
    disk_free: int = 0
    """The crawl waits because the disk is nearly full: bytes that are free. 0 when it does not."""
    disk_wanted: int = 0
    """Bytes that must be free before it goes on."""
    network_gone: bool = False
    """The crawl waits because nothing can be reached."""
    left: float | None = None
    """Seconds of crawling that the rest will take, or until anything may be tried again, as of the last commit; None
    when it is not known."""
    basis: str = ""
    """What that estimate is counted from."""

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


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


def status_of(folder: Path, tables: Iterable[Table], mirrors: Mapping[str, list[str]], unread: int = 0) -> Status:
    """Read the counters of the last commit of each shard."""
    tables = list(tables)
    parts, crawling = [Ledger(table).counts for table in tables], holder(folder)
    last = together([last_look(table) for table in tables])
    now = last if crawling else None
    return Status(
        pages=sum(counts.pages for counts in parts),
        failed=sum(counts.failed for counts in parts),
        excluded=sum(counts.excluded for counts in parts),
        queued=sum(counts.queued for counts in parts),
        hosts=sum(counts.hosts for counts in parts),
        bytes=sum(counts.bytes for counts in parts),
        duplicates=sum(counts.duplicates for counts in parts),
        near_duplicates=sum(counts.near_duplicates for counts in parts),
        seconds=round(max(counts.seconds for counts in parts), 3),
        unread=unread,
        mirrors=mirrors,
        crawling=crawling,
        failures=_largest(counts.failures for counts in parts),
        exclusions=_largest(counts.exclusions for counts in parts),
        disk_free=now.disk_free if now else 0,
        disk_wanted=now.disk_wanted if now else 0,
        network_gone=now is not None and now.network_gone,
        left=last.left if last else None,
        basis=last.basis if last else "",
    )


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

    Where a number of pages ends the crawl sooner, all of them say it together: no shard fetches all that are left.
    """
    parts = [part for part in looks if part is not None]
    if not parts:
        return None
    last = max(parts, key=lambda part: (not part.idle_seconds, part.left or 0.0))
    short = max(parts, key=lambda part: part.disk_wanted)
    rate = sum(part.rate for part in parts)
    soonest = _until_limit(parts, rate) if len(parts) > 1 and last.left else None
    left, basis = soonest if soonest and soonest[0] < (last.left or 0.0) else (last.left, last.basis)
    return Progress(
        pages=sum(part.pages for part in parts),
        failed=sum(part.failed for part in parts),
        queued=sum(part.queued for part in parts),
        out=sum(part.out for part in parts),
        waiting=sum(part.waiting for part in parts),
        bytes=sum(part.bytes for part in parts),
        seconds=max(part.seconds for part in parts),
        limit=parts[0].limit,
        idle_seconds=min(part.idle_seconds for part in parts),
        network_gone=any(part.network_gone for part in parts)
        and all(part.network_gone for part in parts if part.queued),
        disk_free=short.disk_free,
        disk_wanted=short.disk_wanted,
        left=left,
        basis=basis,
        rate=rate,
    )


def _until_limit(parts: Sequence[Progress], rate: float) -> tuple[float, str] | None:
    """When the pages that may still come have come; None where there is no limit, or less is queued than that."""
    limit, pages = parts[0].limit, sum(part.pages for part in parts)
    if not rate or not 0 < limit - pages < sum(part.queued for part in parts):
        return None
    return (limit - pages) / rate, f"{limit - pages:,} of {limit:,} pages to come at {rate:,.2g} pages/s"


def _largest(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    reasons: Counter[str] = sum(map(Counter, parts), Counter())
    return dict(sorted(((k, v) for k, v in reasons.items() if v), key=lambda item: -item[1]))
