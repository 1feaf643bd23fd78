"""When do we come back to this page? By its rate, its importance, and the price of a visit, which is one for all.

The price follows from the budget and from how many pages of each rate there are. When it has moved, the dates of all
pages are set anew, some of them with each commit.
"""

from __future__ import annotations

from collections.abc import Callable
from math import expm1, inf, log, sqrt
from typing import NamedTuple
from zlib import crc32

import msgspec
from msgspec.structs import replace

from gossamer.freshness.hints import GOOD_MOST, after_quiet
from gossamer.freshness.price import Outlook, Population
from gossamer.freshness.rate_estimator import History
from gossamer.freshness.revisit import Goal
from gossamer.freshness.signals import is_worth_a_visit, rate_between
from gossamer.freshness.waits import adapted, policy_of, wait
from gossamer.frontier.entries import FRESHNESS, META, REVISITS, WATCHED, Entry
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.queue.agenda import Agenda
from gossamer.frontier.queue.back_queues import Queues
from gossamer.frontier.queue.retry import DAY, HOUR
from gossamer.frontier.revisit import lastmod_trust, page_changes
from gossamer.frontier.revisit.page_changes import PageChanges, Rate
from gossamer.frontier.revisit.priors import Priors
from gossamer.frontier.revisit.token_bucket import TokenBucket
from gossamer.frontier.rules import WatchRules
from gossamer.model import Clock
from gossamer.rows import Count, Seconds, decoder
from gossamer.store.table.table import Table
from gossamer.urls import keys

SHORTEST, LONGEST = 60.0 / DAY, 365.0
"""Days between two visits of a page, at the least and at the most."""
LISTS_MATTER = 4.0
"""Importance of a list of addresses: what it says spares visits of pages."""
HINTED = 1.07
"""What a step of the hint of a sitemap is worth; there are five each way, so 1.4 for the best."""
RANKED = 2.0
"""As many times as others counts a page at the most that many pages link to, and as much less one at the least."""
REPRICED = 60.0
"""Seconds between two looks at what the price should be, if enough pages were visited in between."""
MOVES = 0.02
"""The part of all pages that are enough."""
FEW = 10
SET_BACK = HOUR
"""Seconds by which a clock was set back when dates are counted anew; by less they are only that much late."""
DRIFTS = log(1.25)
"""From such a step on the price has moved, and dates are set anew."""
SLICE = 1_000
"""Pages that are dated anew with a commit."""
SAMPLED = 64
"""One visit of so many comes at a random moment before it is due. It takes less than a hundredth of the budget."""
RECENT = 1_000
"""Visits over which shares are counted."""
_LEAST = 1e-30
_UNSEEN = History()


class WatchState(msgspec.Struct, array_like=True):
    """What must survive a restart."""

    population: Population = msgspec.field(default_factory=Population)
    price: Rate = 1.0
    dated_at: Rate = 1.0
    """The price that the dates were set by."""
    swept: bytes | None = None
    """The key up to which they are set anew; None when they all are."""
    revisits: TokenBucket = msgspec.field(default_factory=TokenBucket)
    visits: TokenBucket = msgspec.field(default_factory=TokenBucket)
    brings: Rate = 1.0
    """The part of first visits that brought a new page, of late."""
    looks: Rate = 0.0
    """Visits that could be compared with the one before; those that are long ago count less, as in the next two."""
    expected: Rate = 0.0
    """Changes that they were expected to find."""
    found: Rate = 0.0
    adopted: bool = False
    """All pages of before have a date."""
    goal: str = "age"
    kept: bool = False
    """There was a page at some time: a host that is down for a day does not end the watch."""
    saved: Seconds = 0.0
    """When this was, by the wall clock."""
    octets: TokenBucket = msgspec.field(default_factory=TokenBucket)
    answers: Count = 0
    """Whose bytes were counted, up to `RECENT`."""
    size: Rate = 0.0
    """Bytes that an answer has, of late."""
    samples: Rate = 0.0
    """Visits at random moments, and for how many days they stand, and for how many in which the copy was fresh. What is
    long ago counts less."""
    sampled_days: Rate = 0.0
    fresh_days: Rate = 0.0
    policy: str = "learning"

    def outlook(self, now: float) -> Outlook:
        """How fresh the pages are at a time, as far as that can be told by how often they change."""
        goal: Goal = "freshness" if self.goal == "freshness" else "age"
        since = max(now - self.saved, 0.0) / DAY if self.saved else 0.0
        return self.population.outlook(self.price, goal, SHORTEST, LONGEST, since, policy_of(self.policy))


state_of = decoder(WatchState)


