"""Which visit is next? Of the origin whose turn it is: robots.txt first, then its next address that is worth it."""

from __future__ import annotations

from typing import NamedTuple

from gossamer.frontier.answer.transitions import Settlement
from gossamer.frontier.discover.intake import Intake
from gossamer.frontier.discover.listings import Listings
from gossamer.frontier.discover.reconsideration import Reconsideration
from gossamer.frontier.entries import FORBIDDEN, Entry, State
from gossamer.frontier.holding import is_queued_again, was_fetched
from gossamer.frontier.parts import Parts
from gossamer.frontier.polite.limits import SLOW, PagesPerHost
from gossamer.frontier.polite.schedule import Schedule
from gossamer.frontier.polite.workbench import Group
from gossamer.frontier.queue.active_origins import ActiveOrigins
from gossamer.frontier.queue.back_queues import Origin, is_hop
from gossamer.frontier.queue.retry import rule
from gossamer.frontier.worth.guessed_links import USELESS
from gossamer.model import Kind, Visit
from gossamer.printable import counted
from gossamer.urls import keys

SETTLED_AT_ONCE = 32
"""Addresses that may turn out not to be worth a visit before everybody else gets a turn, the event loop among them.

Whoever fills a sitemap with what its robots.txt forbids must not hold up the others."""


ASKED_KEPT = 64
"""Origins that are about to say what their rules are."""


class Due(NamedTuple):
    """A visit that may be made now. The group is held for it: give it back to the schedule."""

    visit: Visit
    origin: Origin
    group: Group


