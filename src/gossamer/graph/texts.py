"""Is a file of texts what it should be? UTF-8, and every text begins with a whole character."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def are_whole(data: bytes, begins: NDArray[Any]) -> bool:
    """`begins` are places in `data`, in any order; one at its very end is that of an empty text."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    firsts = np.frombuffer(data, np.uint8)[begins[begins < len(data)]]
    return not (firsts & 0xC0 == 0x80).any()
