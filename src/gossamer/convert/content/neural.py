"""A small neural network over the blocks of a page, in a few operations on whole arrays.

Every block begins with its features, with the sums of what was learned of the tags and names on the way down to it,
and of its words. In two rounds it then looks at its neighbours, at the average of all blocks that look like it, and at
the averages of its containers and of the page, as in message passing over a tree (J. Gilmer et al. 2017). What comes
out is the score of a block: the higher, the more likely it is main content. The average and the maximum of all blocks
at the end say what kind of page it is.

Blocks that look alike, by the tags and names around them, are parts of records: replies of a thread, cards of a shop,
entries of a menu. One of them alone may be doubtful, but all of them together are content or are none.

It is trained by `quality/train.py`. The weights are in `weights.npz` beside this module.

The words of short blocks come in as numbers: "Share", "Kommentare" and "Cookies" say more than their place does.

A word's number is a polynomial of its letters, so that all words of a page are hashed in a few operations on arrays.
Letters are those of ASCII, in lower case, and all bytes of other scripts but those of the commonest signs.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import Blocks, Ints
from gossamer.convert.content.features import Features, Floats
from gossamer.convert.html.outline import Outline

KINDS = ("article", "forum", "listing", "product", "collection", "service", "documentation")
"""Of pages, as `Page.kind` has them."""
SHORT = 16
"""Words. What longer blocks say is content as often as not."""

_LETTERS = np.zeros(256, np.uint32)
_LETTERS[97:123] = np.arange(97, 123)
_LETTERS[65:91] = np.arange(97, 123)
_LETTERS[0x81:] = np.arange(0x81, 256)
_LETTERS[[0xC2, 0xE2]] = 0
_LONGEST = 64
"""Bytes. Letters after it do not count, which for words does not happen."""
_POWERS = np.cumprod(np.full(_LONGEST, 0x01000193, np.uint32), dtype=np.uint32)
POOLED = (1, 2, 4)
"""Spans whose averages a block looks at."""
WAYS = 3
"""Containers at which the way down to a block is divided."""
_SHARED, _ALIKE_LEAST = 0.3, 3
"""The share of a score that blocks have in common if so many look alike; as in `scorer/network.h`."""
_ONE_THREAD = 240_000
"""Multiplications. For larger products linear algebra libraries start threads, which costs more than the product."""


def words(outline: Outline, blocks: Blocks, counts: NDArray[np.float32]) -> tuple[NDArray[np.uint32], Ints]:
    """The hashes of all words in short blocks, and the block each stands in. `counts` are the words of all blocks."""
    short_runs = (counts <= SHORT)[blocks.numbers]
    sizes = np.diff(outline.starts)
    letters = _LETTERS[np.frombuffer(outline.text, np.uint8)]
    letters *= np.repeat(short_runs, sizes)
    places = np.flatnonzero(letters)
    if not len(places):
        return np.zeros(0, np.uint32), np.zeros(0, np.int32)
    begins_block = np.zeros(len(letters) + 1, np.bool_)
    begins_block[outline.starts[blocks.firsts]] = True
    first = np.ones(len(places), np.bool_)
    first[1:] = (np.diff(places) > 1) | begins_block[places[1:]]
    starts = np.flatnonzero(first)
    lengths = np.diff(np.append(starts, len(places)))
    within = np.arange(len(places)) - np.repeat(starts, lengths)
    values = letters[places] * _POWERS[np.minimum(within, _LONGEST - 1)]
    hashes = np.add.reduceat(values, starts, dtype=np.uint32)
    runs = np.searchsorted(outline.starts, places[starts], side="right") - 1
    long = lengths > 1
    return hashes[long], blocks.numbers[runs[long]]


class Weights(NamedTuple):
    """What was learned, for states of d numbers, and vectors of e numbers for tags, names and words."""

    names: NDArray[np.uint32]
    """[v] hashes of the names that are known, in ascending order, like the next."""
    words: NDArray[np.uint32]
    """[w]"""
    name_vectors: Floats
    """[tags + v, e]"""
    word_vectors: Floats
    """[w, e]"""
    dense: Floats
    """[f, d]"""
    bags: Floats
    """[(WAYS + 2) * e, d]"""
    bias: Floats
    """[d]"""
    rounds: Floats
    """[2, (4 + len(POOLED)) * d, d]"""
    pages: Floats
    """[2, 2 * d, d] for the average and the maximum of a page."""
    round_bias: Floats
    """[2, d]"""
    out: Floats
    """[d]"""
    out_bias: Floats
    """[1]"""
    kinds: Floats
    """[2 * d, k] for the average and the maximum of a page, like `pages`."""
    kind_bias: Floats
    """[k]"""


@cache
def learned_weights() -> Weights:
    """The weights that come with the package."""
    with np.load(Path(__file__).with_name("weights.npz"), allow_pickle=False) as file:
        names, words, *others = (file[name] for name in Weights._fields)
    return Weights(names, words, *(np.ascontiguousarray(array, np.float32) for array in others))


class Read(NamedTuple):
    """What the network makes of a page with B blocks."""

    scores: Floats
    """[B] how likely each is main content, as a logit."""
    page: Floats
    """[2 * d] the average and the maximum of all blocks."""


def read(outline: Outline, found: Features, weights: Weights) -> Read:
    """The blocks of a page, and the page as a whole."""
    state = _begin(outline, found, weights)
    root = np.sqrt(found.words + 1)
    running = np.concatenate((np.zeros(1, np.float32), np.cumsum(root)))
    lows, highs = found.lows[:, POOLED], found.highs[:, POOLED]
    shares = (1 / (running[highs] - running[lows]))[:, :, None]
    for rounds, pages, bias in zip(weights.rounds, weights.pages, weights.round_bias, strict=True):
        pooled, page = _pools(state, root, lows, highs)
        pooled *= shares
        page[: state.shape[1]] /= running[-1]
        step = _product(_around(state, np.concatenate((pooled, _alike(state, root, found.alike)), axis=1)), rounds)
        step += page @ pages + bias
        state += np.maximum(step, 0, out=step)
    _, page = _pools(state, root, lows[:0], highs[:0])
    page[: state.shape[1]] /= running[-1]
    return Read(state @ weights.out + weights.out_bias[0], page)


def smoothed(scores: Floats, found: Features) -> Floats:
    """[B] scores of which a share is from the blocks that look alike, where there are some."""
    root, groups = np.sqrt(found.words + 1), found.alike
    means = np.bincount(groups, scores * root) / np.bincount(groups, root)
    many = np.bincount(groups)[groups] >= _ALIKE_LEAST
    shared: Floats = np.where(many, (1 - _SHARED) * scores + _SHARED * means[groups], scores).astype(np.float32)
    return shared


def _begin(outline: Outline, found: Features, weights: Weights) -> Floats:
    """[B, d] what is known of every block alone."""
    bags = np.concatenate((*_ways(outline, found, weights), _wording(outline, found, weights)), axis=1)
    state = _product(bags, weights.bags)
    state += _product(found.dense, weights.dense)
    state += weights.bias
    return np.maximum(state, 0, out=state)


def _ways(outline: Outline, found: Features, weights: Weights) -> Floats:
    """[WAYS + 1, B, e] tags and names on the way down: in the innermost container, between containers, above."""
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
    """[B, e] the words of short blocks."""
    hashes, blocks = words(outline, found.blocks, found.words)
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
    """[B, pools, d] sums over spans, and [2 * d] the sum and the maximum over the page."""
    blocks, width = state.shape
    running = np.zeros((blocks + 1, width), np.float32)
    np.cumsum(state * root[:, None], axis=0, out=running[1:])
    return running[highs] - running[lows], np.concatenate((running[-1], state.max(axis=0)))


def _alike(state: Floats, root: Floats, groups: Ints) -> Floats:
    """[B, 1, d] the average of the blocks that look like each."""
    sums = np.zeros((int(groups.max()) + 1, state.shape[1]), np.float32)
    np.add.at(sums, groups, state * root[:, None])
    sums /= np.bincount(groups, root)[:, None]
    found: Floats = sums[groups][:, None]
    return found


def _around(state: Floats, pooled: Floats) -> Floats:
    """[B, (3 + pools) * d] a block, those before and after it, and the averages of what it belongs to."""
    blocks, width = state.shape
    around = np.zeros((blocks, (3 + pooled.shape[1]) * width), np.float32)
    around[:, :width] = state
    around[1:, width : 2 * width] = state[:-1]
    around[:-1, 2 * width : 3 * width] = state[1:]
    around[:, 3 * width :] = pooled.reshape(blocks, -1)
    return around


def _product(left: Floats, right: Floats) -> Floats:
    """[B, x] times [x, y], in pieces that are too small for threads."""
    (blocks, inner), columns = left.shape, right.shape[1]
    rows = max(1, _ONE_THREAD // right.size)
    whole = blocks - blocks % rows
    product = np.empty((blocks, columns), np.float32)
    product[:whole] = (left[:whole].reshape(-1, rows, inner) @ right).reshape(whole, columns)
    product[whole:] = left[whole:] @ right
    return product
