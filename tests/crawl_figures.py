"""What a page took in a crawl, in round numbers."""

from __future__ import annotations

from gossamer.collection.ask.cluster_size import Figures

FIGURES = Figures(
    pages=1000,
    cpu=0.007,
    wire=20e3,
    archive=6e3,
    index=2e3,
    rest=2e3,
    known=6.0,
    memory=400e6,
    delay=1.0,
    answer=0.1,
    turn=1.1,
    usual_turn=3.3,
)

BILLION = (1e9, 30.0)
"""Pages, and days."""
