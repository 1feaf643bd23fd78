"""In and out: who points to a page, what they call it, and what it points to.

There are two more ways to rank than by PageRank: how near a site is to all others, and how far trust reaches. Sites are
ranked by harmonic centrality over the graph of sites, in which the links of all pages of a site are one: ten thousand
pages that link to the same shop are one arc. Trust is PageRank whose surfer starts on pages that a person vouches for
(Gyongyi et al. 2004); what these do not lead to, as most farms of links, has none.

Hubs and authorities of a question are those of HITS, on the pages that answer it and those around them (Kleinberg
1999). The roots are the best answers. To these come the pages they link to, and some that link to them. Links within a
site do not count, for they are navigation and not praise; where there are no others, as in a collection of one site,
they do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.collection.ask.page_forms import PageForm
from gossamer.collection.derive.graphs import Graph
from gossamer.collection.documents import Document
from gossamer.errors import NotFound
from gossamer.frontier.ledger import Ledger
from gossamer.graph.arcs import arcs
from gossamer.graph.centrality import centrality
from gossamer.graph.hits import hits
from gossamer.graph.pagerank import ranked
from gossamer.model import Link
from gossamer.store.table.table import Table
from gossamer.urls import keys

SHOWN_MOST = 10_000
"""Pages that are named; a home page may have millions."""


class Target(NamedTuple):
    """Where an address stands that a page links to."""

    state: str
    """queued, done, failed or excluded"""
    status: int
    """What the server answered last; 0 for nothing."""


@dataclass(frozen=True, slots=True)
class Links:
    """The neighbourhood of an address."""

    url: str
    outgoing: Sequence[Link]
    incoming: tuple[str, ...]
    """Pages that link to it, in no order."""
    anchors: tuple[str, ...]
    """What others call it, once for each site."""
    rank: float | None
    """Its PageRank; 1 is usual. None when it is not in the graph."""
    targets: Mapping[str, Target] = field(default_factory=dict)
    """Where each address that it links to stands; those that were never met are not in it."""
    guesses: tuple[Link, ...] = ()
    """Addresses in its scripts and data that may lead to pages."""
    forms: tuple[PageForm, ...] = ()
    """What the page can be asked."""
    requisites: tuple[Link, ...] = ()
    """What it needs to look as it does, each with where it stands: img, srcset, style, script and so on."""
    needed_by: str = ""
    """The page that has asked for it first, where it is a requisite itself."""

    def __repr__(self) -> str:
        return f"<Links of {self.url}: {len(self.outgoing):,} out, {len(self.incoming):,} in>"

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "url": self.url,
            "out": [self._out(link) for link in self.outgoing],
            "in": list(self.incoming),
            "anchors": list(self.anchors),
            "rank": self.rank,
            **({"guessed": [self._guess(link) for link in self.guesses]} if self.guesses else {}),
            "forms": [form._asdict() for form in self.forms],
            **({"needed_by": self.needed_by} if self.needed_by else {}),
            "needs": [{"url": link.url, "place": link.place, **self._stands(link)} for link in self.requisites],
        }

    def _out(self, link: Link) -> dict[str, Any]:
        return {"url": link.url, "anchor": link.anchor, "rel": link.rel, **self._stands(link)}

    def _guess(self, link: Link) -> dict[str, Any]:
        return {"url": link.url, "from": link.place, **self._stands(link)}

    def _stands(self, link: Link) -> dict[str, Any]:
        target = self.targets.get(link.url)
        return {"state": target.state if target else None, "status": (target.status or None) if target else None}


def targets(tables: Callable[[str], Table], links: Sequence[Link]) -> dict[str, Target]:
    """Where the targets of links stand."""
    entries = ((link.url, Ledger(tables(link.url)).get(link.url)) for link in links)
    return {url: Target(entry.state.name.lower(), entry.status) for url, entry in entries if entry is not None}


def linked(url: str, page: Document | None, graph: Graph | None, needed_by: str = "") -> Links:
    """Gathered from the page itself and from the graph."""
    outgoing = page.links if page else ()
    if graph is None:
        if page is None and not needed_by:
            cure = "`gossamer build DIR` makes it"
            raise NotFound(f"{url}: not in the collection, and there is no graph of links; {cure}")
        return Links(url, outgoing, (), (), None, needed_by=needed_by)
    print_ = graph.standing(keys.fingerprint(url))
    node = graph.web.number(print_)
    if node is None and page is None and not needed_by:
        raise NotFound(f"{url}: not in the collection, and no page of it links there")
    names = (graph.names.get(source) for source in graph.linking(url))
    anchors = graph.anchors.get(print_) or ""
    return Links(
        url,
        outgoing,
        tuple(islice(filter(None, names), SHOWN_MOST)),
        tuple(filter(None, anchors.split("\n"))),
        None if node is None else float(graph.values[node]),
        needed_by=needed_by,
    )


def of_sites(graph: Graph, site: Callable[[str], str]) -> list[tuple[str, float]]:
    """The harmonic centrality of each site that was read, the best first."""
    linked = between_sites(graph, site)
    values = centrality(arcs(linked.pairs[:, 0], linked.pairs[:, 1], len(linked.names))).tolist()
    return sorted(zip(linked.names, values, strict=True), key=lambda each: (-each[1], each[0]))


class SiteLinks(NamedTuple):
    """Sites, and the links between their pages."""

    names: list[str]
    pairs: NDArray[np.int64]
    """Numbers of two sites: a page of the first links to one of the second."""
    counts: NDArray[np.int64]
    """How many such links there are."""
    owners: NDArray[np.int64]
    """The number of the site of each node of the graph; -1 where the page was not read."""


def between_sites(graph: Graph, site: Callable[[str], str]) -> SiteLinks:
    """Who links to whom, as sites."""
    names: dict[str, int] = {}
    owners = _owners(graph, site, names)
    found = graph.arcs
    sources = owners[found.sources]
    targets = np.repeat(owners, np.diff(found.starts))
    across = (sources >= 0) & (targets >= 0) & (sources != targets)
    pairs, counts = np.unique(np.stack((sources[across], targets[across]), axis=1), axis=0, return_counts=True)
    return SiteLinks(list(names), pairs, counts, owners)


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
