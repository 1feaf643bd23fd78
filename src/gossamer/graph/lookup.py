"""Texts by fingerprint, in mapped files: sorted fingerprints, where each text begins, and the texts.

It holds the names of the pages that were read and what other sites call each page. It is written once, in the order of
the fingerprints, and never changed.

A file of texts is sound if it is UTF-8 and every text begins with a whole character.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer import files
from gossamer.errors import Damaged
from gossamer.graph import columns

_AT_ONCE = 10_000
"""Texts whose places are numbers of Python at one time."""


class Lookup:
    """Answers from the files of one name in a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self.prints: NDArray[np.uint64] = columns.mapped(folder / f"{name}-prints.npy", np.uint64)
        self.starts: NDArray[np.int64] = columns.mapped(folder / f"{name}-starts.npy", np.int64)
        self.all_texts: NDArray[np.uint8] = np.empty(0, np.uint8)
        self._path = path = folder / f"{name}.txt"
        if files.size(path):
            with files.open(path) as file:
                self.all_texts = np.memmap(file, np.uint8, "r")
        if len(self.starts) != len(self.prints) + 1:
            raise self._damaged()

    def __len__(self) -> int:
        return len(self.prints)

    def items(self) -> Iterator[tuple[int, str]]:
        """All of them, in the order of the fingerprints."""
        texts = self.all_texts.data
        for start in range(0, len(self.prints), _AT_ONCE):
            prints, bounds = self.prints[start : start + _AT_ONCE], self.starts[start : start + _AT_ONCE + 1]
            for print_, (begin, end) in zip(prints.tolist(), pairwise(bounds.tolist()), strict=True):
                yield print_, self._decoded(texts[begin:end])

    def get(self, print_: int) -> str | None:
        """The text of a fingerprint."""
        place = int(np.searchsorted(self.prints, np.uint64(print_)))
        if place == len(self.prints) or int(self.prints[place]) != print_:
            return None
        return self._text(place)

    def _text(self, place: int) -> str:
        return self._decoded(self.all_texts.data[self.starts[place] : self.starts[place + 1]])

    def _decoded(self, text: memoryview[int]) -> str:
        try:
            return str(text, "utf-8")
        except UnicodeDecodeError:
            raise self._damaged() from None

    def _damaged(self) -> Damaged:
        return Damaged(f"{self._path}: is damaged; `gossamer build DIR` makes the graph again")


def write(folder: Path, name: str, parts: Iterable[tuple[NDArray[np.uint64], Sequence[bytes]]]) -> None:
    """Write texts in parts; fingerprints rise from each to the next, within a part and between parts."""
    prints: list[NDArray[np.uint64]] = [np.empty(0, np.uint64)]
    lengths: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
    with files.open(folder / f"{name}.txt", "wb") as out:
        for some, texts in parts:
            prints.append(some)
            lengths.append(np.fromiter(map(len, texts), np.int64, len(texts)))
            out.write(b"".join(texts))
    columns.save(folder / f"{name}-prints.npy", np.concatenate(prints))
    columns.save(folder / f"{name}-starts.npy", np.cumsum(np.concatenate(lengths)))


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
