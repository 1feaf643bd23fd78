"""What was found, for people and for machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from gossamer.model import Hit
from gossamer.printable import counted, timestamp
from gossamer.search.facets import Facets

Signs: TypeAlias = Mapping[str, Mapping[str, float]]
"""By address, what a score is made of."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found."""

    hits: list[Hit]
    total: int
    suggestion: str | None = None
    """The question as it may have been meant."""
    is_least: bool = False
    """There are more than `total`."""
    hints: tuple[str, ...] = ()
    """Why it may find less than was meant, as a type that no page has: a sentence each."""
    more_from: tuple[str, ...] = ()
    """Sites with further answers as good as these, which stand behind those of other sites."""
    facets: Facets | None = None
    """How many pages of each site, type, language and year; None where nobody asked."""
    seconds: float = 0.0
    """What it took."""
    at: float | None = None
    """The moment that was asked of, in seconds since 1970; None: now, or all times."""

    def __repr__(self) -> str:
        more = "more than " * self.is_least
        return f"<Answer: {counted(len(self.hits), 'hit')} of {more}{counted(self.total, 'page')}>"

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def as_json(self, question: str, waiting: int | None, signs: Signs | None = None) -> dict[str, Any]:
        """For machines. `waiting` pages are not in the index yet; None where nobody has counted them."""
        return {
            "query": question,
            "total": self.total,
            "more_than_total": self.is_least,
            "seconds": round(self.seconds, 6),
            "suggestion": self.suggestion,
            "hints": list(self.hints),
            "not_indexed": waiting,
            "at": timestamp(self.at),
            "facets": self.facets,
            "more_from": list(self.more_from),
            "hits": [_hit_as_json(hit, (signs or {}).get(hit.url)) for hit in self.hits],
        }


def _hit_as_json(hit: Hit, signs: Mapping[str, float] | None) -> dict[str, Any]:
    """The words of the question are in mark elements."""
    told = {
        "url": hit.url,
        "title": hit.title,
        "title_html": hit.title_html,
        "snippet": hit.snippet_html,
        "score": round(hit.score, 4),
        "site": hit.site,
        "language": hit.language,
        "media_type": hit.media_type,
        "size": hit.size,
        "published": timestamp(hit.published),
        "fetched": timestamp(hit.fetched),
        "since": timestamp(hit.since),
        "until": timestamp(hit.until),
        "breaks": hit.breaks,
        "copies": list(hit.copies),
    }
    return told if signs is None else told | {"signs": {name: round(value, 4) for name, value in signs.items()}}
