"""Which links of a page stand in what is kept of it?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.html.outline import Outline


def links_inside(outline: Outline, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A link is in the content if one of its words is. One without words is if the words before and after it are."""
    size = len(outline.tags)
    points = np.maximum(outline.points, 0)
    runs = np.zeros(size + 1, np.int32)
    np.cumsum(np.bincount(outline.owners, minlength=size), out=runs[1:])
    counts = runs[outline.ends[points]] - runs[points]
    first = np.searchsorted(outline.befores, points, side="right")
    kept = np.zeros(len(keep) + 3, np.int32)
    np.cumsum(keep, out=kept[2:-1])
    kept[-1] = kept[-2]
    with_words = kept[first + counts + 1] > kept[first + 1]
    between = kept[first + 2] - kept[first] == 2
    found: NDArray[np.bool_] = np.where(counts > 0, with_words, between) & (outline.points >= 0)
    return found
