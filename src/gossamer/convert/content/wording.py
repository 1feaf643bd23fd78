"""The words of short blocks, as numbers. "Share", "Kommentare" and "Cookies" say more than their place does.

A word's number is a polynomial of its letters, so that all words of a page are hashed in a few operations on arrays.
Letters are those of ASCII, in lower case, and all bytes of other scripts but those of the commonest signs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import Blocks, Ints
from gossamer.convert.html.outline import Outline

SHORT = 16
"""Words. What longer blocks say is content as often as not."""

_LETTERS = np.zeros(256, np.uint32)
_LETTERS[97:123] = np.arange(97, 123)
_LETTERS[65:91] = np.arange(97, 123)
_LETTERS[0x81:] = np.arange(0x81, 256)
_LETTERS[[0xC2, 0xE2]] = 0
_LONGEST = 64
"""Bytes. Letters after it do not count, which for words does not happen."""
_POWERS = np.cumprod(np.full(_LONGEST, 0x01000193, np.uint32), dtype=np.uint32)


def words(outline: Outline, blocks: Blocks, counts: NDArray[np.float32]) -> tuple[NDArray[np.uint32], Ints]:
    """The hashes of all words in short blocks, and the block each stands in. `counts` are the words of all blocks."""
    short_runs = (counts <= SHORT)[blocks.numbers]
    sizes = np.diff(outline.starts)
    letters = _LETTERS[np.frombuffer(outline.text, np.uint8)]
    letters *= np.repeat(short_runs, sizes)
    places = np.flatnonzero(letters)
    if not len(places):
        return np.zeros(0, np.uint32), np.zeros(0, np.int32)
    begins_block = np.zeros(len(letters) + 1, np.bool_)
    begins_block[outline.starts[blocks.firsts]] = True
    first = np.ones(len(places), np.bool_)
    first[1:] = (np.diff(places) > 1) | begins_block[places[1:]]
    starts = np.flatnonzero(first)
    lengths = np.diff(np.append(starts, len(places)))
    within = np.arange(len(places)) - np.repeat(starts, lengths)
    values = letters[places] * _POWERS[np.minimum(within, _LONGEST - 1)]
    hashes = np.add.reduceat(values, starts, dtype=np.uint32)
    runs = np.searchsorted(outline.starts, places[starts], side="right") - 1
    long = lengths > 1
    return hashes[long], blocks.numbers[runs[long]]
