"""What can be said of a block: its words, where it stands, what its containers hold, what else looks like it.

All of it in operations on whole arrays. A span is a range of blocks: the block itself, its containers from the inside
out, the page. Whatever is summed over a span is a difference of two cumulative sums, and the same is asked of all.

So are sums over the way from the body down to an element. In document order the elements that are open at a moment are
all that began minus all that ended. So the sum over an element's ancestors is a difference of two cumulative sums, one
in the order of beginnings and one in that of ends.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import BREAKS, LINKS, Blocks, Ints, Ranges, ranges, split, standing_in
from gossamer.convert.html.outline import CAPITALS, NUMBER, TAGS, WORDS, Outline

Number = TypeVar("Number", np.float32, np.int32, np.uint64)
Floats = NDArray[np.float32]
LEVELS = 5
"""Containers that are looked at."""
SPANS = LEVELS + 2
"""With the block itself before them and the page after them."""
_RANKS = np.zeros(len(TAGS), np.float32)
"""By the number of a tag: 6 for h1 to 1 for h6."""
_RANKS[[NUMBER[f"h{level}"] for level in range(1, 7)]] = range(6, 0, -1)
_MARKS = np.zeros((len(TAGS), 4), np.float32)
"""By the number of a tag: an element, a picture, a control, a heading."""
_MARKS[:, 0] = 1
_MARKS[[NUMBER[name] for name in ("img", "picture", "figure", "video", "svg", "iframe")], 1] = 1
_MARKS[[NUMBER[name] for name in ("input", "button", "select", "textarea", "label")], 2] = 1
_MARKS[:, 3] = _RANKS > 0
FLAGS = (
    _RANKS.astype(np.uint8)
    | (BREAKS.astype(np.uint8) << 3)
    | (LINKS.astype(np.uint8) << 4)
    | (_MARKS[:, 1].astype(np.uint8) << 5)
    | (_MARKS[:, 2].astype(np.uint8) << 6)
)
"""The same in bits, for the compiled twin."""
_KINDS = np.arange(1, len(TAGS) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xC2B2AE3D27D4EB4F)
_MIX_AGAIN = np.uint64(0x94D049BB133111EB)
_SHIFT = np.uint64(31)
_COUNTS = CAPITALS + 1
_LINKED, _PROSE, _SHORT, _ONE, _MARKED = range(_COUNTS, _COUNTS + 5)
"""Columns of what is summed, after those of `Outline.counts`: words in links, prose, whether it is short, the block."""
_SUMS = _MARKED + 4
_PROSE_LEAST = 8
"""Words."""
_PROSE_MOST = 100.0
_COMMA_WEIGHS = 10
"""Words, as a sign of prose."""
_SHORT_MOST = 4
_RATIO_MOST = 4.0
_FAR = 40.0


class Paths:
    """The ways down to all elements of an outline."""

    def __init__(self, outline: Outline) -> None:
        self._order = np.argsort(outline.ends, kind="stable")
        self._ended = np.searchsorted(outline.ends[self._order], np.arange(len(outline.ends)), side="right")

    def sums(self, values: NDArray[Number], elements: Ints) -> NDArray[Number]:
        """For each of `elements` the sum of `values`, one or a row for each element, over it and its ancestors."""
        begun = np.cumsum(values, axis=0, dtype=values.dtype)
        ended = np.zeros((len(values) + 1, *values.shape[1:]), values.dtype)
        np.cumsum(values[self._order], axis=0, dtype=values.dtype, out=ended[1:])
        found: NDArray[Number] = begun[elements] - ended[self._ended[elements]]
        return found


class Features(NamedTuple):
    """What a model reads of a page with B blocks."""

    blocks: Blocks
    paths: Paths
    dense: Floats
    """[B, f]"""
    lows: Ints
    """[B, SPANS] the first block of each span, like the next."""
    highs: Ints
    """[B, SPANS] one past the last."""
    containers: Ints
    """[B, LEVELS] elements, from the inside out."""
    words: Floats
    """[B]"""
    alike: Ints
    """[B] the group of those that look like it, numbered from 0 on."""


def features(outline: Outline) -> Features:
    """All features of a page that has text."""
    blocks = split(outline)
    around = ranges(outline, blocks)
    containers = _containers(blocks, around)
    lows, highs = _spans(containers, around)
    sums = _sums(outline, blocks)
    running = np.zeros((len(sums) + 1, _SUMS), np.float32)
    np.cumsum(sums, axis=0, out=running[1:])
    paths = Paths(outline)
    groups = _groups(outline, blocks, paths)
    dense = np.concatenate(
        (
            _spanned(running, lows, highs),
            _places(running, lows[:, 1:-1], highs[:, 1:-1]),
            _alike(groups, sums),
            _headings(outline, blocks, paths),
        ),
        axis=1,
    )
    return Features(blocks, paths, dense, lows, highs, containers, sums[:, WORDS].copy(), groups)


def linked_words(outline: Outline) -> Ints:
    """For each run how many of its words are in a link."""
    linked: Ints = outline.counts[:, WORDS] * standing_in(outline, LINKS)
    return linked


def _containers(blocks: Blocks, around: Ranges) -> Ints:
    found = np.empty((len(blocks.tops), LEVELS), np.int32)
    found[:, 0] = np.where(around.counts[blocks.tops] > 1, blocks.tops, around.ups[blocks.tops])
    for level in range(1, LEVELS):
        found[:, level] = around.ups[found[:, level - 1]]
    return found


def _spans(containers: Ints, around: Ranges) -> tuple[Ints, Ints]:
    size = len(containers)
    lows = np.empty((size, SPANS), np.int32)
    lows[:, 0] = np.arange(size)
    lows[:, 1:-1] = around.firsts[containers]
    lows[:, -1] = 0
    highs = np.empty((size, SPANS), np.int32)
    highs[:, 0] = lows[:, 0] + 1
    highs[:, 1:-1] = lows[:, 1:-1] + around.counts[containers]
    highs[:, -1] = size
    return lows, highs


def _sums(outline: Outline, blocks: Blocks) -> Floats:
    """[B, _SUMS] what is counted in a block."""
    runs = np.empty((len(outline.owners), _COUNTS + 1), np.int32)
    runs[:, :_COUNTS] = outline.counts
    runs[:, _LINKED] = linked_words(outline)
    sums = np.empty((len(blocks.firsts), _SUMS), np.float32)
    sums[:, : _LINKED + 1] = np.add.reduceat(runs, blocks.firsts, axis=0)
    words = sums[:, WORDS]
    free = words - sums[:, _LINKED]
    prose = np.minimum(free, _PROSE_MOST) + _COMMA_WEIGHS * sums[:, 2]
    sums[:, _PROSE] = prose * ((words >= _PROSE_LEAST) & (2 * free > words))
    sums[:, _SHORT] = words <= _SHORT_MOST
    sums[:, _ONE] = 1
    marks = np.cumsum(_MARKS[outline.tags], axis=0)[outline.befores[blocks.firsts] - 1]
    sums[0, _MARKED:] = marks[0]
    sums[1:, _MARKED:] = marks[1:] - marks[:-1]
    return sums


def _spanned(running: Floats, lows: Ints, highs: Ints) -> Floats:
    """For each span: how much of everything, how much for each word, and the share of the page's words and prose."""
    sums = running[highs] - running[lows]
    words = sums[..., WORDS : WORDS + 1]
    ratios = np.minimum(sums / (words + 0.1), _RATIO_MOST)
    ratios[..., WORDS] = np.log(words[..., 0] / sums[..., _ONE] + 1)
    ratios[..., _PROSE] = sums[..., _PROSE] / (running[-1, _PROSE] + 1)
    ratios[..., _ONE] = words[..., 0] / (running[-1, WORDS] + 1)
    return np.concatenate((np.log(sums + 1), ratios), axis=2).reshape(len(lows), -1)


