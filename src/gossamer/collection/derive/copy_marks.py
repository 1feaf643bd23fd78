"""Marks, index and links follow the groups of copies: what stands for others is found, the others are not.

While a crawl goes on, the page that came first stands for the others, and only pages of one shard are looked at. This
puts it right, by the rule and over all shards, where it makes a difference. First comes what is no copy any more,
then what became one: a kill between the two leaves a page to be found twice, and none to be found no more.

The graph is made after that: `link_up` finds and marks the copies of all shards first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from gossamer.collection.ask.searching import searcher
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.derive import copies as copying
from gossamer.collection.derive import graph_making
from gossamer.collection.derive.indexer import Indexer
from gossamer.collection.documents import is_document
from gossamer.collection.folder import Folder
from gossamer.collection.sites import site_of
from gossamer.dedupe.groups import Group
from gossamer.errors import StorageError, shortage
from gossamer.fetch.body import decoded
from gossamer.frontier.holding import is_page
from gossamer.frontier.ledger import Ledger
from gossamer.model import URL
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table

BATCH = 500
"""Pages for each commit."""


class Mark(NamedTuple):
    """What a page is a copy of; both None: it stands for itself."""

    copy_of: URL | None = None
    near_copy_of: URL | None = None


Changes = list[tuple[URL, Mark]]


def wrong(indexes: ShardReaders, groups: Iterable[Group]) -> list[Changes]:
    """For each shard, the pages whose marks are not those of their group, and what they should be."""
    marks = {url: mark for group in groups for url, mark in _marks(group)}
    return [list(_wrong(shard_index.archive, Ledger(shard_index.table), marks)) for shard_index in indexes.all]


def put_right(folder: Folder, plan: Plan, changes: Sequence[Changes]) -> None:
    """Change the marks, and what follows from them."""
    for is_original in (True, False):
        for index, pages in enumerate(changes):
            mine = [(url, mark) for url, mark in pages if (mark == Mark()) is is_original]
            if mine:
                _change(folder, plan, index, mine)


def _marks(group: Group) -> Iterator[tuple[URL, Mark]]:
    """Of near copies whose bytes are the same, only the first is a near copy; the others are copies of it."""
    firsts: dict[str, URL] = {}
    for copy in group.copies:
        first = group.url if copy.exact else firsts.setdefault(copy.digest, copy.url)
        yield copy.url, Mark(near_copy_of=group.url) if first == copy.url else Mark(copy_of=first)


def _wrong(archive: Archive, ledger: Ledger, marks: Mapping[URL, Mark]) -> Iterator[tuple[URL, Mark]]:
    for url, version in archive.versions.pages():
        mark = marks.get(url, Mark())
        if is_document(version) and mark != (version.copy_of, version.near_copy_of):
            entry = ledger.get(url)
            if entry is not None and is_page(entry):
                yield url, mark


def _change(folder: Folder, plan: Plan, index: int, changes: Changes) -> None:
    place = folder.shard(index)
    with Table.open(folder.table(index), FAMILIES, writable=True) as table:
        archive = Archive(table, place, partial(decoded, limits=plan.as_limits()))
        with closing(Indexer(place, table, archive, site_of(plan))) as findable:
            for _ in findable.catch_up():
                pass
            marking = _Marking(table, archive, Ledger(table), findable)
            for start in range(0, len(changes), BATCH):
                marking.commit(changes[start : start + BATCH])
            findable.finish()
            table.commit()


class _Marking(NamedTuple):
    table: Table
    archive: Archive
    ledger: Ledger
    findable: Indexer

    def commit(self, changes: Changes) -> None:
        for url, mark in changes:
            self._put(url, mark)
        self.ledger.save()
        self.findable.prepare()
        self.table.commit()
        self.findable.committed()

    def _put(self, url: URL, mark: Mark) -> None:
        entry = self.ledger.get(url)
        assert entry is not None, "only pages are marked"
        version = self.archive.mark(url, copy_of=mark.copy_of, near_copy_of=mark.near_copy_of)
        self.ledger.put(url, replace(entry, copy=bool(mark.copy_of), near=bool(mark.near_copy_of)), entry)
        if version is not None:
            self.findable.keep_again(url, version)


def link_up(folder: Folder, plan: Plan, readers: ShardReaders) -> ShardReaders:
    """Make the graph: which pages are copies, ranks, and what pages are called by others.

    What sees the present is given back: `readers`, or others in their place if it was changed here.
    """
    with ExitStack() as opened:
        opened.enter_context(closing(readers))
        copies = copying.found(readers)
        changes = wrong(readers, copies.groups)
        if any(changes):
            opened.close()
            put_right(folder, plan, changes)
            readers = opened.enter_context(closing(ShardReaders(folder, plan)))
        _make_graph(folder, readers, copies)
        opened.pop_all()
    return readers


def _make_graph(folder: Folder, readers: ShardReaders, copies: graph_making.Copies) -> None:
    language = searcher(folder, readers, None).languages[0]
    try:
        graph_making.make(folder, readers.tables, language, copies)
    except OSError as error:
        lack = shortage(error) or StorageError(f"{error.filename or folder.graph}: {error.strerror}")
        raise StorageError(f"{lack}; `gossamer build {folder.path}` makes the graph again") from error