def stored(table: Table) -> WatchState | None:
    """What the watch of a shard has left; None where there was none."""
    row = table.get(META, WATCHED)
    return state_of(row) if row is not None else None


class Dating:
    """Sets the dates of visits."""

    def __init__(
        self,
        table: Table,
        ledger: Ledger,
        queues: Queues,
        clock: Clock,
        rules: WatchRules,
        rank: Callable[[str], float] = lambda url: 1.0,
    ) -> None:
        """`rank` tells how a page ranks by the links to it; 1 is the average."""
        self._table = table
        self._ledger = ledger
        self._queues = queues
        self._clock = clock
        self._rank = rank
        self._priors = Priors(table)
        self.agenda = Agenda(table, REVISITS)
        self.state = stored(table) or WatchState()
        self.go_by(rules)
        self._priced = -inf
        """When the price was looked at; steady time."""
        self._dated = 0
        """Pages that were dated since."""

    def go_by(self, rules: WatchRules) -> None:
        """From now on. Another policy sets all dates anew."""
        self.goal, self.policy = rules.goal, rules.policy
        if self.state.policy != rules.policy:
            self.state.policy, self.state.swept = rules.policy, b""

    def adapt(self, row: PageChanges, *, changed: bool) -> PageChanges:
        """A page was visited again: its next interval, if the watch goes by Nutch's rule."""
        if self.policy != "nutch":
            return row if not row.interval else replace(row, interval=0.0)
        days = adapted(row.interval or self.state.price, changed)
        return replace(row, interval=min(max(days, SHORTEST), LONGEST))

    def _wait(self, row: PageChanges, rate: float, weight: float) -> float:
        """Days from a visit to the next."""
        if self.policy == "nutch" and row.interval:
            return row.interval
        return wait(self.policy, rate, self.state.price, weight, self.goal)

    def date(self, url: str, row: PageChanges, entry: Entry) -> None:
        """After a visit, counted from then."""
        self.state.population.leave(row.place)
        ranked = min(max(sqrt(self._rank(url)), 1 / RANKED), RANKED)
        row = row if row.ranked == ranked else replace(row, ranked=ranked)
        rate, weight = self._priors.rate(url, row), importance(row, entry)
        if row.said:
            rate = rate_between(lastmod_trust.trust(self._table, url), rate)
        days = self._wait(row, rate, weight)
        place = self.state.population.enter(rate, weight)
        self.state.kept = True
        self._dated += 1
        days, sampled = _sampled(url, row, _bounded(days, row))
        self.enter(url, replace(row, place=place, sampled=sampled), row.seen, days)

    def is_due(self, url: str, row: PageChanges, entry: Entry, now: float) -> bool:
        """Its date has moved, as a list says: is it worth a visit now, by how right such dates were?"""
        rate, since = self._priors.rate(url, row), (now - row.seen) / DAY
        days = self._wait(row, rate, importance(row, entry))
        return is_worth_a_visit(lastmod_trust.trust(self._table, url), rate, since, moved=True, wait=days)

    def enter(self, url: str, row: PageChanges, since: float, days: float) -> None:
        """Into the agenda, so many days after a time; instead of the date that it has, if it has one."""
        if row.due:
            self.agenda.remove(row.due, row.position)
        since = min(since, self._clock.wall())  # by a clock that was wrong it may be years ahead
        due, position = since + days * DAY, self._queues.next_position()
        self.agenda.append(url, due, position)
        page_changes.put(self._table, url, replace(row, due=due, position=position))

    def put_off(self, url: str, row: PageChanges, days: float) -> None:
        """By so many days from now, whatever a visit costs: it is no page that we could keep up to date."""
        self.state.population.leave(row.place)
        self.enter(url, replace(row, place=0, sampled=0.0), self._clock.wall(), days)

    def drop(self, url: str, row: PageChanges) -> None:
        """We do not come back to it."""
        self.state.population.leave(row.place)
        page_changes.put(self._table, url, replace(row, due=0.0, position=0, place=0))

    def learn(self, url: str, row: PageChanges, when: float, *, changed: bool) -> None:
        """What a visit says of pages like this one, and of how right we are."""
        days = (when - row.seen) / DAY
        expected = -expm1(-self._priors.rate(url, row) * days)
        state, fades = self.state, 1 - 1 / RECENT
        state.looks, state.found = state.looks * fades + 1, state.found * fades + changed
        state.expected = state.expected * fades + max(expected, 0.0)
        if row.sampled and days <= row.sampled:  # else it came late, as after a week without power
            state.samples = state.samples * fades + 1
            state.sampled_days = state.sampled_days * fades + row.sampled
            state.fresh_days = state.fresh_days * fades + row.sampled * (not changed)
        self._priors.seen(url, days, changed)
        if row.said:
            lastmod_trust.learn(self._table, url, moved=row.said > row.seen, changed=changed)

    def set_price(self, revisits_a_day: float, *, at_once: bool = False) -> None:
        """Now and then: the price at which all pages together want so many visits."""
        now, state = self._clock.steady(), self.state
        few = self._dated < max(state.population.pages * MOVES, FEW)
        if (few or now - self._priced < REPRICED) and not at_once:
            return
        self._priced, self._dated = now, 0
        state.price = min(state.population.price_for(self.policy, revisits_a_day, self.goal, state.price), 1e9)
        if state.swept is None and abs(log(max(state.price, _LEAST) / max(state.dated_at, _LEAST))) > DRIFTS:
            state.swept, state.dated_at = b"", state.price

    def catch_up(self, revisits_a_day: float) -> None:
        """There is time: the price follows what was learned, dates follow the price, and a clock that was set back."""
        now = self._clock.wall()
        if self.state.saved - now > SET_BACK:
            self.state.swept, self.state.saved = b"", now
        if self.agenda.next_time - now <= REPRICED:
            return
        if self._dated:
            many = self._dated >= self.state.population.pages * MOVES
            self.set_price(revisits_a_day, at_once=many or self._clock.steady() - self._priced >= HOUR)
        if self.state.swept is not None:
            self._date_anew(self.state.swept)

    def save(self) -> None:
        """Part of the next commit."""
        if self.state.swept is not None:
            self._date_anew(self.state.swept)
        self._priors.save()
        self.state.goal, self.state.saved = self.goal, self._clock.wall()
        self._table.put(META, WATCHED, msgspec.msgpack.encode(self.state))

    def _date_anew(self, after: bytes) -> None:
        """Some more pages, by the price of now."""
        rows = list(self._table.scan(FRESHNESS, start=after + b"\0", limit=SLICE))
        for key, data in rows:
            row, url = page_changes.changes_of(data), keys.url_of(key)
            entry = self._ledger.get(url) if row.place and row.due else None
            if entry is not None:
                self.date(url, row, entry)
            elif row.due - self._clock.wall() > LONGEST * DAY:
                self.enter(url, row, self._clock.wall(), 0.0)
        self.state.swept = rows[-1][0] if rows else None
        self._dated = 0


