"""How did it go, minute by minute? A small time series, which outlives reloads, restarts and kills.

With each commit a shard writes down its sums under the present minute, so that the last commit of a minute stays. Older
rows are thinned: minutes for two hours, every tenth for two days, hours for sixty days, then days. So there are some
two thousand rows at most in the first year, and one a day after that.

The sums of the shards are added where their times meet. One that has ended keeps its last sums, but takes no memory.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from gossamer.errors import UsageError
from gossamer.frontier.entries import META
from gossamer.frontier.ledger import Counts
from gossamer.frontier.worth.topic_rows import Sums
from gossamer.printable import timestamp
from gossamer.rows import Natural, Seconds, decoder, number
from gossamer.store.table.table import Table

KEY = b"series\0"
"""Rows of `META`, with the number of a minute each: the sums at its end."""
STEPS = ((120, 1), (2 * 1_440, 10), (60 * 1_440, 60))
"""Up to which age, in minutes, one row stays of so many minutes."""
DAY = 1_440
ROWS_MOST = 8_000
"""However long a crawl lasts: the oldest go."""
THIN_EVERY = 10
"""Minutes between two looks for rows that may go. Each reads all of them, in some milliseconds."""
_LAST_MINUTE = 4_223_000_000
"""Of the calendar."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Point(msgspec.Struct, array_like=True, frozen=True):
    """The sums of a shard."""

    pages: Natural = 0
    failed: Natural = 0
    queued: Natural = 0
    excluded: Natural = 0
    bytes: Natural = 0
    known: Natural = 0
    duplicates: Natural = 0
    hosts: Natural = 0
    seconds: Seconds = 0.0
    memory: Natural = 0
    judged: Natural = 0
    score: Seconds = 0.0
    cpu: Seconds = 0.0


point_of = decoder(Point)


@dataclass(frozen=True, slots=True)
class Sample:
    """The sums of a collection at a time."""

    time: datetime
    pages: int
    failed: int
    queued: int
    excluded: int
    bytes: int
    known: int
    """Addresses that were ever found."""
    duplicates: int
    hosts: int
    seconds: float
    """Spent crawling until then."""
    memory: int
    """Bytes that the processes of the shards had in memory."""
    judged: int = 0
    """Pages that were held against the topic of the crawl."""
    score: float = 0.0
    """The sum of what they scored."""
    cpu: float = 0.0
    """Seconds of CPU that the processes of the shards had spent, and those that they started and that have ended."""

    @property
    def relevance(self) -> float | None:
        """The harvest rate until then: what pages scored on average, 0 to 1; None where the crawl has no topic."""
        return self.score / self.judged if self.judged else None

    @property
    def coverage(self) -> float:
        """The part of the known addresses that are pages by now, 0 to 1; of those that no rule keeps out, and that do
        not only lead elsewhere."""
        wanted = self.pages + self.queued + self.failed
        return self.pages / wanted if wanted else 0.0

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        more = {"time": timestamp(self.time.timestamp()), "coverage": round(self.coverage, 6)}
        return asdict(self) | more | {"relevance": self.relevance}


class Series:
    """Writes down how one shard goes."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._thinned = -THIN_EVERY
        self._began = cpu()
        self._before: float | None = None
        """CPU of earlier runs."""

    def note(self, counts: Counts, now: float, harvest: Sums | None = None) -> None:
        """Part of the next commit."""
        minute = min(max(int(now // 60), 0), _LAST_MINUTE)
        if self._before is None:
            self._before = max((point.cpu for _, point in rows(self._table)), default=0.0)
        if abs(minute - self._thinned) >= THIN_EVERY:
            self._thinned = minute
            for old in spare([each for each, _ in rows(self._table)], minute):
                self._table.delete(META, _key(old))
        spent = self._before + cpu() - self._began
        self._table.put(META, _key(minute), msgspec.msgpack.encode(_point(counts, harvest or Sums(), spent)))


def _point(counts: Counts, harvest: Sums, spent: float) -> Point:
    known = counts.queued + counts.done + counts.failed + counts.excluded
    copies = counts.duplicates + counts.near_duplicates
    return Point(
        max(counts.kept, 0),
        max(counts.failed, 0),
        max(counts.queued, 0),
        max(counts.excluded, 0),
        max(counts.bytes, 0),
        max(known, 0),
        max(copies, 0),
        max(counts.hosts, 0),
        round(max(counts.seconds, 0.0), 3),
        memory(),
        harvest.pages,
        round(harvest.score, 3),
        round(max(spent, 0.0), 3),
    )


def memory() -> int:
    """Bytes that this process has in memory; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:
            return int(file.read(100).split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0


def cpu() -> float:
    """Seconds that this process has spent, and those that it has seen end."""
    own, ended = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime


def rows(table: Table) -> Iterator[tuple[int, Point]]:
    """What a shard has written down, by the number of the minute, the oldest first."""
    for key, value in table.scan(META, prefix=KEY):
        minute = number(key[len(KEY) :])
        if minute <= _LAST_MINUTE:  # nothing of ours writes another one
            yield minute, point_of(value)


def _key(minute: int) -> bytes:
    return KEY + minute.to_bytes(8, "big")


def step(age: int) -> int:
    """Of how many minutes one row stays at that age."""
    return next((each for most, each in STEPS if age < most), DAY)


def _last_of(minute: int, now: int) -> int:
    """The end of the stretch of which one row stays, as long as that is no time to come."""
    each = step(now - minute)
    return max(min(minute - minute % each + each - 1, now), minute)


def spare(minutes: Sequence[int], now: int) -> list[int]:
    """Those that may go: not the last ones of their stretch, or too many."""
    last: dict[int, int] = {}
    for minute in minutes:
        last[_last_of(minute, now)] = minute
    kept = set(sorted(last.values())[-ROWS_MOST:])
    return [minute for minute in minutes if minute not in kept]


def series(tables: Iterable[Table], since: datetime | None, points: int) -> list[Sample]:
    """The sums of all shards, the oldest first: at most so many, evenly from all there are, the last one among them."""
    if points < 1:
        raise UsageError(f"{points}: a series has at least one point")
    shards = [list(rows(table)) for table in tables]
    now = max((minute for shard in shards for minute, _ in shard), default=0)
    met = [{_last_of(minute, now): point for minute, point in shard} for shard in shards]
    first = since.timestamp() if since else 0.0
    samples = [each for each in _sums(met) if each.time.timestamp() >= first]
    count = len(samples)
    return samples if count <= points else [samples[count - 1 - each * count // points] for each in range(points)][::-1]


def _sums(shards: Sequence[Mapping[int, Point]]) -> Iterator[Sample]:
    """At each time at which one of them has written anything."""
    last = [Point()] * len(shards)
    for minute in sorted(set().union(*shards)):
        last = [shard.get(minute, before) for shard, before in zip(shards, last, strict=True)]
        sums: dict[str, Any] = {name: sum(getattr(point, name) for point in last) for name in Point.__struct_fields__}
        sums["seconds"] = max(point.seconds for point in last)
        sums["memory"] = sum(shard[minute].memory for shard in shards if minute in shard)
        yield Sample(datetime.fromtimestamp(60 * (minute + 1), UTC), **sums)
