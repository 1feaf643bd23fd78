"""Pictures of the ranks of pages."""

from __future__ import annotations

from math import log10

import numpy as np

from gossamer.cli.chart import Line, Panel, draw
from gossamer.collection.derive.graphs import Graph

POINTS = 200


def of_ranks(graph: Graph) -> str:
    """How rank is shared out, and how many of its digits stood still after each sweep."""
    values = np.sort(np.asarray(graph.values))[::-1]
    reached = np.concatenate(([0.0], np.cumsum(values))) / max(float(values.sum()), 1e-300)
    places = np.unique(np.linspace(0, len(values), POINTS + 1).astype(int))
    share = Line("all pages", (100 * places / max(len(values), 1)).tolist(), (100 * reached[places]).tolist())
    digits = [max(0.0, -log10(max(change, 1e-300))) for change in graph.changes]
    settled = Line("all pages together", [float(sweep) for sweep in range(1, len(digits) + 1)], digits)
    return draw(
        Panel("how rank is shared out", "per cent of the pages, the best first", "per cent of all rank", [share]),
        Panel("how it was found", "sweeps", "digits that stand still", [settled]),
    )
