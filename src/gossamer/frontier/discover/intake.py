"""What was found comes into the books: to the shard it belongs to, once, and there into the queue of its origin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace as replace_visit
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gossamer.frontier.discover.discovery import Found, Recent
from gossamer.frontier.discover.left_out import LeftOut
from gossamer.frontier.discover.requisites import is_media
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.parts import Parts
from gossamer.frontier.queue.active_origins import ActiveOrigins
from gossamer.frontier.queue.rank import FIRST, TOPIC_SPARING, promised, rank, topic_rounds
from gossamer.frontier.queue.retry import PUT_OFF_MOST
from gossamer.frontier.worth.crawl_traps import Place
from gossamer.frontier.worth.opic import Flow, Importance
from gossamer.model import Kind, Link, Page, Visit
from gossamer.urls import keys

if TYPE_CHECKING:
    from gossamer.frontier.forms.forms import Forms
    from gossamer.frontier.forms.harmless import Wanted
    from gossamer.frontier.worth.focus import Focus
    from gossamer.topic.judge import Judge

BATCH = 4_096
"""Addresses that are sifted at once when there is always something to fetch."""
GUESSED_AWAY = 2
"""Rounds that a guess is farther away than a link."""
INDEX = "sitemapindex"
"""The place of a link to a further sitemap."""


class Intake:
    """From an address that something pointed to, to its place in a queue."""

    def __init__(
        self, parts: Parts, active: ActiveOrigins, learned: Callable[[Judge], None] = lambda judge: None
    ) -> None:
        """`learned` hears when what the judge of a topic knows is another."""
        rules = parts.rules
        self._parts = parts
        self._peers = parts.peers
        self._ledger = parts.ledger
        self._discovery = parts.discovery
        self._worth = parts.worth
        self._order = promised if rules.topic else rules.order
        self._active = active
        self.met: list[Found] = []
        """What is not in the books yet."""
        parts.seen.restore((url, parts.discovery.mark(entry)) for url, entry in parts.ledger.all())
        self.requisites = parts.requisites
        self.flow = (
            Flow(Importance(parts.table), parts.ledger, rules.order) if rules.weigh and not rules.topic else None
        )
        """The cash of addresses, if an order wants it."""
        self.focus = _focus(parts, rules.topic, learned) if rules.topic else None
        """What is promised of addresses, if the crawl has a topic."""
        self.forms = _forms(parts, active) if rules.forms != "off" else None
        """What is asked with forms, if the crawl fills them in."""

    @property
    def worths(self) -> Iterator[Flow | Focus]:
        """What moves addresses while they wait: at most one of them is there."""
        if self.flow is not None:
            yield self.flow
        if self.focus is not None:
            yield self.focus

    @property
    def waiting(self) -> int:
        """What was met and has no place yet, or no credit."""
        return len(self.met) + len(self._parts.credit.waiting)

    def add(self, found: Iterable[Found]) -> None:
        """What something pointed to; each address becomes an entry once, at the next `sift`, in its own shard."""
        self._gather(map(self._discovery.as_asked_for, found))

    def follow(self, visit: Visit, links: Sequence[Link], hinted: Mapping[str, int], *, nofollow: bool = False) -> None:
        """Links of a page or a sitemap, without those to addresses that were met lately."""
        depth = visit.depth + 1
        further = _further(links) if visit.kind is Kind.SITEMAP else frozenset[str]()
        if self._parts.rules.media_links:
            links = self._without_media(visit, links)
        self._gather(
            Found(
                url,
                depth,
                visit.url,
                Kind.SITEMAP if written in further else Kind.PAGE,
                followed=followed and not nofollow,
                hint=hinted.get(written, 0),
            )
            for url, written, followed in self._discovery.new_links(links, depth)
        )

    def dress(self, visit: Visit, page: Page) -> None:
        """What a page needs to look as it does."""
        if self.requisites is not None and page.requisites:
            self._gather(self.requisites.found(visit, page), self.requisites.recent)

    def _without_media(self, visit: Visit, links: Sequence[Link]) -> Sequence[Link]:
        """Pictures, sound and film that links lead to are kept like what the page itself needs, and are no pages."""
        if self.requisites is None or not (media := [link for link in links if is_media(link.url)]):
            return links
        scope, depth = self._discovery.scope, visit.depth + 1
        inside = tuple(link for link in media if scope.check(link.url, depth) is None)
        self.dress(replace_visit(visit, kind=Kind.PAGE), Page(requisites=inside))
        kept = {link.url for link in inside}
        return [link for link in links if link.url not in kept]

    def guess(self, visit: Visit, guesses: Sequence[Link]) -> None:
        """Addresses of the same host that a page may mean, as far as such guesses bring anything there."""
        told = self._parts.guessed_links
        depth = visit.depth + 1
        self.add(
            Found(link.url, depth, visit.url, guess=link.place)
            for link in guesses
            if told.are_worth_it(link.url, link.place)
        )

    def _gather(self, found: Iterable[Found], recent: Recent | None = None) -> None:
        """What belongs to this shard waits for the next `sift`; the rest is sent to its own. What is `recent` is known
        of links, unless it is said of what."""
        recent, deepest = recent or self._discovery.recent, self._discovery.scope.max_depth
        for each in self._peers.ours(found, recent) if self._peers else found:
            self.met.append(each)
            known = each.kind is not Kind.RESOURCE or recent is not self._discovery.recent
            if each.followed and each.depth <= deepest and not each.guess and known:  # or the next link could matter
                recent.add(each.url, each.depth)
        if self.waiting >= BATCH:
            self.sift()

    def sift(self) -> None:
        """All that was added is in the books after this: before a commit, a wait, and every exact answer.

        In the order of discovery, with the same result as if each had been taken in when it was met.
        """
        self._parts.credit.settle()
        met, self.met = self.met, []
        if not met:
            return
        try:
            self._take_in(met, self._parts.clock.wall())
        except BaseException:
            self.met = met + self.met  # an interrupt must not lose what it came in the middle of
            raise

    def _take_in(self, met: list[Found], now: float) -> None:
        batch = self._parts.seen.batch([(each.url, _beats(each)) for each in met])
        left_out = LeftOut(self._discovery, batch, now)
        rest, let_in = left_out.part(met), left_out.let_in
        left_out.write(self._ledger)
        entries = left_out.entries
        entries.update(zip(batch.unsure, self._ledger.get_many(batch.unsure), strict=True))
        self._active.read_ahead([url for url in batch.new if url not in entries])
        for found in rest:
            url = found.url
            if batch.knows(url, _beats(found)):
                continue
            known = entries.get(url)
            if known is None and url in let_in:
                entry = self._ledger.enter(url, self.enqueue(url, self._discovery.admit(found, None, now)))
                entries[url] = entry
                batch.note(url, self._discovery.mark(entry))
                continue
            entry = self._discovery.entry(found, known, now)
            if entry is not known:
                another = known is not None and entry.kind is not known.kind
                if another and known is not None:
                    self._leave_queue(url, known)
                if entry.state is State.QUEUED and (known is None or another or known.state is not State.QUEUED):
                    entry = self.enqueue(url, entry)
                self._ledger.put(url, entry, known)
            entries[url] = entry
            batch.note(url, self._discovery.mark(entry))

    def _leave_queue(self, url: str, known: Entry) -> None:
        """What was found as one thing waits as another from now on."""
        if known.state is State.QUEUED:
            self._parts.queues.remove(url, known.rank, known.position)
            self._worth.left(url, known)

    def enqueue(self, url: str, entry: Entry) -> Entry:
        """Into the queue of its origin; one that had a place there before has a rank already. What a page needs comes
        before all pages."""
        if entry.kind is Kind.RESOURCE:
            if self.requisites is not None:
                self.requisites.queued(url)
            return replace(entry, rank=FIRST, position=self._active.append(url, FIRST), due=0.0)
        if self.flow is not None:
            entry = self.flow.weighed(url, entry)
        if self.focus is not None:
            entry = self.focus.weighed(url, entry)
        if entry.position:
            return replace(entry, position=self._active.append(url, entry.rank), due=0.0)
        return self._placed(url, entry, self._worth.place(url, entry))

    def requeue(self, changes: Iterable[tuple[str, Entry, Entry]]) -> None:
        """Addresses that are queued once more, each as it is to be and as it was."""
        for url, queued, known in changes:
            self._ledger.put(url, self.enqueue(url, queued), known)

    def move(self, changes: Iterable[tuple[str, Entry, Entry]]) -> None:
        """Addresses that are queued and have another rank now, each as it is to be and as it was."""
        for url, moved, known in changes:
            self._parts.queues.remove(url, known.rank, known.position)
            self._ledger.put(url, self.enqueue(url, moved), known)

    def put_back(self, url: str, entry: Entry, there: Place) -> None:
        """Its kind has brought nothing new since it was queued: it goes farther away."""
        self._parts.queues.remove(url, entry.rank, entry.position)
        self._ledger.put(url, self._placed(url, entry, there), entry)

    def requeue_retries(self) -> None:
        """What failed and is due again stands in its queue once more."""
        self._try_again(self._parts.retries.due(self._parts.clock.wall()))

    def bring_back_retries(self) -> None:
        """So does what a clock that was wrong has put off for longer than anything is put off."""
        while found := self._parts.retries.beyond(self._parts.clock.wall() + PUT_OFF_MOST):
            self._try_again(found)

    def _try_again(self, due: Iterable[tuple[str, int]]) -> None:
        for url, position in due:
            entry = self._ledger.get(url)
            if entry is not None and entry.state is State.QUEUED and entry.position == position:
                self.requeue([(url, entry, entry)])

    def _placed(self, url: str, entry: Entry, place: Place) -> Entry:
        away = place.distance + (GUESSED_AWAY if entry.guess else 0)
        if self.focus is not None:
            away = away // TOPIC_SPARING + topic_rounds(entry)
        there = rank(away, self._order(url, entry))
        position = self._active.append(url, there)
        return replace(entry, rank=there, sunk=place.level, position=position, due=0.0)


def _further(links: Sequence[Link]) -> Set[str]:
    """Further sitemaps; what is listed as a page too is a page."""
    places = {link.url: link.place for link in reversed(links)}
    return {url for url, place in places.items() if place == INDEX}


def _beats(found: Found) -> int:
    """Which entries it may change: those of addresses that are deeper. What a page needs may change any."""
    return -1 if found.kind is Kind.RESOURCE else found.depth


def _focus(parts: Parts, judge: Judge, learned: Callable[[Judge], None]) -> Focus:
    """What judges pages is loaded where a crawl has a topic."""
    from gossamer.frontier.worth.focus import Focus

    return Focus(parts.table, parts.ledger, judge, learned)


def _forms(parts: Parts, active: ActiveOrigins) -> Forms:
    """What fills in forms is loaded where a crawl wants that."""
    from gossamer.frontier.forms.forms import Forms

    def allows(url: str) -> bool:
        origin = active.get(keys.origin(url))
        return not parts.access.known(origin) or parts.access.allows(origin, url)

    rules = parts.rules
    wanted: Wanted = "all" if rules.forms == "all" else "search"
    return Forms(parts.table, parts.ledger, parts.discovery, allows, wanted, rules.form_budget)
