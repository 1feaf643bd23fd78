"""A page without what is around it: its main content as tagged text and as words, and which links stand in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.convert import render
from gossamer.convert.content import Method
from gossamer.convert.outline import Outline

Correction = Callable[[Outline, NDArray[np.bool_]], NDArray[np.bool_]]
"""What a method kept -> what is kept by one who knows more pages of the host."""


class Article(NamedTuple):
    """The main content of a page."""

    html: str = ""
    content: str = ""
    inside: tuple[bool, ...] = ()
    """For each link of the scan whether it stands in it."""


def article(
    outline: Outline | None, hrefs: Mapping[int, str], method: Method, correct: Correction | None = None
) -> Article:
    """The main content of a page. `hrefs`: where links point to, by element."""
    if outline is None or not len(outline.owners):
        return Article(inside=(False,) * (0 if outline is None else len(outline.points)))
    keep = method(outline)
    if correct is not None:
        keep = correct(outline, keep)
    return Article(*render.written(outline, keep, hrefs), tuple(_inside(outline, keep).tolist()))


def _inside(outline: Outline, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
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
