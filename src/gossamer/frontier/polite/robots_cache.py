"""May this origin be visited at all? robots.txt is a visit like any other; what it said is kept here.

RFC 9309: rules hold for a day; 4xx lets everything through; 5xx, 429, silence, and a file of which only a part came or
whose coding cannot be undone, close the origin until the file can be read, with growing pauses between the tries.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from math import inf

from gossamer.fetch.redirects import target
from gossamer.frontier.entries import ROBOTS, RobotsRow, encode, robots_row
from gossamer.frontier.queue.back_queues import Origin
from gossamer.frontier.queue.retry import robots_wait
from gossamer.model import Capture, Clock, Failure, Fault, Kind, Visit
from gossamer.printable import counted
from gossamer.robots import ALLOW_ALL, SIZE_MOST, Verdict, parse, verdict
from gossamer.store.table.table import Table
from gossamer.urls import keys
from gossamer.urls.paths import is_elsewhere

LIFETIME, SHORTEST = 86_400.0, 300.0
REDIRECTS_MOST = 5
GONE = frozenset({Fault.NO_SUCH_HOST, Fault.BLOCKED_ADDRESS})
"""No request to such a host can be made, so there is nothing that robots.txt could forbid."""
PARSED = 16
"""Files that are not parsed again for the next origin that has the same."""
PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""How a file begins that was packed by its owner, without a word about it in the head of the answer."""


class RobotsCache:
    """The rules of every origin, as last read."""

    def __init__(self, table: Table, clock: Clock, agent: str) -> None:
        self._table = table
        self._clock = clock
        self._agent = agent
        self._parse = lru_cache(maxsize=PARSED)(parse)

    def known(self, origin: Origin) -> bool:
        """Are its rules at hand and not too old? Files of ours, data and what is behind an account have none."""
        if origin.name.endswith("://") or origin.name.startswith("sftp://") or is_elsewhere(origin.name):
            origin.rules, origin.rules_until = ALLOW_ALL, inf
            return True
        if origin.rules is None and origin.rules_until == -inf:
            self._load(origin)
        return origin.rules is not None and origin.rules_until > self._clock.steady()

    def allows(self, origin: Origin, url: str) -> bool:
        """Do the rules let us fetch it? Ask only when they are `known`."""
        assert origin.rules is not None
        return origin.rules.allows(self._agent, url)

    def ask(self, origin: Origin) -> Visit:
        """The visit that brings the rules."""
        origin.asking = True
        return Visit(f"{origin.name}/robots.txt", Kind.ROBOTS, owner=origin.name)

    def elsewhere(self, capture: Capture) -> Visit | None:
        """The next hop when robots.txt redirects; None when the answer is final."""
        visit = capture.visit
        if capture.failure or visit.hops >= REDIRECTS_MOST:
            return None
        led_to = target(capture)
        return replace(visit, url=led_to, hops=visit.hops + 1) if led_to not in (None, visit.url) else None

    def learn(self, origin: Origin, capture: Capture) -> Failure | None:
        """Take the final answer in. Gives the failure that means there is no such host to visit."""
        origin.asking = False
        here = keys.origin(capture.visit.url) == origin.name  # where a redirect leads to may be gone, and this one not
        if here and capture.failure and capture.failure.fault in GONE:
            return capture.failure
        self._apply(origin, self._row(origin, capture))
        return None

    def forget(self, origin: Origin) -> None:
        """Its last answer does not count: ask again."""
        origin.asking = False
        origin.rules, origin.rules_until, origin.closed_until = None, -inf, -inf
        self._table.delete(ROBOTS, origin.name.encode())

    def _row(self, origin: Origin, capture: Capture) -> RobotsRow:
        now = self._clock.wall()
        answer = Verdict.UNREACHABLE if capture.failure else verdict(capture.status)
        stored = self._table.get(ROBOTS, origin.name.encode())
        tries = robots_row(stored).tries if stored else 0
        unreachable = answer is Verdict.UNREACHABLE
        where = "" if keys.origin(capture.visit.url) == origin.name else f"at {capture.visit.url}, "
        row = RobotsRow(
            verdict=answer.value,
            body=capture.body if answer is Verdict.RULES else b"",
            fetched=now,
            expires=now + (robots_wait(tries) if unreachable else lifetime(capture.header("cache-control"))),
            tries=tries + 1 if unreachable else 0,
            status=capture.status,
            detail=f"{where}{capture.failure or f'http {capture.status}'}",
        )
        self._table.put(ROBOTS, origin.name.encode(), encode(row))
        return row

    def _load(self, origin: Origin) -> None:
        stored = self._table.get(ROBOTS, origin.name.encode())
        if stored:
            self._apply(origin, robots_row(stored))

    def _apply(self, origin: Origin, row: RobotsRow) -> None:
        until = self._clock.steady() + min(max(row.expires - self._clock.wall(), 0.0), LIFETIME)
        if row.verdict == Verdict.UNREACHABLE:
            origin.rules, origin.closed_until = None, until
            return
        origin.rules = self._parse(row.body) if row.verdict == Verdict.RULES else ALLOW_ALL
        origin.rules_until, origin.closed_until = until, -inf
        origin.host.asks(origin.name, origin.rules.delay(self._agent) or 0.0)


def understood(capture: Capture) -> Capture:
    """An answer whose body is not the whole file in plain form has failed: rules that we cannot read may forbid all."""
    if capture.failure or verdict(capture.status) is not Verdict.RULES:
        return capture
    problem = _unreadable(capture)
    return replace(capture, failure=Failure(Fault.PROTOCOL, f"robots.txt: {problem}")) if problem else capture


def _unreadable(capture: Capture) -> str | None:
    if capture.decoding:
        return capture.decoding
    if capture.truncated and len(capture.body) < SIZE_MOST:
        return f"cut after {counted(len(capture.body), 'byte')}"
    packing = next((name for mark, name in PACKED.items() if capture.body.startswith(mark)), None)
    return f"packed with {packing}, and its header fields do not say so" if packing else None


def lifetime(cache_control: str | None) -> float:
    """A day, or less where the server says so."""
    asked = re.search(r"max-age\s*=\s*\"?(\d{1,9})", cache_control or "")
    return min(max(float(asked[1]), SHORTEST), LIFETIME) if asked else LIFETIME
