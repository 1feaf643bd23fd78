"""What others call a page: the anchors of the links to it, one for each site that links there.

A site that links from each of its million pages says one thing, not a million. The first anchor of a site is taken; a
page keeps those of at most 200 sites. Like the graph, anchors are dealt out by the first bits of their target, so that
one range fits into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from gossamer import files
from gossamer.graph import columns, lookup
from gossamer.graph.gather import Fold, Prints, range_of
from gossamer.graph.log import Chunk

SITES_MOST = 200
ANCHORS_PER_RANGE = 8_000_000
NAME = "anchors"
_ROW = np.dtype([("target", np.uint64), ("site", np.uint64), ("length", np.uint8)])


def gather(chunks: Callable[[], Iterable[Chunk]], folder: Path, fold: Fold, ranges: int = 1) -> None:
    """Write the anchors of all pages to files in the folder."""
    rows = [folder / f"rows-{number:05}" for number in range(ranges)]
    words = [folder / f"words-{number:05}" for number in range(ranges)]
    with ExitStack() as opened:
        handles = [[opened.enter_context(files.open(path, "wb")) for path in paths] for paths in (rows, words)]
        for chunk in chunks():
            _deal(chunk, fold, *handles)
    lookup.write(folder, NAME, (_grouped(*pair) for pair in zip(rows, words, strict=True)))
    for path in (*rows, *words):
        files.remove(path)


def _deal(chunk: Chunk, fold: Fold, rows: list[BinaryIO], words: list[BinaryIO]) -> None:
    """Put the anchors of a chunk that say something to those of their range. Those that say nothing have no letter."""
    says = chunk.lengths > 0
    found = np.empty(int(says.sum()), _ROW)
    found["target"] = fold(chunk.targets[says])
    found["site"] = np.repeat(chunk.sites, chunk.counts)[says]
    found["length"] = chunk.lengths[says]
    if len(rows) == 1:
        rows[0].write(found.tobytes())
        words[0].write(chunk.anchors)
        return
    ends = np.cumsum(found["length"], dtype=np.int64)
    begins = ends - found["length"]
    places = range_of(found["target"], len(rows))
    for number in np.unique(places).tolist():
        here = np.flatnonzero(places == number)
        rows[number].write(found[here].tobytes())
        words[number].write(_cut(chunk.anchors, begins[here], ends[here]))


def _cut(text: bytes, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> bytes:
    return b"".join(text[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True))


def _grouped(rows: Path, words: Path) -> tuple[Prints, list[bytes]]:
    """For each target its anchors, one a line."""
    found = columns.raw(rows, _ROW)
    with files.open(words) as file:
        text = file.read()
    ends = np.cumsum(found["length"], dtype=np.int64)
    order = np.lexsort((found["site"], found["target"]))  # what is equal stays in its order
    target, site = found["target"][order], found["site"][order]
    first = np.ones(len(order), bool)
    first[1:] = (target[1:] != target[:-1]) | (site[1:] != site[:-1])
    kept = order[first]
    prints, firsts = np.unique(found["target"][kept], return_index=True)
    ends = ends[kept]
    return prints, list(_joined([*firsts.tolist(), len(kept)], ends - found["length"][kept], ends, text))


def _joined(bounds: list[int], begins: NDArray[np.int64], ends: NDArray[np.int64], text: bytes) -> Iterator[bytes]:
    for first, end in pairwise(bounds):
        some = slice(first, min(end, first + SITES_MOST))
        parts = zip(begins[some].tolist(), ends[some].tolist(), strict=True)
        yield b"\n".join(text[begin:until].replace(b"\n", b" ") for begin, until in parts)
