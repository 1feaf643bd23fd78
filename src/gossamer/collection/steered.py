"""What is asked of a crawl that runs, within a second, or else of the next one: see `steering`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gossamer.collection.ask.reading import Reading
from gossamer.collection.crawl import requests, unfetched_seeds
from gossamer.collection.seed_list import SHORT, SeedList, named_seeds
from gossamer.collection.steering import require_soon
from gossamer.errors import UsageError
from gossamer.frontier.entries import State
from gossamer.plan import Plan
from gossamer.printable import counted, log
from gossamer.urls.seeds import as_seed


class Steered(Reading):
    """A collection whose crawl is paused, stopped and told something else."""

    def pause(self) -> None:
        """The crawl that runs fetches nothing until `resume`. What is under way is finished."""
        self._tell(paused=True)

    def resume(self) -> None:
        """It goes on."""
        self._tell(paused=False)

    def stop(self) -> None:
        """It finishes what is under way, and ends."""
        self._tell(stop=self._running())

    def _tell(self, **orders: Any) -> None:
        self._running()
        with self._steering.alone():
            self._steering.tell(**orders)

    def _running(self) -> str:
        """The name of the crawl that runs; says so where none does."""
        self._folder.require()
        return self._steering.require_crawl()

    def change(self, **settings: Any) -> Plan:
        """Other settings, kept in the plan: for the crawl that runs, within a second, or else for the next one.

        Some cannot change while a crawl runs, and are refused then. Gives the plan.
        """
        from gossamer.collection.crawl.plan_check import check, hints

        if settings.get("on_page"):
            from gossamer.collection.crawl.page_function import whole_name

            settings |= {"on_page": whole_name(settings["on_page"])}
        self._folder.require()
        with self._steering.changing() as runs:
            before = self._folder.load_plan()
            plan = before.changed(**settings)
            plan = plan.changed(seeds=tuple(map(as_seed, plan.seeds)))
            check(plan)
            if runs:
                require_soon(before, plan)
            if plan.shards != before.shards:
                raise UsageError(f"{self.path}: was made with {counted(before.shards, 'shard')}, and that is fixed")
            for hint in hints({name: getattr(plan, name) for name in settings}):
                log.warning("%s", hint)
            self._folder.save_plan(plan)
            if runs:
                self._steering.tell()
        return plan

    def add(self, *seeds: str | Iterable[str]) -> int:
        """More seeds: for the crawl that runs, within a second, or else for the next one. How many are new.

        Those that failed before are tried once more. With more than a thousand, what is no address is passed over.
        """
        named, listed = named_seeds(seeds), SeedList(self.path)
        if not named:
            raise UsageError("no seed; name an address, like https://example.org/")
        long = len(named) > SHORT
        new = [] if long else [as_seed(seed) for seed in named]
        self._folder.require()
        unfetched_seeds.warn_of_logins(named)
        with self._steering.changing() as runs:
            plan = self._folder.load_plan()
            known = set(map(as_seed, plan.seeds))
            count = listed.add(named) if long else len(set(new) - known)
            self._folder.save_plan(plan.changed(seeds=tuple(dict.fromkeys((*map(as_seed, plan.seeds), *new)))))
            requests.ask(self.path, new, listed=long, begins=bool(count) and not runs)
            if runs:
                self._steering.tell()
        return count

    def retry(self, *, site: str | None = None) -> int:
        """What failed is tried once more: by the crawl that runs, within a second, or else by the next one.

        All of it, or that of a site. How many addresses that are, as of the last commit.
        """
        failed = State.FAILED.name.lower()
        asked = (each for state in (failed, "missing") for each in self.addresses(state=state, site=site))
        count = sum(each.state == failed for each in asked)
        self.close()
        with self._steering.changing() as runs:
            requests.ask(self.path, (), failed=site or "")
            if runs:
                self._steering.tell()
        return count
