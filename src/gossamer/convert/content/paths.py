"""Sums over the way from the body down to an element, for any of them at once.

In document order the elements that are open at a moment are all that began minus all that ended. So the sum over an
element's ancestors is a difference of two cumulative sums, one in the order of beginnings and one in that of ends.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import Ints
from gossamer.convert.html.outline import Outline

Number = TypeVar("Number", np.float32, np.int32, np.uint64)


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
