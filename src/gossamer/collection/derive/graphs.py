"""The graph of a whole collection: made from the logs of all shards, kept in one folder, asked by search and by people.

A graph is never changed. A new one is made beside it, and a small file says which one counts; so whoever reads goes on
reading, and a kill leaves the old one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import inf
from pathlib import Path

import msgspec
import numpy as np

from gossamer import files
from gossamer.collection.ask.consistent_read import Moment
from gossamer.collection.derive import graph_digests
from gossamer.collection.derive.indexer import committed_length
from gossamer.collection.derive.mirrored import CURRENT, MIRRORS, NAME, pointed, warn
from gossamer.collection.folder import LINKS, Folder
from gossamer.dedupe.groups import Group
from gossamer.dedupe.mirrors import Mirrors
from gossamer.errors import Damaged, StorageError
from gossamer.graph import anchors, columns, lookup, soundness
from gossamer.graph.arcs import Arcs, Floats
from gossamer.graph.gather import Prints, Web, folding, gathered, opened, standing
from gossamer.graph.log import Chunk, chunks
from gossamer.graph.pagerank import Ranks, ranked
from gossamer.index.anchor_index import AnchorIndex
from gossamer.store.repair.swaps import DAMAGED
from gossamer.store.table.table import Table
from gossamer.urls import keys

NAMES, RANKS, CHANGES, FOLDED, VOICES = "names", "ranks.npy", "changes.npy", "folded.npy", "voices"
COPIES = "copies"
_NUMBERS = 1_000_000_000
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
        with suppress(FileNotFoundError):  # a graph that was made before they were looked for
            return _mirrors(files.read(self.folder / MIRRORS))
        return []

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
    graph = _held(_pointed(folder), moment)
    while graph is not None and (damage := _damage(graph)):
        if _pointed(folder) == graph:  # and no other has taken its place meanwhile
            warn(folder, damage)
            return None
        graph = _held(_pointed(folder), moment)
    return graph


def _held(graph: Graph | None, moment: Moment | None) -> Graph | None:
    return Graph(moment.hold(graph.folder, VOICES)) if graph and moment else graph


def check(folder: Folder) -> Iterator[str]:
    """What is wrong with the graph, if there is one. The making of the first one may have been killed."""
    if not files.kind(folder.graph) or _is_unfinished(folder):
        return
    graph = _pointed(folder)
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
    if not all(keys.is_shaped(f"{origin}/") for each in graph.mirrors for origin in (each.main, *each.others)):
        yield "its mirrors are no hosts"
    if whole and not soundness.are_addresses(graph.names):
        yield "its names are no addresses"
    if whole:
        graph.anchor_index.probe_all()


def _mirrors(data: bytes) -> list[Mirrors]:
    try:
        return msgspec.json.decode(data, type=list[Mirrors])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Damaged(f"what it says of mirrors cannot be read ({error}); {_CURE}") from error


def _pointed(folder: Folder) -> Graph | None:
    place = pointed(folder)
    return Graph(place) if place else None


@dataclass(frozen=True, slots=True)
class Copies:
    """What a collection holds more than once."""

    groups: list[Group]
    mirrors: list[Mirrors]

    def __iter__(self) -> Iterator[Group]:
        """The groups, one by one."""
        return iter(self.groups)

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self.groups)


def make(folder: Folder, tables: Sequence[Table], language: str | None, copies: Copies) -> tuple[Graph, Ranks]:
    """Make a new graph of all that is committed, and let it count."""
    old = None
    with suppress(StorageError):  # the ranks of the old one are where the sweeps begin, and nothing needs them
        old = current(folder)
    _clear_way(folder)
    name = _free_name(folder)
    place = folder.graph / name
    files.make_folder(place)
    ranks = _made(place, lambda: logged(map(folder.shard, range(len(tables))), tables), language, old)
    _note(place, copies)
    graph_digests.seal(place)
    _let_count(folder, name)
    return Graph(place), ranks


def _free_name(folder: Folder) -> str:
    """The number after that of the graph that counts, and of those after it the first where nothing is in the way."""
    counts = _pointed(folder)
    after = int(counts.folder.name) if counts else 0
    names = (f"{number:06}" for number in chain(range(after + 1, _NUMBERS), range(1, after)))
    return next(name for name in names if not files.kind(folder.graph / name))


def _clear_way(folder: Folder) -> None:
    """What lies where a graph is to be made, and is none of ours, is put aside."""
    aside = folder.path / DAMAGED
    if files.kind(folder.graph) == files.A_FILE:
        files.put_aside(folder.graph, aside)
    for name in (CURRENT, f"{CURRENT}.partial"):
        if files.kind(folder.graph / name) not in ("", files.A_FILE):
            files.put_aside(folder.graph / name, aside)


def logged(shards: Iterable[Path], tables: Sequence[Table]) -> Iterable[Chunk]:
    """All links of all shards, as they were written down."""
    logs = [(shard / LINKS, committed_length(table)) for shard, table in zip(shards, tables, strict=True)]
    return chain.from_iterable(chunks(path, length) for path, length in logs)


def _made(place: Path, all_chunks: Callable[[], Iterable[Chunk]], language: str | None, old: Graph | None) -> Ranks:
    folded = standing(all_chunks())
    columns.save(place / FOLDED, np.array(sorted(folded.items()), np.uint64).reshape(-1, 2))
    fold = folding(folded)
    web = gathered(all_chunks, place, fold=fold)
    ranks = ranked(web.arcs, before=_before(web, old))
    columns.save(place / RANKS, ranks.values * len(ranks.values))
    columns.save(place / CHANGES, np.array(ranks.changes))
    ranges = max(1, -(-len(web.arcs.sources) // anchors.ANCHORS_PER_RANGE))
    anchors.gather(all_chunks, place, fold, ranges)
    _name(place, all_chunks())
    found = lookup.Lookup(place, anchors.NAME)
    AnchorIndex(place / VOICES).write(found.items(), language)
    return ranks


def _before(web: Web, old: Graph | None) -> Floats | None:
    """Ranks of a graph that was nearly this are a good beginning."""
    if old is None or not len(web.nodes):
        return None
    return np.maximum(np.array(old.ranks(web.nodes.tolist())), 1e-9)  # type: ignore[no-any-return]  # as above


def _name(place: Path, some: Iterable[Chunk]) -> None:
    names = {keys.fingerprint(source): source for chunk in some for source in chunk.sources}
    prints = sorted(names)
    lookup.write(place, NAMES, [(np.array(prints, np.uint64), [names[each].encode() for each in prints])])


def _note(place: Path, copies: Copies) -> None:
    """For searching and for asking about hosts."""
    rows = {keys.fingerprint(group.url): "\n".join(copy.url for copy in group.copies) for group in copies.groups}
    prints = sorted(rows)
    lookup.write(place, COPIES, [(np.array(prints, np.uint64), [rows[each].encode() for each in prints])])
    files.replace(place / MIRRORS, json.dumps(copies.mirrors).encode())


def _let_count(folder: Folder, name: str) -> None:
    files.replace(folder.graph / CURRENT, f"{name}\n".encode())
    for other in filter(NAME.fullmatch, files.entries(folder.graph)):
        if other != name and files.kind(folder.graph / other) == files.A_FOLDER:  # else a repair puts it aside
            files.remove_folder(folder.graph / other, graph_digests.FILES)
