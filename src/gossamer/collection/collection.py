"""A collection: every verb of the command line as a method. The only place that knows all parts.

Each verb loads its own part (see `reading`), and a crawl the largest one when it knows that there is something to do.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.collection import trust
from gossamer.collection.alert import saved
from gossamer.collection.alert.saved import Alert
from gossamer.collection.ask.reading import Reading
from gossamer.collection.crawl import requests, rest, sent, unfetched_seeds
from gossamer.collection.crawl.credentials import Credentials, logins
from gossamer.collection.crawl.outside import REAL, Outside
from gossamer.collection.crawl.running import run
from gossamer.collection.crawl.stop_watch import StopWatch
from gossamer.collection.lock import CRAWL, exclusive, undisturbed
from gossamer.collection.seed_list import SHORT, SeedList, scope_of
from gossamer.collection.status import Fetched, Progress, Status
from gossamer.collection.steering import Steering, require_soon, wanted
from gossamer.errors import NothingFetched, UsageError
from gossamer.fetch.logins import Logins
from gossamer.frontier.entries import State
from gossamer.frontier.ledger import Ledger
from gossamer.plan import Plan, texts
from gossamer.shown import log
from gossamer.store.retention import DAY
from gossamer.urls import paths
from gossamer.urls.seeds import address, as_seed

if TYPE_CHECKING:
    from gossamer.collection.alert.telling import News
    from gossamer.collection.ask.broken import Broken
    from gossamer.collection.crawl.link_check import External
    from gossamer.collection.derive import build as builds
    from gossamer.collection.derive.build import Built
    from gossamer.collection.imports.import_source import Imported
    from gossamer.collection.maintain.removal import Removal
    from gossamer.collection.maintain.repair import Repaired
    from gossamer.fetch.local.watching import FileChanges
    from gossamer.store.repair.prune import LetGo
    from gossamer.store.repair.verify import Checked


NO_CREDENTIALS = Credentials()
ROUND = 3_600.0
"""Seconds between two graphs of a collection that is watched."""


def open(path: str | Path) -> Collection:
    """The collection in a directory. It is made by the first `crawl`."""
    return Collection(Path(path))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a crawl is asked for."""

    seeds: Sequence[str]
    seed_list: Iterable[str]
    settings: Mapping[str, Any]
    revisit: bool
    is_trusted: bool


