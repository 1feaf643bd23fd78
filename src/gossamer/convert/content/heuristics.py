"""Which blocks are main content, by one rule? Two methods from the literature.

`density` keeps long blocks with few links, next to others like them. C. Kohlschütter, P. Fankhauser, W. Nejdl,
"Boilerplate detection using shallow text features", WSDM 2010: a decision tree over the number of words and the link
density of a block and of its neighbours, which they call NumWordsRules. What is between two kept blocks is not looked
at again, as their larger filters do.

`plateau` is the textbook's method: it keeps the part of a page with many words and few tags. A. Finn, N. Kushmerick, B.
Smyth, "Fact or fiction: Content classification for digital libraries", 2001. Draw the number of tags met so far against
the number of words: the content is the plateau of that line. So choose the interval that has the most tags outside and
the most words inside. That is the interval of the largest sum where a word counts +1 and a tag -1 (J. Kadane), found in
one pass.

We take away two faults that any page shows: tags within a line do not count, and a link's words count against it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.convert.content.blocks import BREAKS, split
from gossamer.convert.content.features import Paths, linked_words
from gossamer.convert.content.found import Found
from gossamer.convert.html.outline import WORDS, Outline

_MANY_LINKS = 1 / 3
_MANY_LINKS_BEFORE = 0.555556
_TAG_WEIGHS = 3
"""Words. Tags that begin no line do not count, so the others count for more."""
_LINKED_WEIGHS = -0.5
"""A word of a link: navigation is full of them."""


def density(outline: Outline) -> Found:
    """Which runs of text are main content."""
    blocks = split(outline)
    run_words = outline.counts[:, WORDS]
    linked = linked_words(outline)
    words = np.add.reduceat(run_words, blocks.firsts)
    links = np.add.reduceat(linked, blocks.firsts) / np.maximum(words, 1)
    return Found(is_content(words, links)[blocks.numbers])


def is_content(words: NDArray[np.int32], links: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The decision tree, for blocks of so many words of which such a share is in links."""
    before, after = np.roll(words, 1), np.roll(words, -1)
    before[0] = after[-1] = 0
    links_before = np.roll(links, 1)
    links_before[0] = 0
    after_text = (words > 16) | (after > 15) | (before > 4)
    after_links = (words > 40) | (after > 17)
    kept: NDArray[np.bool_] = np.where(links_before <= _MANY_LINKS_BEFORE, after_text, after_links)
    return kept & (links <= _MANY_LINKS)


def plateau(outline: Outline) -> Found:
    """Which runs of text are main content."""
    owners, breaks = outline.owners, BREAKS[outline.tags].astype(np.int32)
    words = outline.counts[:, WORDS] + (_LINKED_WEIGHS - 1) * linked_words(outline)
    opened = np.diff(np.cumsum(breaks)[outline.befores - 1])
    depths = Paths(outline).sums(breaks, owners)
    closed = opened + depths[:-1] - depths[1:]
    steps = np.empty(2 * len(owners) - 1)
    steps[::2] = words
    steps[1::2] = -_TAG_WEIGHS * (opened + closed)
    first, last, _ = heaviest(steps)
    numbers = np.arange(len(owners)) * 2
    return Found((numbers >= first) & (numbers <= last))


def longest(tags: Sequence[int]) -> tuple[int, int, int]:
    """The plateau of a page as the textbook has it, 1 for a tag and 0 for a word: first, last, and what it is worth.

    That is the number of tags outside of it and of words in it.
    """
    first, last, gain = heaviest([1 - 2 * tag for tag in tags])
    return first, last, int(gain) + sum(tags)


def heaviest(values: ArrayLike) -> tuple[int, int, float]:
    """The interval with the largest sum: its first, its last, and the sum. The earliest of equals, and no empty one."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    lowest = np.minimum.accumulate(sums[:-1])
    last = int(np.argmax(sums[1:] - lowest))
    first = int(np.argmin(sums[: last + 1]))
    return first, last, float(sums[last + 1] - sums[first])
