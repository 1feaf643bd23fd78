"""See `_render.c`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

def written(parts: tuple[Any, ...], hrefs: Mapping[int, str], /) -> tuple[str, str]: ...
def inside(
    ends: NDArray[np.int32],
    owners: NDArray[np.int32],
    befores: NDArray[np.int32],
    points: NDArray[np.int32],
    keep: NDArray[np.bool_],
    /,
) -> tuple[bool, ...]: ...
