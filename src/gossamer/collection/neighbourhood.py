"""Hubs and authorities of a question: HITS on the pages that answer it and those around them (Kleinberg 1999).

The roots are the best answers. To these come the pages they link to, and some that link to them. Links within a site do
not count, for they are navigation and not praise; where there are no others, as in a collection of one site, they do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.collection.graphs import Graph
from gossamer.graph.hits import hits

ROOTS = 200
LINKING_MOST = 50
"""Pages that link to one root."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A page near the answers to a question."""

    url: str
    authority: float
    """Good hubs point to it."""
    hub: float
    """It points to good authorities."""


def neighbours(graph: Graph, roots: Sequence[int], site: Callable[[str], str]) -> list[Neighbour]:
    """All pages of the neighbourhood, given by the fingerprints of the roots; the best authorities first."""
    links = list(_named(graph, _around(graph, roots)))
    across = [(source, target) for source, target in links if site(source) != site(target)]
    hubs, authorities = hits(across or links)
    found = [Neighbour(url, authorities[url], hubs[url]) for url in authorities]
    return sorted(found, key=lambda each: (-each.authority, -each.hub, each.url))


def _around(graph: Graph, roots: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The arcs that begin or end at a root, as two columns of nodes."""
    arcs = graph.arcs
    nodes = [node for root in roots if (node := graph.web.number(graph.standing(root))) is not None]
    is_root = np.zeros(arcs.nodes, bool)
    is_root[nodes] = True
    leaving = np.flatnonzero(is_root[arcs.sources])
    ending = [np.arange(arcs.starts[n], min(arcs.starts[n + 1], arcs.starts[n] + LINKING_MOST)) for n in nodes]
    chosen = np.unique(np.concatenate([leaving, *ending])) if nodes else leaving
    targets = np.searchsorted(arcs.starts, chosen, side="right") - 1
    return arcs.sources[chosen].astype(np.int64), targets


def _named(graph: Graph, around: tuple[NDArray[np.int64], NDArray[np.int64]]) -> Iterator[tuple[str, str]]:
    """Pages that were never read have no name, and are left out."""
    names = {node: graph.names.get(int(graph.web.nodes[node])) for node in np.unique(np.concatenate(around)).tolist()}
    for source, target in zip(*(column.tolist() for column in around), strict=True):
        one, other = names[source], names[target]
        if one and other and one != other:
            yield one, other
