"""A robots.txt was answered: its origin learns the rules and shows its sitemaps, or the question goes on elsewhere.

Where it goes on may be the site of another shard. The question is passed on then, and is not durable: who asked asks
again when a shard was reborn.

A redirect gives nobody a right to what another site forbids: unless it leads to a /robots.txt, it waits until the rules
of the origin that it leads to are known, and is followed only if they allow it. All who are sent to the same address
share one request (see `robots_redirects`); its answer is handed to a few of them at a time, and then everybody else
gets a turn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.discover.guesses import Guesses
from gossamer.frontier.discover.intake import Intake
from gossamer.frontier.parts import Parts
from gossamer.frontier.polite.robots_cache import understood
from gossamer.frontier.polite.robots_redirects import Hops
from gossamer.frontier.queue.active_origins import ActiveOrigins
from gossamer.frontier.queue.back_queues import Origin, is_hop
from gossamer.frontier.shards.peers import Told
from gossamer.model import Capture, Failure, Fault, Kind, Visit
from gossamer.robots import SIZE_MOST
from gossamer.urls import keys, resolve

SITEMAPS_AT_ONCE = 100
"""Of a robots.txt. The others wait in it: the next of them come in when it is read again, which is every day."""
ANSWERED_AT_ONCE, BYTES_AT_ONCE = 8, 16 << 10
"""Origins that learn from an answer they share, and bytes they read, before everybody else gets a turn."""


class RobotsAnswers:
    """Carries out what the answers to robots.txt visits mean; what they say is kept in `access`."""

    def __init__(self, parts: Parts, active: ActiveOrigins, intake: Intake, guesses: Guesses) -> None:
        self._guesses = guesses
        self._parts = parts
        self._peers = parts.peers
        self._access = parts.access
        self._active = active
        self._intake = intake
        self._hops = Hops(parts.clock)
        self._elsewhere: set[str] = set()
        """Origins whose robots.txt another shard is asked for."""
        self._away: set[str] = set()
        """Origins whose robots.txt has led to another origin: who waits for them may wait for itself."""
        self._waiting: dict[str, list[Visit]] = {}
        """Hops that may have to be made, by the origin whose rules they wait for."""
        self.come: deque[Capture] = deque()
        """Answers without a request of their own: shared, remembered, or that a redirect is not followed. `go_on` takes
        them in, a few at a time."""

    def done(self, capture: Capture) -> None:
        """An answer to a question of ours or of another shard."""
        capture = understood(capture)
        others = self.others(capture.visit)
        there = self._active.get(keys.origin(capture.visit.url))
        if others and others[0] in there.urgent:
            there.urgent.remove(others[0])
        self._hops.leave(capture.visit.url)
        if is_hop(there, capture.visit):
            self._hops.remember(capture)
        self.come.extend(replace(capture, visit=each) for each in others)
        self._take_in(capture)

    def others(self, visit: Visit) -> list[Visit]:
        """Who waits for the same answer."""
        return [each for each in self._hops.waiting(visit.url) if each != visit]

    def go_on(self) -> None:
        """Take in some of the answers that have come."""
        left, most = ANSWERED_AT_ONCE, BYTES_AT_ONCE
        while self.come and left > 0 and most > 0:
            capture = self.come.popleft()
            left, most = left - 1, most - len(capture.body)
            name = capture.visit.owner or ""
            if not self._parts.is_ours(name) or self._active.get(name).asking:  # it has not been taken back
                self._take_in(capture)
            for idle in {name, keys.origin(capture.visit.url)}:
                if self._parts.is_ours(idle):
                    self._active.forget(self._active.get(idle))

    def ask_for_waiting(self) -> None:
        """Answers were taken back, perhaps some that hops wait for."""
        for name in self._waiting:
            self._ask(self._active.get(name))

    def _take_in(self, capture: Capture) -> None:
        name = capture.visit.owner or keys.origin(capture.visit.url)
        hop, ours = self._access.elsewhere(capture), self._parts.is_ours(name)
        if hop is not None and ours:
            self._active.get(name).asking = True  # also when it was asked before a kill
            if keys.origin(hop.url) != name:
                self._away.add(name)
        if hop is not None and self._parts.is_ours(keys.origin(hop.url)):
            self.hop(hop)
        elif hop is not None and self._peers:
            if ours:
                self._elsewhere.add(name)
            self._peers.ask(hop)
        elif ours:
            self._learn(self._active.get(name), capture)
        elif self._peers:
            self._peers.answer(capture, SIZE_MOST)

    # ------------------------------------------------------------------- hops

    def hop(self, visit: Visit) -> None:
        """A robots.txt redirects here, one of ours or of another shard."""
        there = self._active.get(keys.origin(visit.url))
        if (remembered := self._hops.recall(visit)) is not None:
            self.come.append(remembered)
        elif (problem := self._problem(there, visit)) is not None:
            self._refuse([visit], problem)
        elif not is_hop(there, visit):
            self._make(there, visit)
        elif self._hops.join(visit):
            self._begin(there, visit)

    def _begin(self, there: Origin, visit: Visit) -> None:
        """It is made at once if it may be, or when the rules are known."""
        if _is_free(there, visit) or self._access.known(there):
            self._make(there, visit)
        else:
            self._waiting.setdefault(there.name, []).append(visit)
            self._ask(there)

    def _go_on_waiting(self, there: Origin) -> None:
        """The rules are known, or cannot be: what waits for them is made, or nobody gets it."""
        for visit in self._waiting.pop(there.name, ()):
            if not self._hops.is_expected(visit.url):
                continue
            if (problem := self._problem(there, visit)) is None:
                self._begin(there, visit)
            else:
                self._refuse(self._hops.leave(visit.url), problem)

    def _ask(self, there: Origin) -> None:
        if not there.asking:
            self._make(there, self._access.ask(there))

    def _make(self, there: Origin, visit: Visit) -> None:
        there.urgent.append(visit)
        self._active.replace(there)

    def _problem(self, there: Origin, visit: Visit) -> str | None:
        """Why a redirect is not followed."""
        if len(visit.url) > self._parts.discovery.scope.max_length:
            return "redirects to an address that is too long"
        if not is_hop(there, visit):
            return None
        if not self._hops.is_expected(visit.url) and self._hops.is_crowded(there.name):
            return f"redirects to {there.name}, as too many others do at the moment"
        return None if _is_free(there, visit) else self._bar(there, visit)

    def _bar(self, there: Origin, visit: Visit) -> str | None:
        """What its rules, or the lack of them, have against it."""
        if self._access.known(there):
            return None if self._access.allows(there, visit.url) else f"redirects to what {there.name} forbids"
        if there.gone or there.closed_until > self._parts.clock.steady():
            return f"redirects to {there.name}, whose own robots.txt is unreachable"
        in_a_ring = there.asking and there.name in self._away
        return f"redirects to {there.name}, whose own redirects elsewhere" if in_a_ring else None

    def _refuse(self, visits: Sequence[Visit], problem: str) -> None:
        """Who asked is closed, as if its file could not be read."""
        failure, now = Failure(Fault.PROTOCOL, f"robots.txt: {problem}"), self._parts.clock.wall()
        self.come.extend(Capture(visit, now, 0.0, failure=failure) for visit in visits)

    # ---------------------------------------------------------------- answers

    def told(self, told: Told) -> bool:
        """Another shard knows what a robots.txt of ours says. Was it asked for?"""
        name = told.visit.owner or ""
        if name not in self._elsewhere:
            return False
        self._elsewhere.discard(name)
        owner = self._active.get(name)
        self._learn(owner, told.capture(self._parts.clock.wall()))
        self._active.forget(owner)
        return True

    def ask_again(self) -> None:
        """A shard was reborn: what it was asked may be lost."""
        for name in self._elsewhere:
            owner = self._active.get(name)
            owner.asking = False
            self._active.replace(owner)
        self._elsewhere.clear()

    def _learn(self, owner: Origin, capture: Capture) -> None:
        host, gap = owner.host, self._parts.rules.politeness.gap
        before = gap(host)
        owner.gone = self._access.learn(owner, capture)
        self._guesses.learn(owner, capture)
        host.next += max(gap(host) - before, 0.0)  # a longer delay holds from the last request on, whoever brought it
        self._parts.hosts.note(host)
        if owner.rules is not None and self._parts.rules.sitemaps:
            self._add_sitemaps(owner)
        self._active.replace(owner)
        self._away.discard(owner.name)
        self._go_on_waiting(owner)

    def _add_sitemaps(self, origin: Origin) -> None:
        assert origin.rules is not None
        robots = f"{origin.name}/robots.txt"
        guess = ("/sitemap.xml",) if self._parts.discovery.scope.is_start(origin.name) else ()
        listed = [url for url in resolve(origin.rules.sitemaps or guess, robots) if url and self._is_near(url, origin)]
        known = self._parts.ledger.get_many(listed)
        new = [url for url, entry in zip(listed, known, strict=True) if entry is None]
        self._intake.add(Found(url, 0, robots, Kind.SITEMAP) for url in new[:SITEMAPS_AT_ONCE])

    def _is_near(self, sitemap: str, origin: Origin) -> bool:
        """A sitemap may lie on another host, but not on one that the crawl would leave alone."""
        return keys.host(sitemap) == origin.host.name or self._parts.discovery.scope.check(sitemap, 1) is None


def _is_free(there: Origin, visit: Visit) -> bool:
    """It is its own file, or the one that everybody may read."""
    return not is_hop(there, visit) or visit.url == f"{there.name}/robots.txt"
