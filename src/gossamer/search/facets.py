"""How are the pages that answer a question spread over sites, types, languages and years?

The engine counts them in its columns, all pages that match and not only those that are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from gossamer.index.faults import reading

VALUES_MOST = 20
"""Of a facet: the most frequent."""
COUNTED_MOST = 1_000
"""Values of a facet that a shard counts: of sites that are rarer than these in each shard, some may be missing."""
COLUMNS = {"site": "domain", "type": "type", "language": "language", "year": "year"}
"""By the name of a facet."""

Facets: TypeAlias = Mapping[str, Mapping[str, int]]
"""By facet, how many pages have each value: the most frequent first, years in their order, the newest first."""

_WANTED = {name: {"terms": {"field": column, "size": COUNTED_MOST}} for name, column in COLUMNS.items()}


def counted(searchers: Sequence[Any], queries: Sequence[Any]) -> Facets:
    """The facets of what a query finds in each shard."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in COLUMNS}
    for searcher, query in zip(searchers, queries, strict=True):
        with reading():
            found = searcher.aggregate(query, _WANTED)
        for name, counter in counts.items():
            for bucket in found[name]["buckets"]:
                counter[str(bucket["key"])] += int(bucket["doc_count"])
    return {name: _best(name, counter) for name, counter in counts.items()}


def _best(name: str, counts: Counter[str]) -> dict[str, int]:
    """A type is counted by what people call it, and not once more as a media type."""
    known = {value: count for value, count in counts.items() if value and (name != "type" or "/" not in value)}
    best = sorted(known.items(), key=lambda each: (-each[1], each[0]))[:VALUES_MOST]
    return dict(sorted(best, reverse=True) if name == "year" else best)
