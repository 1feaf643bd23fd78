"""Minhash: the resemblance of two texts from sketches of fixed size, and bands, by which alike sketches meet.

Of all shingles of two texts, the one with the least hash is in both with a chance that is their resemblance (Broder,
1997). A sketch has many such least ones, one for each bin: see `measure`. Cut into bands of some bins each, two
sketches that agree in a whole band become candidates (Indyk and Motwani, STOC 1998); `chance` tells how likely that is.
"""

from __future__ import annotations

from gossamer.dedupe.compiled import measure

_EMPTY = 0
"""As in `measure`, which is not loaded for it: with it comes NumPy."""
BY_CHANCE = 1 / 255
"""How often the bytes of two bins are equal that have nothing in common."""


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
