"""How many bytes of answers are in memory, and who may have more? One budget for a whole shard.

Counted is what came and what it was decoded to, from its first byte until the page is kept. Half of the budget is
shared out: every visit may have its share at any time, so ordinary pages never wait. The other half is common. A visit
that wants more of it than is left waits: its socket is not read, and the server waits with us. The oldest visit under
way waits only for large answers that have come and are not kept yet: they need nothing more, so somebody always goes
on. What is held exceeds the budget by one answer.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from gossamer.model import Visit


class Held:
    """Counts bytes by visit. Each is begun, grows, ends, and is free when its page is kept."""

    def __init__(self, most: float = inf, visits: int = 1) -> None:
        """`most` bytes, for so many visits at once."""
        self._share = most / 2 / visits
        self._common = most / 2
        self._octets: dict[Visit, int] = {}
        self._coming: dict[Visit, None] = {}
        """Under way, the oldest first."""
        self._beyond = 0.0
        """Bytes of the common half that are taken."""
        self.wake: Callable[[], None] = lambda: None
        """Called when those that wait may ask again."""

    @property
    def octets(self) -> int:
        """All that is held."""
        return sum(self._octets.values())

    def begin(self, visit: Visit) -> None:
        """It is asked for, or asked for again."""
        self.free(visit)
        self._octets[visit] = 0
        self._coming[visit] = None

    def room(self, visit: Visit, octets: int) -> bool:
        """May it have so many more?"""
        before = self._octets.get(visit, 0)
        if before + octets <= self._share:
            return True  # as nearly always
        more = self._over(before + octets) - self._over(before)
        return not more or self._beyond + more <= self._common or self._may_always(visit)

    def _may_always(self, visit: Visit) -> bool:
        """It is the oldest, and nothing large has come that makes room when it is kept."""
        come = (octets for each, octets in self._octets.items() if each not in self._coming)
        return visit is next(iter(self._coming), None) and not any(map(self._over, come))

    def grow(self, visit: Visit, octets: int) -> None:
        """It has so many more."""
        before = self._octets.get(visit, 0)
        now = self._octets[visit] = before + octets
        if now > self._share:
            self._beyond += self._over(now) - self._over(before)

    def end(self, visit: Visit) -> None:
        """All that will come has come. Another is the oldest now."""
        if visit in self._coming:
            del self._coming[visit]
            self.wake()

    def free(self, visit: Visit) -> None:
        """It is kept, or given up."""
        self._coming.pop(visit, None)
        octets = self._octets.pop(visit, 0)
        if octets > self._share:
            self._beyond -= self._over(octets)
            self.wake()

    def _over(self, octets: int) -> float:
        return max(octets - self._share, 0)
