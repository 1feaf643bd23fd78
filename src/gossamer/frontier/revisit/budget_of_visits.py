"""How many visits may be made by now? So many a day, and what was not used is kept for an hour and not longer.

After a week without power there is an hour's worth, not a week's: whatever is overdue comes in the order of its dates.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from gossamer.rows import Seconds

DAY, HOUR = 86_400.0, 3_600.0


class Bucket(msgspec.Struct, array_like=True):
    """Fills up with time."""

    left: Annotated[float, msgspec.Meta(ge=-1e6, le=1e15)] = 0.0
    when: Seconds = 0.0
    """When it was filled; 0: never, and the first time it is full."""

    def fill(self, a_day: float, now: float) -> None:
        """So many a day come in. A clock that was set back changes nothing."""
        most = max(a_day * HOUR / DAY, 1.0)
        self.left = min(self.left + max(now - self.when, 0.0) * a_day / DAY, most) if self.when else most
        self.when = now

    def take(self) -> None:
        """One is made."""
        self.left -= 1

    def ready(self, a_day: float) -> float:
        """Seconds until one may be made."""
        return max(1 - self.left, 0.0) * DAY / a_day if a_day > 0 else float("inf")
