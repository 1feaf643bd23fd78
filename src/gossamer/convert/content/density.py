"""A method of one rule: long blocks with few links, next to others like them, are main content.

C. Kohlschütter, P. Fankhauser, W. Nejdl, "Boilerplate detection using shallow text features", WSDM 2010: a decision
tree over the number of words and the link density of a block and of its neighbours, which they call NumWordsRules.
What is between two kept blocks is not looked at again, as their larger filters do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import split
from gossamer.convert.content.features import linked_words
from gossamer.convert.html.outline import WORDS, Outline

_MANY_LINKS = 1 / 3
_MANY_LINKS_BEFORE = 0.555556


def density(outline: Outline) -> NDArray[np.bool_]:
    """Which runs of text are main content."""
    blocks = split(outline)
    run_words = outline.counts[:, WORDS]
    linked = linked_words(outline)
    words = np.add.reduceat(run_words, blocks.firsts)
    links = np.add.reduceat(linked, blocks.firsts) / np.maximum(words, 1)
    return is_content(words, links)[blocks.numbers]


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
