"""The frontier: what has been found, what is due, what is done. All of it is durable, none of it is asked twice.

    add    addresses that something pointed to
    due    the next visit, to the host that is due first; ends when nothing is queued or out
    done   the answer: the next date for this address, new links in

Mercator's frontier with BUbiNG's grouping by address: queues in `origins`, politeness in `hosts`, turns in
`schedule` and `ready`, robots.txt in `access`, new addresses in `discovery`, retries in `retry`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from math import inf
from typing import NamedTuple, TypeAlias

import msgspec

from gossamer.frontier import again
from gossamer.frontier.access import Access
from gossamer.frontier.budget import Budgets
from gossamer.frontier.dates import Dates
from gossamer.frontier.discovery import Discovery, Found
from gossamer.frontier.entries import META, Entry, State
from gossamer.frontier.handout import Handout
from gossamer.frontier.hosts import Hosts, retry_after
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.origins import Origin, Queues
from gossamer.frontier.outage import Outage, is_silence
from gossamer.frontier.outcome import Act, Outcome, judge
from gossamer.frontier.rank import distance, rank
from gossamer.frontier.ready import Group
from gossamer.frontier.retries import Retries
from gossamer.frontier.retry import THROTTLED, rule
from gossamer.frontier.rules import Rules
from gossamer.frontier.schedule import Resolve, Schedule
from gossamer.frontier.settle import Settlement
from gossamer.frontier.turns import Turns
from gossamer.model import Capture, Clock, Kind, Link, Page, Visit
from gossamer.store.table import Table
from gossamer.urls import keys, resolve
from gossamer.urls.scope import Scope

SITEMAPS_PER_HOST = 100


Origins: TypeAlias = dict[str, Origin]
"""Those in memory, by name."""


class Out(NamedTuple):
    """A visit that has been handed out."""

    origin: Origin
    group: Group


class Frontier:
    """Three verbs over one table."""

    def __init__(
        self,
        table: Table,
        rules: Rules,
        clock: Clock,
        *,
        resolve: Resolve | None = None,
        committed: Callable[[], None] = lambda: None,
    ) -> None:
        self._table = table
        self._rules = rules
        self._clock = clock
        self._committed = committed
        careful = table.get(META, b"open") is not None
        self.ledger = Ledger(table)
        dates = Dates(clock)
        self._hosts = Hosts(table, clock, dates, rules.politeness, careful=careful)
        self._queues = Queues(table, int.from_bytes(table.get(META, b"sequence") or b"", "big"))
        self._retries = Retries(table)
        self._settle = Settlement(self.ledger, self._queues, self._retries, clock)
        self._access = Access(table, clock, rules.agent, rules.politeness.crawl_delay_most)
        self._discovery = Discovery(self.ledger, self._scope(), rewrite=rules.rewrite)
        self._handout = Handout(self._next, self._pause)
        self._turns = Turns(table, self._queues.next_position)
        self._schedule = Schedule(
            rules.politeness, clock, resolve, self._handout.dispatch, self._turns, dates, front=rules.front
        )
        self._budgets = Budgets(table)
        self._outage = Outage(clock)
        self._seed_origins = {keys.origin(url) for url in self._discovery.scope.seeds}
        """Where a sitemap is looked for that robots.txt does not name; elsewhere it would be a request too many."""
        self._origins = Origins()
        self._out: dict[Visit, Out] = {}
        self._pages_out = 0
        self._stopping = False
        table.put(META, b"open", b"1")

    # ------------------------------------------------------------------ add

    def add(self, found: Iterable[Found]) -> None:
        """What something pointed to; each address becomes an entry once."""
        self._discovery.sift(found, self._clock.wall(), self._enqueue)

    def revisit(self) -> None:
        """Ask again for every page that was fetched, and only take what has changed."""
        again.revisit(self.ledger, self._enqueue)

    def retry(self, urls: Iterable[str]) -> None:
        """What failed is asked for once more, because somebody asks for it."""
        again.retry(self.ledger, self._enqueue, urls)

    def reconsider(self) -> None:
        """The scope has changed: what it kept out may come in now, and what is queued may have to go."""
        again.reconsider(self.ledger, self._enqueue, self._discovery, self._settle)

    def _enqueue(self, url: str, entry: Entry) -> Entry:
        name = keys.origin(url)
        place = entry.rank if entry.position else self._rank(url, entry)
        position = self._queues.append(name, url, place)
        origin = self._origins.get(name)
        if origin is None:
            self._expect(name, distance(place))
        else:
            self._queues.offer(origin, place, position, url)
            self._replace(origin)
        return msgspec.structs.replace(entry, position=position, rank=place, due=0.0)

    def _expect(self, name: str, away: int) -> None:
        """Something is queued for an origin that is not in memory; it is not brought there for that."""
        if self._turns.expect(name, away):
            self.ledger.counts.hosts += self._hosts.meet(keys.host(name + "/"))

    def _rank(self, url: str, entry: Entry) -> int:
        return rank(self._budgets.distance(self._rules.site(url)), self._rules.order(url, entry))

    def _origin(self, name: str) -> Origin:
        origin = self._origins.get(name)
        if origin is None:
            self.ledger.counts.hosts += self._hosts.meet(keys.host(name + "/"))
            host = self._hosts.get(keys.host(name + "/"))
            host.origins += 1
            origin = self._origins[name] = Origin(name, host)
            self._queues.start(origin, self._turns.distance(name))
        return origin

    def _bring_in(self, name: str) -> None:
        """An origin comes from the disk, to the front or to another place on the disk."""
        origin = self._origin(name)
        self._replace(origin)
        self._forget(origin)

    def _scope(self) -> Scope:
        scope = self._rules.scope
        for url in (self._table.get(META, b"landed") or b"").decode().split():
            scope = scope.with_seed(url)
        return scope

    # ------------------------------------------------------------------ due

    async def due(self) -> AsyncIterator[Visit]:
        """Visits in polite order, each handed to one worker."""
        while (visit := await self._handout.next()) is not None:
            yield visit

    def open(self) -> None:
        """Bring in the origins that were being visited when the last crawl ended."""
        if not self._turns.known():  # a collection from before origins waited on disk
            for name in self._queues.origins():
                self._expect(name, 0)
        for name in self._turns.at_work():
            self._bring_in(name)

    def stop(self) -> None:
        """Hand out nothing more; what is out may still be done."""
        self._stopping = True
        self._handout.dispatch()

    def settle(self) -> None:
        """The crawl ends in good order: with the next commit the clocks on disk are right."""
        self._table.delete(META, b"open")

    def close(self) -> None:
        """Nobody will ask again."""
        self._schedule.close()
        self._handout.close()

    def prepare(self) -> None:
        """Counters into the next commit."""
        self._budgets.save()
        self._turns.save()
        self._table.put(META, b"sequence", self._queues.sequence.to_bytes(8, "big"))
        self.ledger.save()

    @property
    def out(self) -> int:
        """Visits under way."""
        return len(self._out)

    @property
    def network_gone(self) -> bool:
        """Nothing is handed out because nothing can be reached."""
        return self._outage.confirmed

    @property
    def hosts_waiting(self) -> int:
        """Origins that wait for their time."""
        return self._schedule.waiting

    def next_waking(self) -> float:
        """Seconds until a retry or a paused host is due; infinity when there is none."""
        now = self._clock.steady()
        return min(self._schedule.next_waking() - now, self._retries.next_time() - self._clock.wall())

    def _pause(self) -> float | None:
        """Seconds until something may be due; None when the crawl is over."""
        now, full = self._clock.steady(), self._full()
        if self._outage.suspected and not self._stopping and not full:
            return self._probe_time() - now
        turn = inf if full else self._schedule.next_turn() - now
        waking = self.next_waking()
        idle = not self._out and not self._schedule.resolving and turn == inf
        over = self._stopping or (idle and (full or waking > self._rules.patience))
        return None if over else min(turn, waking)

    def _full(self) -> bool:
        return 0 < self._rules.pages <= self.ledger.counts.pages + self._pages_out

    def _next(self) -> Visit | None:
        if self._stopping:
            return None
        if self._outage.suspected:
            return None if self._full() else self._ask_witness()
        self._requeue_retries()
        while not self._full() and (popped := self._pop()):
            origin, group = popped
            visit = self._take(origin)
            if visit is not None:
                self._go(origin, group, visit)
                return visit
            self._schedule.release(origin.host, group, visited=False)
            self._forget(origin)
        return None

    def _pop(self) -> tuple[Origin, Group] | None:
        """The origin whose turn it is; when nobody's is, more of them come in from the disk."""
        while (popped := self._schedule.pop()) is None:
            names = self._schedule.wanted()
            if not names:
                return None
            for name in names:
                self._bring_in(name)
        return popped

    def _ask_witness(self) -> Visit | None:
        if self._outage.witness is None or self._probe_time() > self._clock.steady():
            return None
        origin, visit = self._origin(self._outage.witness), self._outage.probe()
        self._go(origin, self._schedule.aside(origin.host), visit)
        return visit

    def _probe_time(self) -> float:
        """Steady time when the witness may be asked; infinity while the question, or its host, is out."""
        witness = self._outage.witness
        return max(self._outage.until, self._schedule.free_from(self._origin(witness).host)) if witness else inf

    def _go(self, origin: Origin, group: Group, visit: Visit) -> None:
        host = origin.host
        self._out[visit] = Out(origin, group)
        self._pages_out += visit.kind is Kind.PAGE
        host.out += 1
        origin.out += 1
        host.next = self._clock.steady() + self._rules.politeness.gap(host)
        if host.out < self._rules.politeness.per_host:
            self._replace(origin)

    def _replace(self, origin: Origin) -> None:
        if origin.urgent or (not origin.asking and self._queues.more(origin)):
            self._schedule.place(origin)

    def _take(self, origin: Origin) -> Visit | None:
        if origin.urgent:
            return origin.urgent.popleft()
        if origin.closed_until > self._clock.steady():
            self._schedule.place(origin)
            return None
        if origin.gone is None and not self._access.known(origin):
            if origin.closed_until > self._clock.steady():
                self._schedule.place(origin)
                return None
            return self._access.ask(origin) if self._queues.more(origin) else None
        while (taken := self._queues.take(origin)) is not None:
            visit = self._admit(origin, *taken)
            if visit is not None:
                return visit
        origin.gone = None
        return None

    def _admit(self, origin: Origin, place: int, position: int, url: str) -> Visit | None:
        entry = self.ledger.get(url)
        if entry is None or entry.state is not State.QUEUED or entry.position != position:
            self._queues.remove(url, place, position)
            return None
        if origin.gone is not None:
            self._settle.fail(url, entry, str(origin.gone), rule(origin.gone.fault, 0).waits)
            return None
        if not self._access.allows(origin, url):
            self._settle.end(url, entry, State.EXCLUDED, "robots.txt forbids it")
            return None
        head = not entry.headed and self._rules.head_first(url)
        return entry.visit(url, "HEAD" if head else "GET")

    def _requeue_retries(self) -> None:
        for url, position in self._retries.due(self._clock.wall()):
            entry = self.ledger.get(url)
            if entry is not None and entry.state is State.QUEUED and entry.position == position:
                self.ledger.put(url, self._enqueue(url, entry), entry)

    # ----------------------------------------------------------------- done

    def done(self, visit: Visit, capture: Capture, page: Page) -> None:
        """Take the answer in: what becomes of the address, of its host, and what it points to."""
        out = self._out.pop(visit, None)
        origin = out.origin if out else self._origin(keys.origin(visit.url))
        if out:
            origin.host.out -= 1
            origin.out -= 1
            self._pages_out -= visit.kind is Kind.PAGE
        self.ledger.counts.bytes += len(capture.wire)
        self._judge_host(origin, capture)
        if visit.kind is Kind.ROBOTS:
            self._robots_done(capture)
        else:
            self._visit_done(capture, page)
        origin.host.next = max(origin.host.next, self._clock.steady() + self._rules.politeness.gap(origin.host))
        self._hosts.save(origin.host)
        if out:
            self._schedule.release(origin.host, out.group, visited=True)
        self._replace(origin)
        self._watch_network(origin, capture)
        self._forget(origin)
        if visit.owner not in (None, origin.name):  # its robots.txt lies on another origin
            self._forget(self._origin(visit.owner))
        self._committed()
        self._handout.dispatch()

    def _forget(self, origin: Origin) -> None:
        """Hosts that are not being visited cost nothing but rows: what waits on disk or is idle leaves the memory."""
        if origin.placed or origin.asking or origin.out or origin.urgent:
            return
        if self._origins.pop(origin.name, None) is not None:
            if not self._queues.more(origin):
                self._turns.leave(origin.name)
            self._hosts.release(origin.host)

    def _watch_network(self, origin: Origin, capture: Capture) -> None:
        if capture.status:
            self._outage.answered(origin.name)
        elif is_silence(capture):
            for visit in self._outage.silent(origin.host.name, capture.visit):
                self._take_back(visit)

    def _take_back(self, visit: Visit) -> None:
        """The visit failed because of us: as if it had never been made."""
        origin = self._origin(visit.owner or keys.origin(visit.url))
        origin.host.forgive()
        self._hosts.save(origin.host)
        if visit.kind is Kind.ROBOTS:
            self._access.forget(origin)
        elif (entry := self.ledger.get(visit.url)) and entry.state in (State.QUEUED, State.FAILED):
            untried = msgspec.structs.replace(entry, state=State.QUEUED, attempt=visit.attempt, reason="", status=0)
            self.ledger.put(visit.url, self._enqueue(visit.url, untried), entry)
        self._bring_in(origin.name)

    def _judge_host(self, origin: Origin, capture: Capture) -> None:
        host, now = origin.host, self._clock.steady()
        host.visits += 1
        failure = capture.failure
        if capture.status in THROTTLED:
            asked = retry_after(capture.header("retry-after"), self._clock.wall())
            host.throttle(now, asked, capture.status)
        elif rule(failure.fault if failure else None, capture.status).blames_host:
            host.failed(now)
        elif capture.status:
            host.answered(capture.seconds)

    def _robots_done(self, capture: Capture) -> None:
        owner = self._origin(capture.visit.owner or keys.origin(capture.visit.url))
        hop = self._access.elsewhere(capture)
        if hop is not None:
            there = self._origin(keys.origin(hop.url))
            there.urgent.append(hop)
            self._schedule.place(there)
            return
        owner.gone = self._access.learn(owner, capture)
        self._hosts.save(owner.host)
        if owner.rules is not None and self._rules.sitemaps:
            self._add_sitemaps(owner)
        self._replace(owner)

    def _add_sitemaps(self, origin: Origin) -> None:
        assert origin.rules is not None
        robots = f"{origin.name}/robots.txt"
        guess = ("/sitemap.xml",) if origin.name in self._seed_origins else ()
        listed = resolve(origin.rules.sitemaps[:SITEMAPS_PER_HOST] or guess, robots)
        self.add(Found(url, 0, robots, Kind.SITEMAP) for url in listed if url and self._is_near(url, origin))

    def _is_near(self, sitemap: str, origin: Origin) -> bool:
        """A sitemap may lie on another host, but not on one that the crawl would leave alone."""
        return keys.host(sitemap) == origin.host.name or self._discovery.scope.check(sitemap, 1) is None

    def _visit_done(self, capture: Capture, page: Page) -> None:
        url = capture.visit.url
        entry = self.ledger.get(url)
        if entry is None or entry.state is not State.QUEUED:
            return
        outcome = judge(capture, self._rules.wanted)
        match outcome.act:
            case Act.KEEP | Act.UNCHANGED:
                self._settle.keep(capture, entry, outcome, page)
                self._follow(capture.visit, page)
            case Act.REDIRECT:
                self._redirected(capture, entry, outcome)
            case Act.FAIL if capture.visit.kind is Kind.SITEMAP and capture.status in (404, 410):
                self._settle.end(url, entry, State.DONE, "there is no sitemap", capture.status)
            case Act.FAIL:
                self._settle.fail(url, entry, outcome.reason, self._waits(outcome, capture), capture.status)
            case Act.EXCLUDE:
                self._settle.end(url, entry, State.EXCLUDED, outcome.reason, capture.status)
            case Act.GET:
                self._queues.remove(url, entry.rank, entry.position)
                self.ledger.put(url, self._enqueue(url, msgspec.structs.replace(entry, headed=True)), entry)

    def _follow(self, visit: Visit, page: Page) -> None:
        depth, followed = visit.depth + 1, not page.nofollow
        sitemap = visit.kind is Kind.SITEMAP
        links = self._discovery.new_links(page.links, depth)
        self._credit(visit.url, links)
        self.add(
            Found(
                link.url,
                depth,
                visit.url,
                Kind.SITEMAP if sitemap and link.place == "sitemapindex" else Kind.PAGE,
                followed=followed and "nofollow" not in link.rel,
            )
            for link in links
        )

    def _credit(self, url: str, links: Iterable[Link]) -> None:
        """A link from another site is what a site's budget grows by."""
        here = self._rules.site(url)
        for there in {self._rules.site(link.url) for link in links} - {here}:
            self._budgets.linked(there, here)

    def _redirected(self, capture: Capture, entry: Entry, outcome: Outcome) -> None:
        visit, target = capture.visit, outcome.target
        if self.ledger.leads_to(target, visit.url):
            self._settle.end(
                visit.url, entry, State.FAILED, f"redirects in a circle by way of {target}", capture.status
            )
            return
        self._settle.moved(visit.url, entry, outcome, capture.status)
        if visit.depth == 0 and visit.kind is Kind.PAGE:
            self._widen(target)
        self.add([Found(target, visit.depth, visit.url, visit.kind, visit.hops + 1)])

    def _widen(self, target: str) -> None:
        """Where a seed redirects to counts as a seed: http to https, a name to its www."""
        self._discovery.scope = self._discovery.scope.with_seed(target)
        self._seed_origins.add(keys.origin(target))
        landed = (self._table.get(META, b"landed") or b"").decode().split()
        if target not in landed:
            self._table.put(META, b"landed", "\n".join([*landed, target]).encode())

    def _waits(self, outcome: Outcome, capture: Capture) -> tuple[float, ...]:
        if capture.status not in THROTTLED:
            return outcome.rule.waits
        host = self._origin(keys.origin(capture.visit.url)).host
        pause = max(host.paused - self._clock.steady(), 0.0)
        return tuple(max(each, pause) for each in outcome.rule.waits)
