"""The shards of a collection for reading: each with its rows and its archive, all of them together one collection."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.collection.ask.consistent_read import Moment
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import shard_identity
from gossamer.collection.folder import LINKS, Folder
from gossamer.collection.folder import PRINTS as PRINTED
from gossamer.collection.lock import holder
from gossamer.collection.sites import site_of
from gossamer.dedupe.column_families import PRINTS
from gossamer.errors import NotFound
from gossamer.plan import Plan
from gossamer.store.table.table import Table
from gossamer.store.versions import FOLDER as CAPTURES
from gossamer.store.versions import TEXTS_FOLDER as TEXTS
from gossamer.store.versions import Version
from gossamer.urls import keys

if TYPE_CHECKING:
    from gossamer.collection.ask.host_order import HostOrder
    from gossamer.dedupe.lookup import Lookup
    from gossamer.model import Capture
    from gossamer.store.archive import Archive

REPLACED = (CAPTURES, TEXTS, PRINTED, str(Path(LINKS).parent))
"""Parts of a shard whose files come and go."""
LOOKS_MOST = 20
"""How often a reader begins again, because the log of links was made again while it took its snapshot."""


class ShardReader:
    """One shard. Its archive is opened for who wants captures: sums are of rows alone."""

    def __init__(self, table: Table, archive: Callable[[], Archive]) -> None:
        self.table = table
        self._archive = archive

    @cached_property
    def archive(self) -> Archive:
        """Its captures."""
        return self._archive()


class ShardReaders:
    """All shards, as they were committed when this was opened."""

    def __init__(self, folder: Folder, plan: Plan) -> None:
        self.site = site_of(plan)
        self.host_order: HostOrder | None = None
        """The last one that was computed, so that turning pages does not compute it again."""
        self._folder = folder
        self._open = ExitStack()
        folder.require_all(plan)
        _require_begun(folder, plan)
        with ExitStack() as opening:
            self.all = []
            self.places: list[Path] = []
            moment = opening.enter_context(closing(Moment()))
            for index in range(plan.shards or 1):
                place, table = _moment(folder, index, moment)
                opening.enter_context(table)
                shard_identity.agree(table, index, plan)
                shard_identity.require_finished(table, index)
                shard_identity.require_rows(table, folder.shard(index))
                self.all.append(ShardReader(table, partial(_archive, table, place, plan)))
                self.places.append(place)
            self._open = opening.pop_all()

    @property
    def tables(self) -> list[Table]:
        """The rows of all."""
        return [shard_reader.table for shard_reader in self.all]

    @property
    def archives(self) -> list[Archive]:
        """The captures of all."""
        return [shard_reader.archive for shard_reader in self.all]

    @cached_property
    def lookups(self) -> list[Lookup]:
        """What finds the near copies of all. It is loaded with NumPy by the few who ask for it."""
        from gossamer.dedupe.lookup import Lookup

        if not all(PRINTS in table.families for table in self.tables):
            path = self._folder.path
            raise NotFound(f"{path}: copies were not looked for when this was made; `gossamer build {path}` does it")
        places = zip(self.tables, self.places, strict=True)
        return [Lookup(table, place / PRINTED, writable=False) for table, place in places]

    def number(self, url: str) -> int:
        """Which shard an address belongs to."""
        return keys.shard(self.site(url), len(self.all))

    def of(self, url: str) -> ShardReader:
        """Where an address belongs."""
        return self.all[self.number(url)]

    def current(self, url: str) -> Version | None:
        """The version that tells what an address is now."""
        return self.of(url).archive.versions.current(url)

    def close(self) -> None:
        """Give back what is held open."""
        self._open.close()


def _require_begun(folder: Folder, plan: Plan) -> None:
    """The first moments of the first crawl are no damage, and neither is a kill in one of them."""
    if folder.is_begun(plan):
        return
    if holder(folder.path) is not None:
        raise NotFound(f"{folder.path}: is only just being made; ask again in a moment")
    cure = f"`gossamer crawl {folder.path}` begins again"
    raise NotFound(f"{folder.path}: its first crawl was interrupted before it fetched anything; {cure}")


def _archive(table: Table, place: Path, plan: Plan) -> Archive:
    from gossamer.store.archive import Archive

    return Archive(table, place, partial(_decoded, plan))


def _decoded(plan: Plan, capture: Capture) -> Capture:
    from gossamer.fetch.body import decoded  # by who wants a body, and most want rows and texts

    return decoded(capture, plan.as_limits())


def _moment(folder: Folder, index: int, moment: Moment) -> tuple[Path, Table]:
    """The rows of a shard and the files that they name. All have names of their own, but for the log of links."""
    for looks in range(1, LOOKS_MOST + 1):
        place = moment.hold_parts(folder.shard(index), *REPLACED)
        table = Table.open(folder.table(index), FAMILIES, writable=False)
        if looks == LOOKS_MOST or not moment.is_replaced(place, LINKS):
            break
        table.close()
    for part in REPLACED:
        moment.look_in(place, part)
    return place, table
