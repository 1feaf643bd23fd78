"""Harmonic centrality: the sum of 1/distance over all nodes that lead to a node (Boldi and Vigna 2014).

An arc to a node never hurts it, which is not true of many other measures, and a farm of links gains less by it than by
PageRank. Small graphs are measured exactly, by a search from every node. For large ones distances are counted by
HyperBall (Boldi and Vigna 2013): every node keeps a HyperLogLog counter of who reaches it within t steps, and in each
step takes over what the counters of its predecessors know.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.arcs import Arcs, Floats, Node, Pair, numbered

EXACT_MOST = 2_000
"""Nodes of a graph that is measured exactly."""
REGISTERS = 256
"""Of a counter. The relative error of a count is 1.06 over the square root of it, 6.6 %, and much the same for all
nodes that the same others lead to, so that their order is kept."""
_STRETCH = 1 << 14


def harmonic(links: Iterable[Pair[Node]]) -> dict[Node, float]:
    """The centrality of every node of (source, target) pairs."""
    nodes, arcs = numbered(links)
    return dict(zip(nodes, centrality(arcs).tolist(), strict=True))


def centrality(arcs: Arcs) -> Floats:
    """The same for numbered nodes."""
    return exactly(arcs) if arcs.nodes <= EXACT_MOST else by_counters(arcs)


def exactly(arcs: Arcs) -> Floats:
    """A search from each node, backwards."""
    before = [arcs.sources[arcs.starts[node] : arcs.starts[node + 1]].tolist() for node in range(arcs.nodes)]
    return np.array([_from(node, before) for node in range(arcs.nodes)], dtype=np.float64)


def _from(node: int, before: list[list[int]]) -> float:
    met, rim, distance, total = {node}, [node], 0, 0.0
    while rim:
        distance += 1
        rim = list({source for each in rim for source in before[each]} - met)
        met.update(rim)
        total += len(rim) / distance
    return total


def by_counters(arcs: Arcs, registers: int = REGISTERS) -> Floats:
    """HyperBall. Takes `registers` bytes a node, twice."""
    counters = _first(arcs.nodes, registers)
    known = _counts(counters)
    total = np.zeros(arcs.nodes)
    for distance in range(1, arcs.nodes):
        fresh = _joined(arcs, counters)
        if np.array_equal(fresh, counters):
            break
        now = np.maximum(_counts(fresh), known)
        total += (now - known) / distance
        counters, known = fresh, now
    return total


def _first(nodes: int, registers: int) -> NDArray[np.uint8]:
    """Every node has met itself: the hash of its number chooses a register and says how rare it is."""
    mixed = _mixed(np.arange(nodes, dtype=np.uint64))
    which = (mixed % np.uint64(registers)).astype(np.int64)
    rest = (mixed >> np.uint64(16)).astype(np.float64)  # 48 bits, which a float holds exactly
    rarity = 49 - np.frexp(rest)[1]
    counters = np.zeros((nodes, registers), np.uint8)
    counters[np.arange(nodes), which] = rarity
    return counters


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64: neighbours become strangers."""
    numbers = (numbers + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def _joined(arcs: Arcs, counters: NDArray[np.uint8]) -> NDArray[np.uint8]:
    fresh = counters.copy()
    led_to = np.flatnonzero(np.diff(arcs.starts))
    for part in np.array_split(led_to, max(1, len(led_to) // _STRETCH)):
        if len(part):
            begin, end = arcs.starts[part[0]], arcs.starts[part[-1] + 1]
            joined = np.maximum.reduceat(counters[arcs.sources[begin:end]], arcs.starts[part] - begin, axis=0)
            fresh[part] = np.maximum(counters[part], joined)
    return fresh


def _counts(counters: NDArray[np.uint8]) -> Floats:
    """How many have been met, by Flajolet et al. 2007; few are counted by the registers that are still empty."""
    registers = counters.shape[1]
    weights = np.exp2(-np.arange(65.0)).astype(np.float32)
    raw = 0.7213 / (1 + 1.079 / registers) * registers**2 / weights[counters].sum(axis=1, dtype=np.float64)
    empty = (counters == 0).sum(axis=1)
    few = registers * np.log(registers / np.maximum(empty, 1))
    return np.asarray(np.where((raw <= 2.5 * registers) & (empty > 0), few, raw))
