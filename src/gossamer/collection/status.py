"""What a collection holds, what it is doing, what failed and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gossamer.collection.lock import holder
from gossamer.frontier.ledger import Ledger
from gossamer.store.table import Table


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
    near_duplicates: int | None
    """None: near copies are not looked for yet."""
    seconds: float
    crawling: Mapping[str, Any] | None = None
    """The process that is writing to it now."""
    failures: Mapping[str, int] = field(default_factory=dict)
    exclusions: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def status_of(folder: Path, table: Table) -> Status:
    """Read the counters of the last commit."""
    counts = Ledger(table).counts
    return Status(
        pages=counts.pages,
        failed=counts.failed,
        excluded=counts.excluded,
        queued=counts.queued,
        hosts=counts.hosts,
        bytes=counts.bytes,
        duplicates=counts.duplicates,
        near_duplicates=None,
        seconds=round(counts.seconds, 3),
        crawling=holder(folder),
        failures=_largest(counts.failures),
        exclusions=_largest(counts.exclusions),
    )


def _largest(reasons: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(((k, v) for k, v in reasons.items() if v), key=lambda item: -item[1]))
