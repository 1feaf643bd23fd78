"""What did servers answer, how deep do pages lie, how large are they, and how often do they change?

Rows and captures are walked through, at most WALKED of each in every shard, some microseconds each. They lie in the
order of the addresses, so what is counted of a larger shard is its first sites; the answer says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TypeVar

from gossamer.collection.ask.broken import is_broken
from gossamer.collection.ask.shard_readers import ShardReader, ShardReaders
from gossamer.collection.documents import is_document
from gossamer.frontier.holding import is_page
from gossamer.frontier.ledger import Ledger
from gossamer.store.versions import Version

WALKED = 100_000
"""Rows, and captures, of a shard that are looked at."""
SILENT = "no answer"
DEEP = 10
"""From this depth on, pages are counted together."""
SIZES = ((1_000, "under 1 kB"), (10_000, "1 to 10 kB"), (100_000, "10 to 100 kB"), (1_000_000, "100 kB to 1 MB"))
LARGE = "over 1 MB"
TIMES = ((0, "never"), (1, "once"), (4, "2 to 4 times"))
OFTEN = "5 times or more"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Spread:
    """Numbers of addresses or pages, by what they have in common, in order."""

    status: Mapping[str, int]
    """What the server answered last, of all addresses that were asked for."""
    depth: Mapping[str, int]
    """Links from a seed, of pages, like the next two."""
    size: Mapping[str, int]
    change: Mapping[str, int]
    """How often their bytes have changed, of those that were asked for more than once."""
    whole: bool
    """All were looked at."""


def spread(readers: ShardReaders) -> Spread:
    """Of all shards together."""
    counts = {name: Counter[str]() for name in ("status", "depth", "size", "change")}
    cuts = [_Cut() for _ in readers.all for _ in range(2)]
    for reader, rows, captures in zip(readers.all, cuts[::2], cuts[1::2], strict=True):
        _count_rows(reader, rows, counts)
        _count_captures(reader, captures, counts)
    return Spread(
        dict(sorted(counts["status"].items())),
        _ordered(counts["depth"], [*map(str, range(DEEP)), _deep(DEEP)]),
        _ordered(counts["size"], [*(name for _, name in SIZES), LARGE]),
        _ordered(counts["change"], [*(name for _, name in TIMES), OFTEN]),
        not any(cut.is_short for cut in cuts),
    )


class _Cut:
    """The beginning of a long list, and whether there was more."""

    is_short = False

    def of(self, every: Iterable[T]) -> Iterator[T]:
        """So many of them."""
        rest = iter(every)
        yield from islice(rest, WALKED)
        self.is_short = next(rest, None) is not None


def _count_rows(reader: ShardReader, cut: _Cut, counts: Mapping[str, Counter[str]]) -> None:
    for _, entry in cut.of(Ledger(reader.table).all()):
        if entry.status:
            counts["status"][str(entry.status)] += 1
        elif is_broken(entry):
            counts["status"][SILENT] += 1
        if is_page(entry):
            counts["depth"][_deep(entry.depth)] += 1


def _count_captures(reader: ShardReader, cut: _Cut, counts: Mapping[str, Counter[str]]) -> None:
    for _, rows in groupby(cut.of(reader.archive.versions.all()), key=lambda row: row[0]):
        versions = [version for _, version in rows]
        documents = [version for version in versions if is_document(version)]
        if not documents:
            continue
        counts["size"][next((name for most, name in SIZES if documents[0].size < most), LARGE)] += 1
        if len(versions) > 1:
            counts["change"][next((name for most, name in TIMES if _changes(documents) <= most), OFTEN)] += 1


def _changes(documents: Sequence[Version]) -> int:
    return sum(1 for _ in groupby(documents, key=lambda version: version.digest)) - 1


def _deep(depth: int) -> str:
    return str(depth) if depth < DEEP else f"{DEEP}+"


def _ordered(counts: Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    """From the first to the last that has any."""
    named = list(names)
    while named and named[-1] not in counts:
        named.pop()
    return {name: counts.get(name, 0) for name in named}
