"""All chance in a made web comes from here: the same key gives the same numbers, everywhere and always.

Nothing is remembered between draws, so a web of any size costs no memory until it is looked at.
"""

from __future__ import annotations

import struct
from hashlib import shake_128


def numbers(count: int, *key: object) -> tuple[int, ...]:
    """So many whole numbers from 0 to 65,535."""
    return struct.unpack(f"<{count}H", shake_128(repr(key).encode()).digest(2 * count))


def fraction(*key: object) -> float:
    """A number from 0 up to, not including, 1."""
    return int.from_bytes(shake_128(repr(key).encode()).digest(6), "little") / (1 << 48)


def token(*key: object) -> str:
    """Sixteen hexadecimal digits."""
    return shake_128(repr(key).encode()).hexdigest(8)


def between(low: float, high: float, at: float) -> float:
    """The point of a range that lies `at` (0 to 1) of the way, on a logarithmic scale where there is one."""
    return low * (high / low) ** at if low > 0 else high * at
