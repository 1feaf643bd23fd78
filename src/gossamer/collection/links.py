"""In and out: who points to a page, what they call it, and what it points to."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

from gossamer.collection.documents import Document
from gossamer.collection.graphs import Graph
from gossamer.errors import NotFound
from gossamer.model import Link
from gossamer.urls import keys

SHOWN_MOST = 10_000
"""Pages that are named; a home page may have millions."""


@dataclass(frozen=True, slots=True)
class Links:
    """The neighbourhood of an address."""

    url: str
    outgoing: tuple[Link, ...]
    incoming: tuple[str, ...]
    """Pages that link to it, in no order."""
    anchors: tuple[str, ...]
    """What others call it, once for each site."""
    rank: float | None
    """Its PageRank; 1 is usual. None when it is not in the graph."""

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "url": self.url,
            "out": [{"url": link.url, "anchor": link.anchor, "rel": link.rel} for link in self.outgoing],
            "in": list(self.incoming),
            "anchors": list(self.anchors),
            "rank": self.rank,
        }


def linked(url: str, page: Document | None, graph: Graph | None) -> Links:
    """Gathered from the page itself and from the graph."""
    outgoing = page.links if page else ()
    if graph is None:
        if page is None:
            cure = "`gossamer build DIR` makes it"
            raise NotFound(f"{url}: not in the collection, and there is no graph of links; {cure}")
        return Links(url, outgoing, (), (), None)
    print_ = graph.standing(keys.fingerprint(url))
    node = graph.web.number(print_)
    if node is None and page is None:
        raise NotFound(f"{url}: not in the collection, and no page of it links there")
    names = (graph.names.get(source) for source in graph.linking(url))
    anchors = graph.anchors.get(print_) or ""
    return Links(
        url,
        outgoing,
        tuple(islice(filter(None, names), SHOWN_MOST)),
        tuple(filter(None, anchors.split("\n"))),
        None if node is None else float(graph.values[node]),
    )
