"""The shards of a collection for reading: each with its rows and its archive, all of them together one collection."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from gossamer.collection import imprint
from gossamer.collection.folder import Folder
from gossamer.collection.meaning import site_of
from gossamer.collection.session import FAMILIES
from gossamer.dedupe.families import PRINTS
from gossamer.errors import NotFound
from gossamer.fetch.stored import decoded
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.table import Table
from gossamer.store.versions import Version
from gossamer.urls import keys

if TYPE_CHECKING:
    from gossamer.dedupe.lookup import Lookup


@dataclass(frozen=True, slots=True)
class Shelf:
    """One shard."""

    table: Table
    archive: Archive


class Shelves:
    """All shards, as they were committed when this was opened."""

    def __init__(self, folder: Folder, plan: Plan) -> None:
        self.site = site_of(plan)
        self._folder = folder
        self._open = ExitStack()
        decode = partial(decoded, limits=plan.as_limits())
        folder.require_all(plan)
        with ExitStack() as opening:
            self.all = []
            for index in range(plan.shards or 1):
                table = opening.enter_context(Table.open(folder.table(index), FAMILIES, writable=False))
                imprint.agree(table, index, plan)
                imprint.require_finished(table, index)
                self.all.append(Shelf(table, Archive(table, folder.shard(index), decode)))
            self._open = opening.pop_all()

    @property
    def tables(self) -> list[Table]:
        """The rows of all."""
        return [shelf.table for shelf in self.all]

    @property
    def archives(self) -> list[Archive]:
        """The captures of all."""
        return [shelf.archive for shelf in self.all]

    @cached_property
    def lookups(self) -> list[Lookup]:
        """What finds the near copies of all. It is loaded with NumPy by the few who ask for it."""
        from gossamer.collection.prints import FOLDER
        from gossamer.dedupe.lookup import Lookup

        if not all(PRINTS in table.families for table in self.tables):
            path = self._folder.path
            raise NotFound(f"{path}: copies were not looked for when this was made; `gossamer build {path}` does it")
        return [
            Lookup(table, self._folder.shard(index) / FOLDER, writable=False) for index, table in enumerate(self.tables)
        ]

    def number(self, url: str) -> int:
        """Which shard an address belongs to."""
        return keys.shard(self.site(url), len(self.all))

    def of(self, url: str) -> Shelf:
        """Where an address belongs."""
        return self.all[self.number(url)]

    def current(self, url: str) -> Version | None:
        """The version that tells what an address is now."""
        return self.of(url).archive.versions.current(url)

    def close(self) -> None:
        """Give back what is held open."""
        self._open.close()
