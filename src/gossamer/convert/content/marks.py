"""What blocks are known by, without a score: their numbers, whether they are headings, hashes of their words.

`score` is the compiled twin of what is done to blocks, where there is one. It is written in C, in `_score.c`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import HEADINGS, Ints, split, standing_in
from gossamer.convert.content.features import FLAGS
from gossamer.convert.html.outline import SCORED, Outline

try:
    from gossamer.convert.content import _score as score
except ImportError:
    score = None  # type: ignore[assignment]  # there may be no compiler where it is installed

__all__ = ["hashes", "numbered", "score"]


def numbered(outline: Outline) -> tuple[Ints, NDArray[np.bool_]]:
    """The block of each run, and whether it stands in a heading."""
    if score is None:
        return split(outline).numbers, standing_in(outline, HEADINGS)
    numbers, headings = score.blocks((*outline[:SCORED], FLAGS))
    return np.frombuffer(numbers, np.int32), np.frombuffer(headings, np.bool_)


def hashes(text: bytes, begins: Ints, ends: Ints) -> NDArray[np.uint64]:
    """64-bit FNV-1a of parts of a text, without the white space around them."""
    if score is None:
        places = zip(begins.tolist(), ends.tolist(), strict=True)
        return np.array([_hash(text[begin:end].strip()) for begin, end in places], np.uint64)
    return np.frombuffer(score.hashes(text, begins, ends), np.uint64)


def _hash(part: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in part:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value
