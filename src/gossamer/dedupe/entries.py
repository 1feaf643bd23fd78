"""In which buckets a print is looked for: near copies meet in one of 20.

The first four tables are those of Manku, Jain and Das Sarma (WWW 2007): a simhash in four blocks of 16 bits, each block
in front once. Prints that differ in at most three bits agree in at least one block. The others are bands of a sketch:
short pages, and pages with several edits, differ in more than three bits, but seldom in all bands.

An entry is 64 bits: the table, 27 bits that tell what to look for, and the number of the page. All tables are one
sorted list, so that looking for a page in all of them is one search. Of a simhash an entry has more than the block: 11
bits more tell of most pages in the same block that they are too far away, before anything else is looked at.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gossamer.dedupe.simhash_minhash_numpy import BINS, mixed

NEAR = 3
"""Bits in which the simhashes of candidates differ at most: as many blocks agree less one."""
BLOCKS = NEAR + 1
BLOCK_BITS = 64 // BLOCKS
BANDS, ROWS = 16, 5
"""Pairs that meet in no band: at a resemblance of 0.8 one in 570, at 0.7 one in 19; at 0.5 two in five do meet."""
TABLES = BLOCKS + BANDS
NUMBER_BITS = 32
"""Four billion pages, counting each change of a page: one shard meets no more."""
VALUE_BITS = 27
TABLE_BITS = 64 - NUMBER_BITS - VALUE_BITS

Keys = npt.NDArray[np.uint64]
Sketches = npt.NDArray[np.uint8]
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_NUMBER_MASK = np.uint64((1 << NUMBER_BITS) - 1)
_VALUE_SHIFT = np.uint64(64 - VALUE_BITS)
_PLACES = (np.arange(BANDS)[:, None] * (BINS // BANDS) + np.arange(ROWS) * (BINS // ROWS | 1)) % BINS
"""The bins of each band, all different and far from each other: neighbours that are empty borrow the same."""
_FREE = np.array([64 - TABLE_BITS - BLOCK_BITS] * BLOCKS + [NUMBER_BITS] * BANDS, np.uint64)
"""Bits of an entry, by table, that may differ in a bucket."""
_FRONTS = np.arange(TABLES, dtype=np.uint64) << np.uint64(NUMBER_BITS + VALUE_BITS)


def entries(simhashes: Keys, sketches: Sketches) -> Keys:
    """For each page a row of 20, without its number, which is to be added."""
    values = np.empty((len(simhashes), TABLES), np.uint64)
    for table in range(BLOCKS):
        values[:, table] = rotated(simhashes, BLOCK_BITS * table) >> _VALUE_SHIFT
    values[:, BLOCKS:] = _bands(sketches)
    return _FRONTS | values << np.uint64(NUMBER_BITS)


def spans(wanted: Keys) -> tuple[Keys, Keys]:
    """The least entry that may match each of these, and the least that is beyond: a block has to agree, or a band."""
    low = wanted >> _FREE << _FREE
    return low, low + (np.uint64(1) << _FREE)


def are_near(wanted: Keys, found: Keys) -> npt.NDArray[np.bool_]:
    """Whether entries of the same bucket agree well enough that the simhashes are worth a look."""
    near: npt.NDArray[np.bool_] = np.bitwise_count((wanted ^ found) & ~_NUMBER_MASK) <= NEAR
    return near


def numbers(found: Keys) -> npt.NDArray[np.int64]:
    """The pages that entries stand for."""
    return (found & _NUMBER_MASK).astype(np.int64)


def rotated(simhashes: Keys, bits: int) -> Keys:
    """With the first bits at the end."""
    return simhashes << np.uint64(bits) | simhashes >> np.uint64(64 - bits) if bits else simhashes


def _bands(sketches: Sketches) -> Keys:
    """27 bits for each band."""
    filled = _filled(sketches)[:, _PLACES]
    folded = np.zeros(filled.shape[:2], np.uint64)
    for row in range(ROWS):
        folded = folded * _GOLDEN + filled[:, :, row]
    return mixed(folded) >> _VALUE_SHIFT


def _filled(sketches: Sketches) -> npt.NDArray[np.uint64]:
    """An empty bin borrows from the next that is not, and tells how far away it is (Shrivastava and Li, UAI 2014):
    otherwise short pages would agree in what they do not have.
    """
    places = np.arange(2 * BINS, dtype=np.int16)
    twice = np.where(np.tile(sketches, 2) != 0, places, np.int16(2 * BINS - 1))
    following = np.minimum.accumulate(twice[:, ::-1], axis=1)[:, : BINS - 1 : -1]
    lent = np.take_along_axis(sketches, (following % BINS).astype(np.intp), axis=1)
    away = (following - places[:BINS]).astype(np.uint64)
    return away << np.uint64(8) | lent
