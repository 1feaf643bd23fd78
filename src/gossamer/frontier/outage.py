"""Is it them or is it us? When several hosts fall silent one after the other, a host that did answer is asked.

If it answers, the others are at fault. If it is silent too, the network is gone, not the sites: then no site is blamed
and no address loses a try. What failed since the last answer is taken back, and nothing is handed out but the same
question, after growing pauses, until it is answered.
"""

from __future__ import annotations

from gossamer.model import Capture, Clock, Fault, Kind, Visit

HOSTS = 4
"""Silent hosts, with no answer from any in between, that make us ask."""
CALM = 60.0
"""Seconds for which an answer settles the question."""
FIRST_WAIT, LONGEST_WAIT = 5.0, 60.0
SILENCE = frozenset({Fault.DNS, Fault.CONNECT, Fault.TIMEOUT, Fault.RESET})


def is_silence(capture: Capture) -> bool:
    """No word came back, for a reason that could be ours."""
    return not capture.status and capture.failure is not None and capture.failure.fault in SILENCE


class Outage:
    """Watches how visits end."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._witness: str | None = None
        self._silent: list[Visit] = []
        self._hosts: set[str] = set()
        self._probe: Visit | None = None
        self._wait = FIRST_WAIT
        self._until = 0.0
        self.suspected = False
        """Nothing may be handed out but the probe."""
        self.confirmed = False

    def answered(self, origin: str) -> None:
        """The network is there, for this origin has answered."""
        if self.suspected:
            self._until = self._clock.steady() + CALM
        self._witness = origin
        self._silent.clear()
        self._hosts.clear()
        self._probe = None
        self._wait = FIRST_WAIT
        self.suspected = self.confirmed = False

    def silent(self, host: str, visit: Visit) -> list[Visit]:
        """One more visit without an answer. Gives the visits to take back because it was us."""
        now = self._clock.steady()
        if visit == self._probe:
            self.confirmed, self._probe = True, None
            self._until = now + self._wait
            self._wait = min(2 * self._wait, LONGEST_WAIT)
        self._silent.append(visit)
        self._hosts.add(host)
        if not self.suspected and self._witness and len(self._hosts) >= HOSTS and now >= self._until:
            self.suspected = True
        if not self.confirmed:
            return []
        taken_back, self._silent = self._silent, []
        return taken_back

    @property
    def witness(self) -> str | None:
        """The origin to ask next; None when the question is out already."""
        return self._witness if self._probe is None else None

    @property
    def until(self) -> float:
        """Steady time before which it is not asked."""
        return self._until

    def probe(self) -> Visit:
        """The question to ask the witness."""
        self._probe = Visit(f"{self._witness}/robots.txt", Kind.ROBOTS, owner=self._witness)
        return self._probe
