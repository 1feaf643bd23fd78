"""What is done before the first visit? What a kill has left is taken in; seeds and requests follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from gossamer.collection.ask.addresses import under
from gossamer.collection.crawl import requests, runs, sent_credentials, shard_identity
from gossamer.collection.crawl.page_reader import PageReader
from gossamer.collection.crawl.recover import PassedOver, Recovery, is_about_it
from gossamer.collection.crawl.requests import CrawlRequest
from gossamer.collection.crawl.rereading import take_up
from gossamer.collection.crawl.seeding import both, take_in_list, take_in_seeds
from gossamer.collection.crawl.stages import Keeper
from gossamer.collection.crawl.wiring import ShardPlan
from gossamer.collection.derive.underived import Underived
from gossamer.fetch.logins import Logins
from gossamer.frontier import Frontier
from gossamer.frontier.entries import META
from gossamer.frontier.ledger import Counts
from gossamer.frontier.queue import requeue
from gossamer.model import Clock
from gossamer.printable import log
from gossamer.store.archive import Archive
from gossamer.store.commits import Commits
from gossamer.store.table.table import Table

if TYPE_CHECKING:
    from gossamer.collection.derive.derived import Derived

_SCOPE, _OPENED = b"scope", b"opened"
"""Rows of `META`: what the last crawl was about, and which private addresses were open."""


@dataclass(frozen=True, slots=True)
class Start:
    """The parts of a crawl that have something to do before it runs."""

    table: Table
    mine: ShardPlan
    archive: Archive
    frontier: Frontier
    derived: Derived | Underived
    reader: PageReader
    keeper: Keeper
    commits: Commits
    clock: Clock
    logins: Logins
    watches: bool
    """Whether pages are visited again when they are due."""

    def begin(self, asked: Sequence[CrawlRequest], *, fetches: bool) -> None:
        """All of it, in order. One that fetches nothing adds no seeds."""
        shard_identity.require_finished(self.table, self.mine.number)
        shard_identity.leave(self.table, self.mine.number, self.mine.plan)
        self.commits.now()
        self.derived.catch_up()
        with self.commits.held():
            self.frontier.ledger.count_all()
            self.mine.open_texts(self.archive, self.clock)
            self._roll_forward()
            self.mine.open_captures(self.archive, self.clock)
            if self._scope_changed():
                self.frontier.begin_reconsidering()
            while self.frontier.is_reconsidering:
                self.frontier.reconsider()
            if self._opened_changed():
                self.frontier.requeue(requeue.blocked)
            self._ask_for(asked, seeds=fetches)
            if fetches:
                self._retry_refused()
                sent_credentials.note(self.table, self.logins)
        self._read_again()
        if peers := self.mine.peers:
            peers.leases.weigh(peers.me, self.frontier.ledger.counts.bytes)
            peers.leases.begin(peers.me, self.frontier.ledger.counts.kept)
            peers.greet()
        self.frontier.open()

    def go_on_with_list(self) -> Iterator[None]:
        """Seeds of the list that are not taken in yet. Whoever breaks it off goes on with the next crawl."""
        return take_in_list(self.table, self.mine, self.frontier, self.commits)

    def _roll_forward(self) -> None:
        keeper, read = self.keeper, self.reader.now
        recovery = Recovery(self.table, self.archive, self.frontier, read, keeper.mark, keeper.kept, keeper.correct)
        recovery.roll_forward()

    def _scope_changed(self) -> bool:
        scope = self.mine.plan.as_scope()
        sets = sorted(scope.seeds), sorted(scope.suffixes)  # whose own order is another one in every process
        listed = self.mine.seed_list.mark() if self.mine.seed_list else ()
        parts = replace(scope, seeds=frozenset(), suffixes=frozenset()), *sets, self.mine.plan.pages_per_host
        # with a login, links that would log it out stay out
        sending = repr(sorted(sent_credentials.kinds(self.logins))) if self.logins else ""
        now = (repr((*parts, listed) if listed else parts) + sending).encode()
        before = self.table.get(META, _SCOPE)
        self.table.put(META, _SCOPE, now)
        return before is not None and before != now

    def _opened_changed(self) -> bool:
        now = "\n".join(self.mine.plan.allow_addresses).encode()
        before = self.table.get(META, _OPENED)
        self.table.put(META, _OPENED, now)
        return (before or b"") != now

    def _retry_refused(self) -> None:
        """What a login may open that is sent now: all of it, if the crawl before sent others. Else the seeds alone: it
        may be a better password."""
        if self.logins:
            same = set(sent_credentials.of(self.table)) == sent_credentials.kinds(self.logins)
            urls = both(self.mine.seeds()) if same else None
            self.frontier.requeue(partial(requeue.refused, is_let_in=self.logins.holds, urls=urls))

    def take_up(self, asked: Sequence[CrawlRequest]) -> None:
        """What is wanted since it began: seeds may have come, and requests; a new scope is reconsidered meanwhile."""
        shard_identity.leave(self.table, self.mine.number, self.mine.plan)
        if self._scope_changed():
            self.frontier.begin_reconsidering()
        self._ask_for(asked, seeds=True)

    def _ask_for(self, asked: Sequence[CrawlRequest], *, seeds: bool) -> None:
        """Seeds that no commit knows yet, whichever crawl was to add them; then each request, once."""
        left = requests.undone(asked, requests.last(self.table))
        is_first = (seeds and self.frontier.ledger.counts == Counts()) or (
            self.watches and not runs.is_watch(self.table)
        )
        if is_first or any(request.begins for request in left):
            runs.begin(self.table, self.clock.wall(), watch=self.watches)
        if seeds:
            take_in_seeds(self.mine, self.frontier)
        for request in left:
            self.frontier.requeue(partial(requeue.failed, urls=filter(self.mine.owns, both(request.seeds))))
            if request.listed:
                self.frontier.requeue(requeue.failed_seeds)
            if request.failed is not None:
                prefixes = under(request.failed) if request.failed else (b"",)
                self.frontier.requeue(partial(requeue.all_failed, prefixes=prefixes))
            if request.revisit:
                self.frontier.revisit(full=request.full)
            requests.note(self.table, request.mark)

    def _read_again(self) -> None:
        """Pages that were kept and not read. A mistake with one of them is made once."""
        url = ""
        try:
            for each in take_up(self.archive, self.frontier, self.reader.now, self.keeper.derive):
                url = each
                self.commits.when_due()
        except Exception as error:
            if not is_about_it(error):
                raise
            log.warning("%s: could not be taken in, which is a bug: %r", url, error)
            self.table.drop_changes()
            self.archive.unread.give_up(url, repr(error))
            self.table.commit()
            raise PassedOver(url) from error
