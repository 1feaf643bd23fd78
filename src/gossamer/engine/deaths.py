"""What if a worker dies again and again? It is restarted at once, then after growing waits, and at last given up."""

from __future__ import annotations

import signal

from gossamer.errors import GossamerError

FIRST_WAIT, LONGEST_WAIT = 0.1, 2.0
MOST = 20
"""Deaths in a row, with no sign of progress in between, after which a worker is given up."""
SAME = 3
"""The same for one that raises the same error each time: waiting will not mend it."""


class WorkerLost(GossamerError):
    """A worker died too often in a row."""


class Deaths:
    """The deaths of one worker since it last made progress."""

    def __init__(self) -> None:
        self.in_a_row = 0
        self._raised = ("", 0)
        """What it raised the last time, and how often that was in a row."""

    def forget(self) -> None:
        """It made progress."""
        self.in_a_row, self._raised = 0, ("", 0)

    def wait(self, raised: str = "") -> float | None:
        """It died once more, perhaps of an error: the seconds until it is restarted; None when it is given up."""
        self.in_a_row += 1
        self._raised = (raised, self._raised[1] + 1 if raised == self._raised[0] else 1)
        if self.in_a_row >= MOST or (raised and self._raised[1] >= SAME):
            return None
        return 0.0 if self.in_a_row == 1 else min(FIRST_WAIT * 2 ** (self.in_a_row - 2), LONGEST_WAIT)


def lost(who: str, times: int, words: str) -> WorkerLost:
    """The error for a worker that is given up."""
    return WorkerLost(
        f"{who} died {times} times in a row and is given up; the last time it {words}. What is kept is safe:"
        " see the lines above for the cause (SIGKILL is often a lack of memory), remove it, then start again to go on"
    )


def words_for(status: int | None) -> str:
    """How a process ended, by its exit code as `subprocess` has it: negative for a signal, None when nobody saw it."""
    if status is None:
        return "ended unseen"
    if status >= 0:
        return f"ended with exit code {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"
