"""A small neural network over the blocks of a page, in a few operations on whole arrays.

Every block begins with its features, with the sums of what was learned of the tags and names on the way down to it,
and of its words. In two rounds it then looks at its neighbours and at the averages of its containers and of the page,
as in message passing over a tree (J. Gilmer et al. 2017). Several networks that were trained alike run side by side,
and the mean of what they say is the score of a block; above 0 it is more likely main content than not.

It is trained by `quality/train.py`. The weights are in `weights.npz` beside this module.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content import wording
from gossamer.convert.content.blocks import Ints
from gossamer.convert.content.features import Features, Floats
from gossamer.convert.outline import Outline

POOLED = (1, 2, 4)
"""Spans whose averages a block looks at."""
WAYS = 3
"""Containers at which the way down to a block is divided."""
_ONE_THREAD = 240_000
"""Multiplications. For larger products linear algebra libraries start threads, which costs more than the product."""


class Weights(NamedTuple):
    """What was learned, for k networks of width d, with vectors of e numbers for tags, names and words."""

    names: NDArray[np.uint32]
    """[v] hashes of the names that are known, in ascending order, like the next."""
    words: NDArray[np.uint32]
    """[w]"""
    name_vectors: Floats
    """[tags + v, k * e]"""
    word_vectors: Floats
    """[w, k * e]"""
    dense: Floats
    """[f, k * d]"""
    bags: Floats
    """[k, (WAYS + 2) * e, d]"""
    bias: Floats
    """[k, 1, d]"""
    rounds: Floats
    """[2, k, (3 + len(POOLED)) * d, d]"""
    pages: Floats
    """[2, k, 2 * d, d] for the average and the maximum of a page."""
    round_bias: Floats
    """[2, k, 1, d]"""
    out: Floats
    """[k, d, 1]"""
    out_bias: Floats
    """[1] the mean of all."""

    @property
    def vector(self) -> int:
        """e"""
        return int(self.bags.shape[1]) // (WAYS + 2)

    def of(self, count: int) -> Weights:
        """Those of the last few networks alone."""
        vectors, states = count * self.vector, count * self.bags.shape[2]
        parts = [
            self.name_vectors[:, -vectors:],
            self.word_vectors[:, -vectors:],
            self.dense[:, -states:],
            self.bags[-count:],
            self.bias[-count:],
            self.rounds[:, -count:],
            self.pages[:, -count:],
            self.round_bias[:, -count:],
            self.out[-count:],
        ]
        kept = map(np.ascontiguousarray, parts)
        return Weights._make((self.names, self.words, *kept, self.out_bias))


@cache
def learned_weights() -> Weights:
    """The weights that come with the package."""
    with np.load(Path(__file__).with_name("weights.npz"), allow_pickle=False) as file:
        names, words, *others = (file[name] for name in Weights._fields)
    return Weights(names, words, *(np.ascontiguousarray(array, np.float32) for array in others))


def scores(outline: Outline, found: Features, weights: Weights) -> Floats:
    """[B] for each block how likely it is main content, as a logit."""
    state = _begin(outline, found, weights)
    root = np.sqrt(found.words + 1)
    running = np.concatenate((np.zeros(1, np.float32), np.cumsum(root)))
    lows, highs = found.lows[:, POOLED], found.highs[:, POOLED]
    shares = (1 / (running[highs] - running[lows]))[:, :, None]
    for number in range(len(weights.rounds)):
        pooled, page = _pools(state, root, lows, highs)
        pooled *= shares
        page[:, :, : state.shape[2]] /= running[-1]
        bias = page @ weights.pages[number] + weights.round_bias[number]
        step = _product(_around(state, pooled), weights.rounds[number])
        step += bias
        state += np.maximum(step, 0, out=step)
    found_scores: Floats = (state @ weights.out).mean(axis=0)[:, 0] + weights.out_bias[0]
    return found_scores


def _begin(outline: Outline, found: Features, weights: Weights) -> Floats:
    """[k, B, d] what is known of every block alone."""
    count, size, width = weights.bags.shape
    bags = np.concatenate((_ways(outline, found, weights), _wording(outline, found, weights)[None]))
    parts, blocks, _ = bags.shape
    bags = bags.reshape(parts, blocks, count, size // parts).transpose(2, 1, 0, 3).reshape(count, blocks, size)
    state = _product(bags, weights.bags)
    dense = _product(found.dense[None], weights.dense[None])[0]
    state += dense.reshape(blocks, count, width).transpose(1, 0, 2)
    state += weights.bias
    return np.maximum(state, 0, out=state)


def _ways(outline: Outline, found: Features, weights: Weights) -> Floats:
    """[WAYS + 1, B, k * e] tags and names on the way down: in the innermost container, between containers, above."""
    vectors = weights.name_vectors[outline.tags]
    numbers, which = known(outline.names, weights.names)
    if len(which):
        offset = len(weights.name_vectors) - len(weights.names)
        elements = outline.named[which]
        begins = np.flatnonzero(np.append(True, elements[1:] != elements[:-1]))
        vectors[elements[begins]] += np.add.reduceat(weights.name_vectors[numbers + offset], begins, axis=0)
    places = np.concatenate((outline.owners[found.blocks.firsts][None], found.containers[:, :WAYS].T))
    ways = found.paths.sums(vectors, places)
    ways[:-1] -= ways[1:]
    return ways


def _wording(outline: Outline, found: Features, weights: Weights) -> Floats:
    """[B, k * e] the words of short blocks."""
    hashes, blocks = wording.words(outline, found.blocks, found.words)
    sums = np.zeros((len(found.words), weights.word_vectors.shape[1]), np.float32)
    numbers, which = known(hashes, weights.words)
    if len(which):
        blocks = blocks[which]
        begins = np.flatnonzero(np.append(True, blocks[1:] != blocks[:-1]))
        sums[blocks[begins]] = np.add.reduceat(weights.word_vectors[numbers], begins, axis=0)
    return sums


def known(hashes: NDArray[np.uint32], vocabulary: NDArray[np.uint32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Numbers in the vocabulary of those that are in it, and which they are."""
    numbers = np.searchsorted(vocabulary, hashes)
    which = np.flatnonzero(vocabulary[np.minimum(numbers, len(vocabulary) - 1)] == hashes)
    return numbers[which], which


