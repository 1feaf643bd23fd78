"""The frontier: what has been found, what is due, what is done. All of it is durable, none of it is asked twice.

    add    addresses that something pointed to
    due    the next visit, to the host that is due first; ends when nothing is queued or out
    done   the answer: the next date for this address, new links in

Mercator's frontier with BUbiNG's grouping by address. The verbs are here; what they do is in `handing_out`,
`taking_back`, and the rooms:

    add    `discover/`: is it new, and may it come in? `worth/`: where does it stand? `queue/`: there it waits
    due    `queue/choice`: which visit is next? `polite/`: which host has its turn, and what does its robots.txt say?
    done   `answer/`: what does it mean for the address? `polite/blame`: for the host and the network?

What all of them share is in `parts`, how they are put together in `rooms`, which origins are in memory is known to
`queue/active_origins`, and what other shards found comes in by `shards/inbox`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.frontier.answer.imported import ASIDE
from gossamer.frontier.answer.outcome import AGAIN
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.handing_out import HandingOut
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.parts import assemble
from gossamer.frontier.polite.browser_requests import Errands
from gossamer.frontier.queue import requeue
from gossamer.frontier.queue.backlog import Longest, Stretch
from gossamer.frontier.queue.dispatcher import Dispatcher
from gossamer.frontier.revisit.watch import forget_adopted
from gossamer.frontier.rooms import furnish
from gossamer.frontier.rules import Outward, Rules
from gossamer.frontier.shards.peers import Item, Peers, Told
from gossamer.frontier.taking_back import TakingBack
from gossamer.frontier.worth.opic import Flow
from gossamer.frontier.worth.soft404 import Correction
from gossamer.frontier.worth.topic_rows import Sums
from gossamer.model import Answer, Capture, Clock, Failure, Fault, Kind, Page, Visit
from gossamer.store.table.table import Table
from gossamer.urls import keys

if TYPE_CHECKING:
    from gossamer.frontier.worth.focus import Focus

ALONE = Outward()


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
        self._parts = parts = assemble(table, rules, clock, peers, seen)
        self.ledger = parts.ledger
        self._rules = rules
        self._clock = clock
        self._committed = outward.committed
        self._resolves = outward.resolve is not None
        self._dispatcher = Dispatcher(lambda: self._handing_out.next(), lambda: self._handing_out.pause())
        self._rooms = rooms = furnish(parts, outward, self._dispatcher.dispatch)
        self._watch = rooms.watch
        self._longest = Longest(parts.ledger.backlog, rules.politeness, clock)
        self._handing_out = HandingOut(rooms)
        self._taking_back = TakingBack(rooms, self._handing_out, self._longest)
        self.errands = Errands(parts, rooms.blame)

    # ------------------------------------------------------------------ add

    def add(self, found: Iterable[Found]) -> None:
        """What something pointed to; each address becomes an entry once, at the next `sift`, in its own shard."""
        self._rooms.intake.add(found)

    def guess(self, urls: Iterable[str]) -> list[str]:
        """Those of the seeds that are new: they are https by a guess."""
        return self._rooms.guesses.note(urls)

    def sift(self) -> None:
        """All that was added is in the books after this: before a commit, a wait, and every exact answer."""
        self._rooms.intake.sift()

    def revisit(self, *, full: bool = False) -> None:
        """Ask again for every page that was asked for, and only take what has changed. Where the collection is `full`,
        only for those that are here: what all shards have is not known to one."""
        has_room = _nowhere if full else self._rooms.choice.has_room
        self.requeue(partial(requeue.asked, has_room=has_room, requisites=self._rules.requisites))

    def changed(self, known: Iterable[tuple[str, Entry]]) -> None:
        """These may say something else now: files that have changed, or are gone."""
        self._rooms.intake.requeue(requeue.again(known))

    def requeue(self, which: Callable[[Ledger], Iterable[requeue.Change]]) -> None:
        """Ask once more for some of what is known: `queue/requeue` says for which."""
        self.sift()
        self._rooms.intake.requeue(which(self.ledger))

    def pinged(self, told: Sequence[tuple[str, float]]) -> None:
        """Somebody says that these have changed by a time, or are new. What is watched is visited at once."""
        self.sift()
        self._rooms.intake.add(Found(url, 1) for url, _ in told if self.ledger.get(url) is None)
        if self._watch is not None:
            for url, when in told:
                self._watch.pinged(url, when)
        self._dispatcher.dispatch()

    def begin_reconsidering(self) -> None:
        """The scope has changed: what it kept out may come in now, and what is queued may have to go."""
        self.sift()
        self._rooms.reconsideration.begin()

    @property
    def is_reconsidering(self) -> bool:
        """Not all that is known was held against the scope yet."""
        return self._rooms.reconsideration.under_way

    def reconsider(self) -> None:
        """A slice of it. What is under way is finished."""
        self._let_go(self._rooms.reconsideration.go_on(self._rooms.in_flight.urls().__contains__))
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
        self._rooms.schedule.change(politeness)
        self._longest.politeness = politeness
        self._rooms.choice.change()
        if self._watch is not None and rules.watch is not None:
            self._watch.change(rules.watch)
        self._handing_out.change(rules)
        self._dispatcher.dispatch()

    # ------------------------------------------------------------------ due

    async def due(self) -> AsyncIterator[Visit]:
        """Visits in polite order, each handed to one worker."""
        while (visit := await self._dispatcher.next()) is not None:
            yield visit

    def open(self) -> None:
        """Bring in the origins that were being visited when the last crawl ended, and date what is to be watched."""
        self._rooms.active.open()
        self._rooms.intake.bring_back_retries()
        if self._watch is not None:
            self._watch.adopt()
        else:
            forget_adopted(self._parts.table)

    def stop(self) -> None:
        """Hand out nothing more; what is out may still be done."""
        self._handing_out.stopping = True
        self._dispatcher.dispatch()

    @property
    def is_stopping(self) -> bool:
        """Nothing more is handed out."""
        return self._handing_out.stopping

    def hold(self, held: bool, *, paused: bool = False) -> None:
        """Hand out nothing for now, or go on again; what is out may be done meanwhile.

        Who is `paused` by somebody is not over before they say so: they may have more to do.
        """
        if self._handing_out.hold(held, paused=paused):
            self._dispatcher.dispatch()

    def go_on(self) -> None:
        """Something has changed outside: see who can go."""
        self._dispatcher.dispatch()

    def address(self, visit: Visit) -> str | None:
        """The IP address that a visit which is out has its turn at; None when nobody counts by address."""
        out = self._rooms.in_flight.get(visit) if self._resolves else None
        return out.group.address if out else None

    @property
    def out(self) -> int:
        """Visits under way."""
        return len(self._rooms.in_flight)

    @property
    def network_gone(self) -> bool:
        """Nothing is handed out because nothing can be reached."""
        return self._parts.outage.confirmed

    @property
    def hosts_waiting(self) -> int:
        """Origins that wait for their time."""
        return self._rooms.schedule.waiting

    @property
    def next_revisit(self) -> float | None:
        """Seconds until a page is visited again; None where pages are not watched."""
        return None if self._watch is None else max(self._watch.next_time(), 0.0)

    @property
    def harvest(self) -> Sums | None:
        """How far the pages are on topic that have come; None where the crawl has none."""
        return self._rooms.intake.focus.sums if self._rooms.intake.focus is not None else None

    @property
    def longest(self) -> Stretch | None:
        """The host that politeness will make last longest."""
        return self._longest.first()

    @property
    def idle(self) -> bool:
        """Nothing is out, nothing waits for its turn, and nothing worth waiting for will be due soon."""
        return self._handing_out.idle

    @property
    def has_turns(self) -> bool:
        """Does anybody wait for politeness alone? Others wait for a retry or the end of a pause."""
        return self._handing_out.has_turns

    def next_waking(self) -> float:
        """Seconds until a retry or a paused host is due; infinity when there is none."""
        return self._handing_out.next_waking()

    # ----------------------------------------------------------------- done

    def done(self, *answers: Answer) -> list[Correction]:
        """Take answers in: what becomes of each address, of its host, and what it points to. What was kept may turn out
        to be something else: those pages.

        All of them before the next visit is handed out and the next commit made: they are in the archive already.
        What a browser has asked for with a page may have no entry: see `polite/browser_requests`.
        """
        answers = tuple(each for each in answers if self._taking_back.has_entry(each))
        taken = [self._taking_back.done(*each) for each in answers]
        if self._rooms.intake.focus is not None:
            self.sift()  # the best address may be among those that were found just now
        for worth in self._rooms.intake.worths:
            if worth.full:
                self._move(worth)
        self._dispatcher.dispatch()
        for (visit, _, _), (origin, _) in zip(answers, taken, strict=True):
            self._rooms.active.forget(origin)
            if visit.owner not in (None, origin.name) and self._parts.is_ours(visit.owner):  # another's robots.txt
                self._rooms.active.forget(self._rooms.active.get(visit.owner))
        self._committed()
        return [correction for _, corrections in taken for correction in corrections]

    def done_before(self, answer: Answer) -> list[Correction]:
        """The same when the rows were lost: an answer that nobody waits for any more counts too, with its date."""
        url, capture = answer.visit.url, answer.capture
        self.sift()
        if not self._taking_back.has_entry(answer):
            return []
        entry = self.ledger.get(url)
        waited_for = answer.visit.kind in ASIDE or (entry is not None and entry.state is State.QUEUED)
        if not (waited_for or capture.source):
            answer = answer._replace(capture=replace(capture, source=AGAIN))
        return self.done(answer)

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
            self._rooms.robots.done(Capture(visit, self._clock.wall(), 0.0, failure=failure))
            return
        entry = self.ledger.get(visit.url)
        if entry is not None and entry.state is State.QUEUED:
            self._rooms.settle.end(visit.url, entry, State.FAILED, reason)
            self._let_go([visit.url])

    def _let_go(self, urls: Iterable[str]) -> None:
        """These are queued no more, without a visit. Where nothing else is, an origin has no turn any more."""
        for origin in {keys.origin(url) for url in urls}:
            self._rooms.active.forget(self._rooms.active.get(origin))

    def reread(self, capture: Capture, page: Page) -> None:
        """A page that was kept and not read has been read now: what it points to comes in."""
        self._rooms.answers.reread(capture, page)

    # ---------------------------------------------------------------- peers

    def take(self, items: Iterable[Item]) -> None:
        """What other shards found for this one."""
        self._rooms.inbox.take(items)
        if self._rooms.intake.focus is not None:
            self.sift()  # what is promised counts for addresses that are in the books
        for worth in self._rooms.intake.worths:
            if worth.full:
                self._move(worth)

    def hop(self, visit: Visit) -> None:
        """A robots.txt redirects here."""
        self._rooms.robots.hop(visit)
        self._dispatcher.dispatch()

    def told(self, told: Told) -> None:
        """Another shard knows what a robots.txt of ours says."""
        if self._rooms.robots.told(told):
            self._dispatcher.dispatch()

    def ask_again(self) -> None:
        """A shard was reborn: what it was asked may be lost."""
        self._rooms.robots.ask_again()
        self._dispatcher.dispatch()

    # ------------------------------------------------------------------ end

    def prepare(self) -> None:
        """What was added, and the counters, into the next commit."""
        self.sift()
        for worth in self._rooms.intake.worths:
            self._move(worth)
            worth.save()
        if self._rooms.intake.forms is not None:
            self._rooms.intake.forms.save()
        if self._watch is not None:
            self._watch.save()
        self._parts.save()

    def _move(self, worth: Flow | Focus) -> None:
        """What has gained gets a better place, unless it is out."""
        self._rooms.intake.move(worth.gained(self._rooms.in_flight.urls()))

    def settle(self) -> None:
        """The crawl ends: with the next commit the clocks on disk are right, unless a visit was broken off."""
        if not self._rooms.in_flight:
            self._parts.settle()

    def close(self) -> None:
        """Nobody will ask again."""
        self._parts.seen.close()
        self._rooms.schedule.close()
        self._dispatcher.close()


def _nowhere(_url: str) -> bool:
    return False
