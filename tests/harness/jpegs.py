"""How large is a picture?"""

from __future__ import annotations

SIZES = (0xC0, 0xC2)
"""Segments that say so, of plain and of progressive pictures."""


def jpeg_size(picture: bytes) -> tuple[int, int]:
    """Across and down."""
    assert picture.startswith(b"\xff\xd8"), picture[:20]
    at = 2
    while picture[at + 1] not in SIZES:
        at += 2 + int.from_bytes(picture[at + 2 : at + 4])
    return int.from_bytes(picture[at + 7 : at + 9]), int.from_bytes(picture[at + 5 : at + 7])
