"""Texts by fingerprint, in mapped files: sorted fingerprints, where each text begins, and the texts.

It holds the names of the pages that were read and what other sites call each page. It is written once, in the order of
the fingerprints, and never changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


class Lookup:
    """Answers from the files of one name in a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self._prints: NDArray[np.uint64] = np.load(folder / f"{name}-prints.npy", mmap_mode="r")
        self._starts: NDArray[np.int64] = np.load(folder / f"{name}-starts.npy", mmap_mode="r")
        path = folder / f"{name}.txt"
        self._texts: NDArray[np.uint8] = (
            np.memmap(path, np.uint8, "r") if path.stat().st_size else np.empty(0, np.uint8)
        )

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
    with (folder / f"{name}.txt").open("wb") as out:
        for some, texts in parts:
            prints.append(some)
            lengths.append(np.fromiter(map(len, texts), np.int64, len(texts)))
            out.write(b"".join(texts))
    np.save(folder / f"{name}-prints.npy", np.concatenate(prints))
    np.save(folder / f"{name}-starts.npy", np.cumsum(np.concatenate(lengths)))
