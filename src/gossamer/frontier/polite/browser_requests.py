"""May a page that a browser renders ask for this now? Its scripts, styles and data are requests like any other.

They are asked for while the visit of their page is out, so nobody else has a turn at its host. What is counted for a
host is counted here too: the gap since the last request, what its answers say, the Crawl-delay of its robots.txt.
Hosts that this shard does not visit itself are counted in the same way, for as long as the crawl runs.

robots.txt holds for what pages are dressed with as for pages. Rules that the frontier has are used; those of other
hosts are asked for by whoever runs the errand, and stay in memory.
"""

from __future__ import annotations

from math import inf

from gossamer.frontier.entries import ROBOTS, robots_row
from gossamer.frontier.parts import Parts
from gossamer.frontier.polite.blame import Blame
from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.polite.robots_cache import LIFETIME, understood
from gossamer.model import Capture
from gossamer.robots import ALLOW_ALL, DISALLOW_ALL, Rules, Verdict, parse, verdict
from gossamer.urls import keys

REMEMBERED = 10_000
"""Other hosts, and rules of origins, that are in memory; the oldest go."""
CLOSED = 300.0
"""Seconds after which a robots.txt that could not be read is asked for again."""


class Errands:
    """Counts what pages ask for besides themselves."""

    def __init__(self, parts: Parts, blame: Blame) -> None:
        self._parts = parts
        self._blame = blame
        self._clock = parts.clock
        self._others: dict[str, Host] = {}
        self._rules: dict[str, tuple[Rules, float]] = {}
        """By origin, and the steady time until which they hold."""

    def allows(self, url: str) -> bool | None:
        """May it be asked for? None: nobody knows before the robots.txt of its origin has come."""
        origin, now = keys.origin(url), self._clock.steady()
        rules, until = self._rules.get(origin, (None, 0.0))
        if rules is None or until <= now:
            rules = self._known(origin)
        return None if rules is None else rules.allows(self._parts.rules.agent, url)

    def learn(self, origin: str, capture: Capture) -> None:
        """The robots.txt of an origin has come, or has not."""
        answer = understood(capture)
        said = Verdict.UNREACHABLE if answer.failure else verdict(answer.status)
        rules = {Verdict.UNREACHABLE: DISALLOW_ALL, Verdict.UNAVAILABLE: ALLOW_ALL}.get(said) or parse(answer.body)
        self._remember(origin, rules, CLOSED if said is Verdict.UNREACHABLE else LIFETIME)

    def wait(self, url: str) -> float:
        """Seconds until a request for it may go out; from then on its host rests again. Infinity: it is left alone."""
        host, now = self._host(keys.host(url)), self._clock.steady()
        if host.paused > now:
            return inf
        begins = max(host.next, now)
        host.next = begins + self._parts.rules.politeness.gap(host)
        return begins - now

    def done(self, capture: Capture) -> None:
        """The host has answered, or has not."""
        host = self._host(keys.host(capture.visit.url))
        self._blame.judge_host(host, capture)
        host.next = max(host.next, self._clock.steady() + self._parts.rules.politeness.gap(host))
        self._parts.ledger.counts.came(capture)

    def _known(self, origin: str) -> Rules | None:
        """The rules that the frontier has, if they hold."""
        stored = self._parts.table.get(ROBOTS, origin.encode())
        row = robots_row(stored) if stored else None
        if row is None or row.expires <= self._clock.wall():
            return None
        closed = row.verdict == Verdict.UNREACHABLE
        rules = DISALLOW_ALL if closed else parse(row.body) if row.verdict == Verdict.RULES else ALLOW_ALL
        return self._remember(origin, rules, min(row.expires - self._clock.wall(), LIFETIME))

    def _remember(self, origin: str, rules: Rules, seconds: float) -> Rules:
        if len(self._rules) >= REMEMBERED:
            del self._rules[next(iter(self._rules))]
        self._rules[origin] = rules, self._clock.steady() + seconds
        self._host(keys.host(f"{origin}/")).asks(origin, rules.delay(self._parts.rules.agent) or 0.0)
        return rules

    def _host(self, name: str) -> Host:
        found = self._parts.hosts.visited(name) or self._others.get(name)
        if found is None:
            if len(self._others) >= REMEMBERED:
                del self._others[next(iter(self._others))]
            found = self._others[name] = Host(name)
        return found
