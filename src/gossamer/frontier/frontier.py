"""The frontier: what has been found, what is due, what is done. All of it is durable, none of it is asked twice.

    add    addresses that something pointed to
    due    the next visit, to the host that is due first; ends when nothing is queued or out
    done   the answer: the next date for this address, new links in

Mercator's frontier with BUbiNG's grouping by address. The verbs are here; what they do is in the rooms:

    add    `discover/`: is it new, and may it come in? `worth/`: where does it stand? `queue/`: there it waits
    due    `queue/choice`: which visit is next? `polite/`: which host has its turn, and what does its robots.txt say?
    done   `answer/`: what does it mean for the address? `polite/blame`: for the host and the network?

What all of them share is in `parts`, which origins are in memory is known to `queue/active_origins`, and what other
shards found comes in by `shards/inbox`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.frontier.answer.answers import Answers
from gossamer.frontier.answer.imported import ASIDE, Imported
from gossamer.frontier.answer.outcome import AGAIN
from gossamer.frontier.answer.transitions import Settlement
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.discover.guesses import Guesses
from gossamer.frontier.discover.intake import Intake
from gossamer.frontier.discover.listings import Listings
from gossamer.frontier.discover.reconsideration import Reconsideration
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.holding import is_queued_again
from gossamer.frontier.in_flight import InFlight, Out
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.parts import Parts, assemble
from gossamer.frontier.polite.blame import Blame
from gossamer.frontier.polite.browser_requests import Errands
from gossamer.frontier.polite.limits import Quota
from gossamer.frontier.polite.robots_answers import RobotsAnswers
from gossamer.frontier.polite.schedule import AWAY, Schedule, Waiting
from gossamer.frontier.queue import requeue
from gossamer.frontier.queue.active_origins import ActiveOrigins
from gossamer.frontier.queue.back_queues import Origin
from gossamer.frontier.queue.backlog import Longest, Stretch
from gossamer.frontier.queue.choice import Choice, Due
from gossamer.frontier.queue.dispatcher import Dispatcher
from gossamer.frontier.revisit.watch import Watch, forget_adopted
from gossamer.frontier.rules import Outward, Rules
from gossamer.frontier.shards.inbox import Inbox
from gossamer.frontier.shards.peers import Item, Peers, Told
from gossamer.frontier.worth.opic import Flow
from gossamer.frontier.worth.soft404 import Correction
from gossamer.frontier.worth.topic_rows import Sums
from gossamer.model import Answer, Capture, Clock, Failure, Fault, Kind, Page, Visit
from gossamer.store.table.table import Table
from gossamer.urls import keys

if TYPE_CHECKING:
    from gossamer.frontier.worth.focus import Focus

ALONE = Outward()
QUIET = 60.0
"""Seconds in which nothing is to be done; then a watch has time for its dates."""


class Frontier:
    """Three verbs over one table."""

    def __init__(
        self,
        table: Table,
        rules: Rules,
        clock: Clock,
        *,
        seen: Path,
        outward: Outward = ALONE,
        peers: Peers | None = None,
    ) -> None:
        """`seen` is the folder of the files that tell which addresses are known, `peers` are the other shards."""
        parts = assemble(table, rules, clock, peers, seen)
        self.ledger = parts.ledger
        self._parts = parts
        self._rules = rules
        self._clock = clock
        self._peers = peers
        self._committed = outward.committed
        self._resolves = outward.resolve is not None
        self._in_flight = InFlight(parts)
        self._stopping = False
        self._caught_up = False
        self._held = self._paused = False
        self._quota = _quota(parts, rules, clock)
        self._longest = Longest(parts.ledger.backlog, rules.politeness, clock)
        self._dispatcher = Dispatcher(self._next, self._pause)
        self._schedule = _schedule(parts, outward, self._dispatcher.dispatch)
        self._active = ActiveOrigins(parts, self._schedule)
        self._intake = Intake(parts, self._active, outward.learned)
        self._watch = Watch(parts, self._intake, rules.watch, outward) if rules.watch else None
        self._settle = Settlement(parts.ledger, parts.queues, parts.retries, clock, self._intake.flow, self._watch)
        self._listings = Listings(parts, self._active, self._intake, outward.again, self._watch)
        self._reconsideration = Reconsideration(parts, self._intake, self._settle)
        self._choice = Choice(
            parts, self._schedule, self._active, self._intake, self._settle, self._listings, self._reconsideration
        )
        self._blame = Blame(parts, self._schedule, self._active, self._intake)
        self.errands = Errands(parts, self._blame)
        self._answers = Answers(
            parts,
            self._active,
            self._intake,
            self._settle,
            self._listings,
            self._watch,
        )
        self._imported = Imported(parts, self._active, self._intake, self._answers)
        self._guesses = Guesses(parts, self._intake, self._settle)
        self._robots = RobotsAnswers(parts, self._active, self._intake, self._guesses)
        self._inbox = Inbox(parts, self._intake, outward.copied)

    # ------------------------------------------------------------------ add

    def add(self, found: Iterable[Found]) -> None:
        """What something pointed to; each address becomes an entry once, at the next `sift`, in its own shard."""
        self._intake.add(found)

    def guess(self, urls: Iterable[str]) -> list[str]:
        """Those of the seeds that are new: they are https by a guess."""
        return self._guesses.note(urls)

    def sift(self) -> None:
        """All that was added is in the books after this: before a commit, a wait, and every exact answer."""
        self._intake.sift()

    def revisit(self) -> None:
        """Ask again for every page that was fetched, and only take what has changed."""
        self.requeue(partial(requeue.fetched, requisites=self._rules.requisites))

    def changed(self, known: Iterable[tuple[str, Entry]]) -> None:
        """These may say something else now: files that have changed, or are gone."""
        self._intake.requeue(requeue.again(known))

    def requeue(self, which: Callable[[Ledger], Iterable[requeue.Change]]) -> None:
        """Ask once more for some of what is known: `queue/requeue` says for which."""
        self.sift()
        self._intake.requeue(which(self.ledger))

    def pinged(self, told: Sequence[tuple[str, float]]) -> None:
        """Somebody says that these have changed by a time, or are new. What is watched is visited at once."""
        self.sift()
        self._intake.add(Found(url, 1) for url, _ in told if self.ledger.get(url) is None)
        if self._watch is not None:
            for url, when in told:
                self._watch.pinged(url, when)
        self._dispatcher.dispatch()

    def begin_reconsidering(self) -> None:
        """The scope has changed: what it kept out may come in now, and what is queued may have to go."""
        self.sift()
        self._reconsideration.begin()

    @property
    def is_reconsidering(self) -> bool:
        """Not all that is known was held against the scope yet."""
        return self._reconsideration.under_way

    def reconsider(self) -> None:
        """A slice of it. What is under way is finished."""
        self._let_go(self._reconsideration.go_on(self._in_flight.urls().__contains__))
        self._dispatcher.dispatch()

    def change(self, rules: Rules) -> None:
        """Go by other rules from now on: scope, politeness and limits. A new scope has to be reconsidered."""
        mine, politeness = self._rules, rules.politeness
        for name in ("politeness", "pages", "allowance", "pages_per_host", "patience", "sitemaps"):
            setattr(mine, name, getattr(rules, name))
        self.sift()
        mine.scope = rules.scope
        self._parts.discovery.change(rules.scope)
        self._parts.seeds.join()
        self._parts.hosts.change(politeness)
        self._schedule.change(politeness)
        self._longest.politeness = politeness
        self._choice.change()
        if self._watch is not None and rules.watch is not None:
            self._watch.change(rules.watch)
        if self._quota is None:
            out = self._in_flight.claim(self._is_new)
            self._quota = Quota(self.ledger, 0, self._peers, clock=self._clock, out=out)
        self._quota.change(rules.pages, rules.allowance)
        self._dispatcher.dispatch()

    # ------------------------------------------------------------------ due

    async def due(self) -> AsyncIterator[Visit]:
        """Visits in polite order, each handed to one worker."""
        while (visit := await self._dispatcher.next()) is not None:
            yield visit

    def open(self) -> None:
        """Bring in the origins that were being visited when the last crawl ended, and date what is to be watched."""
        self._active.open()
        if self._watch is not None:
            self._watch.adopt()
        else:
            forget_adopted(self._parts.table)

    def stop(self) -> None:
        """Hand out nothing more; what is out may still be done."""
        self._stopping = True
        self._dispatcher.dispatch()

    @property
    def is_stopping(self) -> bool:
        """Nothing more is handed out."""
        return self._stopping

    def hold(self, held: bool, *, paused: bool = False) -> None:
        """Hand out nothing for now, or go on again; what is out may be done meanwhile.

        Who is `paused` by somebody is not over before they say so: they may have more to do.
        """
        if (held, paused) != (self._held, self._paused):
            self._held, self._paused = held, paused
            self._dispatcher.dispatch()

    def go_on(self) -> None:
        """Something has changed outside: see who can go."""
        self._dispatcher.dispatch()

    def address(self, visit: Visit) -> str | None:
        """The IP address that a visit which is out has its turn at; None when nobody counts by address."""
        out = self._in_flight.get(visit) if self._resolves else None
        return out.group.address if out else None

    @property
    def out(self) -> int:
        """Visits under way."""
        return len(self._in_flight)

    @property
    def network_gone(self) -> bool:
        """Nothing is handed out because nothing can be reached."""
        return self._parts.outage.confirmed

    @property
    def hosts_waiting(self) -> int:
        """Origins that wait for their time."""
        return self._schedule.waiting

    @property
    def next_revisit(self) -> float | None:
        """Seconds until a page is visited again; None where pages are not watched."""
        return None if self._watch is None else max(self._watch.next_time(), 0.0)

    @property
    def harvest(self) -> Sums | None:
        """How far the pages are on topic that have come; None where the crawl has none."""
        return self._intake.focus.sums if self._intake.focus is not None else None

    @property
    def longest(self) -> Stretch | None:
        """The host that politeness will make last longest."""
        return self._longest.first()

    @property
    def idle(self) -> bool:
        """Nothing is out, nothing waits for its turn, and nothing worth waiting for will be due soon."""
        parts = self._parts
        if self._in_flight or self._schedule.resolving:
            return False
        if self._is_full() and (self._watch is None or self._is_over()):
            return True
        if self._watch is not None and self._watch.goes_on:
            return False
        if parts.outage.suspected or self._intake.met or self._paused or (self._held and self.ledger.counts.queued):
            return False
        if self._robots.come or self._listings.busy or self._reconsideration.under_way:
            return False
        return not self.has_turns and self.next_waking() > self._rules.patience

    @property
    def has_turns(self) -> bool:
        """Does anybody wait for politeness alone? Others wait for a retry or the end of a pause."""
        return self._schedule.next_turn() != inf or self._someone_waits()

    def _someone_waits(self) -> bool:
        """Does an origin wait on disk for its turn? Those that have nothing but new pages have none without room."""
        nearest = self._parts.waiting_origins.nearest()
        return nearest is not None and not (nearest >= AWAY and self._quota is not None and self._quota.has_all_pages())

    def next_waking(self) -> float:
        """Seconds until a retry or a paused host is due; infinity when there is none."""
        now = self._clock.steady()
        return min(self._schedule.next_waking() - now, self._parts.retries.next_time - self._clock.wall())

    def _pause(self) -> float | None:
        """Seconds until something may be due; None when the crawl is over."""
        now, full = self._clock.steady(), self._is_full()
        if self._held and not self._stopping and not self.idle:
            return inf
        if self._parts.outage.suspected and not self._stopping and not full:
            return self._blame.probe_time() - now
        turn = inf if full else self._next_turn(now) - now
        waking = self.next_waking()
        if self._watch is not None:
            if turn > QUIET:
                self._watch.catch_up()
            turn, waking = max(turn, self._watch.pause()), min(waking, self._watch.next_time())
        over = self._stopping or self.idle
        if self._peers and not self._stopping:
            self._peers.report(idle=over)
            over = self._peers.over
        return None if over else min(turn, waking)

    def _next_turn(self, now: float) -> float:
        """Steady time when somebody may be due; who waits on disk is looked for as soon as there is a worker."""
        turn, free = self._schedule.next_turn(), self._parts.slots.free_from()
        if self._choice.broke_off or self._robots.come or self._listings.open:
            return max(free, now)
        return max(turn, free) if free <= now or not self._parts.waiting_origins.waiting else free

    def _next(self) -> Visit | None:
        if self._stopping or self._held or (self._peers and self._peers.held):
            return None
        if self._parts.slots.free_from() > self._clock.steady():
            return None
        if self._parts.outage.suspected:
            return None if self._is_full() else self._go(self._blame.ask_witness())
        if self._robots.come or self._listings.open:
            self._catch_up()
        if self._watch is not None and not self._may_go(self._watch):
            return None
        if self._quota is None:
            return self._go(self._choice.next())
        claimed = self._quota.claim()
        if not claimed and self._is_full():
            return None
        due = self._choice.next(new=claimed)
        if claimed and (due is None or not self._is_new(due.visit)):
            self._quota.settle(kept=False)
            claimed = False
        return self._go(due, claimed=claimed)

    def _is_new(self, visit: Visit) -> bool:
        """A page that we do not have yet."""
        entry = self.ledger.get(visit.url) if visit.kind is Kind.PAGE else None
        return entry is not None and not is_queued_again(entry)

    def _may_go(self, watch: Watch) -> bool:
        """What is due is woken. Does the budget let one more visit go?"""
        if watch.next_time() <= 0:
            watch.wake()
        return watch.pause() <= 0

    def _is_over(self) -> bool:
        """It may take no more time or bytes. At a limit of pages those that we have are still visited again."""
        return self._quota is not None and self._quota.is_over()

    def _is_full(self) -> bool:
        """Nothing more may be asked for. What the last page needs may not be in the books yet."""
        if self._quota is None or not self._quota.full():
            return False
        if self._rules.requisites and self._intake.met and not self._quota.is_over():
            self.sift()
        return self._quota.full()

    def _catch_up(self) -> None:
        """A part of what came in large, once in a turn of the event loop, however many workers ask."""
        if self._caught_up:
            return
        self._caught_up = True
        asyncio.get_running_loop().call_soon(self._fall_behind)
        self._robots.go_on()
        self._listings.take_some()

    def _fall_behind(self) -> None:
        self._caught_up = False

    def _go(self, due: Due | None, *, claimed: bool = False) -> Visit | None:
        """What is due is out from now on."""
        if due is None:
            return None
        if self._watch is not None:
            due = due._replace(visit=self._watch.asked(due.visit))
        visit, origin, _ = due
        host, politeness = origin.host, self._rules.politeness
        self._in_flight.take(due, claimed=claimed)
        if self._peers:
            self._peers.report(idle=False)
        if self._watch is not None:
            self._watch.goes(politeness.gap(host, visit.kind))
        if visit.kind is not Kind.ROBOTS:
            self._parts.budgets.visited(self._rules.site(visit.url))
        host.next = self._clock.steady() + politeness.gap(host, visit.kind)
        if host.out < politeness.per_host:
            self._active.replace(origin)
        return visit

    # ----------------------------------------------------------------- done

    def done(self, *answers: Answer) -> list[Correction]:
        """Take answers in: what becomes of each address, of its host, and what it points to. What was kept may turn out
        to be something else: those pages.

        All of them before the next visit is handed out and the next commit made: they are in the archive already.
        What a browser has asked for with a page may have no entry: see `polite/browser_requests`.
        """
        answers = tuple(each for each in answers if self._has_entry(each))
        taken = [self._done(*each) for each in answers]
        if self._intake.focus is not None:
            self.sift()  # the best address may be among those that were found just now
        for worth in self._intake.worths:
            if worth.full:
                self._move(worth)
        self._dispatcher.dispatch()
        for (visit, _, _), (origin, _) in zip(answers, taken, strict=True):
            self._active.forget(origin)
            if visit.owner not in (None, origin.name) and self._parts.is_ours(visit.owner):  # another's robots.txt
                self._active.forget(self._active.get(visit.owner))
        self._committed()
        return [correction for _, corrections in taken for correction in corrections]

    def done_before(self, answer: Answer) -> list[Correction]:
        """The same when the rows were lost: an answer that nobody waits for any more counts too, with its date."""
        url, capture = answer.visit.url, answer.capture
        self.sift()
        if not self._has_entry(answer):
            return []
        entry = self.ledger.get(url)
        waited_for = answer.visit.kind in ASIDE or (entry is not None and entry.state is State.QUEUED)
        if not (waited_for or capture.source):
            answer = answer._replace(capture=replace(capture, source=AGAIN))
        return self.done(answer)

    def _has_entry(self, answer: Answer) -> bool:
        """Is it in the books? Of what pages are dressed with only that which was found in them, or imported."""
        visit, capture, _ = answer
        if visit.kind is not Kind.RESOURCE or capture.source is not None or visit in self._in_flight:
            return True
        self.sift()  # after a kill: what led to it may have been added a moment ago
        entry = self.ledger.get(visit.url)
        return entry is not None and entry.kind is Kind.RESOURCE

    def restore(self, entries: Mapping[str, Entry]) -> None:
        """What is still known of addresses when all other rows were lost."""
        for url, entry in entries.items():
            if self.ledger.get(url) is None:
                self._parts.seen.note(url, entry.depth)
                self.ledger.put(url, entry, None)

    def pass_over(self, visit: Visit | None, reason: str) -> None:
        """An answer is in the archive that cannot be taken in: nothing more is asked of its address."""
        self.sift()
        if visit is None:
            return
        if visit.kind is Kind.ROBOTS:
            failure = Failure(Fault.PROTOCOL, reason)
            self._robots.done(Capture(visit, self._clock.wall(), 0.0, failure=failure))
            return
        entry = self.ledger.get(visit.url)
        if entry is not None and entry.state is State.QUEUED:
            self._settle.end(visit.url, entry, State.FAILED, reason)
            self._let_go([visit.url])

    def _let_go(self, urls: Iterable[str]) -> None:
        """These are queued no more, without a visit. Where nothing else is, an origin has no turn any more."""
        for origin in {keys.origin(url) for url in urls}:
            self._active.forget(self._active.get(origin))

    def _done(self, visit: Visit, capture: Capture, page: Page) -> tuple[Origin, Sequence[Correction]]:
        if capture.source is not None:
            return self._imported.done(capture, page), ()
        out, pages = self._in_flight.give_back(visit), self.ledger.counts.kept
        origin = out.origin if out else self._before_a_kill(visit)
        host = origin.host
        self.ledger.counts.came(capture)
        if self._watch is not None:
            self._watch.came(len(capture.wire))
        if self._quota is not None:
            self._quota.weigh()
        if out and capture.failure and self._blame.goes_elsewhere(origin, visit, capture, out.group.address):
            self._leave(out, visit)
            return origin, ()
        self._blame.judge_host(host, capture)
        others = self._robots.others(visit) if capture.failure and visit.kind is Kind.ROBOTS else ()
        corrections = self._take_in(capture, page)
        if out and out.claimed and self._quota is not None:
            self._quota.settle(kept=self.ledger.counts.kept > pages)
        if self.ledger.counts.kept > pages and self._choice.pages_per_host is not None:
            self._choice.pages_per_host.kept(host.name)
        host.next = max(host.next, self._clock.steady() + self._rules.politeness.gap(host, visit.kind))
        self._parts.hosts.note(host)
        self._longest.offer(host)
        if out:
            self._schedule.release(host, out.group, visited=True)
        self._active.replace(origin)
        if self._blame.watch_network(origin, capture, others):
            self._robots.ask_for_waiting()
        return origin, corrections

    def _take_in(self, capture: Capture, page: Page) -> Sequence[Correction]:
        """What the answer says, by what was asked for."""
        match capture.visit.kind:
            case Kind.ROBOTS:
                self._robots.done(capture)
                return ()
            case Kind.PROBE:
                return self._answers.probe_done(capture, page)
        correction = self._answers.done(capture, page)
        return () if correction is None else (correction,)

    def _before_a_kill(self, visit: Visit) -> Origin:
        """The origin of a visit that was handed out before: what led to it may have been added a moment ago."""
        self.sift()
        origin = self._active.get(keys.origin(visit.url))
        if visit in origin.urgent:  # a hop that the capture before it has led to
            origin.urgent.remove(visit)
        return origin

    def _leave(self, out: Out, visit: Visit) -> None:
        """The visit waits for another address of its host; this one is free again."""
        self._in_flight.moving.add(visit.url)
        if self._quota is not None and visit.kind is Kind.PAGE:
            self._quota.settle(kept=False)
        self._schedule.release(out.origin.host, out.group, visited=True)
        self._active.replace(out.origin)

    def reread(self, capture: Capture, page: Page) -> None:
        """A page that was kept and not read has been read now: what it points to comes in."""
        self._answers.reread(capture, page)

    # ---------------------------------------------------------------- peers

    def take(self, items: Iterable[Item]) -> None:
        """What other shards found for this one."""
        self._inbox.take(items)
        if self._intake.focus is not None:
            self.sift()  # what is promised counts for addresses that are in the books
        for worth in self._intake.worths:
            if worth.full:
                self._move(worth)

    def hop(self, visit: Visit) -> None:
        """A robots.txt redirects here."""
        self._robots.hop(visit)
        self._dispatcher.dispatch()

    def told(self, told: Told) -> None:
        """Another shard knows what a robots.txt of ours says."""
        if self._robots.told(told):
            self._dispatcher.dispatch()

    def ask_again(self) -> None:
        """A shard was reborn: what it was asked may be lost."""
        self._robots.ask_again()
        self._dispatcher.dispatch()

    # ------------------------------------------------------------------ end

    def prepare(self) -> None:
        """What was added, and the counters, into the next commit."""
        self.sift()
        for worth in self._intake.worths:
            self._move(worth)
            worth.save()
        if self._intake.forms is not None:
            self._intake.forms.save()
        if self._watch is not None:
            self._watch.save()
        self._parts.save()

    def _move(self, worth: Flow | Focus) -> None:
        """What has gained gets a better place, unless it is out."""
        self._intake.move(worth.gained(self._in_flight.urls()))

    def settle(self) -> None:
        """The crawl ends: with the next commit the clocks on disk are right, unless a visit was broken off."""
        if not self._in_flight:
            self._parts.settle()

    def close(self) -> None:
        """Nobody will ask again."""
        self._parts.seen.close()
        self._schedule.close()
        self._dispatcher.close()


def _schedule(parts: Parts, outward: Outward, wake: Callable[[], None]) -> Schedule:
    peers, waiting = parts.peers, Waiting(parts.waiting_origins, parts.dates)
    if peers is None:
        return Schedule(parts.rules, parts.clock, waiting, wake, outward.resolve)
    leased_until = partial(getattr, peers, "leased_until")
    return Schedule(parts.rules, parts.clock, waiting, wake, outward.resolve, peers.leases, leased_until)


def _quota(parts: Parts, rules: Rules, clock: Clock) -> Quota | None:
    """None when nothing is limited, which is asked for each visit."""
    if not (rules.pages or rules.closed or rules.allowance):
        return None
    allowance = rules.allowance
    return Quota(parts.ledger, rules.pages, parts.peers, closed=rules.closed, allowance=allowance, clock=clock)
