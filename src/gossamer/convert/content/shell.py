"""Has a page any content? One that a script fills in the browser may come as a shell: menus, a cart, a footer.

Then no block is likely content. That alone says little, for to the model a list of names looks like a menu too. But
such a list is most of its page, and all of it looks alike, by the tags and names on the way down to each item; a shell
has a bit of everything. What is kept of it would be a menu, so nothing is: the words of the whole page are there still.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.features import features
from gossamer.convert.html.outline import Outline

Floats = NDArray[np.float32]

_LIKELY = -1.5
"""The score of what may be content. Where something has more, the page has some."""
_WORDS_LEAST = 100
"""A page of fewer is not enough to tell."""
_ALIKE_MOST = 0.5
"""Share of the words in blocks of one look. A page with more is a list, and the list is its content."""


def is_shell(outline: Outline, scores: Floats, words: Floats) -> bool:
    """Whether a page has nothing but what stands around content. Scores and words are those of its blocks."""
    total = float(words.sum())
    if total < _WORDS_LEAST or scores.max() > _LIKELY:
        return False
    alike = np.bincount(features(outline).alike, words)
    return bool(alike.max() <= _ALIKE_MOST * total)