def _pools(state: Floats, root: Floats, lows: Ints, highs: Ints) -> tuple[Floats, Floats]:
    """[k, B, pools, d] sums over spans, and [k, 1, 2 * d] the sum and the maximum over the page."""
    count, blocks, width = state.shape
    running = np.zeros((count, blocks + 1, width), np.float32)
    np.cumsum(state * root[:, None], axis=1, out=running[:, 1:])
    page = np.concatenate((running[:, -1:], state.max(axis=1, keepdims=True)), axis=2)
    return running[:, highs] - running[:, lows], page


def _around(state: Floats, pooled: Floats) -> Floats:
    """[k, B, (3 + pools) * d] a block, those before and after it, and the averages of its containers."""
    count, blocks, width = state.shape
    around = np.zeros((count, blocks, (3 + pooled.shape[2]) * width), np.float32)
    around[:, :, :width] = state
    around[:, 1:, width : 2 * width] = state[:, :-1]
    around[:, :-1, 2 * width : 3 * width] = state[:, 1:]
    around[:, :, 3 * width :] = pooled.reshape(count, blocks, around.shape[2] - 3 * width)
    return around


def _product(left: Floats, right: Floats) -> Floats:
    """[k, B, x] times [k, x, y], in pieces that are too small for threads."""
    count, blocks, inner = left.shape
    rows = max(1, _ONE_THREAD // (inner * right.shape[2]))
    whole = blocks - blocks % rows
    product = np.empty((count, blocks, right.shape[2]), np.float32)
    pieces = left[:, :whole].reshape(count, whole // rows, rows, inner) @ right[:, None]
    product[:, :whole] = pieces.reshape(count, whole, right.shape[2])
    product[:, whole:] = left[:, whole:] @ right
    return product
