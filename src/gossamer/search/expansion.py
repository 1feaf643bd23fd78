"""A question describes what it looks for, and so do the best answers to it: their telling terms are asked for too.

This is the Bo1 model of Amati (2003), a divergence from randomness: a term tells the more, the more often it occurs in
the first answers against what is usual in the collection. It must occur in three of them. Answers that are long are not
read: they are about more than the question. Questions of one or two words are left alone: they say exactly what is
meant, and whoever asks them would wonder about answers without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import log, log2

LONG = 3
"""Terms of a question that is taken for a description."""
ANSWERS = 10
"""How many answers are read."""
GOOD = 0.5
"""What an answer that is read is worth at least, beside the best."""
TERMS = 40
"""How many terms are taken from them."""
LEAST = 3
"""Answers that a term must occur in."""
SHORT = 2_500
"""Characters of an answer that is read: an abstract, or a page of a few paragraphs."""


def telling(answers: Sequence[Iterable[str]], usual: Callable[[str], float]) -> dict[str, float]:
    """Terms of the answers with weights up to 1. `usual` is the share of all documents that a term is met in."""
    counts: Counter[str] = Counter()
    within: Counter[str] = Counter()
    for answer in answers:
        terms = Counter(answer)
        counts.update(terms)
        within.update(terms.keys())
    shared = {term: count for term, count in counts.items() if within[term] >= LEAST}
    weights = {term: _bo1(count, usual(term)) for term, count in _frequent(shared)}
    best = sorted(weights, key=lambda term: (-weights[term], term))[:TERMS]
    return {term: weights[term] / weights[best[0]] for term in best if weights[term] > 0}


def _frequent(counts: dict[str, int]) -> list[tuple[str, int]]:
    """Asking the index about every term would take longer than the search; rare ones cannot win."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[: 3 * TERMS]


def _bo1(count: int, usual: float) -> float:
    """The model asks how often a term occurs in a document, on average. If by chance, a share p of them means this."""
    mean = -log(1 - min(max(usual, 1e-9), 1 - 1e-9))
    return count * log2((1 + mean) / mean) + log2(1 + mean)
