"""What is a collection made of? Its sites by their pages, each with its main language and type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from gossamer.index.faults import reading
from gossamer.search.query_builder import everything

SITES_MOST = 10_000
"""Of a shard: the largest. A site belongs to one shard, so these are the largest of all."""
_TYPES = 3
"""A type is counted by what people call it, and once more as a media type."""
_WANTED = {
    "site": {
        "terms": {"field": "domain", "size": SITES_MOST},
        "aggs": {
            "language": {"terms": {"field": "language", "size": 1}},
            "type": {"terms": {"field": "type", "size": _TYPES}},
        },
    }
}


class SiteSums(NamedTuple):
    """A site and what most of its pages are."""

    name: str
    pages: int
    language: str
    """Empty where it is not known, like the next."""
    media: str


def sites(searchers: Sequence[Any]) -> list[SiteSums]:
    """All sites, those with the most pages first."""
    found: list[SiteSums] = []
    for searcher in searchers:
        with reading():
            buckets = searcher.aggregate(everything(), _WANTED)["site"]["buckets"]
        found += [_sums(bucket) for bucket in buckets if bucket["key"]]
    return sorted(found, key=lambda site: (-site.pages, site.name))


def _sums(bucket: dict[str, Any]) -> SiteSums:
    return SiteSums(str(bucket["key"]), int(bucket["doc_count"]), _first(bucket["language"]), _first(bucket["type"]))


def _first(facet: dict[str, Any]) -> str:
    """The most frequent value."""
    counts = Counter({str(each["key"]): int(each["doc_count"]) for each in facet["buckets"] if "/" not in each["key"]})
    return next((value for value, _ in counts.most_common(1)), "")
