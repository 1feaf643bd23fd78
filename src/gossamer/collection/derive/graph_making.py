"""The graph of a whole collection is made from the logs of all shards, with what else is found out about all pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from gossamer import files
from gossamer.collection.derive import graph_digests
from gossamer.collection.derive.graphs import CHANGES, COPIES, FOLDED, NAMES, RANKS, VOICES, Graph, current, named
from gossamer.collection.derive.index_state import committed_length
from gossamer.collection.derive.mirrored import CURRENT, MIRRORS, NAME
from gossamer.collection.folder import LINKS, Folder
from gossamer.dedupe.groups import Group
from gossamer.dedupe.mirrors import Mirrors
from gossamer.errors import StorageError
from gossamer.graph import anchors, columns, lookup
from gossamer.graph.arcs import Floats
from gossamer.graph.gather import Web, folding, gathered, standing
from gossamer.graph.log import Chunk, chunks
from gossamer.graph.pagerank import Ranks, ranked
from gossamer.index.anchor_index import AnchorIndex
from gossamer.printable import counted
from gossamer.store.repair.swaps import DAMAGED
from gossamer.store.table.table import Table
from gossamer.urls import keys

_NUMBERS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Copies:
    """What a collection holds more than once."""

    groups: list[Group]
    mirrors: list[Mirrors]

    def __repr__(self) -> str:
        mirrors = counted(len(self.mirrors), "group of mirrors", "groups of mirrors")
        return f"<Copies: {counted(len(self.groups), 'group')} of pages, {mirrors}>"

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
    counts = named(folder)
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
