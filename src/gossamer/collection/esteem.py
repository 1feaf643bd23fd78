"""Two more ways to rank than by PageRank: how near a site is to all others, and how far trust reaches.

Sites are ranked by harmonic centrality over the graph of sites, in which the links of all pages of a site are one: ten
thousand pages that link to the same shop are one arc. Trust is PageRank whose surfer starts on pages that a person
vouches for (Gyongyi et al. 2004); what these do not lead to, as most farms of links, has none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.collection.graphs import Graph
from gossamer.errors import NotFound
from gossamer.graph.arcs import arcs
from gossamer.graph.centrality import centrality
from gossamer.graph.pagerank import ranked
from gossamer.urls import keys


def of_sites(graph: Graph, site: Callable[[str], str]) -> list[tuple[str, float]]:
    """The harmonic centrality of each site that was read, the best first."""
    names: dict[str, int] = {}
    owners = _owners(graph, site, names)
    found = graph.arcs
    sources = owners[found.sources]
    targets = np.repeat(owners, np.diff(found.starts))
    across = (sources >= 0) & (targets >= 0) & (sources != targets)
    pairs = np.unique(np.stack((sources[across], targets[across]), axis=1), axis=0)
    values = centrality(arcs(pairs[:, 0], pairs[:, 1], len(names))).tolist()
    return sorted(zip(names, values, strict=True), key=lambda each: (-each[1], each[0]))


def _owners(graph: Graph, site: Callable[[str], str], names: dict[str, int]) -> NDArray[np.int64]:
    """The number of the site of each node; -1 where the page was not read. Fills in the names of the sites."""
    found = (graph.names.get(print_) for print_ in graph.web.nodes.tolist())
    numbers = [-1 if url is None else names.setdefault(site(url), len(names)) for url in found]
    return np.array(numbers, np.int64)


def trusted(graph: Graph, urls: Sequence[str], number: int) -> list[tuple[str, float]]:
    """The pages that trust in some pages leads to, the best first; 1 is what a page has when all have the same."""
    start = np.zeros(graph.web.arcs.nodes)
    for url in urls:
        node = graph.web.number(graph.standing(keys.fingerprint(url)))
        if node is None:
            raise NotFound(f"{url}: is not in the graph; give the address of a page that was read")
        start[node] = 1.0
    values = ranked(graph.arcs, start=start / start.sum()).values * len(start)
    best = (node for node in np.argsort(-values, kind="stable").tolist() if values[node] > 0)
    named = ((graph.names.get(int(graph.web.nodes[node])), float(values[node])) for node in best)
    pages = ((url, value) for url, value in named if url)
    return [page for page, _ in zip(pages, range(number), strict=False)]
