"""How many visits may be made by now, or bytes fetched? So many a day, and what was not used is kept for an hour.

After a week without power there is an hour's worth, not a week's: whatever is overdue comes in the order of its dates.
"""

from __future__ import annotations

from math import inf
from typing import Annotated

import msgspec

from gossamer.frontier.queue.retry import DAY, HOUR
from gossamer.rows import Seconds


class TokenBucket(msgspec.Struct, array_like=True):
    """Fills up with time. What came may be more than there was: then it takes so much longer."""

    left: Annotated[float, msgspec.Meta(ge=-1e15, le=1e15)] = 0.0
    when: Seconds = 0.0
    """When one was taken last; 0: never, and it is full."""

    def holds(self, a_day: float, now: float) -> float:
        """How many there are, where so many come in a day. A clock that was set back changes nothing."""
        most = max(a_day * HOUR / DAY, 1.0)
        return min(self.left + max(now - self.when, 0.0) * a_day / DAY, most) if self.when else most

    def take(self, a_day: float, now: float, number: int = 1) -> None:
        """So many are made."""
        self.left, self.when = self.holds(a_day, now) - number, now

    def ready(self, a_day: float, now: float) -> float:
        """Seconds until one may be made."""
        return max(1 - self.holds(a_day, now), 0.0) * DAY / a_day if a_day > 0 else inf
