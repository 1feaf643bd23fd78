"""What others call a page: the anchors of the links to it, one for each site that links there.

A site that links from each of its million pages says one thing, not a million. The first anchor of a site is taken; a
page keeps those of at most 200 sites. Like the graph, anchors are dealt out by the first bits of their target, so that
one range fits into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path

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
    for path in (*rows, *words):
        files.open(path, "wb").close()
    for chunk in chunks():
        _deal(chunk, fold, rows, words)
    lookup.write(folder, NAME, (_grouped(*pair) for pair in zip(rows, words, strict=True)))
    for path in (*rows, *words):
        files.remove(path)


def _deal(chunk: Chunk, fold: Fold, rows: list[Path], words: list[Path]) -> None:
    starts = np.zeros(len(chunk.lengths) + 1, np.int64)
    np.cumsum(chunk.lengths, out=starts[1:])
    sites = np.repeat(chunk.sites, chunk.counts)
    targets = fold(chunk.targets)
    places = range_of(targets, len(rows))
    for number in np.unique(places).tolist():
        here = np.flatnonzero((places == number) & (chunk.lengths > 0))
        some = np.empty(len(here), _ROW)
        some["target"], some["site"], some["length"] = targets[here], sites[here], chunk.lengths[here]
        with files.open(rows[number], "ab") as out:
            out.write(some.tobytes())
        with files.open(words[number], "ab") as out:
            out.write(b"".join(chunk.anchors[starts[place] : starts[place + 1]] for place in here.tolist()))


def _grouped(rows: Path, words: Path) -> tuple[Prints, list[bytes]]:
    """For each target its anchors, one a line."""
    found = columns.raw(rows, _ROW)
    with files.open(words) as file:
        text = file.read()
    ends = np.cumsum(found["length"], dtype=np.int64)
    order = np.lexsort((np.arange(len(found)), found["site"], found["target"]))
    target, site = found["target"][order], found["site"][order]
    first = np.ones(len(order), bool)
    first[1:] = (target[1:] != target[:-1]) | (site[1:] != site[:-1])
    kept = order[first]
    prints, begins = np.unique(found["target"][kept], return_index=True)
    lengths = found["length"].astype(np.int64)
    return prints, list(_joined(kept, begins, ends, lengths, text))


def _joined(
    kept: NDArray[np.int64], begins: NDArray[np.int64], ends: NDArray[np.int64], lengths: NDArray[np.int64], text: bytes
) -> Iterator[bytes]:
    bounds = [*begins.tolist(), len(kept)]
    for begin, end in pairwise(bounds):
        some = kept[begin : min(end, begin + SITES_MOST)].tolist()
        yield b"\n".join(text[ends[each] - lengths[each] : ends[each]].replace(b"\n", b" ") for each in some)
