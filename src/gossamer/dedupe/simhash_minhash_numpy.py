"""What is kept of a text so that its copies are found. Here with NumPy; `_prints.c` does the same and is taken where it
was built: see `simhash_minhash`.

Words are hashed to 64 bits. The simhash (Charikar, STOC 2002; Manku, Jain and Das Sarma, WWW 2007) is a vote: every
word votes on every bit by its own hash, once, and with the weight of its letters. Textbooks weigh by frequency; but
then `the` and `of` make all long texts of a language alike, and hundreds of pages meet in a bucket made for ten.

The sketch (one permutation hashing: Li, Owen and Zhang, NIPS 2012) keeps one byte of the least hash of word pairs in
each of 256 bins; Li and König (WWW 2010) showed that a few bits of a minimum are enough. The share of bins in which two
sketches agree tells the resemblance of the texts. Pairs of words tell edits from templates better than longer shingles:
see docs/duplicates.md.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
import numpy.typing as npt

from gossamer.dedupe.shingles import words

BINS = 256
HEAVIEST = 8
"""Letters of a word that count, at most."""
EMPTY = 0
"""The byte of a bin that no pair fell into; others have 1 to 255."""

_Hashes = npt.NDArray[np.uint64]
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_BIN_SHIFT = np.uint64(64 - BINS.bit_length() + 1)


def measure(text: str) -> tuple[int, bytes, bytes, int]:
    """Simhash, sketch, the words joined by one space in UTF-8, and how many there are."""
    found = words(text)
    normal = " ".join(found).encode()
    hashes = mixed(np.fromiter(map(crc32, normal.split()), np.uint64, len(found)) + _GOLDEN)
    letters = np.minimum(np.fromiter(map(len, found), np.int64, len(found)), HEAVIEST)
    distinct, where = np.unique(hashes, return_index=True)
    return vote(distinct, letters[where]), _sketch(hashes), normal, len(found)


def vote(hashes: _Hashes, weights: npt.NDArray[np.int64]) -> int:
    """The simhash of features: a bit is set when those that have it outweigh the others."""
    bits = np.unpackbits(hashes.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    votes = np.zeros(64, np.int64)
    for weight in np.unique(weights):
        votes += weight * bits[weights == weight].sum(axis=0, dtype=np.int64)
    return int.from_bytes(np.packbits(2 * votes > weights.sum(), bitorder="little").tobytes(), "little")


def mixed(numbers: _Hashes) -> _Hashes:
    """Every bit of the result depends on every bit of a number: the end of SplitMix64 (Steele et al., 2014)."""
    mixed = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _sketch(hashes: _Hashes) -> bytes:
    sketch = np.full(BINS, EMPTY, np.uint8)
    pairs = np.sort(mixed(hashes[:-1] * _GOLDEN + hashes[1:]) if len(hashes) > 1 else hashes)
    bins = pairs >> _BIN_SHIFT
    least = np.ones(len(pairs), np.bool_)
    np.not_equal(bins[1:], bins[:-1], out=least[1:])
    sketch[bins[least]] = (pairs[least] & np.uint64(0xFFFFFFFF)) % np.uint64(255) + np.uint64(1)
    return sketch.tobytes()
