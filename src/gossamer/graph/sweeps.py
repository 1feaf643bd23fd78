"""One pass over all arcs that brings ranks nearer to PageRank.

Compiled, it is Gauss-Seidel: every node uses the newest values of the others. Where there is no C compiler, NumPy does
it a stretch of nodes at a time: values of the stretches before are new, those within one are not. More sweeps are
needed then, but the end is the same.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gossamer.graph.arcs import Arcs, Floats

try:
    from gossamer.graph import _sweep as compiled
except ImportError:
    compiled = None  # type: ignore[assignment]  # the module is not there

STRETCH = 1 << 20
"""Arcs that are summed up in one call of NumPy."""


def sweep(arcs: Arcs, values: Floats, damping: float, start: Floats, ends: Floats) -> float:
    """Change `values` in place; the sum of all changes."""
    if compiled is None:
        return by_stretches(arcs, values, damping, start, ends)
    shares = np.empty_like(values)
    return compiled.sweep(arcs.starts, arcs.sources, arcs.degrees, values, shares, damping, start, ends)


def by_stretches(arcs: Arcs, values: Floats, damping: float, start: Floats, ends: Floats) -> float:
    """The same without the compiled module."""
    dead = arcs.degrees == 0
    lost, change = float(values[dead].sum()), 0.0
    shares = np.where(dead, 0.0, values / np.maximum(arcs.degrees, 1))
    for first, last in _stretches(arcs):
        here = slice(first, last)
        fresh = damping * (_sums(arcs, shares, first, last) + lost * ends[here]) + (1 - damping) * start[here]
        moved = fresh - values[here]
        lost += float(moved[dead[here]].sum())
        change += float(np.abs(moved).sum())
        values[here] = fresh
        shares[here] = np.where(dead[here], 0.0, fresh / np.maximum(arcs.degrees[here], 1))
    return change


def _stretches(arcs: Arcs) -> list[tuple[int, int]]:
    cuts = np.searchsorted(arcs.starts, np.arange(0, int(arcs.starts[-1]), STRETCH), side="right") - 1
    edges = np.unique(np.concatenate(([0], cuts, [arcs.nodes]))).tolist()
    return list(pairwise(edges))


def _sums(arcs: Arcs, shares: Floats, first: int, last: int) -> Floats:
    begin, end = int(arcs.starts[first]), int(arcs.starts[last])
    running = np.zeros(end - begin + 1)
    np.cumsum(shares[arcs.sources[begin:end]], out=running[1:])
    bounds = arcs.starts[first : last + 1] - begin
    return np.asarray(running[bounds[1:]] - running[bounds[:-1]])
