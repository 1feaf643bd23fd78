"""What a method finds on a page."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Found(NamedTuple):
    """The main content of an outline of m runs."""

    keep: NDArray[np.bool_]
    """[m] is it main content?"""
    kind: str = ""
    """What kind of page it is; nothing if the method does not tell."""
