"""Keeps what was collected up to date: each page has a date for its next visit, and is queued again when it comes.

    visited    a document came, or is as it was: what does that say, and when do we come back?
    listed     a sitemap or feed says when pages changed: which of them are worth a visit now?
    ended      nothing is there any more, or nobody answers: we ask again, less and less often
    pinged     somebody says that a page has changed: it is queued again at once
    wake       what is due stands in its queue again, as far as the budget goes

A page that is queued again is in no agenda: if the crawl dies, it is still queued. It has its next date with the same
commit that takes in the answer. So no visit is lost, and none is made twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as visit_as
from math import inf
from zlib import crc32

from msgspec.structs import replace

from gossamer.freshness.hints import LATEST, good_for
from gossamer.freshness.signals import is_build_stamp
from gossamer.frontier.discover.intake import Intake
from gossamer.frontier.entries import FORBIDDEN, META, WATCHED, Entry, State, encode
from gossamer.frontier.holding import is_closed
from gossamer.frontier.parts import Parts
from gossamer.frontier.queue.retry import DAY
from gossamer.frontier.revisit import lastmod_trust, page_changes
from gossamer.frontier.revisit.dating import RECENT, Dating, stored
from gossamer.frontier.revisit.page_changes import Look, PageChanges
from gossamer.frontier.revisit.pings import SOONEST, Pings
from gossamer.frontier.rules import Outward, WatchRules
from gossamer.model import Capture, Kind, Link, Page, Visit
from gossamer.store.table.table import Table
from gossamer.store.versions import GONE
from gossamer.urls import keys

MISSED = (1.0, 4.0, 16.0, 64.0)
"""Days until we ask again where nothing was, each time longer. What is gone is given up after the last."""
MOVED = 30.0
"""Days until we look whether an address still redirects."""
SPARED = 1.0
"""Days until we look whether a pattern still excludes an address that was asked for before."""
LATER = 1 / 24
"""Days until we look again at an address that is queued already."""
WOKEN = 1_000
"""Pages that come back to their queues at one time."""
DISCOVERY = (0.05, 0.5)
"""The part of a budget that is for new pages while there are any, at the least and at the most."""

POLITE = 0.95
"""The part of what politeness lets that revisits are planned for: robots.txt and what is new go the same way."""
_NEWEST = 0.02
"""How much the last visit counts in how long hosts rest."""
READ_ALL_THE_SAME = 16
"""One visit of so many reads what its validators say is known."""
_FEWEST = 1.0
"""Visits a day that any number of bytes allows: documents may be larger than that."""


class Watch:
    """Dates visits, and wakes what is due."""

    def __init__(self, parts: Parts, intake: Intake, rules: WatchRules, outward: Outward) -> None:
        self._parts = parts
        self._table = parts.table
        self._ledger = parts.ledger
        self._clock = parts.clock
        self._intake = intake
        self._rules = rules
        self._earlier = outward.earlier
        self._dating = Dating(parts.table, parts.ledger, parts.queues, parts.clock, rules, outward.rank)
        self._state = self._dating.state
        self._pings = Pings(parts.clock)
        self._rest = parts.rules.politeness.delay
        """Seconds that a host rests after a visit, of late."""

    def change(self, rules: WatchRules) -> None:
        """Go by another budget from now on."""
        self._rules = rules
        self._dating.go_by(rules)
        self._dating.set_price(self._revisits_a_day(), at_once=True)

    def adopt(self) -> None:
        """Pages that a crawl has fetched before anybody watched get a date, counted from their last visit."""
        self._dating.set_price(self._revisits_a_day(), at_once=True)
        if self._state.adopted:
            return
        for count in (True, False):  # the price is that of all of them, so they are counted before they are dated
            for url, entry in self._ledger.all():
                row = page_changes.get(self._table, url)
                is_left_out = row is None or not (row.due or row.place)  # given up once, and fetched since by a crawl
                if is_left_out and count and _is_document(entry):
                    every = DAY if entry.kind is Kind.SITEMAP else 0.0
                    known = row or PageChanges(every=every)
                    self._dating.date(url, replace(known, seen=max(known.seen, entry.visited), missed=0), entry)
                elif row is not None and not count and row.place:
                    self._dating.date(url, row, entry)
                elif row is None and not count and (_is_asked_again(entry) or is_closed(entry)):
                    days = MOVED if entry.state is State.DONE else MISSED[0]
                    self._dating.enter(url, PageChanges(), entry.visited, days)
            self._dating.set_price(self._revisits_a_day(), at_once=True)
        self._state.adopted = True

    # ------------------------------------------------------------------ what is due

    @property
    def has_dates(self) -> bool:
        """There is something to come back to."""
        return self._dating.agenda.next_time != inf

    @property
    def goes_on(self) -> bool:
        """There is a page to keep up to date, also while it is queued again or nobody answers.

        Where not one could ever be fetched, nobody should wait to hear it.
        """
        return self._state.kept and (self.has_dates or bool(self._state.population.pages))

    def next_time(self) -> float:
        """Seconds until a page may be woken; infinity when none will."""
        now, pinged = self._clock.wall(), self._pings.next_time()
        if not self.has_dates:
            return pinged
        ready = self._state.revisits.ready(self._revisits_a_day(), now)
        return min(max(self._dating.agenda.next_time - now, ready), pinged)

    def catch_up(self) -> None:
        """Where nothing is to be done for a while, price and dates follow what was learned."""
        self._dating.catch_up(self._revisits_a_day())

    def wake(self) -> None:
        """What is due stands in its queue again, the longest overdue first, as far as the budget goes."""
        bucket, a_day, now = self._state.revisits, self._revisits_a_day(), self._clock.wall()
        for url, when in self._pings.take():
            self.pinged(url, when)
        most = min(int(bucket.holds(a_day, now)), WOKEN)
        for url, position in self._dating.agenda.due(now, most) if most else ():
            row, entry = page_changes.get(self._table, url), self._ledger.get(url)
            if row is None or row.position != position:
                continue
            comes_back = entry is not None and _may_come_back(entry)
            if comes_back and self._is_excluded(url):
                self._dating.put_off(url, row, SPARED)
            elif entry is not None and comes_back:
                self._queue_again(url, row, entry)
                bucket.take(a_day, now)
            elif entry is not None and entry.state is State.QUEUED:  # a long list is still being taken in
                self._dating.put_off(url, row, LATER)
            else:
                self._dating.drop(url, row)

    def _is_excluded(self, url: str) -> bool:
        """By a pattern that came since."""
        return self._parts.discovery.scope.excluded(url) is not None

    def pinged(self, url: str, when: float) -> None:
        """Somebody says that a page has changed by then: it is queued again, also where no revisit is left for now.

        One that was visited since has told it already. One that is queued may be on its way, and one that was visited
        a moment ago is left alone for a moment: they are looked at again.
        """
        row, entry = page_changes.get(self._table, url), self._ledger.get(url)
        if row is None or entry is None or (entry.state is State.QUEUED and not entry.visited):
            return
        now, last = self._clock.wall(), row.seen if _is_document(entry) else entry.visited
        if last >= when and entry.state is not State.QUEUED:
            return
        if entry.state is State.QUEUED or now - last < SOONEST:
            self._pings.keep(url, when)
        elif _may_come_back(entry) and not self._is_excluded(url):
            if row.due:
                self._dating.agenda.remove(row.due, row.position)
            self._queue_again(url, row, entry)
            if self._state.revisits.holds(a_day := self._revisits_a_day(), now) >= 1:
                self._state.revisits.take(a_day, now)

    def _queue_again(self, url: str, row: PageChanges, entry: Entry) -> None:
        early = row.sampled and row.due > self._clock.wall()  # somebody has told of a change: that is no random moment
        sampled = 0.0 if early else row.sampled
        page_changes.put(self._table, url, replace(row, due=0.0, position=0, sampled=sampled))
        self._intake.requeue([(url, _queued_again(entry), entry)])

    def asked(self, visit: Visit) -> Visit:
        """The same visit; it says whether a long answer with the same validators must be read. One of some is always,
        for a host may change its ways."""
        if not (visit.etag or visit.modified) or not lastmod_trust.are_trusted(self._table, visit.url):
            return visit
        return visit_as(visit, trusted=crc32(f"{visit.url} {self._clock.wall()}".encode()) % READ_ALL_THE_SAME > 0)

    def pause(self) -> float:
        """Seconds until the budget lets one more visit go; 0 where it does, or where there is none."""
        budgets = (self._rules.budget, self._state.visits), (self._rules.octets, self._state.octets)
        now = self._clock.wall()
        return max((bucket.ready(self._share_of(each), now) for each, bucket in budgets if each), default=0.0)

    def came(self, octets: int) -> None:
        """So many bytes have come, for whatever was asked."""
        state = self._state
        state.answers = min(state.answers + 1, RECENT)
        state.size += (octets - state.size) / state.answers
        if self._rules.octets:
            state.octets.take(self._share_of(self._rules.octets), self._clock.wall(), octets)

    def goes(self, rest: float) -> None:
        """A visit is handed out, after which its host rests for so many seconds."""
        self._rest += (rest - self._rest) * _NEWEST
        if self._rules.budget:
            self._state.visits.take(self._share_of(self._rules.budget), self._clock.wall())

    def _revisits_a_day(self) -> float:
        pages = float(max(self._ledger.counts.kept, 1))
        for_all = min(self._share_of(self._rules.budget), self._polite_a_day())
        if self._rules.octets and self._state.size:
            fits = max(self._share_of(self._rules.octets) / self._state.size, _FEWEST)
            for_all = min(for_all or fits, fits)
        return min(for_all * (1 - self._for_discovery()), inf if self._rules.budget else pages) if for_all else pages

    def _polite_a_day(self) -> float:
        """Visits a day that politeness lets, where pages are spread evenly over hosts. With a price for more of them
        those that are due would never end, and what is new comes after them."""
        hosts = max(self._ledger.counts.hosts, 1)
        return POLITE * hosts * DAY / self._rest if self._rest else inf

    def _share_of(self, budget: float) -> float:
        """What this shard may use of a budget: by the pages that it has."""
        peers = self._parts.peers
        if peers is None:
            return budget
        pages, shards = self._ledger.counts.kept, peers.count
        return budget * (pages + 1) / max(peers.leases.kept() + shards, pages + shards)

    def _for_discovery(self) -> float:
        """The part of the budget for new pages, if there are any: the more the last of them brought, the more."""
        counts = self._ledger.counts
        if counts.queued <= counts.again or self._has_all_pages():
            return 0.0
        least, most = DISCOVERY
        return max(most * self._state.brings, least)

    def _has_all_pages(self) -> bool:
        """There is a limit of pages, and no room for new ones."""
        limit, peers = self._parts.rules.pages, self._parts.peers
        return 0 < limit <= (self._ledger.counts.kept if peers is None else peers.leases.kept())

    # -------------------------------------------------------------------- answers

    def visited(self, capture: Capture, before: Entry, page: Page, *, unchanged: bool) -> None:
        """A document came, or the one that we have is still right."""
        url, when = capture.visit.url, capture.began
        row = self._answered(url, brought=page.copy_of is None)
        row = row or PageChanges(seen=before.visited if unchanged else 0.0)
        if row.seen and not row.print and not unchanged:
            row = self._remembered(url, row, before.kind)
        dated = before.kind is not Kind.SITEMAP or lastmod_trust.tells(self._table, url)
        look = Look(row, page, before.kind, unchanged=unchanged, dated=dated)
        if look.tells and when > row.seen:
            self._dating.learn(url, row, when, changed=look.changed)
            row = self._dating.adapt(row, changed=look.changed)
        if look.tells and not unchanged and _is_validator_the_same(capture):
            lastmod_trust.learn_validator(self._table, url, changed=look.differs > 0)
        self._dating.set_price(self._revisits_a_day())
        good = good_for(capture.header_values("cache-control"), capture.header("expires"), capture.header("date"))
        good = good or (row.good_for if unchanged else 0.0)
        self._dating.date(url, replace(row.after(look, when), good_for=min(good, LATEST)), before)

    def _remembered(self, url: str, row: PageChanges, kind: Kind) -> PageChanges:
        """A crawl that dates nothing has fetched it: what it said then is in the archive."""
        page = self._earlier(url, row.seen) if kind is Kind.PAGE else None
        return row if page is None else replace(row, print=page_changes.printed(page, kind))

    def listed(self, source: str, links: Sequence[Link]) -> None:
        """A sitemap or feed says when pages of its host changed: those that are worth it by that are due now."""
        now, host = self._clock.wall(), keys.host(source)
        for link in links:
            if link.every is not None and keys.host(link.url) == host:
                self._claimed(link.url, link.every)
        dated = ((link.url, link.modified) for link in links if link.modified is not None and link.modified <= now)
        dates = {url: date for url, date in dated if keys.host(url) == host}
        if is_build_stamp(dates.values()):
            return
        for url, date in dates.items():
            row = page_changes.get(self._table, url)
            if row is None or not row.seen or date <= row.said:
                continue
            row, entry = replace(row, said=date), self._ledger.get(url)
            moved = row.due > now and date > row.seen
            if moved and entry is not None and self._dating.is_due(url, row, entry, now):
                self._dating.enter(url, replace(row, sampled=0.0), now, 0.0)
            else:
                page_changes.put(self._table, url, row)

    def _claimed(self, url: str, every: float) -> None:
        """How often a sitemap says that it changes. It may not be visited yet."""
        row = page_changes.get(self._table, url) or PageChanges()
        if row.claimed != every:
            page_changes.put(self._table, url, replace(row, claimed=every))

    def ended(self, url: str, state: State, status: int, reason: str) -> None:
        """Nothing is there any more, nobody answers, or it is not asked for any more.

        A robots.txt that forbids a page which we have may allow it again, as one that was closed by mistake.
        """
        row = self._answered(url, brought=False) or PageChanges()
        is_page = reason == FORBIDDEN and 200 <= status < 300
        if state is not State.FAILED and not is_page:
            self._dating.drop(url, row)
            return
        row = replace(row, missed=row.missed + 1)
        if row.missed > len(MISSED) and status in GONE:
            self._dating.drop(url, row)
        else:
            self._dating.put_off(url, row, MISSED[min(row.missed, len(MISSED)) - 1])

    def spared(self, url: str) -> None:
        """A pattern excludes it by now: it stays as it is, and comes back when the pattern is gone."""
        row = self._answered(url, brought=False) or PageChanges()
        self._dating.put_off(url, row, SPARED)

    def moved(self, url: str) -> None:
        """It redirects to another address, which has dates of its own."""
        row = self._answered(url, brought=False) or PageChanges()
        self._dating.put_off(url, row, MOVED)

    def _answered(self, url: str, *, brought: bool) -> PageChanges | None:
        """What is known of it; None when this is its first visit. Those tell what discovery brings."""
        row = page_changes.get(self._table, url)
        if row is None or row == PageChanges(claimed=row.claimed):
            self._state.brings += (brought - self._state.brings) / RECENT
        return row

    def save(self) -> None:
        """Part of the next commit."""
        self._dating.save()


def _is_validator_the_same(capture: Capture) -> bool:
    """It came all the same, as from a server that knows no 304."""
    visit = capture.visit
    tag, date = capture.header("etag"), capture.header("last-modified")
    return visit.etag == tag if visit.etag else visit.modified is not None and visit.modified == date


def forget_adopted(table: Table) -> None:
    """A crawl that dates nothing begins: what it fetches has to be adopted by the next watch."""
    state = stored(table)
    if state is not None and state.adopted:
        state.adopted = False
        table.put(META, WATCHED, encode(state))


def _may_come_back(entry: Entry) -> bool:
    return _is_document(entry) or _is_asked_again(entry) or is_closed(entry)


def _is_document(entry: Entry) -> bool:
    """A page or a list of addresses that is there."""
    is_there = entry.state is State.DONE and 200 <= entry.status < 300
    return is_there and entry.kind in (Kind.PAGE, Kind.SITEMAP)


def _is_asked_again(entry: Entry) -> bool:
    """What failed, and what redirects."""
    redirects = entry.state is State.DONE and entry.target is not None
    return (entry.state is State.FAILED or redirects) and entry.kind in (Kind.PAGE, Kind.SITEMAP)


def _queued_again(entry: Entry) -> Entry:
    """Before all that is new, with its validators."""
    return replace(entry, state=State.QUEUED, attempt=0, headed=False, reason="", rank=0)
