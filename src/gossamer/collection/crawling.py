"""How is a collection crawled? The verbs that fetch: rounds until nothing more is asked for, and the last words.
What is refused before anything is kept is in `crawl/asked`.

Each verb loads its own part (see `ask.opened`), and a crawl the largest one when it knows that there is something to
do.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from gossamer.collection import trust
from gossamer.collection.alert.alerting import Alerting
from gossamer.collection.crawl import finished, requests, sent_credentials, unfetched_seeds
from gossamer.collection.crawl.asked import Asked, checked, in_addresses, planned, require_subject, shard_count
from gossamer.collection.crawl.credentials import Credentials
from gossamer.collection.crawl.outside import REAL, Outside
from gossamer.collection.crawl.running import Listeners, run
from gossamer.collection.crawl.stop_watch import StopWatch
from gossamer.collection.lock import CRAWL, exclusive
from gossamer.collection.maintain.upkeep import Upkeep
from gossamer.collection.progress import Fetched, Progress
from gossamer.collection.seed_list import SeedList, named_seeds
from gossamer.collection.status import Status
from gossamer.collection.steered import Steered
from gossamer.collection.steering import wanted
from gossamer.errors import UsageError
from gossamer.fetch.logins import Logins
from gossamer.files import anchors
from gossamer.frontier.answer.removal import is_removed
from gossamer.frontier.entries import State
from gossamer.frontier.ledger import Ledger
from gossamer.plan import Plan
from gossamer.printable import log, timestamp
from gossamer.store.retention import DAY
from gossamer.urls import paths
from gossamer.urls.seeds import address

if TYPE_CHECKING:
    from gossamer.collection.alert.telling import News
    from gossamer.collection.crawl.shard import Job
    from gossamer.fetch.local.watching import FileChanges


NO_CREDENTIALS = Credentials()
ROUND = 3_600.0
"""Seconds between two graphs of a collection that is watched."""
AT_ONCE = 1_000
"""Pages whose graph is made also after an interrupt: it takes some tenths of a second, on a busy machine a second."""


@dataclass(frozen=True, slots=True)
class _Rounds:
    """How a crawl goes on, and who hears of it."""

    report: Callable[[Progress], None]
    stop: asyncio.Event
    apart: bool
    keep_fresh: bool
    news: Callable[[News], None] | None
    file_changes: FileChanges | None


class Crawling(Steered, Alerting, Upkeep):
    """The verbs that fetch: crawl, watch, files."""

    def crawl(
        self, *seeds: str | Iterable[str], report: Callable[[Progress], None] | None = None, **settings: Any
    ) -> Status:
        """Crawl until nothing is due. Without seeds, go on where it stopped.

        Settings are those of the plan, as `pages=1000` or `delay=2`; `gossamer help --plan` prints them all. A list of
        seeds is as good as several; so is one text for a setting that is a list.
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
        from gossamer.collection.crawl.folders import named, require_places
        from gossamer.fetch.local.watching import FileChanges

        new = [named(folder, self.path) for folder in folders]
        plan = self._folder.load_plan()
        known = (*settings.pop("folders", plan.folders), *new)
        if settings.pop("shards", 1) != 1:
            raise UsageError("shards: files of this machine are read by one")
        if plan.seeds or not known:
            cure = "holds pages of the web; name another DIR for files" if plan.seeds else "no folder; name one to read"
            raise UsageError(f"{self.path}: {cure}, as in `gossamer files my-files ~/Documents`")
        trust.require(self._folder, plan, settings, trusted=bool(settings.get("trust_plan")))
        require_places([folder for folder in known if paths.is_elsewhere(folder)], watch=watch)
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
        `told` hears of every fetch, `news` what is new for each alert at the end; without it that is logged. What
        `report` or `told` raises ends the crawl, and is raised. With `keep_fresh` it goes on for ever: see `watch`.

        `trust_plan` says that a collection may open what its plan says, though this user has not made it. `apart` gives
        also the only shard a process of its own, as several always have: a page that crashes it crashes nothing else.
        """
        asked = in_addresses(
            Asked(named_seeds(seeds), seed_list, settings, outside, revisit, trust_plan, credentials, keep_fresh)
        )
        asked = replace(asked, settings=await self._from_store(asked))
        stamp = self._folder.plan_stamp()
        plan, begins = planned(self._folder, asked)
        require_subject(self._folder, asked, plan)
        if self._is_idle(asked, plan):
            await self._tell_after_crawl(news)
            return self.status()
        sending = checked(self._folder, asked, plan)
        plan = plan.changed(shards=self._shards(plan, asked.settings.get("shards"), asked.outside))
        self._folder.create(private=bool(plan.folders))
        self.close()
        listeners = Listeners(stop := stop or asyncio.Event())
        report, told = listeners.kept(report or (lambda _: None)), told and listeners.kept(told)
        rounds = _Rounds(report, stop, apart, keep_fresh, news, file_changes)
        with exclusive(self.path, CRAWL) as lock:
            self._warn(asked.seeds, sending)
            plan, hears = self._begun(asked, plan, stamp, begins=begins)
            await self._prepare(asked, plan)
            outside = replace(asked.outside, told=told, began=asked.outside.clock.steady(), logins=sending)
            async with hears.set(rounds.stop), self._kept_in_store(plan):
                await self._go_round(self._job(plan, outside), lock, hears, outside, rounds)
            stopped = rounds.stop.is_set()
            plan = await self._ended(plan, hurried=stopped and not hears.has_stopped)
            if not stopped and not plan.time:
                self._note_rest(plan)
        listeners.require_none_failed()
        status = self.status()
        if not stopped and not (status.pages if plan.folders else self._has_any_come()):
            unfetched_seeds.require_fetched(self, plan, sending, status.pages, is_over=outside.is_over(plan.time))
        # a watch ends only by being stopped; who brings a network of their own has no way to send anything
        if (keep_fresh or not stopped) and not outside.is_handed_in:
            await self._tell_after_crawl(news)
        return status

    def _is_idle(self, asked: Asked, plan: Plan) -> bool:
        """Is there surely nothing to do, so that nothing needs to be loaded or opened for it?"""
        always = asked.revisit or asked.credentials or asked.seed_list or asked.keep_fresh or plan.folders or plan.store
        return asked.outside is REAL and not always and self._is_at_rest(plan, asked.seeds)

    def _begun(self, asked: Asked, plan: Plan, stamp: object, *, begins: bool) -> tuple[Plan, StopWatch]:
        """From here on it is asked for until it is done: the plan as it is now, and who is asked to stop."""
        finished.forget(self.path)
        trust.remember(self._folder)
        hears = StopWatch(self.path, asked.outside.clock)
        with self._steering.alone():
            if self._folder.plan_stamp() != stamp:  # somebody has changed it since it was read
                shards = plan.shards
                plan, begins = planned(self._folder, asked)
                plan = plan.changed(shards=shards)
            self._keep(asked, plan, begins=begins)
        return plan, hears

    async def _prepare(self, asked: Asked, plan: Plan) -> None:
        """What has to be there before the first fetch."""
        if plan.store:
            from gossamer.collection import stored

            await asyncio.to_thread(stored.prepare, self._folder, plan)
        if plan.topic:
            await self._learn_topic(plan, asked.outside, anew="topic" in asked.settings)

    def _job(self, plan: Plan, outside: Outside) -> Job:
        from gossamer.collection.crawl.shard import Job

        return Job(
            self.path,
            plan,
            heeds=True,
            order=outside.order,
            began=outside.began,
            tells=outside.told is not None,
            logins=outside.logins,
        )

    async def _ended(self, plan: Plan, *, hurried: bool) -> Plan:
        """The last checkpoint and the graph; the plan as it was changed meanwhile. Who has interrupted the crawl waits
        for its end, and not for the graph of many pages."""
        self._steering.clear()
        plan = wanted(self.path, plan)
        if plan.store:
            from gossamer.collection import stored

            await asyncio.to_thread(stored.keep_at_end, self._folder, plan)
        if plan.build and hurried and self._pages_kept() > AT_ONCE:
            told = "the graph of links, and the ranks that follow from it, are left to the next run"
            log.warning("%s: %s; `gossamer build %s` makes them now", self.path, told, self.path)
        elif plan.build:
            self._link_up()
        return plan

    async def _go_round(self, job: Job, lock: int, hears: StopWatch, outside: Outside, rounds: _Rounds) -> None:
        """Until nothing more is asked for. A watch makes the graph anew after each round, and tells what is new."""
        from gossamer.collection.crawl.supervisor import crawl_all

        stop, more, pruned = rounds.stop, True, 0.0
        while more:
            self.close()
            before = requests.pending(self.path)
            ends = outside.clock.steady() + ROUND if rounds.keep_fresh else None
            await crawl_all(replace(job, fresh_until=ends), lock, rounds.report, stop, outside, apart=rounds.apart)
            anchors.require_in_place(self.path)
            goes_on = ends is not None and outside.clock.steady() >= ends and not outside.is_over(job.plan.time)
            more = (self._is_more_asked(before, hears) or goes_on) and not stop.is_set()
            if rounds.file_changes is not None and not more and not stop.is_set():
                if outside.changed is None:
                    self._link_up()
                self.close()
                outside = replace(outside, changed=await rounds.file_changes(stop))
                more = not stop.is_set()
                continue
            if more and job.plan.build:
                self._link_up()
            if more and rounds.keep_fresh:
                pruned = self._prune_daily(wanted(self.path, job.plan), outside.clock.wall(), pruned)
            if more and not outside.is_handed_in:
                await self._tell_after_crawl(rounds.news)

    def _has_any_come(self) -> bool:
        """Has the last visit of any page brought it? If not, all are here as they were, or none is."""
        return any(Ledger(table).counts.pages for table in self._readers().tables)

    async def _learn_topic(self, plan: Plan, outside: Outside, *, anew: bool) -> None:
        """Read what the crawl is about before it begins; example pages that are not here are fetched."""
        from gossamer.collection.crawl import topic_examples, topics

        if topics.is_kept(self.path) and not anew:
            return

        @asynccontextmanager
        async def beside(urls: list[str], settings: dict[str, Any]) -> AsyncIterator[Crawling]:
            with TemporaryDirectory(prefix="gossamer-topic-") as folder, type(self)(Path(folder) / "web") as other:
                await other.crawl_async(*urls, outside=replace(outside, told=None), **settings)
                yield other

        async def pages(urls: list[str]) -> Mapping[str, str]:
            return await topic_examples.page_texts(self, urls, beside, plan)

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

    def _keep(self, asked: Asked, plan: Plan, *, begins: bool) -> None:
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
        again = asked.revisit
        full = again and self._is_full(plan)
        requests.ask(self.path, asked.seeds, revisit=again, listed=bool(asked.seed_list), begins=begins, full=full)

    def _is_full(self, plan: Plan) -> bool:
        """Are there as many pages as there may be, before the crawl begins?"""
        if not (plan.pages and self._folder.exists() and self._folder.is_begun(plan)):
            return False
        kept = self._pages_kept()
        self.close()
        return kept >= plan.pages

    def _pages_kept(self) -> int:
        return sum(Ledger(table).counts.kept for table in self._readers().tables)

    def _is_more_asked(self, before: tuple[requests.CrawlRequest, ...], hears: StopWatch) -> bool:
        """Whether somebody has asked for more at the last moment, beside what was asked for before."""
        with self._steering.alone():
            asked = not self._is_done() and requests.pending(self.path) != before
            return asked or hears.is_late()

    def _is_done(self) -> bool:
        """Has every shard done all that is asked for by now? Then nothing is asked for any more."""
        done = not requests.pending(self.path) or requests.are_done(self.path, self._readers().tables)
        if done:
            requests.settle(self.path)
        return done

    def _is_at_rest(self, plan: Plan, seeds: Sequence[str]) -> bool:
        """Is nothing asked for that is not done, and all as the last crawl left it?"""
        if not self._folder.exists() or plan != self._folder.load_plan():
            return False
        with exclusive(self.path):
            entries = (Ledger(self._readers().of(url).table).get(url) for url in map(address, seeds))
            return finished.holds(self.path) and all(entry and entry.state is State.DONE for entry in entries)

    def _warn(self, seeds: Sequence[str], sending: Logins) -> None:
        """Of secrets of the crawl before that are not sent, and of seeds that were removed."""
        if not self._folder.exists() or not self._folder.is_begun(self._folder.load_plan()):
            return
        readers = self._readers()
        if words := sent_credentials.missing(readers.tables, sending):
            log.warning("%s", words)
        for url in map(address, seeds):
            entry = Ledger(readers.of(url).table).get(url)
            if entry is not None and is_removed(entry):
                day = timestamp(entry.history[-1][0])
                log.warning("%s: was removed at %s, and is not fetched: what was removed stays out", url, day)
        self.close()

    def _note_rest(self, plan: Plan) -> None:
        """If nothing is queued or unread, and no limit has kept anything from being found."""
        counts = [Ledger(table).counts for table in self._readers().tables]
        pages, octets = sum(each.kept for each in counts), sum(each.bytes for each in counts)
        ended = pages and not any(each.queued for each in counts) and not any(True for _ in self.unread())
        if ended and not 0 < plan.pages <= pages and not 0 < plan.bytes <= octets:
            finished.note(self.path)

    async def _from_store(self, asked: Asked) -> dict[str, Any]:
        """The settings, with a store by its full name. A collection of which this disk has nothing comes from there,
        and so does a plan that another machine has changed since."""
        settings, plan = asked.settings, self._folder.load_plan()
        url = settings.get("store", plan.store)
        if not url:
            return settings
        if "store" not in settings:
            trust.require(self._folder, plan, settings, trusted=asked.is_trusted)
        from gossamer.collection import stored
        from gossamer.depot.objects import settled

        url = settled(os.fspath(url))
        await asyncio.to_thread(stored.bring, self._folder, url, settings, trusted=asked.is_trusted)
        return {**settings, "store": url} if "store" in settings else settings

    def _kept_in_store(self, plan: Plan) -> AbstractAsyncContextManager[None]:
        if not plan.store:
            return nullcontext()
        from gossamer.collection import stored

        return stored.mirrored(self._folder, plan)

    def _shards(self, plan: Plan, asked: int | None, outside: Outside) -> int:
        # what a store has of them need not be on this disk yet
        made = self._folder.load_plan().shards if plan.store else self._made()
        return shard_count(self.path, plan, asked, outside, made)