class Weights(NamedTuple):
    """What a page counts for its date, by each that speaks for it; 1 each for a seed of which nothing else is known."""

    depth: float
    """What is near to the seeds matters more: it was asked for, and most is linked from there."""
    rank: float
    """So does what many pages link to, or few that many link to."""
    sitemap: float
    """And a little more does what a sitemap prefers to other pages of its site."""

    @property
    def product(self) -> float:
        """All together."""
        return self.depth * self.rank * self.sitemap


def weights(row: PageChanges, entry: Entry) -> Weights:
    """Of a page."""
    return Weights(1 / (1 + entry.depth), row.ranked, HINTED**entry.hint)


def importance(row: PageChanges, entry: Entry) -> float:
    """What a page or a list of addresses counts for its date: the product of its `weights`."""
    if row.every:
        return LISTS_MATTER
    counts = row.ranked / (1 + entry.depth)
    return counts * HINTED**entry.hint if entry.hint else counts


def _sampled(url: str, row: PageChanges, days: float) -> tuple[float, float]:
    """Days until the next visit, and for how many it stands if it is a sample: one of so many comes at a random moment
    before it is due, which tells how fresh copies are that nobody has come to look at.

    A page that is visited often has more samples, each for fewer days; by those days all pages count the same. The
    chance is drawn from the visit before, so that a date that is set anew is that of the same moment.
    """
    drawn = crc32(f"{url} {row.seen}".encode())
    if row.every or not row.seen or drawn % SAMPLED:
        return days, 0.0
    return max(days * (drawn // SAMPLED) / ((1 << 32) // SAMPLED), SHORTEST), days


def _bounded(days: float, row: PageChanges) -> float:
    """Not too often, and not too seldom. A feed says after how long it is worth another look and when it is not, and a
    page of which nothing is known for how long it is good."""
    soonest = row.soonest if row.every or row.history != _UNSEEN else min(row.good_for, GOOD_MOST)
    days = max(min(days, row.every / DAY or LONGEST), soonest / DAY, SHORTEST)
    return (after_quiet(row.seen + days * DAY, row.quiet) - row.seen) / DAY if row.quiet else days
