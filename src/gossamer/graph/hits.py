"""HITS (Kleinberg 1999): a good hub points to good authorities, and they are those that good hubs point to.

Made for the neighbourhood of a query: the pages found, those that point to them and those they point to.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gossamer.graph.arcs import Arcs, Floats, Ints, Node, Pair, numbered

TOLERANCE = 1e-10
ROUNDS_MOST = 1_000


def hits(links: Iterable[Pair[Node]], *, tolerance: float = TOLERANCE) -> tuple[dict[Node, float], dict[Node, float]]:
    """Hubs and authorities of (source, target) pairs; each sum up to 1."""
    nodes, arcs = numbered(links)
    hubs, authorities = scored(arcs, tolerance)
    return dict(zip(nodes, hubs.tolist(), strict=True)), dict(zip(nodes, authorities.tolist(), strict=True))


def scored(arcs: Arcs, tolerance: float = TOLERANCE) -> tuple[Floats, Floats]:
    """The same for numbered nodes."""
    targets = np.repeat(np.arange(arcs.nodes), np.diff(arcs.starts))
    hubs = authorities = np.full(arcs.nodes, 1 / max(arcs.nodes, 1))
    for _ in range(ROUNDS_MOST):
        authorities = _shares(np.bincount(targets, hubs[arcs.sources], arcs.nodes))
        fresh = _shares(np.bincount(arcs.sources, authorities[targets], arcs.nodes))
        change = float(np.abs(fresh - hubs).sum())
        hubs = fresh
        if change <= tolerance:
            break
    return hubs, authorities


def _shares(values: Ints) -> Floats:
    total = values.sum()
    return np.asarray(values / total if total else values, dtype=np.float64)
