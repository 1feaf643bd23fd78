"""PageRank (Brin and Page 1998), by Gauss-Seidel: a new value is used at once, so that half the sweeps are enough.

x = a (x P + d w) + (1 - a) v. P follows a link of the page, each with the same chance; d is the sum of the ranks of
dead ends, which jump to w; v is where a bored surfer starts again. Both are uniform unless given. With v on a few good
pages only it is TrustRank (Gyongyi et al. 2004): what they do not lead to has no rank at all.

Unlike a step of power iteration, a sweep does not keep the sum of all ranks. It is made 1 again after each: in a random
graph a quarter of the sweeps is enough then; in a real web it saves a few.

A sweep is one pass over all arcs. Compiled, every node uses the newest values of the others. Where there is no C
compiler, NumPy does it a stretch of nodes at a time: values of the stretches before are new, those within one are not.
More sweeps are needed then, but the end is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from gossamer.graph.arcs import Arcs, Floats, Node, Pair, numbered

try:
    from gossamer.graph import _sweep as compiled
except ImportError:
    compiled = None  # type: ignore[assignment]  # the module is not there

STRETCH = 1 << 20
"""Arcs that are summed up in one call of NumPy."""
DAMPING = 0.85
TOLERANCE = 1e-10
"""The sum of all changes in a sweep at which it is done."""
SWEEPS_MOST = 1_000


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


@dataclass(frozen=True, slots=True)
class Ranks:
    """What came out, and how it got there."""

    values: Floats
    """They sum up to 1."""
    changes: list[float] = field(default_factory=list)
    """The sum of all changes in each sweep."""


def pagerank(
    links: Iterable[Pair[Node]],
    *,
    damping: float = DAMPING,
    personalization: Mapping[Node, float] | None = None,
    dangling: Mapping[Node, float] | None = None,
    tolerance: float = TOLERANCE,
) -> dict[Node, float]:
    """The rank of every node of (source, target) pairs. Parallel links count each.

    `personalization` is where the surfer starts again, `dangling` where dead ends lead to: nodes with weights.
    """
    if not 0 <= damping < 1:
        raise ValueError(f"damping is {damping}, but must be at least 0 and below 1")
    nodes, found = numbered(links, (*(personalization or ()), *(dangling or ())))
    if not nodes:
        return {}
    start = _shares(nodes, personalization)
    ends = _shares(nodes, dangling) if dangling is not None else start
    ranks = ranked(found, damping=damping, start=start, ends=ends, tolerance=tolerance)
    return dict(zip(nodes, ranks.values.tolist(), strict=True))


def ranked(
    arcs: Arcs,
    *,
    damping: float = DAMPING,
    start: Floats | None = None,
    ends: Floats | None = None,
    before: Floats | None = None,
    tolerance: float = TOLERANCE,
) -> Ranks:
    """The same for numbered nodes. With `before`, the ranks of a graph that was nearly this, few sweeps are enough."""
    if start is None:
        start = np.full(arcs.nodes, 1 / max(arcs.nodes, 1))
    values = (start if before is None else before / before.sum()).copy()
    changes: list[float] = []
    while arcs.nodes and len(changes) < SWEEPS_MOST and (not changes or changes[-1] > tolerance):
        changes.append(sweep(arcs, values, damping, start, start if ends is None else ends))
        values /= values.sum() or 1.0
    return Ranks(values, changes)


def _shares(nodes: Iterable[Node], weights: Mapping[Node, float] | None) -> Floats:
    given = np.array([1.0 if weights is None else weights.get(node, 0.0) for node in nodes])
    if (given < 0).any() or not given.sum() > 0:
        raise ValueError("weights of nodes must not be below 0, and one must be above")
    return np.asarray(given / given.sum(), dtype=np.float64)
