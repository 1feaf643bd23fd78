"""Who points to whom? Log of links, graph, anchors, PageRank, HITS, centrality."""

from __future__ import annotations

from gossamer.graph.centrality import harmonic
from gossamer.graph.hits import hits
from gossamer.graph.pagerank import pagerank

__all__ = ["harmonic", "hits", "pagerank"]
