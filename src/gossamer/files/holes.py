"""Which bytes of a file has the disk? A file of a kilobyte can be terabytes long, and nobody waits for its zeros."""

from __future__ import annotations

import os
from errno import ENXIO


def data_after(file: int, position: int) -> int | None:
    """The next byte that the disk has: holes of a file are passed over unread, where the system tells them."""
    if not hasattr(os, "SEEK_DATA"):
        return position
    try:
        return os.lseek(file, position, os.SEEK_DATA)
    except OSError as error:
        return None if error.errno == ENXIO else position


def holes(file: int, length: int, most: int) -> int:
    """Bytes that the disk does not have, where the system tells; counted until they are more than `most`."""
    found = at = 0
    while at < length and found <= most and hasattr(os, "SEEK_HOLE"):
        data = data_after(file, at)
        end = length if data is None else min(data, length)
        found += end - at
        at = os.lseek(file, end, os.SEEK_HOLE) if end < length else length
    return found
