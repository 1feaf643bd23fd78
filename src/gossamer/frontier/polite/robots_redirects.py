"""Who waits for the answer of which address? One request is made for all whose robots.txt redirects there.

Platforms redirect the robots.txt of thousands of hosts to one file. Each host is a question of its own, but the server
there gets one request, and its answer is good for all of them and for those that come within the next minutes. So the
number of requests depends on the number of addresses that are asked for, and of those only a few wait at one origin.

Nothing of it is durable. After a kill the hosts ask again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from gossamer.model import Capture, Clock, Visit
from gossamer.robots import SIZE_MOST
from gossamer.urls import keys

HOPS_MOST = 8
"""Addresses of one origin that wait for others. Who needs another is closed for now, and asks again after its pause."""
REUSED = 300.0
"""Seconds for which an answer is given to others: the shortest time that any robots.txt holds."""
REMEMBERED = 4 << 20
"""Bytes of such answers that are kept."""
_EMPTY = 1_000
"""About what an answer takes besides its body."""
_NEEDED = frozenset({"location", "cache-control"})


class _Answer(NamedTuple):
    capture: Capture
    until: float
    """Steady time."""
    size: int


class Hops:
    """The questions that redirects of others ask of origins of this shard."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: dict[str, dict[str, list[Visit]]] = {}
        """By origin and address. The first of each list is the one that is asked for."""
        self._answers: dict[str, _Answer] = {}
        """The oldest first."""
        self._size = 0

    def is_expected(self, url: str) -> bool:
        """Does anybody wait for its answer?"""
        return url in self._waiting.get(keys.origin(url), ())

    def is_crowded(self, origin: str) -> bool:
        """Do as many of its addresses wait as may?"""
        return len(self._waiting.get(origin, ())) >= HOPS_MOST

    def join(self, visit: Visit) -> bool:
        """It waits from now on. Is it the first, which has to be made?"""
        visits = self._waiting.setdefault(keys.origin(visit.url), {}).setdefault(visit.url, [])
        visits.append(visit)
        return len(visits) == 1

    def leave(self, url: str) -> list[Visit]:
        """Nobody waits for it any more. Gives those who did."""
        origin = keys.origin(url)
        addresses = self._waiting.get(origin, {})
        visits = addresses.pop(url, [])
        if not addresses:
            self._waiting.pop(origin, None)
        return visits

    def waiting(self, url: str) -> list[Visit]:
        """All who wait for it."""
        return list(self._waiting.get(keys.origin(url), {}).get(url, ()))

    def recall(self, visit: Visit) -> Capture | None:
        """What the address answered a moment ago, as if it had been asked now."""
        answer = self._answers.get(visit.url)
        if answer is None or answer.until <= self._clock.steady():
            return None
        return replace(answer.capture, visit=visit)

    def remember(self, capture: Capture) -> None:
        """An answer that others may have too. What failed may be different the next time."""
        if capture.failure:
            return
        url, age = capture.visit.url, max(self._clock.wall() - capture.began - capture.seconds, 0.0)  # after a kill
        body = capture.body[:SIZE_MOST] if 200 <= capture.status < 300 else b""
        fields = tuple(field for field in capture.headers if field[0] in _NEEDED)
        slim = replace(capture, headers=fields, request=b"", head=b"", wire=b"", body=body)
        self._forget(url)
        self._answers[url] = _Answer(slim, self._clock.steady() + REUSED - age, len(body) + _EMPTY)
        self._size += len(body) + _EMPTY
        while self._size > REMEMBERED:
            self._forget(next(iter(self._answers)))

    def _forget(self, url: str) -> None:
        if (answer := self._answers.pop(url, None)) is not None:
            self._size -= answer.size
