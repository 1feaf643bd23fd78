"""The textbook's method: the part of a page with many words and few tags.

A. Finn, N. Kushmerick, B. Smyth, "Fact or fiction: Content classification for digital libraries", 2001. Draw the
number of tags met so far against the number of words: the content is the plateau of that line. So choose the interval
that has the most tags outside and the most words inside. That is the interval of the largest sum where a word counts
+1 and a tag -1 (J. Kadane), found in one pass.

We take away two faults that any page shows: tags within a line do not count, and a link's words count against it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.convert.content.blocks import BREAKS
from gossamer.convert.content.features import linked_words
from gossamer.convert.content.paths import Paths
from gossamer.convert.html.outline import WORDS, Outline

_TAG_WEIGHS = 3
"""Words. Tags that begin no line do not count, so the others count for more."""
_LINKED_WEIGHS = -0.5
"""A word of a link, for navigation is full of them."""


def plateau(outline: Outline) -> NDArray[np.bool_]:
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
    return (numbers >= first) & (numbers <= last)


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
