"""How is a column of numbers kept? As NumPy has it (.npy), but through the door to the files of a collection.

`numpy.load` opens by path what it maps, and so follows links.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer import files
from gossamer.errors import Damaged


def save(path: Path, values: NDArray[Any]) -> None:
    """Write a column."""
    with files.open(path, "wb") as file:
        np.save(file, values, allow_pickle=False)


def load(path: Path) -> NDArray[Any]:
    """Read a column."""
    with files.open(path) as file:
        return np.load(file, allow_pickle=False)  # type: ignore[no-any-return]  # NumPy cannot know


def mapped(path: Path) -> NDArray[Any]:
    """A column that is read when it is looked at."""
    with files.open(path) as file:
        if np.lib.format.read_magic(file) != (1, 0):  # what we write
            raise Damaged(f"{path}: is no column of ours; `gossamer build` makes the graph again")
        shape, in_columns, kind = np.lib.format.read_array_header_1_0(file)
        if kind.hasobject or in_columns:
            raise Damaged(f"{path}: is no column of ours; `gossamer build` makes the graph again")
        if 0 in shape:  # nothing can be mapped of nothing
            return np.empty(shape, kind)
        return np.memmap(file, kind, "r", file.tell(), shape)


def raw(path: Path, kind: np.dtype[Any]) -> NDArray[Any]:
    """Read a file of numbers that is nothing else."""
    with files.open(path) as file:
        return np.fromfile(file, kind)