class Collection(Reading):
    """A part of the web that its user owns."""

    def crawl(
        self, *seeds: str | Iterable[str], report: Callable[[Progress], None] | None = None, **settings: Any
    ) -> Status:
        """Crawl until nothing is due. Without seeds, go on where it stopped. Settings are those of the plan.

        A list of seeds is as good as several; so is one text for a setting that is a list.
        """
        return run(lambda stop: self.crawl_async(*seeds, report=report, **{"stop": stop, **settings}))

    def files(
        self,
        *folders: str | os.PathLike[str],
        report: Callable[[Progress], None] | None = None,
        watch: bool = False,
        **settings: Any,
    ) -> Status:
        """Read the files of this machine that are in some folders: all of them the first time, then what has changed.

        Without folders, those that were named before. With `watch` it does not end, and reads what changes.
        """
        return run(lambda stop: self.files_async(*folders, report=report, watch=watch, **{"stop": stop, **settings}))

    async def files_async(self, *folders: str | os.PathLike[str], watch: bool = False, **settings: Any) -> Status:
        """The same from within an asyncio program, with what `crawl_async` takes besides."""
        from gossamer.collection.crawl.folders import named
        from gossamer.fetch.local.watching import FileChanges

        new = [named(folder, self.path) for folder in folders]
        plan = self._folder.load_plan()
        known = (*settings.pop("folders", plan.folders), *new)
        if plan.seeds or not known:
            cure = "holds pages of the web; name another DIR for files" if plan.seeds else "no folder; name one to read"
            raise UsageError(f"{self.path}: {cure}, as in `gossamer files my-files ~/Documents`")
        trust.require(self._folder, plan, settings, trusted=bool(settings.get("trust_plan")))
        changes = FileChanges([paths.path_of(folder) for folder in known], self.path) if watch else None
        chosen: dict[str, Any] = {"folders": tuple(dict.fromkeys(known)), "shards": 1}
        if changes is None:
            return await self.crawl_async(**settings, **chosen)
        changes.begin()
        try:
            return await self.crawl_async(file_changes=changes, **settings, **chosen)
        finally:
            await changes.close()

    def watch(
        self, *seeds: str | Iterable[str], report: Callable[[Progress], None] | None = None, **settings: Any
    ) -> Status:
        """Crawl, and then come back to each page when it is worth a visit, until somebody ends it. See `freshness`.

        What changed is found at once, and once an hour the graph and the ranks are made anew.
        """
        return self.crawl(*seeds, report=report, keep_fresh=True, **settings)

    async def crawl_async(
        self,
        *seeds: str | Iterable[str],
        report: Callable[[Progress], None] | None = None,
        revisit: bool = False,
        stop: asyncio.Event | None = None,
        outside: Outside = REAL,
        trust_plan: bool = False,
        apart: bool = False,
        credentials: Credentials = NO_CREDENTIALS,
        seed_list: Iterable[str] = (),
        told: Callable[[Fetched], None] | None = None,
        keep_fresh: bool = False,
        news: Callable[[News], None] | None = None,
        file_changes: FileChanges | None = None,
        **settings: Any,
    ) -> Status:
        """The same from within an asyncio program. Setting `stop` ends it as one Ctrl-C does.

        `credentials` are for the sites of the seeds that are named, and are kept nowhere. `seed_list` are more seeds,
        perhaps millions of them: they are kept in a file of their own, and what is no address is passed over.
        `told` hears of every fetch, `news` what is new for each alert at the end; without it that is logged. With
        `keep_fresh` it goes on for ever: see `watch`.

        `trust_plan` says that a collection may open what its plan says, though this user has not made it. `apart` gives
        also the only shard a process of its own, as several always have: a page that crashes it crashes nothing else.
        """
        if settings.get("on_page"):
            from gossamer.collection.crawl.page_function import handed_in

            settings, outside = handed_in(settings, outside)
        named = _named(seeds)
        if len(named) > SHORT:
            named, seed_list = [], chain(named, seed_list)
        new, listed = [as_seed(seed) for seed in named], SeedList(self.path)
        unfetched_seeds.warn_of_logins(named)
        seed_list = seed_list and unfetched_seeds.warned_of_logins(seed_list)
        stamp = self._folder.plan_stamp()
        asked = _Asked(new, seed_list, settings, revisit, trust_plan)
        plan, begins = self._planned(asked)
        if plan.folders and not settings.get("folders"):
            raise UsageError(
                f"{self.path}: is a collection of files; `gossamer files {self.path}` brings it up to date"
            )
        if not (plan.seeds or seed_list or listed or plan.folders):
            verb = "watch" if keep_fresh else "crawl"
            raise UsageError(
                f"{self.path}: no seed; name an address to start from, as in `gossamer {verb} DIR https://example.org/`"
            )
        always = revisit or credentials or seed_list or keep_fresh or plan.folders
        if outside is REAL and not always and self._is_at_rest(plan, new):
            await self._tell_after_crawl(news)
            return self.status()
        from gossamer.collection.crawl.network import make_room
        from gossamer.collection.crawl.shard import Job
        from gossamer.collection.crawl.supervisor import crawl_all
        from gossamer.collection.crawl.wiring import check, hints

        check(plan)
        if plan.on_page and "on_page" not in settings:
            from gossamer.collection.crawl.page_function import load

            load(plan.on_page)
        trusted = trust_plan or trust.is_known(self._folder)
        sending = logins(plan, credentials, new or (plan.seeds if trusted else ()))
        for hint in hints({name: getattr(plan, name) for name in settings}):
            log.warning("%s", hint)
        make_room(plan.workers)
        if settings.get("topic"):
            _require_topic(plan)
        plan = plan.changed(shards=self._shards(plan.shards, settings.get("shards"), outside))
        self._folder.create(private=bool(plan.folders))
        self.close()
        stop = stop or asyncio.Event()
        with exclusive(self.path, CRAWL) as lock:
            self._say_what_is_not_sent(sending)
            rest.forget(self.path)
            trust.remember(self._folder)
            hears = StopWatch(self.path, outside.clock)
            with self._steering.alone():
                if self._folder.plan_stamp() != stamp:  # somebody has changed it since it was read
                    shards = plan.shards
                    plan, begins = self._planned(asked)
                    plan = plan.changed(shards=shards)
                self._keep(asked, plan, begins=begins)
            if plan.topic:
                await self._learn_topic(plan, outside, anew="topic" in settings)
            began = outside.clock.steady()
            order, tells = outside.order, told is not None
            job = Job(self.path, plan, heeds=True, order=order, began=began, tells=tells, logins=sending)
            outside = replace(outside, told=told, began=began, logins=sending)
            async with hears.set(stop):
                more, pruned = True, 0.0
                while more:
                    before = requests.pending(self.path)
                    ends = outside.clock.steady() + ROUND if keep_fresh else None
                    job = replace(job, fresh_until=ends)
                    await crawl_all(job, lock, report or (lambda _: None), stop, outside, apart=apart)
                    goes_on = ends is not None and outside.clock.steady() >= ends and not _is_over(plan, outside)
                    more = (self._is_more_asked(before, hears) or goes_on) and not stop.is_set()
                    if file_changes is not None and not more and not stop.is_set():
                        if outside.changed is None:
                            self._link_up()
                        outside = replace(outside, changed=await file_changes(stop))
                        more = not stop.is_set()
                        continue
                    if more and plan.build:
                        self._link_up()
                    if more and keep_fresh:
                        pruned = self._prune_daily(wanted(self.path, plan), outside.clock.wall(), pruned)
                    if more and not outside.is_handed_in:
                        await self._tell_after_crawl(news)
            self._steering.clear()
            plan = wanted(self.path, plan)
            if plan.build:
                self._link_up()
            stopped = stop.is_set()
            if not stopped and not plan.time:
                self._note_rest(plan)
        status = self.status()
        if plan.folders and not status.pages and not stopped:
            raise NothingFetched(f"{self.path}: no file that may be read in {' '.join(map(paths.shown, plan.folders))}")
        if not status.pages and not stopped:
            tried = [*islice(chain(plan.seeds, listed), 3)]
            if not (_is_over(plan, outside) and unfetched_seeds.are_untried(self, tried)):
                reasons = (f"{seed}: {unfetched_seeds.reason(self, address(seed), sending)}" for seed in tried)
                cure = "; a seed that is wrong can be taken out of plan.toml" if plan.seeds else ""
                raise NothingFetched("; ".join(reasons) + cure)
        # a watch ends only by being stopped; who brings a network of their own has no way to send anything
        if (keep_fresh or not stopped) and not outside.is_handed_in:
            await self._tell_after_crawl(news)
        return status

    async def _learn_topic(self, plan: Plan, outside: Outside, *, anew: bool) -> None:
        """Read what the crawl is about before it begins; example pages that are not here are fetched."""
        from gossamer.collection.crawl import topic_examples, topics

        if topics.is_kept(self.path) and not anew:
            return

        async def pages(urls: list[str]) -> Mapping[str, str]:
            return await topic_examples.page_texts(self, urls, plan, outside)

        await topics.learn(plan.topic, self.path, topic_examples.file_text, pages, learns=plan.topic_learn)
        self.close()

    def _prune_daily(self, plan: Plan, now: float, before: float) -> float:
        """Old versions go once a day, if any are to go; when that was."""
        if plan.as_retention().keeps_all or now - before < DAY:
            return before
        from gossamer.collection.maintain import pruning

        self.close()
        pruning.prune(self._folder, plan, plan.as_retention(), now)
        return now

    def _planned(self, asked: _Asked) -> tuple[Plan, bool]:
        """The plan with more seeds and other settings, and whether one of the seeds is new to it."""
        plan, settings = self._folder.load_plan(), asked.settings
        trust.require(self._folder, plan, settings, trusted=asked.is_trusted)
        planned = [*map(as_seed, _named((settings.get("seeds", plan.seeds),)))]  # people edit them
        plan = plan.changed(**{**settings, "seeds": tuple(dict.fromkeys((*planned, *asked.seeds)))})
        return plan, not set(asked.seeds) <= set(planned)

    def _keep(self, asked: _Asked, plan: Plan, *, begins: bool) -> None:
        """Write down what is asked for: from now on it is asked for until it is done."""
        if self._steering.clear():
            log.warning("%s: was paused, and goes on", self.path)
        listed = SeedList(self.path)
        begins = bool(asked.seed_list and listed.add(asked.seed_list)) or begins
        if not (plan.seeds or listed or plan.folders):
            raise UsageError(f"{self.path}: no seed; the list has no address")
        self._folder.save_plan(plan)
        self._folder.make_shards(plan.shards)
        begins = begins or bool(plan.folders)  # each run looks at all, and not only at what is left
        requests.ask(self.path, asked.seeds, revisit=asked.revisit, listed=bool(asked.seed_list), begins=begins)

    def _is_more_asked(self, before: tuple[requests.CrawlRequest, ...], hears: StopWatch) -> bool:
        """Whether somebody has asked for more at the last moment, beside what was asked for before."""
        with self._steering.alone():
            asked = not self._is_done() and requests.pending(self.path) != before
            return asked or hears.is_late()

    def _is_done(self) -> bool:
        """Has every shard done all that is asked for by now? Then nothing is asked for any more."""
        done = not requests.pending(self.path) or requests.are_done(self.path, self._readers().tables)
        self.close()
        if done:
            requests.settle(self.path)
        return done

    def _is_at_rest(self, plan: Plan, seeds: Sequence[str]) -> bool:
        """Is nothing asked for that is not done, and all as the last crawl left it?"""
        if not self._folder.exists() or plan != self._folder.load_plan():
            return False
        with exclusive(self.path):
            entries = (Ledger(self._readers().of(url).table).get(url) for url in map(address, seeds))
            return rest.holds(self.path) and all(entry and entry.state is State.DONE for entry in entries)

    def _say_what_is_not_sent(self, sending: Logins) -> None:
        """Of the secrets of the crawl before."""
        if not self._folder.exists() or not self._folder.is_begun(self._folder.load_plan()):
            return
        if words := sent.missing(self._readers().tables, sending):
            log.warning("%s", words)
        self.close()

    def _note_rest(self, plan: Plan) -> None:
        """If nothing is queued or unread, and no limit has kept anything from being found."""
        counts = [Ledger(table).counts for table in self._readers().tables]
        pages, octets = sum(each.kept for each in counts), sum(each.bytes for each in counts)
        ended = pages and not any(each.queued for each in counts) and not any(True for _ in self.unread())
        self.close()
        if ended and not 0 < plan.pages <= pages and not 0 < plan.bytes <= octets:
            rest.note(self.path)

    def unconfirmed(self, **settings: Any) -> Mapping[str, str]:
        """What the plan opens of the network though this user has not made it: what `trust_plan` would agree to."""
        return trust.unconfirmed(self._folder, self.plan, settings)

    # ------------------------------------------------------------- a crawl that runs

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
        from gossamer.collection.crawl.wiring import check, hints

        self._folder.require()
        with self._steering.changing() as runs:
            before = self._folder.load_plan()
            plan = before.changed(**settings)
            plan = plan.changed(seeds=tuple(map(as_seed, plan.seeds)))
            check(plan)
            if runs:
                require_soon(before, plan)
            if plan.shards != before.shards:
                raise UsageError(f"{self.path}: was made with {before.shards} shards, and that is fixed")
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
        named, listed = _named(seeds), SeedList(self.path)
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
        count = sum(1 for _ in self.addresses(state=State.FAILED.name.lower(), site=site))
        self.close()
        with self._steering.changing() as runs:
            requests.ask(self.path, (), failed=site or "")
            if runs:
                self._steering.tell()
        return count

    # -------------------------------------------------------- what somebody wants to hear of

    @property
    def alerts(self) -> dict[str, Alert]:
        """Questions that are kept, by name."""
        self._folder.require()
        return saved.load(self.path)

    def add_alert(self, name: str, query: str, *, webhook: str = "", secret: str = saved.SECRET) -> Alert:
        """Keep a question: what is new about it from now on is told after each crawl, once an hour during a watch, and
        by `tell_alerts`.

        A webhook is sent it as JSON, signed with a secret: `$NAME` is in the environment, `@/path` in a file.
        """
        from gossamer.collection.alert import telling

        self._folder.require()
        self._searcher().answering(query)  # what cannot be asked is said now
        with self._steering.alone():
            kept = saved.add(self.path, name, Alert(query, webhook, secret))
        telling.begin(self.path, name, query)
        if kept.webhook:
            trust.agree(self._folder, kept.webhook)
        return kept

    def alert_obstacles(self, name: str) -> list[str]:
        """What would keep an alert from its webhook as things stand: no secret, an address that is closed."""
        from gossamer.collection.alert.webhook import obstacles

        alert = self.alerts.get(name)
        if alert is None or not alert.webhook:
            return []
        return obstacles(self.plan, alert.webhook, alert.secret, self.path)

    async def _tell_after_crawl(self, news: Callable[[News], None] | None) -> None:
        if saved.exist(self.path):
            from gossamer.collection.alert.telling import tell_after_crawl

            await tell_after_crawl(self.path, news)

    def remove_alert(self, name: str) -> None:
        """Keep it no longer."""
        self._folder.require()
        with self._steering.alone():
            saved.remove(self.path, name)

    def tell_alerts(self, heard: Callable[[News], None] | None = None, *, trust_alerts: bool = False) -> list[News]:
        """Tell what is new for each alert since it was last told. `heard` is called with each, before that is noted.

        `trust_alerts` says that webhooks may be sent something that this user has not named here.
        """
        from gossamer.collection.alert import telling

        told: list[News] = []

        def hear(news: News) -> None:
            told.append(news)
            if heard is not None:
                heard(news)

        self._folder.require()
        run(lambda _: telling.tell(self.path, hear, agreed=trust_alerts), finish=0)
        return told

    @property
    def _steering(self) -> Steering:
        return Steering(self.path)

    def import_files(
        self, *paths: str | Path, report: Callable[[Imported], None] | None = None, **settings: Any
    ) -> Imported:
        """Take in the captures of WARC, ARC, WACZ and TREC Web files, each once. Settings are those of the plan."""
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
        from gossamer.collection.crawl.shard import Job
        from gossamer.collection.crawl.wiring import check
        from gossamer.collection.imports import importing
        from gossamer.collection.imports.import_files import sort

        found, plan = sort(paths), self._folder.load_plan().changed(**settings)
        check(plan)
        make_room(workers=1)
        plan = plan.changed(shards=self._shards(plan.shards, settings.get("shards"), REAL))
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
        return replace(done, problems=(*found.problems, *done.problems))

    def _shards(self, planned: int, asked: int | None, outside: Outside) -> int:
        """How many there are is decided by the first crawl, because a site stays where its rows are."""
        here = outside.is_handed_in or outside.on_page is not None
        made = self._made()
        if asked and made and asked != made:
            raise UsageError(f"{self.path}: was made with {made} shards, and that is fixed; leave the option out")
        if here and (made or asked or 1) != 1:
            raise UsageError(
                f"{self.path}: a fetch function or clock of your own needs a collection of one shard; a page function"
                " that stands in a module of its own does not"
            )
        return made or planned or (1 if here else len(os.sched_getaffinity(0)))

    def _made(self) -> int:
        """How many there are; 0 before the first crawl."""
        if not self._folder.exists():
            return 0
        plan = self._folder.load_plan()
        self._folder.require_all(plan)
        return plan.shards or 1

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

    def build(self, *, convert: bool = False, report: Callable[[Built], None] | None = None) -> Built:
        """Make what is derived where it is missing; with `convert`, read all pages again with the code of today."""
        from gossamer.collection.derive import build as builds

        job = builds.Job(self.path, self.plan, convert)
        return run(lambda _: self._build(job, report or (lambda _: None)), finish=0)

    async def _build(self, job: builds.Job, report: Callable[[Built], None]) -> Built:
        from gossamer.collection.crawl.network import make_room
        from gossamer.collection.derive import build as builds

        self._folder.require()
        self._made()
        make_room(workers=1)
        self.close()
        with exclusive(self.path) as lock:
            built = await builds.build(job, lock, report)
            self._link_up()
        return built

    def verify(self, *, report: Callable[[int, int], None] | None = None) -> Checked:
        """Read everything and compare. No crawl may be running. `report` hears how many bytes were read, of all."""
        self._folder.require()
        self.close()
        with undisturbed(self.path):
            return self._verified(report)

    def _verified(self, report: Callable[[int, int], None] | None = None) -> Checked:
        from gossamer.collection.maintain.verifying import verified

        return verified(self._folder, self.plan, self._readers, report)

    def repair(self) -> Repaired:
        """Save what is whole, say what is lost, make again what is derived. No crawl may be running."""
        return run(lambda _: self._repair(), finish=0)

    async def _repair(self) -> Repaired:
        from gossamer.collection.crawl.network import make_room
        from gossamer.collection.derive import graphs
        from gossamer.collection.maintain.clearing import clear, in_the_way
        from gossamer.collection.maintain.remake import remake
        from gossamer.collection.maintain.repair import Repaired, repair
        from gossamer.collection.maintain.replan import replan
        from gossamer.collection.maintain.strays import move_captures, rename_shards
        from gossamer.collection.maintain.writable_shard import opened
        from gossamer.store.repair.swaps import DAMAGED

        self._folder.require()
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

        return removal.chosen(self._readers(), pattern)

    def remove(self, pattern: str, *, archive: bool = False) -> Removal:
        """Take pages out for good: an address, or all that a pattern is in. `archive` takes out their records too."""
        return run(lambda _: self._remove(pattern, archive), finish=0)

    async def _remove(self, pattern: str, archive: bool) -> Removal:
        from gossamer.collection.maintain import removal
        from gossamer.collection.maintain.writable_shard import opened

        self._folder.require()
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

        self._made()
        plan = self.plan
        rule = pruning.rule_of(plan, keep)
        with exclusive(self.path) as lock:
            await self._take_in(lock)
            return pruning.prune(self._folder, plan, rule, time.time(), wasted=0.0)

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

        await builds.build(builds.Job(self.path, self.plan, False), lock, lambda _: None)
        self._link_up()

    def _link_up(self) -> None:
        """The graph of what is there now."""
        from gossamer.collection.derive.copy_marks import link_up

        link_up(self._folder, self.plan)


def _require_topic(plan: Plan) -> None:
    """What says nothing of a topic is refused before anything is kept."""
    from gossamer.collection.crawl import topics

    topics.read(Path(plan.topic))


def _is_over(plan: Plan, outside: Outside) -> bool:
    """Is the time over that the plan gives a crawl?"""
    return outside.began is not None and 0 < plan.time <= outside.clock.steady() - outside.began


def _named(seeds: Iterable[str | Iterable[str]]) -> list[str]:
    """Seeds, and lists of them."""
    named: list[str] = []
    for seed in seeds:
        some = texts(seed) if isinstance(seed, Iterable) and not isinstance(seed, bytes) else (seed,)
        if wrong := [each for each in some if not isinstance(each, str)]:
            raise UsageError(f"seed {wrong[0]!r}: is no text; a seed is an address, like 'https://example.org/'")
        named += some
    return named
