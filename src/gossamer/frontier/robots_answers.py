"""A robots.txt was answered: its origin learns the rules and shows its sitemaps, or the question goes on elsewhere.

Where it goes on may be the site of another shard. The question is passed on then, and is not durable: who asked asks
again when a shard was reborn.
"""

from __future__ import annotations

from collections.abc import Callable

from gossamer.frontier.access import understood
from gossamer.frontier.discovery import Found
from gossamer.frontier.intake import Intake
from gossamer.frontier.origins import Origin
from gossamer.frontier.parts import Parts
from gossamer.frontier.peers import Told
from gossamer.frontier.presence import Presence
from gossamer.model import Capture, Kind, Visit
from gossamer.robots import SIZE_MOST
from gossamer.urls import keys, resolve

SITEMAPS_AT_ONCE = 100
"""Of a robots.txt. The others wait in it: the next of them come in when it is read again, which is every day."""


class RobotsAnswers:
    """Carries out what the answers to robots.txt visits mean; what they say is kept in `access`."""

    def __init__(self, parts: Parts, presence: Presence, intake: Intake, wake: Callable[[], None]) -> None:
        """`wake` is called when somebody may be able to go."""
        self._parts = parts
        self._peers = parts.peers
        self._access = parts.access
        self._presence = presence
        self._intake = intake
        self._wake = wake
        self._elsewhere: set[str] = set()
        """Origins whose robots.txt another shard is asked for."""

    def done(self, capture: Capture) -> None:
        """An answer to a question of ours or of another shard."""
        capture = understood(capture)
        name = capture.visit.owner or keys.origin(capture.visit.url)
        hop = self._access.elsewhere(capture)
        if hop is not None and self._parts.is_ours(name):
            self._presence.get(name).asking = True  # also when it was asked before a kill
        if hop is not None and self._parts.is_ours(keys.origin(hop.url)):
            self.hop(hop)
        elif hop is not None and self._peers:
            self._elsewhere.add(name)
            self._peers.ask(hop)
        elif self._parts.is_ours(name):
            self._learn(self._presence.get(name), capture)
        elif self._peers:
            self._peers.answer(capture, SIZE_MOST)

    def hop(self, visit: Visit) -> None:
        """A robots.txt redirects here."""
        there = self._presence.get(keys.origin(visit.url))
        there.urgent.append(visit)
        self._presence.replace(there)
        self._wake()

    def told(self, told: Told) -> None:
        """Another shard knows what a robots.txt of ours says."""
        name = told.visit.owner or ""
        if name in self._elsewhere:
            self._elsewhere.discard(name)
            owner = self._presence.get(name)
            self._learn(owner, told.capture(self._parts.clock.wall()))
            self._presence.forget(owner)
            self._wake()

    def ask_again(self) -> None:
        """A shard was reborn: what it was asked may be lost."""
        for name in self._elsewhere:
            owner = self._presence.get(name)
            owner.asking = False
            self._presence.replace(owner)
        self._elsewhere.clear()
        self._wake()

    def _learn(self, owner: Origin, capture: Capture) -> None:
        host, gap = owner.host, self._parts.rules.politeness.gap
        before = gap(host)
        owner.gone = self._access.learn(owner, capture)
        host.next += max(gap(host) - before, 0.0)  # a longer delay holds from the last request on, whoever brought it
        self._parts.hosts.save(host)
        if owner.rules is not None and self._parts.rules.sitemaps:
            self._add_sitemaps(owner)
        self._presence.replace(owner)

    def _add_sitemaps(self, origin: Origin) -> None:
        assert origin.rules is not None
        robots = f"{origin.name}/robots.txt"
        guess = ("/sitemap.xml",) if origin.name in self._parts.seeds.origins else ()
        listed = [url for url in resolve(origin.rules.sitemaps or guess, robots) if url and self._is_near(url, origin)]
        known = self._parts.ledger.get_many(listed)
        new = [url for url, entry in zip(listed, known, strict=True) if entry is None]
        self._intake.add(Found(url, 0, robots, Kind.SITEMAP) for url in new[:SITEMAPS_AT_ONCE])

    def _is_near(self, sitemap: str, origin: Origin) -> bool:
        """A sitemap may lie on another host, but not on one that the crawl would leave alone."""
        return keys.host(sitemap) == origin.host.name or self._parts.discovery.scope.check(sitemap, 1) is None
