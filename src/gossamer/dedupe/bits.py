"""Which prints are near each other, of very many? All pairs within a few bits, in a few sorts.

After Manku, Jain and Das Sarma (WWW 2007): cut into one block more than bits may differ, prints that are near agree in
one block. Where they do, the rest is cut once more in the same way, and again one part agrees. For three bits that
makes 16 ways to put 28 bits in front; in the order of each, prints that are near stand together.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from gossamer.dedupe.entries import NEAR, Keys, rotated

Places = npt.NDArray[np.int64]


def near_prints(prints: Keys, most: int = NEAR, crowd: int = 64) -> Iterator[tuple[Places, Places]]:
    """Pairs of places whose prints differ in at most so many bits, some at a time. A pair may come more than once.

    Of more than `crowd` prints that agree in their front bits, each is compared with so many that follow.
    """
    for front in _fronts(prints, most):
        order = front.argsort()
        left, right = neighbours(front[order], crowd)
        one, other = order[left], order[right]
        near = np.bitwise_count(prints[one] ^ prints[other]) <= most
        yield one[near], other[near]


def neighbours(values: Keys, crowd: int) -> tuple[Places, Places]:
    """Pairs of places of sorted values that are equal, at most `crowd` places apart."""
    lefts, rights = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for step in range(1, crowd + 1):
        left = np.flatnonzero(values[step:] == values[:-step])
        if not len(left):
            break
        lefts.append(left)
        rights.append(left + step)
    return np.concatenate(lefts), np.concatenate(rights)


def _fronts(prints: Keys, most: int) -> Iterator[npt.NDArray[np.uint64]]:
    for start, width in _cuts(64, most + 1):
        turned = rotated(prints, start)
        for behind, size in _cuts(64 - width, most + 1):
            part = turned << np.uint64(width + behind) >> np.uint64(64 - size)
            yield turned >> np.uint64(64 - width) << np.uint64(size) | part


def _cuts(bits: int, parts: int) -> list[tuple[int, int]]:
    """Where each of so many parts begins, and how wide it is."""
    bounds = [bits * part // parts for part in range(parts + 1)]
    return [(start, end - start) for start, end in pairwise(bounds)]
