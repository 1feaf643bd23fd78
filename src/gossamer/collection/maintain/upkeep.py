"""What is done to a collection that nobody crawls: made again, checked, mended, and rid of what is not wanted."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.collection import trust
from gossamer.collection.ask.reading import Reading
from gossamer.collection.crawl.running import run
from gossamer.collection.lock import exclusive, undisturbed
from gossamer.collection.seed_list import SeedList
from gossamer.errors import Damaged, InvalidPlan, UsageError

if TYPE_CHECKING:
    from gossamer.collection.derive.shard_build import Built, Job
    from gossamer.collection.maintain.removal import Removal
    from gossamer.collection.maintain.repair import Repaired
    from gossamer.store.repair.prune import LetGo
    from gossamer.store.repair.verify import Checked


class Upkeep(Reading):
    """A collection that is looked after."""

    def build(
        self, *, convert: bool = False, compact: bool = False, report: Callable[[Built], None] | None = None
    ) -> Built:
        """Make what is derived where it is missing; with `convert`, read all pages again with the code of today; with
        `compact`, make an index of many parts again in one."""
        from gossamer.collection.derive.shard_build import Job

        job = Job(self.path, self.plan, convert, compact)
        return run(lambda _: self._build(job, report or (lambda _: None)), finish=0)

    async def _build(self, job: Job, report: Callable[[Built], None]) -> Built:
        from gossamer.collection.crawl.network import make_room
        from gossamer.collection.derive import build as builds

        self._folder.require()
        self._made()
        make_room(workers=1)
        self.close()
        with exclusive(self.path) as lock:
            built = await builds.build(job, lock, report) if self._is_here else await self._on_nodes(job, report)
            self._link_up()
            self.close()
        return built

    async def _on_nodes(self, job: Job, report: Callable[[Built], None]) -> Built:
        """A cluster runs what it is sent: the plan that names it must be one that this user wants."""
        from gossamer.collection.crawl import cluster
        from gossamer.collection.derive.cluster_build import build

        cluster.check(job.plan)
        trust.require(self._folder, job.plan, (), trusted=False)
        return await build(job, report)

    def verify(self, *, report: Callable[[int, int], None] | None = None) -> Checked:
        """Read everything and compare. No crawl may be running. `report` hears how many bytes were read, of all."""
        self._folder.require()
        self.close()
        with undisturbed(self.path):
            return self._verified(report)

    def verify_report(self, *, report: Callable[[int, int], None] | None = None) -> tuple[Checked, dict[str, Any]]:
        """The same, and what a repository keeps of it: what was found, by what and when, the digest of each file."""
        from gossamer.collection.maintain.fixity import report as told

        self._folder.require()
        self.close()
        with undisturbed(self.path):
            began = time.time()
            checked = self._verified(report)
            return checked, told(self.path, self.plan, self._readers, checked, (began, time.time()))

    def _verified(self, report: Callable[[int, int], None] | None = None) -> Checked:
        from gossamer.collection.maintain.verifying import verified

        return verified(self._folder, self.plan, self._readers, report)

    def repair(self) -> Repaired:
        """Save what is whole, say what is lost, make again what is derived. No crawl may be running."""
        return run(lambda _: self._repair(), finish=0)

    async def _repair(self) -> Repaired:
        from gossamer.collection.crawl.network import make_room
        from gossamer.collection.derive import graphs
        from gossamer.collection.maintain.misplaced_files import move_captures, rename_shards
        from gossamer.collection.maintain.put_aside import clear, in_the_way
        from gossamer.collection.maintain.remake import remake
        from gossamer.collection.maintain.repair import Repaired, repair
        from gossamer.collection.maintain.replan import replan
        from gossamer.collection.maintain.writable_shard import opened
        from gossamer.store.repair.swaps import DAMAGED

        self._folder.require()
        with suppress(Damaged, InvalidPlan):  # which is what a repair mends
            self._require_here("verify --repair")
        make_room(workers=1)
        self.close()
        freed = tuple(clear(self._folder))
        with exclusive(self.path) as lock:
            strayed = rename_shards(self._folder)
            wrong, aside = replan(self._folder)
            wrong += strayed
            wrong += (f"{path.name}: was no file or folder of a collection, where one should be" for path in freed)
            wrong += in_the_way(self._folder)
            spoilt, list_aside = SeedList(self.path).mend(self.path / DAMAGED)
            wrong += spoilt
            wrong += graphs.check(self._folder)
            plan = self.plan
            wrong += move_captures(self._folder, plan)
            remade = remake(self._folder, plan)
            wrong += remade.problems
            put_aside = (*freed, *filter(None, (aside, list_aside, *remade.aside)))
            done = Repaired(problems=tuple(wrong), aside=put_aside, gone=tuple(remade.gone))
            for index in range(plan.shards or 1):
                with opened(self._folder, plan, index) as bench:
                    done += repair(bench)
            await self._rebuilt(lock)
            left = self._verified().problems
            self.close()
        return replace(done, left=tuple(left))

    def removable(self, pattern: str) -> Removal:
        """What `remove` would take out."""
        from gossamer.collection.maintain import removal

        return removal.chosen(self._readers(), pattern, self.plan.seeds)

    def remove(self, pattern: str, *, archive: bool = False) -> Removal:
        """Take pages out for good: an address, or all that a pattern is in. `archive` takes out their records too."""
        return run(lambda _: self._remove(pattern, archive), finish=0)

    async def _remove(self, pattern: str, archive: bool) -> Removal:
        from gossamer.collection.maintain import removal
        from gossamer.collection.maintain.writable_shard import opened

        self._folder.require()
        self._require_here("remove")
        self._made()
        self.close()
        plan = self.plan
        with exclusive(self.path) as lock:
            await self._take_in(lock)
            chosen = self.removable(pattern)
            self.close()
            for index in range(plan.shards or 1):
                with opened(self._folder, plan, index) as bench:
                    removal.remove(bench, set(chosen.urls), archive=archive)
            await self._rebuilt(lock)
            if chosen.seeds:
                left = tuple(seed for seed in plan.seeds if seed not in chosen.seeds)
                self._folder.save_plan(plan.changed(seeds=left))
        return chosen

    def prunable(self, keep: str | None = None) -> LetGo:
        """What `prune` would take out."""
        from gossamer.collection.maintain import pruning

        return pruning.prunable(self._readers(), pruning.rule_of(self.plan, keep), time.time())

    def prune(self, keep: str | None = None) -> LetGo:
        """Let old versions of pages go, by the rule of the plan or another one, and give their bytes back."""
        return run(lambda _: self._prune(keep), finish=0)

    async def _prune(self, keep: str | None) -> LetGo:
        from gossamer.collection.maintain import pruning

        self._require_here("prune")
        self._made()
        plan = self.plan
        rule = pruning.rule_of(plan, keep)
        with exclusive(self.path) as lock:
            await self._take_in(lock)
            return pruning.prune(self._folder, plan, rule, time.time(), wasted=0.0)

    def fetch_collection(self, to: str | Path) -> None:
        """Make a whole collection of its own from the newest checkpoints in the store of this one."""
        from gossamer.collection.stored import fetch

        fetch(str(self.path), Path(to))

    @property
    def _is_here(self) -> bool:
        return self.plan.is_local

    def _require_here(self, verb: str) -> None:
        """What the shards of a cluster have here is a copy for those who read: a change of it would be lost."""
        if not self._is_here and not self.plan.store:
            raise UsageError(
                f"{self.path}: its engine is {self.plan.engine}, and it has no store; `gossamer set {self.path}"
                f" engine=local` if all of it is here, then {verb}"
            )
        if not self._is_here:
            raise UsageError(
                f"{self.path}: its shards are in {self.plan.store}, and here is a copy; `gossamer crawl {self.path}"
                f" --engine local` brings them here, then {verb}, then --engine {self.plan.engine} goes on there"
            )

    async def _take_in(self, lock: int) -> None:
        """What a killed crawl has left in the archive is committed, and nothing is open any more."""
        from gossamer.collection.crawl.network import make_room
        from gossamer.collection.crawl.supervisor import take_in

        make_room(workers=1)
        left = any(shard_reader.archive.files.uncommitted_bytes() for shard_reader in self._readers().all)
        self.close()
        if left:
            await take_in(self.path, self.plan, lock)

    async def _rebuilt(self, lock: int) -> None:
        """Make what is missing of all that is derived."""
        from gossamer.collection.derive import build as builds
        from gossamer.collection.derive.shard_build import Job

        await builds.build(Job(self.path, self.plan, False), lock, lambda _: None)
        self.close()
        self._link_up()
        self.close()

    def _link_up(self) -> None:
        """The graph of what is there now. If shards are open, they must have been opened since the last change."""
        from gossamer.collection.derive.copy_marks import link_up

        readers, self._reader = self._readers(), None
        self._let_go_of_derived()
        self._reader = link_up(self._folder, self.plan, readers)

    def _made(self) -> int:
        """How many there are; 0 before the first crawl."""
        if not self._folder.exists():
            return 0
        plan = self._folder.load_plan()
        self._folder.require_all(plan)
        return plan.shards or 1
