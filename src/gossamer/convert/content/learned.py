"""The default method: a model that has read a thousand pages of which people said what their content is.

Blocks are scored by a compiled twin, if it was built; without it the same is done with NumPy, in four times the time.
It is written in C, in `_score.c`. Tests hold the two equal.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import Ints
from gossamer.convert.content.density import density
from gossamer.convert.content.features import FLAGS, Floats, features
from gossamer.convert.content.marks import numbered
from gossamer.convert.content.network import Weights, learned_weights
from gossamer.convert.content.network import scores as scores_of
from gossamer.convert.content.twin import score
from gossamer.convert.outline import Outline

_FIRST_BITS = 12
"""As in `scorer/types.h`."""
ELEMENTS_MOST = 100_000
"""A page of more is not worth the memory, 60 MB at most: it is no article, whatever it is."""
RUNS_MOST = 20_000
_SCORED_MOST = 1_000
"""Blocks, times networks: on long pages fewer networks are asked. They differ little, and the time would be long."""
_LEAST = -0.8
"""A logit. What is a little less likely content than not is kept: a word too much costs less than one that is lost."""
_BETWEEN_LEAST = -2.5
_BEST_WITHIN = 1.0
"""Where no block is likely content, the best ones are taken for it, and those that come so near."""


def learned(outline: Outline) -> NDArray[np.bool_]:
    """Which runs of text are main content."""
    if len(outline.tags) > ELEMENTS_MOST or len(outline.owners) > RUNS_MOST:
        return density(outline)
    blocks = int(numbered(outline)[0][-1]) + 1
    numbers, scores = _shipped(max(_SCORED_MOST // blocks, 1)).scores(outline)
    return likely(scores)[numbers]


def likely(scores: Floats) -> NDArray[np.bool_]:
    """Which blocks are content, by their scores; some always are. One that is missing between two of them is too."""
    kept: NDArray[np.bool_] = scores > min(_LEAST, float(scores.max()) - _BEST_WITHIN)
    kept[1:-1] |= kept[:-2] & kept[2:] & (scores[1:-1] > _BETWEEN_LEAST)
    return kept


class Model:
    """Weights, made ready for the twin."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        networks, _, width = weights.bags.shape
        self._shape = networks, width, weights.vector
        self._parts = (*weights, _beginnings(weights.names), _beginnings(weights.words))

    def scores(self, outline: Outline) -> tuple[Ints, Floats]:
        """The block of each run, and the score of each block."""
        if score is None:
            return by_arrays(outline, self.weights)
        numbers, scores = score.scores((*outline[:-1], FLAGS), self._parts, *self._shape)
        return np.frombuffer(numbers, np.int32), np.frombuffer(scores, np.float32)


@cache
def _shipped(networks: int) -> Model:
    """Some of the networks that come with the package, or all."""
    weights = learned_weights()
    return Model(weights.of(min(networks, len(weights.bags))))


def _beginnings(vocabulary: NDArray[np.uint32]) -> Ints:
    """Where in a vocabulary those with given first bits begin: most of a search that is saved."""
    bounds = np.arange((1 << _FIRST_BITS) + 1, dtype=np.uint64) << (32 - _FIRST_BITS)
    return np.searchsorted(vocabulary.astype(np.uint64), bounds).astype(np.int32)


def by_arrays(outline: Outline, weights: Weights) -> tuple[Ints, Floats]:
    """The same where there is no twin."""
    found = features(outline)
    return found.blocks.numbers, scores_of(outline, found, weights)
