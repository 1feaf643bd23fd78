"""The graph of a whole collection: kept in one folder, asked by search and by people; `graph_making` makes it.

A graph is never changed. A new one is made beside it, and a small file says which one counts; so whoever reads goes on
reading, and a kill leaves the old one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from gossamer import files
from gossamer.collection.ask.consistent_read import Moment
from gossamer.collection.derive import graph_digests, mirrored
from gossamer.collection.derive.mirrored import CURRENT, NAME, pointed, warn
from gossamer.collection.folder import Folder
from gossamer.errors import Damaged
from gossamer.graph import anchors, columns, lookup, soundness
from gossamer.graph.arcs import Arcs, Floats
from gossamer.graph.gather import Prints, Web, opened
from gossamer.index.anchor_index import AnchorIndex
from gossamer.urls import keys

if TYPE_CHECKING:
    from gossamer.dedupe.mirrors import Mirrors

NAMES, RANKS, CHANGES, FOLDED, VOICES = "names", "ranks.npy", "changes.npy", "folded.npy", "voices"
COPIES = "copies"
_NEEDS = (
    *(RANKS, CHANGES, FOLDED, "nodes.npy", "starts.npy", "sources.npy", "degrees.npy"),
    *(f"{name}{ending}" for name in (NAMES, anchors.NAME) for ending in (".txt", "-prints.npy", "-starts.npy")),
)
"""What every graph has; those of older versions lack copies and mirrors."""
_CURE = "`gossamer build DIR` makes it again"


@dataclass(frozen=True)
class Graph:
    """A graph that was made."""

    folder: Path

    @cached_property
    def web(self) -> Web:
        """Nodes and arcs."""
        return opened(self.folder)

    @cached_property
    def arcs(self) -> Arcs:
        """All arcs, after a look at all of them."""
        return soundness.require(self.web.arcs)

    @cached_property
    def values(self) -> Floats:
        """The PageRank of each node; 1 is what it would have if all were equal."""
        return columns.mapped(self.folder / RANKS, np.float64)

    @cached_property
    def names(self) -> lookup.Lookup:
        """Addresses of the pages that were read."""
        return lookup.Lookup(self.folder, NAMES)

    @cached_property
    def anchors(self) -> lookup.Lookup:
        """What others call pages."""
        return lookup.Lookup(self.folder, anchors.NAME)

    @cached_property
    def anchor_index(self) -> AnchorIndex:
        """The same, for searching."""
        return AnchorIndex(self.folder / VOICES, writable=False)

    @cached_property
    def changes(self) -> list[float]:
        """How much all ranks together changed in each sweep, until they stood still."""
        return columns.load(self.folder / CHANGES, np.float64).tolist()  # type: ignore[no-any-return]  # NumPy cannot know

    @cached_property
    def mirrors(self) -> list[Mirrors]:
        """Hosts that serve the same site."""
        from gossamer.dedupe.mirrors import Mirrors  # with all that finds them

        return [Mirrors(*each) for each in mirrored.rows(self.folder)]

    def copies(self, print_: int) -> tuple[str, ...]:
        """The pages that this one stands for, the most alike first."""
        return tuple(filter(None, (self._copies.get(print_) or "").split("\n"))) if self._copies else ()

    @cached_property
    def _copies(self) -> lookup.Lookup | None:
        with suppress(FileNotFoundError):
            return lookup.Lookup(self.folder, COPIES)
        return None

    def ranks(self, prints: Sequence[int]) -> list[float]:
        """How pages rank, by fingerprint; 1 for those that the graph does not know."""
        wanted = np.array(prints, np.uint64)
        places = np.minimum(np.searchsorted(self.web.nodes, wanted), max(len(self.web.nodes) - 1, 0))
        if not len(self.web.nodes):
            return [1.0] * len(prints)
        values = self.values[places]
        ranked = (self.web.nodes[places] == wanted) & np.isfinite(values) & (values >= 0)
        return np.where(ranked, values, 1.0).tolist()  # type: ignore[no-any-return]  # as above

    def rank(self, print_: int) -> float:
        """How one page ranks."""
        node, values = self.web.number(print_), self.values
        rank = float(values[node]) if node is not None else 1.0
        return rank if 0 <= rank < inf else 1.0

    def linking(self, url: str) -> Iterator[int]:
        """The fingerprints of the pages that link to an address."""
        node = self.web.number(self.standing(keys.fingerprint(url)))
        if node is not None:
            yield from self.web.linking(node).tolist()

    def standing(self, print_: int) -> int:
        """What stands for a page: itself, unless it is a copy or a redirect."""
        place = int(np.searchsorted(self._folded[:, 0], np.uint64(print_)))
        here = place < len(self._folded) and int(self._folded[place, 0]) == print_
        return int(self._folded[place, 1]) if here else print_

    @cached_property
    def _folded(self) -> Prints:
        return columns.mapped(self.folder / FOLDED, np.uint64, 2)

    def links(self) -> Iterator[tuple[str, str]]:
        """Every link between pages that were read, each once: from, to. What NetworkX, pandas and Polars take."""
        named = [self.names.get(print_) for print_ in self.web.nodes.tolist()]
        starts = self.arcs.starts
        for node, target in enumerate(named):
            if target is not None:
                for source in self.arcs.sources[starts[node] : starts[node + 1]].tolist():
                    if (name := named[source]) is not None:
                        yield name, target

    def linkers(self, url: str) -> int:
        """How many pages link to an address; a page that does so twice is one."""
        return len(set(self.linking(url)))

    def top(self, number: int, *, by_links: bool = False) -> list[tuple[str, float]]:
        """The pages that rank highest, of those that were read; or those that most pages link to."""
        best = np.lexsort((self.values, np.diff(self.arcs.starts)) if by_links else (self.values,))[::-1]
        found = ((self.names.get(int(self.web.nodes[node])), float(self.values[node])) for node in best)
        named = ((name, value) for name, value in found if name)
        return [pair for pair, _ in zip(named, range(number), strict=False)]


def current(folder: Folder, moment: Moment | None = None) -> Graph | None:
    """The graph that counts; None before there is one. One that is damaged is none, and is made again by a build.

    With a moment it stays readable when another one takes its place.
    """
    graph = _held(named(folder), moment)
    while graph is not None and (damage := _unless_known(graph)):
        if named(folder) == graph:  # and no other has taken its place meanwhile
            warn(folder, damage)
            return None
        graph = _held(named(folder), moment)
    return graph


def _unless_known(graph: Graph) -> str | None:
    return graph_digests.unless_known(graph.folder, CURRENT, lambda: _damage(graph))


def _held(graph: Graph | None, moment: Moment | None) -> Graph | None:
    return Graph(moment.hold(graph.folder, VOICES)) if graph and moment else graph


def check(folder: Folder) -> Iterator[str]:
    """What is wrong with the graph, if there is one. The making of the first one may have been killed."""
    if not files.kind(folder.graph) or _is_unfinished(folder):
        return
    graph = named(folder)
    if graph is None:
        yield f"{folder.graph / CURRENT}: does not name a graph; {_CURE}"
    elif damage := _damage(graph, whole=True):
        yield f"{damage}; {_CURE}"


def _is_unfinished(folder: Folder) -> bool:
    """None was ever whole: there is nothing that names one, and nothing that is sealed."""
    if files.kind(folder.graph) != files.A_FOLDER or files.kind(folder.graph / CURRENT):
        return False
    return not any(files.kind(folder.graph / name / graph_digests.FILE) for name in files.folders(folder.graph, NAME))


def _damage(graph: Graph, *, whole: bool = False) -> str | None:
    """Is it as it was made, and is what was made a graph?"""
    if damage := graph_digests.damage(graph.folder, whole=whole, needs=_NEEDS):
        return damage
    try:
        with files.reading(graph.folder):
            flaw = next(_flaws(graph, whole or graph_digests.is_small(graph.folder)), None)
    except (Damaged, FileNotFoundError, ValueError) as error:
        return f"{graph.folder}: is no graph of ours ({str(error).partition(';')[0]})"
    return f"{graph.folder}: is no graph of ours, {flaw}" if flaw else None


def _flaws(graph: Graph, whole: bool) -> Iterator[str]:
    yield from soundness.flaws(graph.folder, whole=whole)
    for name in (NAMES, anchors.NAME, *([COPIES] if files.is_file(graph.folder / f"{COPIES}.txt") else [])):
        yield from soundness.flaws_of_texts(graph.folder, name, whole=whole)
    try:
        mirrors = mirrored.rows(graph.folder)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Damaged(f"what it says of mirrors cannot be read ({error}); {_CURE}") from error
    if not all(keys.is_shaped(f"{origin}/") for main, others, _, _ in mirrors for origin in (main, *others)):
        yield "its mirrors are no hosts"
    if whole and not soundness.are_addresses(graph.names):
        yield "its names are no addresses"
    if whole:
        graph.anchor_index.probe_all()


def named(folder: Folder) -> Graph | None:
    """The one that the small file names, whole or not."""
    place = pointed(folder)
    return Graph(place) if place else None