def _places(running: Floats, lows: Ints, highs: Ints) -> Floats:
    """Where in the page and in its containers a block stands."""
    size = len(lows)
    numbers = np.arange(size, dtype=np.float32)
    places = np.empty((size, 5 + LEVELS), np.float32)
    places[:, 0] = numbers / size
    places[:, 1] = np.minimum(numbers, _FAR) / _FAR
    places[:, 2] = np.minimum(size - numbers, _FAR) / _FAR
    places[:, 3] = running[:-1, WORDS] / (running[-1, WORDS] + 1)
    places[:, 4] = running[:-1, _PROSE] / (running[-1, _PROSE] + 1)
    places[:, 5:] = (numbers[:, None] - lows) / (highs - lows)
    return places


def _groups(outline: Outline, blocks: Blocks, paths: Paths) -> Ints:
    """[B] which blocks look alike, by the tags and names on the way down to them."""
    kinds = _KINDS[outline.tags]
    if len(outline.names):
        running = np.zeros(len(outline.names) + 1, np.uint64)
        np.cumsum(outline.names * _MIX, out=running[1:])
        bounds = np.searchsorted(outline.named, np.arange(len(kinds) + 1))
        kinds += running[bounds[1:]] - running[bounds[:-1]]
    kinds = (kinds ^ (kinds >> _SHIFT)) * _MIX_AGAIN
    looks = paths.sums(kinds, outline.owners[blocks.firsts])
    return np.unique(looks, return_inverse=True)[1].astype(np.int32)


def _alike(groups: Ints, sums: Floats) -> Floats:
    """Those that look like it: how many, and what is in them."""
    order = np.argsort(groups, kind="stable")
    begins = np.flatnonzero(np.append(True, groups[order][1:] != groups[order][:-1]))
    totals = np.add.reduceat(sums[order][:, [_ONE, WORDS, _LINKED, _PROSE]], begins, axis=0)
    counts, words = totals[:, 0], totals[:, 1] + 0.1
    columns = np.stack(
        (np.log(counts), np.log(words / counts + 1), totals[:, 2] / words, totals[:, 3] / (totals[:, 3].sum() + 1)),
        axis=1,
    )
    found: Floats = columns.astype(np.float32)[groups]
    return found


def _headings(outline: Outline, blocks: Blocks, paths: Paths) -> Floats:
    """How deep it stands, what heading it is or stands under, how far below it, and where the first h1 is."""
    size = len(blocks.tops)
    ranks = _RANKS[outline.tags]
    marks = np.ones((len(ranks), 2), np.float32)
    marks[:, 1] = ranks
    sums = paths.sums(marks, blocks.tops)
    numbers = np.arange(size, dtype=np.float32)
    rank = np.minimum(sums[:, 1], 6)
    last = np.maximum.accumulate(np.where(rank > 0, np.arange(size), 0))
    highest = np.flatnonzero(rank == 6)
    found = np.empty((size, 8), np.float32)
    found[:, 0] = np.log(sums[:, 0])
    found[:, 1] = rank / 6
    found[:, 2] = rank[last] / 6
    found[:, 3] = np.log(numbers - last + 1)
    found[:, 4] = len(highest) > 0
    found[:, 5] = min(len(highest), 4) / 4
    first = highest[0] if len(highest) else 0
    found[:, 6] = numbers < first
    found[:, 7] = np.log(np.maximum(numbers - first, 0) + 1) / 3
    return found
