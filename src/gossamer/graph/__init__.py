"""Who points to whom?"""

from __future__ import annotations

from gossamer.graph.centrality import harmonic
from gossamer.graph.hits import hits
from gossamer.graph.pagerank import pagerank

__all__ = ["harmonic", "hits", "pagerank"]
