"""See `_score.c`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

def scores(
    outline: tuple[Any, ...], weights: tuple[Any, ...], networks: int, width: int, vector: int, /
) -> tuple[bytes, bytes]: ...
def blocks(outline: tuple[Any, ...], /) -> tuple[bytes, bytes]: ...
def hashes(text: bytes, begins: NDArray[np.int32], ends: NDArray[np.int32], /) -> bytes: ...
