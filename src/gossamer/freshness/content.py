"""Has a page changed, and how much of it? By fingerprints of its blocks, in some dozen bytes.

Clocks, counters, adverts and quotes of the day change at every look, and are no change that a reader would come back
for. Which blocks these are nobody says. But a page of which a little is different each time, however short the time,
has such parts: from the third time on a little is a trifle there. Elsewhere any other word is a change.
"""

from __future__ import annotations

from hashlib import blake2b
from zlib import crc32

BLOCKS = 16
"""Blocks that stand for all of a page: those with the smallest fingerprints."""
TRIFLE = 0.25
"""So much of a page may be a clock, a quote and an advert."""
LEAST = 0.01
"""How much has changed where only something small has."""
RESTLESS = 2
"""From so many small differences in a row on, the next one is a trifle."""
_DIGEST = 8
_PRINT = 4


def content_print(text: str) -> bytes:
    """What is remembered of a text: a digest of all of it, and the smallest fingerprints of its blocks."""
    data = text.encode("utf-8", "surrogatepass")
    blocks = {crc32(block) for line in data.split(b"\n") if (block := line.strip())}
    smallest = sorted(blocks)[:BLOCKS]
    return blake2b(data, digest_size=_DIGEST).digest() + b"".join(block.to_bytes(_PRINT, "big") for block in smallest)


def difference(before: bytes, after: bytes) -> float:
    """Which part of the blocks of both is not the same, 0 to 1; more than 0 wherever anything is."""
    if before[:_DIGEST] == after[:_DIGEST]:
        return 0.0
    old, new = _blocks(before), _blocks(after)
    smallest = sorted(old | new)[: max(BLOCKS, 1)]
    same = sum(block in old and block in new for block in smallest)
    return max(1 - same / len(smallest), LEAST) if smallest else LEAST


def is_change(differs: float, restless: int) -> bool:
    """Is it one for a page that was a little different so many times in a row before?"""
    return differs > TRIFLE or (differs > 0 and restless < RESTLESS)


def restlessness(differs: float, restless: int) -> int:
    """How many times in a row it was a little different by now. A visit without any difference ends that."""
    if differs == 0:
        return 0
    return restless if differs > TRIFLE else min(restless + 1, RESTLESS)


def _blocks(print_: bytes) -> set[int]:
    return {int.from_bytes(print_[at : at + _PRINT], "big") for at in range(_DIGEST, len(print_), _PRINT)}
