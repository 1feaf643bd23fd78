"""A shard opened to be changed by hand, outside of a crawl: repair and removal share it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gossamer import convert
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.wiring import info_of, prefix_of
from gossamer.collection.folder import Folder
from gossamer.collection.sites import owner_of
from gossamer.fetch.body import decoded
from gossamer.frontier.answer import removal
from gossamer.frontier.ledger import Ledger
from gossamer.model import URL, Capture, Page, SystemClock
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table


@dataclass(frozen=True, slots=True)
class WritableShard:
    """One shard on the bench."""

    path: Path
    plan: Plan
    table: Table
    archive: Archive
    prefix: str
    """How the names of its files begin."""
    owns: Callable[[URL], bool] = lambda url: True
    """Whether an address belongs to it, and to no other shard."""

    def open_captures(self) -> None:
        """Ready to append to them. Nothing may lie past their committed length."""
        self.archive.open(info_of(self.plan), SystemClock(), prefix=self.prefix, max_bytes=self.plan.warc_bytes)

    def read(self, capture: Capture) -> Page:
        """What a capture says."""
        return convert.read(capture, self.plan.as_identity().product, content=self.plan.content)


@contextmanager
def opened(folder: Folder, plan: Plan, index: int) -> Iterator[WritableShard]:
    """Open for writing; the texts are open too, the captures are not."""
    prefix = prefix_of(index if plan.shards > 1 else None)
    with Table.open(folder.table(index), FAMILIES, writable=True) as table:
        archive = Archive(table, folder.shard(index), partial(decoded, limits=plan.as_limits()))
        try:
            archive.texts.open(info_of(plan), SystemClock(), prefix=prefix, max_bytes=plan.warc_bytes)
            owner = owner_of(plan)
            yield WritableShard(folder.shard(index), plan, table, archive, prefix, lambda url: owner(url) == index)
        finally:
            archive.close()


def is_removed(table: Table, url: URL) -> bool:
    """Has somebody taken it out of the collection?"""
    return "://" in url and removal.is_removed(Ledger(table).get(url))
