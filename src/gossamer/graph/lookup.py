"""Texts by fingerprint, in mapped files: sorted fingerprints, where each text begins, and the texts.

It holds the names of the pages that were read and what other sites call each page. It is written once, in the order of
the fingerprints, and never changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer import files
from gossamer.graph import columns


class Lookup:
    """Answers from the files of one name in a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self._prints: NDArray[np.uint64] = columns.mapped(folder / f"{name}-prints.npy")
        self._starts: NDArray[np.int64] = columns.mapped(folder / f"{name}-starts.npy")
        self._texts: NDArray[np.uint8] = np.empty(0, np.uint8)
        if files.size(path := folder / f"{name}.txt"):
            with files.open(path) as file:
                self._texts = np.memmap(file, np.uint8, "r")

    def __len__(self) -> int:
        return len(self._prints)

    def items(self) -> Iterator[tuple[int, str]]:
        """All of them, in the order of the fingerprints."""
        for place in range(len(self._prints)):
            yield int(self._prints[place]), self._text(place)

    def get(self, print_: int) -> str | None:
        """The text of a fingerprint."""
        place = int(np.searchsorted(self._prints, np.uint64(print_)))
        if place == len(self._prints) or int(self._prints[place]) != print_:
            return None
        return self._text(place)

    def _text(self, place: int) -> str:
        return self._texts[self._starts[place] : self._starts[place + 1]].tobytes().decode()


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
