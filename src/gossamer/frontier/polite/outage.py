"""Is it them or is it us? When nobody answers any more, a host that did answer is asked.

If it answers, the others are at fault. If it is silent too, the network is gone, not the sites: then no site is blamed
and no address loses a try. What failed since the last answer is taken back, and nothing is handed out but the same
question, after growing pauses, until it is answered.

Where only a few hosts are visited, perhaps one, nobody can tell whether it is them. They get the benefit of the doubt
for as long as a crawl waits for anything; after that they are treated like any host that does not answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gossamer.model import Capture, Clock, Fault, Kind, Visit

VISITS = 3
"""Visits without an answer, and with no answer to any other in between, that make us ask."""
QUIET = 10.0
"""Seconds without an answer from anybody after which one of them does."""
HOSTS = 4
"""Silent hosts that cannot all be gone at once."""
CALM = 60.0
"""Seconds for which an answer settles the question."""
FIRST_WAIT, LONGEST_WAIT = 5.0, 60.0
SILENCE = frozenset({Fault.DNS, Fault.CONNECT, Fault.TIMEOUT, Fault.RESET})
UNCONNECTED = frozenset({Fault.CONNECT, Fault.TIMEOUT})


def is_silence(capture: Capture) -> bool:
    """No word came back, or no more, for a reason that could be ours."""
    return capture.failure is not None and capture.failure.fault in SILENCE


def is_unconnected(capture: Capture) -> bool:
    """No request went out, because nobody took the connection."""
    return capture.failure is not None and capture.failure.fault in UNCONNECTED and not capture.request


class Witness(NamedTuple):
    """One who could tell whether the network is there."""

    host: str
    origin: str


class Outage:
    """Watches how visits end."""

    def __init__(self, clock: Clock, patience: float) -> None:
        """`patience`: seconds for which a few hosts are believed not to be gone themselves."""
        self._clock = clock
        self._patience = patience
        self._last: Witness | None = None
        self._other: Witness | None = None
        """The last of another host than that."""
        self._heard = clock.steady()
        """When the last answer came."""
        self._silent: list[Visit] = []
        self._sharing: list[Visit] = []
        """Others for which these were made as well."""
        self._hosts: set[str] = set()
        self._since = 0.0
        """Steady time of the first visit without an answer."""
        self._probe: Visit | None = None
        self._wait = FIRST_WAIT
        self._until = 0.0
        self._given_up = False
        self.suspected = False
        """Nothing may be handed out but the probe."""
        self.confirmed = False

    def answered(self, by: Witness | None) -> None:
        """The network is there. None: by somebody who wants to be left alone, and is not asked again."""
        now = self._clock.steady()
        if self.suspected:
            self._until = now + CALM
        if by is not None:
            if self._last is None or self._last.host != by.host:
                self._other = self._last
            self._last = by
        self._heard = now
        self._silent.clear()
        self._sharing.clear()
        self._hosts.clear()
        self._probe = None
        self._wait = FIRST_WAIT
        self.suspected = self.confirmed = self._given_up = False

    def silent(self, who: Witness, visit: Visit, others: Iterable[Visit] = (), *, spoke: bool) -> list[Visit]:
        """One more visit without an answer. Gives the visits to take back because it was us.

        `others` would have had the same answer without a request.
        `spoke`: this host has answered before, perhaps in an earlier crawl. The network may be gone from the start.
        """
        now = self._clock.steady()
        if self._last is None and spoke:
            self._last = who
        self._since = self._since if self._hosts else now
        self._silent.append(visit)
        self._sharing += others
        self._hosts.add(who.host)
        if self.asked(visit):
            self._ask_again(now)
        elif self._is_odd(now, closes=spoke and visit.kind is Kind.ROBOTS):
            self.suspected = True
        if not self.confirmed:
            return []
        taken_back, self._silent, self._sharing = self._silent + self._sharing, [], []
        return taken_back

    @property
    def witness(self) -> str | None:
        """The origin to ask next, one that was not silent if there is one; None when the question is out already."""
        if self._probe is not None or self._last is None:
            return None
        other = self._other
        if other is not None and self._last.host in self._hosts and other.host not in self._hosts:
            return other.origin
        return self._last.origin

    @property
    def until(self) -> float:
        """Steady time before which it is not asked."""
        return self._until

    def asked(self, visit: Visit) -> bool:
        """Is this the question to the witness?"""
        return visit == self._probe

    def probe(self) -> Visit:
        """The question to ask the witness."""
        self._probe = Visit(f"{self.witness}/robots.txt", Kind.ROBOTS, owner=self.witness)
        return self._probe

    def _is_odd(self, now: float, *, closes: bool) -> bool:
        """Is it time to ask? At once where silence closes a whole site: then no other visit to it will tell."""
        if self._last is None or now < self._until or (self._given_up and len(self._hosts) < HOSTS):
            return False
        return closes or len(self._silent) >= VISITS or now - self._heard >= QUIET

    def _ask_again(self, now: float) -> None:
        """The witness is silent too."""
        self._probe = None
        self._given_up = len(self._hosts) < HOSTS and now - self._since >= self._patience
        self.suspected = self.confirmed = not self._given_up
        self._until = now + self._wait
        self._wait = min(2 * self._wait, LONGEST_WAIT)
