"""The parts of a search, put together: the indexes of all shards, the graph, and the texts for snippets."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from gossamer import files
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.derive.graphs import Graph
from gossamer.collection.folder import INDEX, Folder
from gossamer.collection.lock import holder
from gossamer.collection.page_fields import of_all
from gossamer.errors import NotFound
from gossamer.index.shard_index import ShardIndex, Shown, is_unborn
from gossamer.search.searcher import SearchContext, Searcher
from gossamer.search.weights import Weights
from gossamer.store.archive import Archive


def searcher(folder: Folder, indexes: ShardReaders, graph: Graph | None, weights: Weights | None = None) -> Searcher:
    """Answers questions about the collection as it is now."""
    context = SearchContext(
        texts=lambda pages: texts(indexes, pages),
        ranks=graph.ranks if graph else _all_alike,
        linking=graph.linking if graph else _nobody,
        now=time.time(),
        anchor_index=graph.anchor_index if graph else None,
        copies=graph.copies if graph else _no_copies,
        fields=frozenset(name.lower() for name in of_all(indexes.tables).kinds),
    )
    return Searcher([_shard_index(folder, index) for index in range(len(indexes.all))], context, weights)


def texts(indexes: ShardReaders, pages: Sequence[tuple[int, Shown]]) -> list[str]:
    """The main contents of pages; of one without, all of its words. Where the index says that a text lies it mostly is,
    and what is not there any more is looked up."""
    places = ((indexes.all[shard].archive, page) for shard, page in pages)
    return [archive.hinted(page.text) or _looked_up(archive, page.url) for archive, page in places]


def _looked_up(archive: Archive, url: str) -> str:
    version = archive.versions.current(url)
    return archive.content(url, version) if version else ""


def _shard_index(folder: Folder, index: int) -> ShardIndex:
    place = folder.shard(index) / INDEX
    if not files.is_folder(place) or is_unborn(place):
        if holder(folder.path) is not None:
            raise NotFound(f"{folder.path}: has no index yet; a command is running there, ask again in a moment")
        raise NotFound(f"{folder.path}: has no index; `gossamer build {folder.path}` makes it")
    return ShardIndex(place, writable=False)


def _all_alike(prints: Sequence[int]) -> list[float]:
    return [1.0] * len(prints)


def _no_copies(page: int) -> tuple[str, ...]:
    return ()


def _nobody(url: str) -> Iterable[int]:
    return ()
