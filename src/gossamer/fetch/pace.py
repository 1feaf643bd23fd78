"""Does the answer keep coming? Asked about every open transfer once a second.

One look at a counter is cheaper than a timer for each transfer. The counter is header lines plus
bytes of the body; a head that comes slower than one line in `idle` seconds counts as silence.

Time is what the server had: seconds in which we were busy with something else, or left its answer waiting because there
was no room for it, are taken out by whoever asks (`http`), after all that has come was taken in.
"""

from __future__ import annotations

from gossamer.fetch.limits import Limits
from gossamer.model import Failure, Fault


class Pace:
    """Remembers the last look at one transfer."""

    __slots__ = ("_began", "_limits", "_looked", "_progress", "_seen", "_slow_since")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._progress = 0
        self._began = self._looked = self._seen = self._slow_since = 0.0

    def connecting(self, now: float) -> Failure | None:
        """Why to give up before the request has been sent, if so."""
        self._began = self._began or now
        if now - self._began >= self._limits.connect:
            return Failure(Fault.TIMEOUT, f"no connection within {self._limits.connect:g} s")
        return None

    def rest(self, seconds: float) -> None:
        """It had to wait for us: as if all that has happened so far were so much later."""
        if self._began:
            self._began += seconds
        if self._looked:
            self._looked += seconds
            self._seen += seconds
            self._slow_since += seconds

    def look(self, progress: int, now: float) -> Failure | None:
        """Why to give up now, if so. The first look comes when the request has been sent."""
        self._began = self._began or now
        gained = progress - self._progress
        if not self._looked or (gained and not self._progress):
            self._seen = self._slow_since = now
        elif gained:
            self._seen = now
            if gained >= self._rate() * (now - self._looked):
                self._slow_since = now
        self._progress, self._looked = progress, now
        return self._verdict(now)

    def _rate(self) -> float:
        """Our own bandwidth limit is not the server's fault."""
        own = self._limits.bandwidth
        return min(self._limits.slow_rate, own / 2) if own else self._limits.slow_rate

    def _verdict(self, now: float) -> Failure | None:
        limits, silent = self._limits, now - self._seen
        if not self._progress:
            if silent >= limits.first_byte:
                return Failure(Fault.TIMEOUT, f"no answer within {limits.first_byte:g} s")
        elif silent >= limits.idle:
            return Failure(Fault.TIMEOUT, f"nothing more came for {limits.idle:g} s")
        elif now - self._slow_since >= limits.slow_seconds:
            return Failure(Fault.TOO_SLOW, f"under {limits.slow_rate:g} bytes a second for {limits.slow_seconds:g} s")
        if now - self._began >= limits.total:
            return Failure(Fault.TIMEOUT, f"not finished within {limits.total:g} s")
        return None
