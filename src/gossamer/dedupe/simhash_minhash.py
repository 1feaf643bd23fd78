"""The print of a text: what is kept of it so that exact and near copies are found.

It is measured by `_prints.c`, which takes a tenth of the time of its twin, `simhash_minhash_numpy`; that is taken where
there was no C compiler.

Simhash: 64 bits in which near copies differ little (Charikar, STOC 2002; Manku, Jain and Das Sarma, WWW 2007).

Every feature of a text votes on every bit by its own hash. The more features two texts share, the fewer bits of their
votes differ: about 64 times their angle / 180 degrees. See `simhash_minhash_numpy` for the features
that a text has here.

Minhash: the resemblance of two texts from sketches of fixed size, and bands, by which alike sketches meet.

Of all shingles of two texts, the one with the least hash is in both with a chance that is their resemblance (Broder,
1997). A sketch has many such least ones, one for each bin: see `simhash_minhash_numpy`. Cut into bands of some
bins each, two sketches that agree in a whole band become candidates (Indyk and Motwani, STOC 1998); `chance` tells how
likely that is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from gossamer.dedupe.shingles import folded

try:
    from gossamer.dedupe import _prints
except ImportError:
    from gossamer.dedupe.simhash_minhash_numpy import measure
else:

    def measure(text: str) -> tuple[int, bytes, bytes, int]:
        """See `simhash_minhash_numpy.measure`."""
        return _prints.measure(folded(text))


_EMPTY = 0
"""As in `simhash_minhash_numpy`, which is not loaded for it: with it comes NumPy."""
BY_CHANCE = 1 / 255
"""How often the bytes of two bins are equal that have nothing in common."""


class Print(NamedTuple):
    """A few bytes that stand for all words of a text, however many."""

    simhash: int
    sketch: bytes
    digest: bytes
    """SHA-256 of its words, joined by one space: equal for texts that differ only in case, spaces and punctuation."""
    words: int


def print_of(text: str) -> Print:
    """All words count, not only the first: many documents begin with the same licence or notice."""
    simhash, sketch, normal, count = measure(text)
    return Print(simhash, sketch, hashlib.sha256(normal).digest(), count)


def text_digest(text: str) -> str:
    """`sha256:` and 64 hexadecimal digits, of the words of a text: see `Print.digest`."""
    return f"sha256:{print_of(text).digest.hex()}"


def simhash(text: str | Iterable[tuple[int, int]], bits: int = 64) -> int:
    """Of a text, in 64 bits; or of features that are given as hash and weight, in as many bits as they have."""
    return measure(text)[0] if isinstance(text, str) else _voted(text, bits)


def distance(one: int, other: int) -> int:
    """In how many bits two differ (Hamming)."""
    return (one ^ other).bit_count()


def _voted(features: Iterable[tuple[int, int]], bits: int) -> int:
    votes = [0] * bits
    for hashed, weight in features:
        for bit in range(bits):
            votes[bit] += weight if hashed >> bit & 1 else -weight
    return sum(1 << bit for bit, vote in enumerate(votes) if vote > 0)


def sketch(text: str) -> bytes:
    """A byte for each of 256 bins; 0 where the text has nothing in the bin."""
    return measure(text)[1]


def estimate(one: bytes, other: bytes) -> float:
    """The resemblance of two texts, in pairs of words, as their sketches tell it."""
    filled = sum(mine != _EMPTY or others != _EMPTY for mine, others in zip(one, other, strict=True))
    equal = sum(mine == others != _EMPTY for mine, others in zip(one, other, strict=True))
    return corrected(equal / filled) if filled else 1.0


def corrected(share: float) -> float:
    """Without what agrees by chance."""
    return max((share - BY_CHANCE) / (1 - BY_CHANCE), 0.0)


def bands(sketch: bytes, count: int = 20, rows: int = 5) -> list[bytes]:
    """The first bins of a sketch, cut into bands. Texts with an equal band in the same place are candidates.

    Where both have nothing in a bin they agree, so this is for long texts; `entries` has bands for all.
    """
    return [sketch[start : start + rows] for start in range(0, count * rows, rows)]


def chance(resemblance: float, bands: int, rows: int) -> float:
    """How likely two texts agree in a whole band, of so many, with so many rows each."""
    return 1 - (1 - resemblance**rows) ** bands
