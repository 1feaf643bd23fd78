"""The parts of a search, put together: the indexes of all shards, the graph, and the texts for snippets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TypeAlias

from gossamer import files
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.derive.graphs import Graph
from gossamer.collection.derive.past import covered
from gossamer.collection.folder import INDEX, PAST, Folder
from gossamer.collection.lock import holder
from gossamer.collection.page_fields import of_all
from gossamer.errors import Damaged, NotFound
from gossamer.index.entry import Shown
from gossamer.index.opening import is_unborn
from gossamer.index.shard_index import ShardIndex
from gossamer.search.bm25f_weights import Weights
from gossamer.search.retrieval import SearchContext
from gossamer.search.searcher import Searcher
from gossamer.store.archive import Archive

TEXTS_MOST = 4_000_000
"""Characters of texts that are kept in memory, a byte or two and where they are not ASCII another one for each."""
MOMENTS_KEPT = 8
"""Of the past, which were asked for last."""


def searcher(folder: Folder, indexes: ShardReaders, graph: Graph | None, weights: Weights | None = None) -> Searcher:
    """Answers questions about the collection as it is now."""
    context = _context(indexes, graph)
    return Searcher([_shard_index(folder, index) for index in range(len(indexes.all))], context, weights)


def _context(indexes: ShardReaders, graph: Graph | None) -> SearchContext:
    return SearchContext(
        texts=RecentTexts(partial(texts, indexes)).of,
        ranks=graph.ranks if graph else _all_alike,
        linking=graph.linking if graph else _nobody,
        now=time.time(),
        anchor_index=graph.anchor_index if graph else None,
        copies=graph.copies if graph else _no_copies,
        fields=frozenset(name.lower() for name in of_all(indexes.tables).kinds),
    )


_Key: TypeAlias = tuple[int, str, bytes]
"""The shard, the address, and where the index says that the text lies."""


def _key(shard: int, page: Shown) -> _Key:
    return shard, page.url, page.text


class RecentTexts:
    """Texts of pages, of which those that were read last are kept: people ask again, and answers are alike."""

    def __init__(self, read: Callable[[Sequence[tuple[int, Shown]]], Sequence[str]], most: int = TEXTS_MOST) -> None:
        self._read = read
        self._most = most
        self._kept: dict[_Key, str] = {}
        """Those that were wanted last behind the others."""
        self._characters = 0
        self._lock = Lock()

    def of(self, pages: Sequence[tuple[int, Shown]]) -> list[str]:
        """The texts of pages, by shard and what an index shows of them."""
        keys = [_key(*each) for each in pages]
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
        absent = [each for key, each in zip(keys, pages, strict=True) if key not in known]
        if absent:
            known |= zip((_key(*each) for each in absent), self._read(absent), strict=True)
        with self._lock:
            self._keep(known)
        return [known[key] for key in keys]

    def _keep(self, wanted: Mapping[_Key, str]) -> None:
        for key, text in wanted.items():
            self._characters -= len(self._kept.pop(key, ""))
            if text:  # else it could not be read, and may be there the next time
                self._kept[key] = text
                self._characters += len(text)
        while self._characters > self._most:
            self._characters -= len(self._kept.pop(next(iter(self._kept))))


class PastSearchers:
    """Answer questions about the collection as it was, each of a moment, or of all times."""

    def __init__(self, make: Callable[[float | None], Searcher]) -> None:
        self._make = make
        self._made: dict[float | None, Searcher] = {}

    def of(self, at: float | None) -> Searcher:
        """That of a moment, or for None of all times. Those that were asked last are kept, with what they counted."""
        found = self._made.pop(at, None) or self._make(at)
        self._made[at] = found
        for old in list(self._made)[:-MOMENTS_KEPT]:
            del self._made[old]
        return found


def past_searchers(folder: Folder, readers: ShardReaders, graph: Graph | None, present: Searcher) -> PastSearchers:
    """The indexes of now, and behind them those of the past. Links count as they are now; who was a copy of whom then
    is not known."""
    past = [(number, found) for number in range(len(readers.all)) if (found := _past_index(folder, number, readers))]
    shards = [*range(len(readers.all)), *(number for number, _ in past)]

    def told(pages: Sequence[tuple[int, Shown]]) -> list[str]:
        return [_text(readers.all[shards[index]].archive, page, page.fetched) for index, page in pages]

    context = replace(_context(readers, graph), texts=told, copies=_no_copies)
    indexes = [*present.indexes, *(found for _, found in past)]
    return PastSearchers(lambda at: Searcher(indexes, context, present.weights, past=True, at=at))


def _past_index(folder: Folder, index: int, readers: ShardReaders) -> ShardIndex | None:
    """None where no page of a shard has changed yet."""
    state, place = covered(readers.all[index].table), folder.shard(index) / PAST
    if state is None:
        if holder(folder.path) is not None:
            raise NotFound(f"{folder.path}: has no index of the past yet; a command is running there, ask again later")
        raise NotFound(f"{folder.path}: has no index of the past; `gossamer build {folder.path}` makes it")
    if not files.is_folder(place) or is_unborn(place):
        if state.source:
            raise Damaged(f"{place}: is missing; `gossamer build {folder.path}` makes it again")
        return None
    return ShardIndex(place, writable=False)


def texts(indexes: ShardReaders, pages: Sequence[tuple[int, Shown]]) -> list[str]:
    """The main contents of pages; of one without, all of its words."""
    return [_text(indexes.all[shard].archive, page) for shard, page in pages]


def _text(archive: Archive, page: Shown, at: float | None = None) -> str:
    """Where the index says that a text lies it mostly is, and what is not there any more is looked up."""
    if found := archive.hinted(page.text):
        return found
    version = archive.versions.current(page.url, until=at)
    return archive.content(page.url, version) if version else ""


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
