"""A picture of a collection: its sites and the links between them, each with its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gossamer.collection.ask.links import between_sites
from gossamer.collection.derive.graphs import Graph
from gossamer.graph.layout import layout
from gossamer.search.composition import SiteSums

SITES_MOST = 3_000
"""Sites that are drawn: the largest."""
LINKS_MOST = 3_000
"""Links that are drawn: the strongest."""


@dataclass(frozen=True, slots=True)
class MappedSite:
    """A site and where it stands."""

    name: str
    pages: int
    language: str
    media: str
    rank: float
    """The mean of what its pages are worth by their links, by its place among all sites: 0 the least, 1 the most."""
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class SiteLink:
    """Links from the pages of one site to those of another, by the numbers of both on the map."""

    source: int
    target: int
    links: int


@dataclass(frozen=True, slots=True)
class SiteMap:
    """The whole picture."""

    sites: tuple[MappedSite, ...]
    links: tuple[SiteLink, ...]
    left_out: int
    """Smaller sites that are not drawn."""


def site_map(sums: Sequence[SiteSums], graph: Graph | None, site: Callable[[str], str]) -> SiteMap:
    """The largest sites, placed by who links to whom."""
    drawn = sums[:SITES_MOST]
    numbers = {each.name: number for number, each in enumerate(drawn)}
    links, ranks = _linked(graph, site, numbers) if graph is not None else ([], np.zeros(len(drawn)))
    radii = np.sqrt(np.array([each.pages for each in drawn], float)) + 2.0
    pairs = np.array([(link.source, link.target) for link in links], np.int64).reshape(-1, 2)
    places = layout(pairs, np.array([link.links for link in links], float), radii)
    order = ranks.argsort(kind="stable").argsort() / max(len(drawn) - 1, 1)
    mapped = (
        MappedSite(*each, round(float(rank), 4), *(round(float(place), 1) for place in (*where, radius)))
        for each, rank, where, radius in zip(drawn, order, places, radii, strict=True)
    )
    return SiteMap(tuple(mapped), tuple(links), len(sums) - len(drawn))


def _linked(
    graph: Graph, site: Callable[[str], str], numbers: dict[str, int]
) -> tuple[list[SiteLink], np.ndarray[tuple[int], np.dtype[np.float64]]]:
    found = between_sites(graph, site)
    known = np.array([numbers.get(name, -1) for name in found.names], np.int64)
    pairs = known[found.pairs] if len(found.pairs) else found.pairs
    within = (pairs >= 0).all(axis=1)
    pairs, counts = pairs[within], found.counts[within]
    best = np.argsort(-counts, kind="stable")[:LINKS_MOST]
    links = [SiteLink(*row) for row in np.column_stack((pairs[best], counts[best])).tolist()]
    read = found.owners >= 0
    owners = known[found.owners[read]]
    drawn = owners >= 0
    worth = np.bincount(owners[drawn], np.asarray(graph.values)[read][drawn], len(numbers))
    return links, worth / np.maximum(np.bincount(owners[drawn], minlength=len(numbers)), 1)
