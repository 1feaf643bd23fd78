"""Simhash: 64 bits in which near copies differ little (Charikar, STOC 2002; Manku, Jain and Das Sarma, WWW 2007).

Every feature of a text votes on every bit by its own hash. The more features two texts share, the fewer bits of their
votes differ: about 64 times their angle / 180 degrees. See `measure` for the features that a text has here.
"""

from __future__ import annotations

from collections.abc import Iterable

from gossamer.dedupe.compiled import measure


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
