"""From the logs of all shards to one graph: nodes in the order of their fingerprints, arcs by target, each once.

The graph may be larger than memory. Links are dealt out to files by the first bits of their target, so that each file
holds a range of nodes and can be sorted for itself; then the ranges are written one after the other. What has to fit
into memory is eight bytes a page that was read, eight a node, and one range of links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gossamer import files
from gossamer.errors import Damaged
from gossamer.graph import columns
from gossamer.graph.arcs import Arcs
from gossamer.graph.log import NOFOLLOW, STANDS_FOR, Chunk
from gossamer.urls import keys

Prints: TypeAlias = NDArray[np.uint64]
Fold: TypeAlias = "Callable[[Prints], Prints]"
"""Fingerprints to those of the pages that stand for them: copies and redirects are folded."""
LINKS_PER_RANGE = 8_000_000
_PAIR = np.dtype([("target", np.uint64), ("source", np.uint64)])


@dataclass(frozen=True, slots=True)
class Web:
    """The graph of all pages: the fingerprints of its nodes, sorted, and its arcs."""

    nodes: Prints
    arcs: Arcs

    def number(self, print_: int) -> int | None:
        """The number of the node with a fingerprint."""
        place = int(np.searchsorted(self.nodes, np.uint64(print_)))
        return place if place < len(self.nodes) and int(self.nodes[place]) == print_ else None

    def linking(self, node: int) -> Prints:
        """The fingerprints of the nodes from which arcs lead to this one."""
        sources = self.arcs.sources[self.arcs.starts[node] : self.arcs.starts[node + 1]]
        if len(sources) and int(sources.max()) >= len(self.nodes):
            raise Damaged("the graph is damaged; `gossamer build DIR` makes it again")
        return self.nodes[sources]


def gathered(
    chunks: Callable[[], Iterable[Chunk]],
    folder: Path,
    *,
    fold: Fold = lambda prints: prints,
    links_per_range: int = LINKS_PER_RANGE,
) -> Web:
    """Make the graph in a folder."""
    files.make_folder(folder)
    last, total = _newest(chunks())
    ranges = max(1, -(-total // links_per_range))
    parts = [folder / f"range-{number:05}" for number in range(ranges)]
    sources = _dealt(chunks(), last, fold, parts)
    web = _sorted(parts, sources, folder)
    for path in parts:
        files.remove(path)
    return web


def opened(folder: Path) -> Web:
    """A graph that was made before, mapped from its files."""
    starts = columns.mapped(folder / "starts.npy", np.int64)
    sources, degrees = (columns.mapped(folder / f"{name}.npy", np.uint32) for name in ("sources", "degrees"))
    return Web(columns.load(folder / "nodes.npy", np.uint64), Arcs(starts, sources, degrees))


def _newest(chunks: Iterable[Chunk]) -> tuple[dict[int, int], int]:
    """For each source the number of its last row: a page that was read again has new links."""
    last: dict[int, int] = {}
    row = total = 0
    for chunk in chunks:
        for source in chunk.sources:
            last[keys.fingerprint(source)] = row
            row += 1
        total += len(chunk.targets)
    return last, total


def standing(chunks: Iterable[Chunk]) -> dict[int, int]:
    """Which page stands for which in the end, by fingerprint: redirects to redirects are followed."""
    found: dict[int, int] = {}
    for chunk in chunks:
        firsts = np.cumsum(chunk.counts) - chunk.counts
        for source, first, count in zip(chunk.sources, firsts.tolist(), chunk.counts.tolist(), strict=True):
            print_ = keys.fingerprint(source)
            found.pop(print_, None)
            if count == 1 and chunk.kinds[first] & STANDS_FOR:
                found[print_] = int(chunk.targets[first])
    return {source: _end(source, found) for source in found}


def _end(source: int, found: Mapping[int, int]) -> int:
    met = {source}
    while (after := found.get(source)) is not None and after not in met:
        met.add(after)
        source = after
    return source


def folding(folded: Mapping[int, int]) -> Fold:
    """From which page stands for which to what folds a column of them."""
    olds = np.array(sorted(folded), np.uint64)
    news = np.array([folded[int(old)] for old in olds], np.uint64)

    def fold(prints: Prints) -> Prints:
        if not len(olds):
            return prints
        places = np.minimum(np.searchsorted(olds, prints), len(olds) - 1)
        return np.where(olds[places] == prints, news[places], prints)

    return fold


def _dealt(chunks: Iterable[Chunk], last: Mapping[int, int], fold: Fold, parts: list[Path]) -> Prints:
    """Write the newest links of each page to the file of their range; the fingerprints of all sources."""
    handles = [files.open(path, "wb") for path in parts]
    seen: list[Prints] = []
    row = 0
    try:
        for chunk in chunks:
            prints = np.array([keys.fingerprint(source) for source in chunk.sources], np.uint64)
            newest = np.array([last[int(each)] == row + place for place, each in enumerate(prints)], bool)
            row += len(prints)
            seen.append(fold(prints[newest]))
            pairs = _pairs(chunk, prints, newest, fold)
            for number, part in _split(pairs, len(parts)):
                handles[number].write(part.tobytes())
    finally:
        for handle in handles:
            handle.close()
    return np.unique(np.concatenate(seen)) if seen else np.empty(0, np.uint64)


def _pairs(chunk: Chunk, prints: Prints, newest: NDArray[np.bool_], fold: Fold) -> NDArray[np.void]:
    counts = chunk.counts.astype(np.int64)
    wanted = np.repeat(newest, counts) & (chunk.kinds & (NOFOLLOW | STANDS_FOR) == 0)
    pairs = np.empty(int(wanted.sum()), _PAIR)
    pairs["target"] = fold(chunk.targets[wanted])
    pairs["source"] = fold(np.repeat(prints, counts)[wanted])
    return np.asarray(pairs[pairs["target"] != pairs["source"]])


def range_of(prints: Prints, ranges: int) -> NDArray[np.int64]:
    """Which of so many equal ranges each fingerprint lies in."""
    return (prints >> np.uint64(32)).astype(np.int64) * ranges >> 32


def _split(pairs: NDArray[np.void], ranges: int) -> Iterator[tuple[int, NDArray[np.void]]]:
    if ranges == 1:
        yield 0, pairs
        return
    places = range_of(pairs["target"], ranges)
    order = np.argsort(places, kind="stable")
    bounds = np.searchsorted(places[order], np.arange(ranges + 1))
    for number in range(ranges):
        if bounds[number] < bounds[number + 1]:
            yield number, pairs[order[bounds[number] : bounds[number + 1]]]


def _numbered(pairs: NDArray[np.void], nodes: Prints) -> Prints:
    """Arcs in order, each once: the number of the target, and behind it that of the source. Numbers of one word are
    sorted in a tenth of the time of pairs."""
    targets, sources = (nodes.searchsorted(pairs[name]).astype(np.uint64) for name in ("target", "source"))
    arcs = np.sort(targets << np.uint64(32) | sources)
    new = np.ones(len(arcs), np.bool_)
    np.not_equal(arcs[1:], arcs[:-1], out=new[1:])
    return arcs[new]


def _sorted(ranges: list[Path], sources: Prints, folder: Path) -> Web:
    """Two passes over the ranges: the nodes first, because arcs name their sources by number."""
    parts = [np.unique(columns.raw(path, _PAIR)["target"]) for path in ranges]
    nodes = np.union1d(np.concatenate(parts), sources)
    starts = np.zeros(len(nodes) + 1, np.int64)
    degrees = np.zeros(len(nodes), np.uint32)
    with files.open(folder / "sources.bin", "wb") as out:
        for path in ranges:
            found = _numbered(columns.raw(path, _PAIR), nodes)
            numbers = found.astype(np.uint32)  # the lower half
            out.write(numbers.tobytes())
            degrees += np.bincount(numbers, minlength=len(nodes)).astype(np.uint32)
            starts[1:] += np.bincount((found >> np.uint64(32)).astype(np.int64), minlength=len(nodes))
    np.cumsum(starts, out=starts)
    arcs = Arcs(starts, columns.raw(folder / "sources.bin", np.dtype(np.uint32)), degrees)
    for name, values in (("nodes", nodes), ("starts", starts), ("sources", arcs.sources), ("degrees", degrees)):
        columns.save(folder / f"{name}.npy", values)
    files.remove(folder / "sources.bin")
    return Web(nodes, arcs)