class Choice:
    """Takes the next visit from the queues."""

    def __init__(
        self,
        parts: Parts,
        schedule: Schedule,
        active: ActiveOrigins,
        intake: Intake,
        settle: Settlement,
        listings: Listings,
        reconsideration: Reconsideration,
    ) -> None:
        self._listings = listings
        self._reconsideration = reconsideration
        self._parts = parts
        self._rules = parts.rules
        self._clock = parts.clock
        self._queues = parts.queues
        self._access = parts.access
        self._worth = parts.worth
        self._schedule = schedule
        self._active = active
        self._intake = intake
        self._settle = settle
        self._left = SETTLED_AT_ONCE
        self._new = True
        self._asked: list[Origin] = []
        """Who was asked for its rules, where visits are few."""
        self.pages_per_host: PagesPerHost | None = None
        self.change()

    def change(self) -> None:
        """Go by the rules as they are now."""
        most = self._rules.pages_per_host
        if most != (self.pages_per_host.most if self.pages_per_host else 0):
            self.pages_per_host = PagesPerHost(self._parts.ledger, most) if most else None

    @property
    def broke_off(self) -> bool:
        """The last answer was None only to let others go on: ask again at once."""
        return self._left <= 0

    def next(self, *, new: bool = True) -> Due | None:
        """The visit that is due first; None when nothing is due now, or when it `broke_off`.

        Where there is no room for a page that is `new`, those that we have are asked for again, with what they need,
        and nothing else.
        """
        self._new = new
        if self._parts.retries.next_time <= self._clock.wall():
            self._intake.requeue_retries()
        self._left = SETTLED_AT_ONCE
        while self._left > 0 and (popped := self._follow() or self._pop()):
            origin, group = popped
            if not self._parts.slots.lets(origin.host):
                self._put_off(origin)
            elif (visit := self._take(origin)) is not None:
                return Due(visit, origin, group)
            self._schedule.release(origin.host, group, visited=False)
            self._active.forget(origin)
        return None

    def _follow(self) -> tuple[Origin, Group] | None:
        """Who has told its rules has its turn before others. With fewer visits a day than there are hosts, rules would
        be outdated again before anything was asked for by them."""
        self._asked = [each for each in self._asked if each.asking or each.placed]
        for place, origin in enumerate(self._asked):
            if not origin.asking and (group := self._schedule.take(origin)) is not None:
                del self._asked[place]
                return origin, group
        return None

    def _pop(self) -> tuple[Origin, Group] | None:
        """The origin whose turn it is; more come in from the disk when the front is thin, or when nobody is due."""
        if self._schedule.thin:
            self._bring_more()
        while (popped := self._schedule.pop(self._active.forget)) is None:
            if not self._bring_more():
                return None
        return popped

    def _bring_more(self) -> bool:
        """Origins from the disk. What was found is sifted before any that is farther away is let in."""
        names = self._schedule.near()
        if not names and self._intake.waiting:
            self._intake.sift()
            return True
        names = names or self._schedule.farther(new=self._new)
        if names:
            self._active.bring_in(names)
        return bool(names)

    def _put_off(self, origin: Origin) -> None:
        """Enough slow hosts are being visited; this one tries again in a while, also where there is no delay."""
        origin.host.next = self._clock.steady() + max(self._rules.politeness.gap(origin.host), SLOW)
        self._schedule.place(origin)

    def _take(self, origin: Origin) -> Visit | None:
        if origin.urgent and not self._is_page_next(origin):
            return self._urgent(origin)
        origin.hopped = False
        if not self._new and not self._has_again(origin):
            self._schedule.put_away(origin)
            return None
        if origin.closed_until > self._clock.steady():
            self._schedule.place(origin)
            return None
        if origin.gone is None and not self._access.known(origin):
            if origin.closed_until > self._clock.steady():
                self._schedule.place(origin)
                return None
            return self._ask(origin) if self._queues.more(origin) else None
        return self._next_page(origin)

    def _ask(self, origin: Origin) -> Visit:
        if self._rules.watch is not None and self._rules.watch.budget:
            self._asked = [*self._asked[1 - ASKED_KEPT :], origin]
        return self._access.ask(origin)

    def _next_page(self, origin: Origin) -> Visit | None:
        if self._may_be_full(origin):
            self._put_off(origin)
            return None
        while (taken := self._queues.take(origin)) is not None:
            visit = self._admit(origin, *taken)
            if visit is not None:
                return visit
            self._left -= 1
            if self.broke_off:
                self._go_on_later(origin)
                return None
        origin.gone = None
        return self._urgent(origin) if origin.urgent else None

    def _has_again(self, origin: Origin) -> bool:
        """Is a page that we have the next in its queue, or what one needs? Those come before all that is new."""
        entry = self._parts.ledger.get(origin.head[0][2]) if self._queues.more(origin) else None
        if entry is None or entry.state is not State.QUEUED or entry.kind is Kind.RESOURCE:
            return True
        return was_fetched(entry) if entry.kind is not Kind.PAGE else is_queued_again(entry)

    def _urgent(self, origin: Origin) -> Visit:
        visit = origin.urgent.popleft()
        origin.hopped = is_hop(origin, visit)
        return visit

    def _is_page_next(self, origin: Origin) -> bool:
        """Questions that others send here take turns with the pages of the origin."""
        if not origin.hopped or not is_hop(origin, origin.urgent[0]):
            return False
        closed = origin.asking or origin.gone or origin.closed_until > self._clock.steady()
        return not closed and self._access.known(origin) and self._queues.more(origin)

    def _go_on_later(self, origin: Origin) -> None:
        """Nothing was sent, so it need not rest: it goes on as soon as those who are due by now had their turn."""
        origin.host.next = max(origin.host.next, self._clock.steady())
        self._schedule.place(origin)

    def _admit(self, origin: Origin, place: int, position: int, url: str) -> Visit | None:
        entry = self._parts.ledger.get(url)
        if entry is None or entry.state is not State.QUEUED or entry.position != position:
            self._queues.remove(url, place, position)
            return None
        if origin.gone is not None:
            self._settle.fail(url, entry, str(origin.gone), rule(origin.gone.fault, 0).waits)
            return None
        if self._reconsideration.leaves_out(url, entry):
            return None
        if not self._access.allows(origin, url) and not self._is_own(origin, entry):
            self._settle.end(url, entry, State.EXCLUDED, FORBIDDEN)
            self._worth.left(url, entry)
            return None
        if entry.taken:
            self._listings.go_on(url, entry)
            return None
        if entry.guess and not self._parts.guessed_links.are_worth_it(url, entry.guess):
            self._settle.end(url, entry, State.EXCLUDED, f"{USELESS} ({entry.guess})")
            self._worth.left(url, entry)
            return None
        if self._is_one_too_many(origin, entry):
            self._settle.end(
                url, entry, State.EXCLUDED, f"more than {counted(self._rules.pages_per_host, 'page')} of its host"
            )
            self._worth.left(url, entry)
            return None
        if not is_queued_again(entry) and (there := self._worth.sink(url, entry)) is not None:
            self._intake.put_back(url, entry, there)
            return None
        focus = self._intake.focus
        if focus is not None and (less := focus.less(url, entry)) is not None:
            self._intake.move([(url, less, entry)])
            return None
        return entry.visit(url, "HEAD" if self._asks_first(url, entry) else "GET")

    def _asks_first(self, url: str, entry: Entry) -> bool:
        """Whether it is worth a download. What was named by somebody is, and what a page needs."""
        named = entry.depth == 0 and not self._rules.heads
        return not (entry.headed or named or entry.kind is Kind.RESOURCE) and self._rules.head_first(url)

    def _is_own(self, origin: Origin, entry: Entry) -> bool:
        """Does a page need it of a site that an archivist may keep whole, whatever robots.txt says?"""
        own = self._rules.requisites_own and entry.kind is Kind.RESOURCE
        return own and self._rules.scope.is_start(origin.name)

    def has_room(self, url: str) -> bool:
        """May its host have one more page?"""
        return self.pages_per_host is None or self.pages_per_host.room(keys.host(url)) > 0

    def _may_be_full(self, origin: Origin) -> bool:
        """What is out may be the last pages that this host may have: wait and see."""
        limit, out = self.pages_per_host, origin.host.out
        return limit is not None and out > 0 and 0 < limit.room(origin.host.name) <= out

    def _is_one_too_many(self, origin: Origin, entry: Entry) -> bool:
        """Has its host all the pages that it may have? One that was fetched before is among them."""
        limit = self.pages_per_host
        if limit is None or entry.kind is not Kind.PAGE or is_queued_again(entry):
            return False
        return limit.room(origin.host.name) <= 0
