"""A collection: every verb of the command line as a method.

Those that fetch are in `crawling`, what it can be asked in `ask.reading`, what a running crawl is told in `steered`,
alerts in `alert.alerting`, and what is done to a collection at rest in `maintain.upkeep`. Here are those that take in
files, and those that look at links.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.collection import trust
from gossamer.collection.crawl.outside import REAL, Outside
from gossamer.collection.crawl.running import run
from gossamer.collection.crawling import Crawling
from gossamer.collection.lock import exclusive
from gossamer.collection.seed_list import scope_of

if TYPE_CHECKING:
    from gossamer.collection.ask.broken import Broken
    from gossamer.collection.crawl.link_check import External
    from gossamer.collection.imports.import_source import Imported


def open(path: str | Path) -> Collection:
    """The collection in a directory. It is made by the first `crawl`. Its answers are as of one moment; after
    its `close` the next one is as of now."""
    return Collection(Path(path))


class Collection(Crawling):
    """A part of the web that its user owns."""

    def unconfirmed(self, **settings: Any) -> Mapping[str, str]:
        """What the plan opens of the network though this user has not made it: what `trust_plan` would agree to."""
        return trust.unconfirmed(self._folder, self.plan, settings)

    def import_files(
        self, *paths: str | Path, report: Callable[[Imported], None] | None = None, **settings: Any
    ) -> Imported:
        """Take in the captures of WARC, ARC, WACZ and TREC Web files and of other collections, each once. Settings are
        those of the plan."""
        return run(lambda stop: self.import_async(*paths, report=report, **{"stop": stop, **settings}))

    async def import_async(
        self,
        *paths: str | Path,
        report: Callable[[Imported], None] | None = None,
        stop: asyncio.Event | None = None,
        **settings: Any,
    ) -> Imported:
        """The same from within an asyncio program. Setting `stop` ends it as one Ctrl-C does."""
        from gossamer.collection.crawl.network import make_room
        from gossamer.collection.crawl.plan_check import check
        from gossamer.collection.crawl.shard import Job
        from gossamer.collection.imports import importing
        from gossamer.collection.imports.import_files import sort

        found, plan = sort(paths, self.path), self._folder.load_plan().changed(**settings)
        self._require_here("import")
        if not self._folder.exists():  # from then on it is this user's, with all that its plan says
            trust.require(self._folder, plan, settings, trusted=False)
        check(plan)
        make_room(workers=1)
        plan = plan.changed(shards=self._shards(plan, settings.get("shards"), REAL))
        self._folder.create()
        self.close()
        with exclusive(self.path) as lock:
            if not self._folder.exists():
                trust.remember(self._folder)
            self._folder.save_plan(plan)
            self._folder.make_shards(plan.shards)
            job = Job(self.path, plan, imported_files=found.imported_files)
            done = await importing.run(job, lock, report or (lambda _: None), stop)
            if plan.build:
                self._link_up()
                self.close()
        return replace(done, problems=(*found.problems, *done.problems))

    def broken(self, *, site: str | None = None, external: bool | External = False) -> Iterator[Broken]:
        """What failed or is gone, with the pages that link to it; with a site, the links on its pages.

        `external` asks addresses outside the scope too, once, by HEAD; what `external_async` gave is not asked again.
        """
        from gossamer.collection.ask.broken import broken

        if external is True:
            external = run(lambda stop: self.external_async(site=site, stop=stop))
        return broken(self._readers(), self._read, site, external.faults if external else None)

    async def external_async(
        self,
        *,
        site: str | None = None,
        report: Callable[[External], None] | None = None,
        stop: asyncio.Event | None = None,
        outside: Outside = REAL,
        trust_plan: bool = False,
    ) -> External:
        """Ask addresses outside the scope whether they answer. Setting `stop` ends it; what is known then is given."""
        from gossamer.collection.crawl import link_check
        from gossamer.collection.crawl.network import make_room

        plan = self._folder.load_plan()
        trust.require(self._folder, plan, {}, trusted=trust_plan)
        make_room(plan.workers)
        wanted = link_check.wanted(self._readers(), scope_of(plan, self.path), self._read, site)
        return await link_check.check(plan, wanted, outside, report or (lambda _: None), stop)
