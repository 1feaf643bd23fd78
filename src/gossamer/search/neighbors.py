"""Answers that are like other good answers are better than their own words say.

This is the cluster hypothesis (Jardine and van Rijsbergen 1971), used as Diaz (2005) regularizes scores: of the first
answers to a long question, each is worth the mean of itself and the answers most like it. Answers are alike by the
cosine of their terms, rare ones first. Only terms that two of them have can make them alike, so only these are looked
at. As with expansion, long texts are not read, and the question has to be a description: whoever asks for a certain
page in a few words wants that one, and not the middle of its neighbours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

ANSWERS = 30
"""How many of the first are looked at."""
NEAREST = 6
"""Of the others, those that one leans on."""

Floats = NDArray[np.float64]


def regularized(
    scores: Floats, answers: Sequence[Iterable[str]], rarity: Callable[[str], float], weight: float
) -> Floats:
    """The scores of answers, each the mean of its own and those of the answers like it. An answer that is the same but
    for its score counts `weight` beside its own, others by the square of their likeness. `answers` are their terms."""
    if not answers:
        return scores
    alike = weight * _nearest(_alike(answers, rarity)) ** 2
    means: Floats = (scores + alike @ scores) / (1 + alike.sum(axis=1))
    return means


def _alike(answers: Sequence[Iterable[str]], rarity: Callable[[str], float]) -> Floats:
    """The cosine of each with each; none with itself."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    rows = [np.fromiter(map(numbers.__getitem__, answer), np.intp) for answer in answers]
    counts = np.stack([np.bincount(row, minlength=len(numbers)) for row in rows])
    shared = np.flatnonzero(np.count_nonzero(counts, axis=0) > 1)
    terms = list(numbers)
    weights = np.log1p(counts[:, shared]) * [rarity(terms[number]) for number in shared.tolist()]
    lengths = np.linalg.norm(weights, axis=1, keepdims=True)
    weights /= np.where(lengths > 0, lengths, 1.0)
    alike: Floats = weights @ weights.T
    np.fill_diagonal(alike, 0.0)
    return alike


def _nearest(alike: Floats) -> Floats:
    """Of each, those that it is most like."""
    if len(alike) <= NEAREST:
        return alike
    least = np.partition(alike, -NEAREST, axis=1)[:, -NEAREST, None]
    return np.where(alike >= least, alike, 0.0)
