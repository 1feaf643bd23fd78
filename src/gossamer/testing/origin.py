"""The server side without a socket: takes the head of a request, gives an answer, and keeps the log."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gossamer.model import Clock
from gossamer.testing.answers import Answers, Moment, refusal
from gossamer.testing.log import Entry, Log
from gossamer.testing.places import ROBOTS, Place, place_of
from gossamer.testing.wire import Answer, Request, read_request


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request that has come and awaits its answer."""

    request: Request
    place: Place | None
    entry: Entry
    tries: int
    latency: float
    """Seconds that this host takes to answer."""


@dataclass(frozen=True, slots=True)
class Origin:
    """All servers of one web."""

    answers: Answers
    clock: Clock
    log: Log

    def receive(self, head: bytes) -> Exchange | None:
        """Begin an exchange, or None when no host of this web is asked."""
        request = read_request(head)
        if request is None:
            return None
        host = self.answers.layout.hosts.number(request.authority)
        if host is None:
            return None
        place = self.place(host, request.target)
        entry = self._entry(host, request, place)
        tries = self.log.begin(entry)
        return Exchange(request, place, entry, tries, self.answers.layout.hosts.latency(host))

    def place(self, host: int, target: str) -> Place | None:
        """What a path means; a path that only looks like that of a place means nothing."""
        place = place_of(host, target)
        return place if place and self.answers.layout.sign(place).target == target else None

    def _entry(self, host: int, request: Request, place: Place | None) -> Entry:
        hosts = self.answers.layout.hosts
        return Entry(
            f"http://{request.authority}{request.target}",
            hosts.name(host),
            hosts.address(host),
            request.method,
            self.clock.wall(),
            self.clock.steady(),
            self._allowed(host, place),
        )

    def _allowed(self, host: int, place: Place | None) -> bool:
        """A robots.txt that cannot be read forbids all but itself, until it can."""
        if place and place.role in ROBOTS:
            return True
        policy = self.answers.policy
        if policy.broken(host):
            asked = self.log.tries(f"{self.answers.layout.hosts.origin(host)}/robots.txt")
            if not policy.answers_well(host, asked):
                return False
        return place is None or policy.allows(place)

    def answer(self, exchange: Exchange) -> Answer:
        moment = Moment(self.clock.wall(), exchange.tries)
        return self.answers.answer(exchange.request, exchange.place, moment)

    def refuse(self) -> Answer:
        """For what `receive` did not take."""
        return refusal()

    def end(self, exchange: Exchange, answer: Answer, size: int, *, finished: bool) -> None:
        """So many bytes of the answer were sent; with this the exchange is in the log."""
        entry = replace(
            exchange.entry,
            ended=self.clock.steady(),
            status=answer.status,
            size=size,
            finished=finished,
            retry_after=answer.retry_after,
        )
        self.log.end(exchange.entry, entry)
