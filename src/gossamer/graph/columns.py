"""How is a column of numbers kept? As NumPy has it (.npy), but through the door to the files of a collection.

`numpy.load` opens by path what it maps, and so follows links; it also makes room for whatever a file claims to hold.
Here a file must hold what is asked of it: numbers of that kind, in so many columns, and nothing else.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gossamer import files
from gossamer.errors import Damaged

_HEAD = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(<[uif][48])', 'fortran_order': False, "
    rb"'shape': \((\d{1,15}),(?: (\d))?\), \} *\n",
    re.DOTALL,
)
_HEAD_MOST = 256


def save(path: Path, values: NDArray[Any]) -> None:
    """Write a column."""
    with files.open(path, "wb") as file:
        np.save(file, values, allow_pickle=False)


def load(path: Path, kind: DTypeLike) -> NDArray[Any]:
    """Read a column."""
    with files.open(path) as file:
        shape = _shape(file, path, np.dtype(kind), 1)
        return np.fromfile(file, kind, shape[0])


def mapped(path: Path, kind: DTypeLike, width: int = 1) -> NDArray[Any]:
    """A column that is read when it is looked at, or so many of them beside each other."""
    with files.open(path) as file:
        shape = _shape(file, path, np.dtype(kind), width)
        if 0 in shape:  # nothing can be mapped of nothing
            return np.empty(shape, kind)
        return np.memmap(file, kind, "r", file.tell(), shape)


def raw(path: Path, kind: np.dtype[Any]) -> NDArray[Any]:
    """Read a file of numbers that is nothing else."""
    with files.open(path) as file:
        return np.fromfile(file, kind)


def _shape(file: BinaryIO, path: Path, kind: np.dtype[Any], width: int) -> tuple[int, ...]:
    """What the head of a file says, if the file is as long as that takes; the file stands behind its head."""
    found = _HEAD.match(file.read(_HEAD_MOST))
    wide = () if width == 1 else (width,)
    if found is None or found[1].decode() != kind.str or (int(found[3]) if found[3] else 1) != width:
        raise Damaged(f"{path}: is no column of ours; `gossamer build DIR` makes the graph again")
    length = int(found[2])
    if int.from_bytes(found[0][8:10], "little") + 10 != found.end() or files.size(path) != (
        found.end() + length * width * kind.itemsize
    ):
        raise Damaged(f"{path}: is not as long as it says; `gossamer build DIR` makes the graph again")
    file.seek(found.end())
    return length, *wide
