"""The default method: a model that has read a thousand pages of which people said what their content is.

Blocks are scored by a compiled twin, if it was built; without it the same is done with NumPy, in four times the time.
It is written in C, in `_score.c`. Tests hold the two equal.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import Ints
from gossamer.convert.content.completion import BETWEEN_LEAST, completed
from gossamer.convert.content.features import FLAGS, Floats, features
from gossamer.convert.content.found import Found
from gossamer.convert.content.heuristics import density
from gossamer.convert.content.marks import score
from gossamer.convert.content.neural import KINDS, Weights, learned_weights, read, smoothed
from gossamer.convert.content.shell import is_shell
from gossamer.convert.html.outline import SCORED, Outline

_FIRST_BITS = 12
"""As in `scorer/types.h`."""
ELEMENTS_MOST = 100_000
"""A page of more is not worth the memory, 60 MB at most: it is no article, whatever it is."""
RUNS_MOST = 20_000
_CALM, _CALMER, _DOUBT = 2.0, 1.0, 0.5
"""A score divided by `calm`, less the doubt, is a logit that can be believed on sites that were not learned from.

The doubt is as in `scorer/choice.h`, like the next.
"""
_BETWEEN_MOST = 4
_HARDLY_ANYTHING = 1e-9


class Scored(NamedTuple):
    """The blocks of a page: m runs are B blocks."""

    numbers: Ints
    """[m] the block of a run."""
    scores: Floats
    """[B]"""
    words: Floats
    """[B]"""
    page: Floats
    """The average and the maximum of the states of all blocks."""


def learned(outline: Outline) -> Found:
    """Which runs of text are main content, and what kind of page it is."""
    if len(outline.tags) > ELEMENTS_MOST or len(outline.owners) > RUNS_MOST:
        return density(outline)
    model = _shipped()
    numbers, scores, words, page = model.scored(outline)
    kinds = model.kinds(page)
    kind = KINDS[int(kinds.argmax())]
    if is_shell(outline, scores, words):
        return Found(np.zeros(len(numbers), np.bool_), kind)
    keep = completed(outline, numbers, likely(scores, words, calm(kinds)), scores, words)[numbers]
    return Found(keep, kind)


def calm(kinds: Floats) -> float:
    """What scores are divided by. Articles are understood best; of what may be another kind less is believed."""
    return _CALM + _CALMER * (1 - float(kinds[0]))


def likely(scores: Floats, words: Floats, calm: float) -> NDArray[np.bool_]:
    """Which blocks are content, by their scores and words; the best always is.

    Those are taken of which the highest F1 is to be expected (D. D. Lewis, SIGIR 1995): of a page that is well
    understood what is more likely content than not, of another one more. A block is among them if it is likelier than
    half of that F1, which is found by trying what came out before (W. Dinkelbach 1967).
    """
    if score is not None:
        return np.frombuffer(score.likely(scores, words, calm), np.bool_)
    chances = (1 + np.tanh((scores / np.float32(calm) - _DOUBT) / 2)) / 2
    sizes = words.astype(np.float64) + 1
    right, least = chances * sizes, -1.0
    wanted, better = right.sum() + _HARDLY_ANYTHING, 0.0
    while better > least:
        least, kept = better, chances > better
        better = right[kept].sum() / (sizes[kept].sum() + wanted)
    kept[scores.argmax()] = True
    _fill_gaps(kept, scores)
    return kept


def _fill_gaps(kept: NDArray[np.bool_], scores: Floats) -> None:
    """A few blocks that are missing between two others are taken too, unless one of them is no good."""
    places = np.flatnonzero(kept)
    sizes = np.diff(places) - 1
    for number in np.flatnonzero((sizes > 0) & (sizes <= _BETWEEN_MOST)).tolist():
        gap = slice(places[number] + 1, places[number + 1])
        kept[gap] = scores[gap].min() > BETWEEN_LEAST


class Model:
    """Weights, made ready for the twin."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._shape = weights.bags.shape[1], weights.word_vectors.shape[1]
        self._parts = (*weights[:-2], _beginnings(weights.names), _beginnings(weights.words))

    def scored(self, outline: Outline) -> Scored:
        """The blocks of a page, with their scores."""
        if score is None:
            return by_arrays(outline, self.weights)
        numbers, *rest = score.scores((*outline[:SCORED], FLAGS), self._parts, *self._shape)
        return Scored(np.frombuffer(numbers, np.int32), *(np.frombuffer(each, np.float32) for each in rest))

    def kinds(self, page: Floats) -> Floats:
        """How likely a page is of each of the `KINDS`."""
        told = page @ self.weights.kinds + self.weights.kind_bias
        chances = np.exp(told - told.max())
        found: Floats = chances / chances.sum()
        return found


@cache
def _shipped() -> Model:
    """The one that comes with the package."""
    return Model(learned_weights())


def _beginnings(vocabulary: NDArray[np.uint32]) -> Ints:
    """Where in a vocabulary those with given first bits begin: most of a search that is saved."""
    bounds = np.arange((1 << _FIRST_BITS) + 1, dtype=np.uint64) << (32 - _FIRST_BITS)
    return np.searchsorted(vocabulary.astype(np.uint64), bounds).astype(np.int32)


def by_arrays(outline: Outline, weights: Weights) -> Scored:
    """The same where there is no twin."""
    found = features(outline)
    scores, page = read(outline, found, weights)
    return Scored(found.blocks.numbers, smoothed(scores, found), found.words, page)
