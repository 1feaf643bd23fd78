"""How much each sign of a good answer counts.

The score of a page for a question is a sum over its terms, as in BM25F (Robertson and Zaragoza 2009): a field has its
weight. Unlike there, a field is saturated for itself and not the sum of all, because that is what the index engine
counts. To this comes what does not depend on the question (Craswell et al. 2005): w s / (k + s) for the rank s of the
page, so that a page of many links gains less and less by more.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """Settings of a plan; what each stands for is in docs/search.md."""

    title: float = 0.3
    headings: float = 0.25
    body: float = 1.0
    anchors: float = 4.0
    """A second site that says a word in a link counts for more than the page saying it often; the first for little."""
    address: float = 0.15
    phrase: float = 0.4
    """Words of the question that stand next to each other in the page."""
    rank: float = 1.5
    """At most so much is added for links."""
    fresh: float = 0.3
    """At most so much is added for a page of today; half of it for one that is a year old."""
    expansion: float = 0.6
    """Terms of the best answers, where the question is long; 0 leaves them out."""
    cluster: float = 0.8
    """What the answers like it count for an answer to a long question, beside its own score; 0 leaves them out. At 1
    those of the same words in another order would be worth the same."""

    def of(self, field: str) -> float:
        """The weight of a field of words."""
        return float(getattr(self, field))
