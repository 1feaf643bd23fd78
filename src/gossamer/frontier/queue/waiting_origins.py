"""Where does an origin wait that is not being visited? On disk, in the order in which it will be wanted.

Mercator keeps hosts that have no back queue in its front queues, BUbiNG on a virtual disk behind its workbench. Here
every origin with something queued has one row in one sorted family, and only those being visited now are in memory:

    waits    by the distance of its next address, then first come, first served
    asleep   by the date until which it is paused
    at work  in memory now; the row is there so that a crawl that was killed finds it again

A second family leads from the name of an origin to its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import ceil, inf

from gossamer.frontier.entries import META, STANDING, TURNS
from gossamer.rows import number
from gossamer.store.table.table import Table
from gossamer.urls import keys

WAITS, _ASLEEP, _AT_WORK = b"\0", b"\1", b"\2"
_ROUSED = 1_000


class WaitingOrigins:
    """Origins on disk. Dates are given and taken in seconds of the clock that `Dates` makes of the steady one."""

    def __init__(self, table: Table, next_position: Callable[[], int]) -> None:
        self._table = table
        self._next_position = next_position
        self._first = WAITS
        """No origin waits before this key: what was taken from the head leaves graves that a scan would cross."""
        self._next_waking = self._earliest()
        self.waiting = number(table.get(META, b"waiting") or b"")
        """Origins that wait or sleep. A crawl of few hosts has none, and then nothing is looked for on disk."""

    # ---------------------------------------------------------------- one origin

    def read_ahead(self, origins: Iterable[str]) -> None:
        """These will be asked for soon."""
        self._table.read_ahead(STANDING, map(str.encode, origins))

    def distance(self, origin: str) -> float:
        """How many rounds away an origin waits; infinity when nothing of it is queued, and 0 when it does not wait."""
        stands = self._table.get(STANDING, origin.encode())
        if stands is None:
            return inf
        return _distance(stands) if stands[:1] == WAITS else 0

    def expect(self, origin: str, distance: int) -> None:
        """Something was queued so many rounds away; an origin that is nearer, asleep or at work stays where it is."""
        stands = self._table.get(STANDING, origin.encode())
        if stands is None or (stands[:1] == WAITS and distance < _distance(stands)):
            self._move(origin, stands, self._wait_key(distance))

    def wait(self, origin: str, distance: int) -> None:
        """Its next address is so many rounds away."""
        self._move(origin, self._table.get(STANDING, origin.encode()), self._wait_key(distance))

    def sleep(self, origin: str, until: float) -> None:
        """Nothing may be fetched from it before that date."""
        key = _sleep_key(until)
        stands = self._table.get(STANDING, origin.encode())
        if stands is None or stands[:9] != key:
            self._move(origin, stands, key + self._next_position().to_bytes(8, "big"))
            self._next_waking = min(self._next_waking, until)

    def work(self, origin: str) -> None:
        """It is in memory from now on."""
        self._move(origin, self._table.get(STANDING, origin.encode()), _AT_WORK + origin.encode())

    def leave(self, origin: str) -> None:
        """Nothing of it is queued any more."""
        stands = self._table.get(STANDING, origin.encode())
        if stands is not None:
            self._remove(stands)
            self._table.delete(STANDING, origin.encode())

    # --------------------------------------------------------------- all of them

    def at_work(self) -> list[str]:
        """Those that were in memory at the last commit."""
        return [keys.origin_in(origin) for _, origin in self._table.scan(TURNS, prefix=_AT_WORK)]

    def known(self) -> bool:
        """Is there any origin with something queued?"""
        return next(self._table.scan(STANDING, limit=1), None) is not None

    def nearest(self) -> int | None:
        """The distance of the origin that waits in front; None when none waits."""
        if not self.waiting:
            return None
        first = next(self._table.scan(TURNS, prefix=WAITS, start=self._first, limit=1), None)
        return None if first is None else _distance(first[0])

    def take(self, number: int, horizon: int) -> list[str]:
        """So many origins from the front, none beyond the horizon. They wait until they are put to `work`."""
        if not self.waiting:
            return []
        rows = islice(self._table.scan(TURNS, prefix=WAITS, start=self._first), number)
        near = [(key, origin) for key, origin in rows if _distance(key) <= horizon]
        if near:
            self._first = near[-1][0]
        return [keys.origin_in(origin) for _, origin in near]

    def roused(self, now: float) -> Iterator[str]:
        """Those whose sleep is over; they are to be put somewhere else."""
        if now < self._next_waking:
            return
        for key, origin in list(self._table.scan(TURNS, prefix=_ASLEEP, limit=_ROUSED)):
            if _date(key) > now:
                break
            yield keys.origin_in(origin)
        self._next_waking = self._earliest()

    def asleep_beyond(self, date: float) -> list[str]:
        """Some of those that sleep until later than that."""
        rows = self._table.scan(TURNS, prefix=_ASLEEP, start=_sleep_key(date), limit=_ROUSED)
        return [keys.origin_in(origin) for _, origin in rows]

    @property
    def next_waking(self) -> float:
        """The earliest date at which a sleep ends; infinity when none sleeps."""
        return self._next_waking

    def save(self) -> None:
        """The count becomes part of the next commit."""
        self._table.put(META, b"waiting", self.waiting.to_bytes(8, "big"))

    def _wait_key(self, distance: int) -> bytes:
        return WAITS + distance.to_bytes(4, "big") + self._next_position().to_bytes(8, "big")

    def _move(self, origin: str, stands: bytes | None, to: bytes) -> None:
        if stands == to:
            return
        if stands is not None:
            self._remove(stands)
        self._table.put(TURNS, to, origin.encode())
        self._table.put(STANDING, origin.encode(), to)
        self.waiting += to[:1] != _AT_WORK
        if to[:1] == WAITS:
            self._first = min(self._first, to)

    def _remove(self, stands: bytes) -> None:
        self._table.delete(TURNS, stands)
        self.waiting -= stands[:1] != _AT_WORK

    def _earliest(self) -> float:
        first = next(self._table.scan(TURNS, prefix=_ASLEEP, limit=1), None)
        return _date(first[0]) if first else inf


def _sleep_key(until: float) -> bytes:
    return _ASLEEP + (ceil(until * 1e6) + 1).to_bytes(8, "big")  # rounding must not rouse it before its pause is over


def _distance(key: bytes) -> int:
    return int.from_bytes(key[1:5], "big")


def _date(key: bytes) -> float:
    return int.from_bytes(key[1:9], "big") / 1e6
