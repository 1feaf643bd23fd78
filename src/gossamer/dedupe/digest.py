"""Exact copies: the same bytes under another address. They are marked, never dropped.

Equal bytes have equal checksums. What differs is how often other bytes have the same.

| checksum | bits | other bytes with the same sum | cost |
|---|---|---|---|
| `byte_sum` | any | every other order of the same bytes: it is here to be learned from | lowest |
| `crc` | 32 | by chance: one pair among 77,000 texts is more likely than not; on purpose: in no time | low |
| `sha256` | 256 | nobody has ever seen any, nor can make any | some 3 us for 1 KB without help of the processor |

An archive that drops bodies because their sums are equal needs the last.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from dataclasses import replace

from gossamer.model import Page


class Copies:
    """Marks pages whose digest is known from another address."""

    def __init__(self, first: Callable[[str], str | None]) -> None:
        """`first` gives the address that a digest was met at first."""
        self._first = first

    def mark(self, page: Page) -> Page:
        """The page, with `copy_of` set when it is one."""
        first = self._first(page.digest) if page.digest else None
        return page if first is None or first == page.url else replace(page, copy_of=first)


def byte_sum(data: bytes) -> int:
    """The sum of all bytes."""
    return sum(data)


def crc(data: bytes) -> int:
    """The cyclic redundancy check of gzip and Ethernet (CRC-32)."""
    return zlib.crc32(data)


def sha256(data: bytes) -> str:
    """`sha256:` and 64 hexadecimal digits."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
